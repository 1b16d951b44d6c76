// Places: where server files are looked for, and which file of a name wins.
//
// The project (.pfar/mcp of the session's directory or of a parent), then the owner's home, then the system. A server's
// identity is its file's canonical path.
#pragma once

#include "config/server_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pfar::config {

struct Places {
    std::filesystem::path home;      // $PFAR_HOME
    std::filesystem::path user_home; // ~
    std::filesystem::path directory; // where the session was started
    std::filesystem::path system = "/etc/pfar";
    std::vector<std::string> backends; // as in FileContext
};

enum class Origin : std::uint8_t { project, user, system };
inline constexpr base::Spelling<Origin, 3> origin_words{
    {{"project", Origin::project}, {"user", Origin::user}, {"system", Origin::system}}};

struct FoundFile {
    std::string name; // the file's stem
    Origin origin;
    std::filesystem::path file; // as found: links are not followed
    std::filesystem::path base; // what its relative paths begin with
};

/// The nearest directory at or above `places.directory` that has a .pfar/mcp, if that is not the owner's home itself. [may block]
std::optional<std::filesystem::path> project_root(Places const& places);

/// Every NAME.toml of the three places, in order of precedence, by name within one. [may block]
std::vector<FoundFile> find_server_files(Places const& places);

/// The same for one file that somebody named.
FoundFile locate(std::filesystem::path const& file, Places const& places);

FileContext context_of(FoundFile const& found, Places const& places);

} // namespace pfar::config
