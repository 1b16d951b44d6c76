// Wish: what is to run and what it may have, as somebody said it: a server file, or the words of `pfar exec`. And who says it.
#pragma once

#include "config/server_spec.hpp"
#include "servers/find_code.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pfar::servers {

inline constexpr Rights everything{true, true, true, true, true};

struct WishedGrant {
    std::filesystem::path path; // absolute; links not yet resolved
    Rights rights;
    std::string why;
};

struct Wish {
    std::string name;
    std::string command;
    std::vector<std::string> args;
    std::vector<std::filesystem::path> code;
    ArgRule rule = ArgRule::every_file;
    std::optional<std::filesystem::path> cwd; // none: its HOME
    bool cwd_if_granted = false;              // not an error if it is not to be seen inside
    std::vector<WishedGrant> grants;
    std::vector<std::filesystem::path> hidden; // below the grants; shown empty
    std::optional<std::vector<std::string>> commands;
    std::optional<std::filesystem::path> state; // a directory that becomes its HOME; none: HOME is the private /tmp
    std::optional<std::filesystem::path> socket_directory; // shown inside, where it makes its socket
    std::vector<std::string> env_pass;
    std::map<std::string, std::string> env_set;
    std::vector<config::AuthValue> auth, auth_files; // what the vault gives it: variables, and files in secrets_inside
    config::SandboxSpec sandbox;
    std::vector<config::DomainRule> domains, allow_private;
    bool transparent = true, require_sni = true;
    bool egress_anyway = false; // a way out also without domains, on which everything is refused and seen
    bool terminal = false;
    std::filesystem::path console{}; // the terminal's name outside
};

/// Whose machine it is.
struct OwnerFacts {
    std::filesystem::path user_home, pfar_home; // canonical
    std::map<std::string, std::string> environment;
    Identity identity;
};

} // namespace pfar::servers
