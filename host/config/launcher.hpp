// Commands that are no server but fetch or start one somewhere else: npx, uvx, docker run. Each is refused with what to do instead.
#pragma once

#include <pfar/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace pfar::config {

/// The package that a launcher such as npx or uvx would fetch.
struct Fetched {
    bool python = false;
    std::string package, version;  // version: empty if it named none, or a range or a tag
    std::string entry;             // the program inside it, if it named one
    std::vector<std::string> args; // for the server
};
/// None if it is no such launcher, or one with options that pfar does not know. Pure. [any thread]
std::optional<Fetched> fetched_package(std::string const& command, std::vector<std::string> const& args);

/// Errc::unsupported for what fetches a package at every start or leaves the sandbox, also behind env, sh -c and cmd /c. `name` is the server's, for
/// the sentence. Pure. [any thread]
Result<void> refuse_launcher(std::string const& name, std::string const& command, std::vector<std::string> const& args);

} // namespace pfar::config
