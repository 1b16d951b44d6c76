// A .env file: NAME=value lines, as shells and dotenv libraries write them. Values are secrets and are kept as such.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace pfar::config {

struct DotenvLine {
    std::string name;
    Secret value;
    std::size_t line;     // where it begins, from 1
    bool expands = false; // a shell, and some libraries, would put other variables into it
};

struct Dotenv {
    std::vector<DotenvLine> values;      // a name that stands there twice has the last value, as everywhere
    std::vector<std::size_t> unread;     // lines that are neither a value, a comment nor empty
    std::vector<std::string> repeated{}; // names whose earlier values are left out
};

/// `export NAME=`, 'single quotes' as they are, "double quotes" with \n, \r, \t, \", \\ and \$, both over several lines; otherwise the rest of the line up
/// to a # behind a space, without spaces around it. Nothing is expanded. [any thread]
Dotenv read_dotenv(std::string_view text);

/// GITHUB_TOKEN -> github_token; what an entry's name may not have becomes _.
std::string entry_for(std::string_view variable);

} // namespace pfar::config
