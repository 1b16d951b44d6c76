// What `pfar check` tells: every configuration file, whether it is the one that counts, and all its mistakes.
#pragma once

#include "config/survey.hpp"
#include "house/house.hpp"

#include <string>
#include <vector>

namespace pfar::house {

struct CheckedFile {
    std::filesystem::path file;
    std::string origin; // host, project, user, system
    std::string name;   // the server's; empty for pfar.toml
    std::string state;  // ok, invalid, shadowed, waits
    std::string note;   // why it is not ok, if it is not for its mistakes
    std::vector<config::Mistake> mistakes;
};

/// pfar.toml and all server files; or only `files`, if some were named. [main thread, may block]
Result<std::vector<CheckedFile>> check_files(House const& house, std::vector<std::string> const& files);

} // namespace pfar::house
