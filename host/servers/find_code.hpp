// What has to be shown read-only for a command to run: its program, the runtime's own prefix, and the packages of the files among
// its arguments. Never the home directory or $PFAR_HOME, whatever is found there.
#pragma once

#include "servers/root_files.hpp"

#include <pfar/result.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pfar::servers {

/// Which arguments are code: every existing file (a server file: its owner wrote them), or only what is clearly a program (a
/// command that was typed: `cat ~/.ssh/id_rsa` shows nothing).
enum class ArgRule { every_file, scripts_only };

struct CodeQuery {
    std::string command;
    std::vector<std::string> args;
    std::vector<std::filesystem::path> extra; // [server] code
    std::string search_path;
    std::filesystem::path user_home, pfar_home;
    std::vector<std::filesystem::path>
        writable{}; // canonical: what the sandbox can change, and so must not lead out of itself
    ArgRule rule = ArgRule::every_file;
};

struct CodeRoot {
    std::filesystem::path path; // canonical
    std::string why;            // "node's own prefix", "package of server.js"
};

struct Code {
    std::filesystem::path program; // its directory is canonical, its name kept: a venv's python stays the venv's
    std::vector<CodeRoot> roots;   // none in a system directory, none inside another
    std::vector<Link> links;       // links outside of the roots that lead to them: to be made inside
    std::vector<std::filesystem::path> bin_dirs; // for PATH: directories of the programs outside /usr, best first
    std::vector<std::string> args;               // the query's; paths of files in the roots by canonical directories
    std::vector<std::pair<std::string, std::string>> environment; // what the code needs to be found: PYTHONUSERBASE
};

/// Errc::not_found or invalid for a command or code that is not there, Errc::refused for what may not be shown; each with the
/// remedy. Only absolute arguments are looked at. [main thread, may block]
Result<Code> find_code(CodeQuery const& query);

} // namespace pfar::servers
