// Reads includes as text: `#include "room/..."` names the room.
#include "rooms/rooms.hpp"

#include "support/temp_dir.hpp"

#include <functional>
#include <regex>
#include <sstream>

namespace test {
namespace fs = std::filesystem;

Rooms read_rooms(fs::path const& host) {
    Rooms rooms;
    std::istringstream lines(read(host / "ROOMS"));
    for (std::string line; std::getline(lines, line);) {
        auto const colon = line.find(':');
        if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
        std::istringstream granted(line.substr(colon + 1));
        auto& room = rooms[line.substr(0, colon)];
        for (std::string name; granted >> name;) room.insert(name);
    }
    return rooms;
}

namespace {

void check_file(fs::path const& file, std::string const& room, Rooms const& rooms, std::vector<std::string>& out) {
    static std::regex const include("^\\s*#\\s*include\\s+\"([^\"/]+)(/[^\"]*)?\"");
    std::istringstream lines(read(file));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::smatch found;
        if (!std::regex_search(line, found, include)) continue;
        auto const other = found[1].str();
        auto const place = file.native() + ":" + std::to_string(number) + ": ";
        if (!found[2].matched)
            out.push_back(place + "include with the room: \"" + room + "/" + other + "\"");
        else if (other != room && !rooms.at(room).contains(other))
            out.push_back(place + room + " may not include " + other + "; see host/ROOMS");
    }
}

bool reaches(Rooms const& rooms, std::string const& from, std::string const& to) {
    for (auto const& next : rooms.at(from))
        if (next == to || (rooms.contains(next) && reaches(rooms, next, to))) return true;
    return false;
}

} // namespace

std::vector<std::string> violations(fs::path const& host, Rooms const& rooms) {
    std::vector<std::string> out;
    for (auto const& [room, granted] : rooms) {
        if (!fs::is_directory(host / room)) out.push_back("ROOMS names " + room + ", which is not there");
        for (auto const& other : granted)
            if (!rooms.contains(other))
                out.push_back("ROOMS: " + room + " is granted " + other + ", which is no room");
            else if (other == room || reaches(rooms, other, room))
                out.push_back("ROOMS: " + room + " and " + other + " include each other");
    }
    for (auto const& entry : fs::recursive_directory_iterator(host)) {
        auto const extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".hpp") continue;
        auto const below = entry.path().lexically_relative(host);
        auto const room = below.begin()->native();
        if (below == "main.cpp") continue;
        if (!rooms.contains(room))
            out.push_back(entry.path().native() + ": there is no room " + room + " in ROOMS");
        else
            check_file(entry.path(), room, rooms, out);
    }
    return out;
}

} // namespace test
