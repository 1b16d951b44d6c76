// Commands that are no server but fetch or start one somewhere else: npx, uvx, docker run. Each is refused with what to do instead.
#pragma once

#include <pfar/result.hpp>

#include <string>
#include <vector>

namespace pfar::config {

/// Errc::unsupported for what fetches a package at every start or leaves the sandbox, also behind env, sh -c and cmd /c. `name` is the server's, for
/// the sentence. Pure. [any thread]
Result<void> refuse_launcher(std::string const& name, std::string const& command, std::vector<std::string> const& args);

} // namespace pfar::config
