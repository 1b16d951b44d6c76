// Which tool is called: as it was typed, and as its server calls it.
#pragma once

#include <pfar/result.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace pfar::cli {

struct Target {
    std::string server, tool;
    bool is_public = false;         // SERVER__TOOL: the name that agents see
    std::vector<std::string> pairs; // the words behind it
    boost::json::value schema{};    // of its arguments; null: not known
};

/// SERVER.TOOL, SERVER__TOOL, or the two as words of their own; none if it is none of these.
std::optional<Target> target_in(std::vector<std::string> const& words);

/// Finds it among the host's `tools` of its server. Errc::not_found, with what may be meant. What only the host can know is left to it.
Result<void> look_up(Target& target, boost::json::value const& tools);

} // namespace pfar::cli
