// A home directory with runtimes and packages as their installers lay them out, and a root made of nothing but what was found.
#pragma once

#include "servers/environment.hpp"
#include "servers/find_code.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace test {

namespace fs = std::filesystem;

class CodeLayout {
public:
    CodeLayout() { fs::create_directories(home()); }

    [[nodiscard]] fs::path home() const { return dir_ / "home/owner"; }
    [[nodiscard]] fs::path pfar_home() const { return home() / ".pfar"; }
    [[nodiscard]] fs::path outside() const { return dir_.path(); }

    /// Names are below the home directory.
    fs::path write(std::string const& name, std::string_view content = "") const {
        return dir_.write("home/owner/" + name, content);
    }
    fs::path program(std::string const& name, std::string_view content) const {
        auto const path = write(name, content);
        fs::permissions(path, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
        return path;
    }
    fs::path link(std::string const& name, fs::path const& target) const {
        auto const path = home() / name;
        fs::create_directories(path.parent_path());
        fs::create_symlink(target, path);
        return path;
    }
    /// A venv as `python3 -m venv` makes it, on the system's python.
    fs::path venv(std::string const& name, fs::path const& base = "/usr/bin") const {
        write(name + "/pyvenv.cfg", "include-system-site-packages = false\nhome = " + base.native() + "\n");
        write(name + "/lib/python3.11/site-packages/greeting.py", "text = 'from the venv'\n");
        return link(name + "/bin/python", base / "python3");
    }
    /// nvm's layout, with a small program for node.
    fs::path node(std::string const& prefix) const {
        program(prefix + "/bin/node", "#!/bin/sh\necho own node \"$@\"\n");
        write(prefix + "/lib/node_modules/npm/package.json", "{}");
        program(prefix + "/lib/node_modules/npm/bin/npx-cli.js", "#!/usr/bin/env node\n");
        link(prefix + "/bin/npx", "../lib/node_modules/npm/bin/npx-cli.js");
        return home() / prefix;
    }

    [[nodiscard]] pfar::servers::CodeQuery query(std::string command, std::vector<std::string> args = {}) const {
        pfar::servers::CodeQuery out;
        out.command = std::move(command);
        out.args = std::move(args);
        out.search_path = "/usr/bin:/bin";
        out.user_home = home();
        out.pfar_home = pfar_home();
        return out;
    }

private:
    TempDir dir_;
};

inline std::vector<fs::path> paths(pfar::servers::Code const& code) {
    std::vector<fs::path> out;
    for (auto const& root : code.roots) out.push_back(root.path);
    return out;
}

inline std::vector<fs::path> sorted(std::vector<fs::path> list) {
    std::sort(list.begin(), list.end());
    return list;
}

/// Runs it where there is nothing but the system, the roots and the links. Status 127 if bwrap cannot.
inline Outcome run_inside(pfar::servers::Code const& code) {
    std::vector<std::string> argv{"bwrap",  "--unshare-all", "--clearenv", "--tmpfs", "/tmp",
                                  "--proc", "/proc",         "--dev",      "/dev"};
    auto const add = [&](std::initializer_list<std::string> words) { argv.insert(argv.end(), words); };
    auto const system = pfar::servers::system_grants();
    for (auto const& grant : system.grants) add({"--ro-bind", grant.host, grant.inside});
    for (auto const& link : system.links) add({"--symlink", link.target, link.inside});
    for (auto const& root : code.roots) add({"--ro-bind", root.path, root.path});
    for (auto const& link : code.links) add({"--symlink", link.target, link.inside});
    pfar::servers::EnvironmentQuery query;
    query.home = "/tmp";
    query.bin_dirs = code.bin_dirs;
    query.set = {code.environment.begin(), code.environment.end()};
    for (auto const& [name, value] : pfar::servers::environment(query).variables) add({"--setenv", name, value});
    add({"--chdir", "/", "--", code.program});
    argv.insert(argv.end(), code.args.begin(), code.args.end());
    return run({argv, {}, "/", "", 0});
}

inline bool bwrap_works() {
    return run({{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "/bin/true"}, {}, "/", "", 0}).status == 0;
}

} // namespace test
