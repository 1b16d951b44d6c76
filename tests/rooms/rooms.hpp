// host/ROOMS as data, and the check of includes against it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace test {

using Rooms = std::map<std::string, std::set<std::string>>; // a room and the rooms it may include

Rooms read_rooms(std::filesystem::path const& host);

/// A sentence for each include that is not granted, each file outside a known room, each room without a folder, and each cycle.
std::vector<std::string> violations(std::filesystem::path const& host, Rooms const& rooms);

} // namespace test
