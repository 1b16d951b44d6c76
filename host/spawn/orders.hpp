// Writes the shim's orders as bytes: see <pfar/shim_wire.hpp>.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <string>
#include <vector>

namespace pfar::spawn {

/// What the host adds to a backend's orders at the last moment.
struct Additions {
    bool terminal = false;     // stdin is a terminal of its own: give it to the server
    bool count_memory = false; // no control group holds it: rlimits, and no memory that hides
    std::vector<std::pair<std::string, Secret const*>> secrets{}; // variables
    std::vector<std::pair<std::string, Secret const*>> files{};   // names below secrets_inside
};

/// The whole message, with its length in front. A Secret, because it may hold some.
/// Errc::invalid if something cannot be written down. [any thread]
Result<Secret> encode(ShimOrders const& orders, Additions const& additions);

} // namespace pfar::spawn
