// What a running host tells of itself.
#pragma once

#include "control/identity.hpp"
#include "house/house.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace pfar::house {

struct HostFacts {
    House const& house;
    control::Identity const& identity;
    std::chrono::system_clock::time_point since;
    std::string list_json;
    std::size_t connections = 0, sessions = 0;
    bool busy = false, on_demand = false;
    Result<void> record{}; // can it be written
};

/// For `pfar host status`, as JSON.
std::string host_report(HostFacts const& facts);
/// For hello.
std::string greeting(HostFacts const& facts, bool idle);

/// How many elements a JSON array has.
std::size_t count_servers(std::string_view list_json);

} // namespace pfar::house
