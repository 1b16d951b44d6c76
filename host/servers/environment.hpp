// The environment of a server: everything of the owner's is cleared but for what is named here, because variables carry secrets
// (tokens), ways out (SSH_AUTH_SOCK) and code (LD_PRELOAD).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pfar::servers {

struct EnvironmentQuery {
    std::map<std::string, std::string> owner;    // the owner's whole environment
    std::vector<std::filesystem::path> bin_dirs; // before the system's in PATH
    std::filesystem::path home;                  // inside
    std::string user;
    std::vector<std::string> pass;          // [env] pass
    std::map<std::string, std::string> set; // [env] set, wins
    bool terminal = false;
    std::uint16_t proxy_port = 0; // on 127.0.0.1 inside; 0: none
};

struct Environment {
    std::vector<std::pair<std::string, std::string>> variables; // by name
    std::vector<std::filesystem::path> certificates;            // canonical; to be shown read-only where they are
};

/// Secrets are not in it: they are known later. `pass` does not replace PATH, HOME, USER, LOGNAME, TMPDIR, XDG_*_HOME and the proxy
/// variables, which describe the inside; `set` does. [any thread, may block]
Environment environment(EnvironmentQuery const& query);

} // namespace pfar::servers
