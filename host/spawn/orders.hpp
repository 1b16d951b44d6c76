// Writes the shim's orders as bytes: see <pfar/shim_wire.hpp>.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/result.hpp>

#include <string>

namespace pfar::spawn {

/// Errc::unsupported for an order that the shim does not know. Pure. [any thread]
Result<std::string> encode(ShimOrders const& orders);

} // namespace pfar::spawn
