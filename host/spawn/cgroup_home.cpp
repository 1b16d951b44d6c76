// Two texts say where we are: /proc/self/cgroup has our path in each hierarchy, /proc/self/mountinfo where a hierarchy is mounted and
// which of its directories is the mount's root (in a container rarely the top).
#include "spawn/cgroup_home.hpp"

#include "base/files.hpp"
#include "spawn/cgroup_files.hpp"
#include "spawn/cgroup_name.hpp"

#include <pfar/result.hpp>

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>
#include <vector>

namespace pfar::spawn {
namespace {

namespace fs = std::filesystem;

struct Mount {
    std::string root, point, type, options;
};

/// Spaces and the like are written as three octal digits.
std::string unescaped(std::string const& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\\' && i + 3 < text.size()) {
            out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    return out;
}

std::vector<Mount> cgroup_mounts(fs::path const& proc) {
    std::vector<Mount> out;
    std::istringstream lines(text_of(proc / "self/mountinfo"));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string skipped;
        Mount mount;
        words >> skipped >> skipped >> skipped >> mount.root >> mount.point;
        while (words >> skipped && skipped != "-") {}
        words >> mount.type >> skipped >> mount.options;
        if (mount.type != "cgroup" && mount.type != "cgroup2") continue;
        mount.root = unescaped(mount.root);
        mount.point = unescaped(mount.point);
        out.push_back(mount);
    }
    return out;
}

bool in_list(std::string const& list, std::string const& word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// Our path in the hierarchy of a v1 controller, or with "" in that of v2.
std::optional<fs::path> own_path(fs::path const& proc, std::string const& controller) {
    std::istringstream lines(text_of(proc / "self/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        auto const first = line.find(':');
        auto const second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        auto const names = line.substr(first + 1, second - first - 1);
        if (controller.empty() ? names.empty() : in_list(names, controller)) return line.substr(second + 1);
    }
    return std::nullopt;
}

struct Places {
    fs::path proc, root;
    std::vector<Mount> mounts;
};

/// The directory of our own group, if it is mounted anywhere.
std::optional<fs::path> own_directory(Places const& places, std::string const& controller) {
    auto const own = own_path(places.proc, controller);
    if (!own) return std::nullopt;
    for (auto const& mount : places.mounts) {
        if (controller.empty() ? mount.type != "cgroup2" : !in_list(mount.options, controller)) continue;
        auto const below = own->lexically_relative(mount.root);
        if (below.empty() || *below.begin() == "..") continue;
        auto const point = places.root / fs::path(mount.point).relative_path();
        return below == "." ? point : point / below;
    }
    return std::nullopt;
}

/// A group that cannot be made after all is noticed when it is made.
Result<void> check_writable(fs::path const& directory) {
    if (::access(directory.c_str(), W_OK) == 0) return {};
    return fail(Errc::refused,
                fmt::format("no group can be made in {}: {}", directory.native(), base::errno_text(errno)));
}

/// A v2 group with processes in it cannot hand controllers on to groups within it: so we step aside, if we are the only one.
Result<void> hand_down(fs::path const& directory, std::string const& controllers) {
    auto const leaf = directory / host_leaf;
    if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST)
        return fail(Errc::refused,
                    fmt::format("no group can be made in {}: {}", directory.native(), base::errno_text(errno)));
    int error = put(leaf / "cgroup.procs", "0");
    if (error == 0) {
        error = put(directory / "cgroup.subtree_control", controllers);
        if (error == 0) return {};
        put(directory / "cgroup.procs", "0");
    }
    ::rmdir(leaf.c_str());
    return fail(Errc::refused, error == EBUSY ? fmt::format("other processes are in {} too", directory.native())
                                              : fmt::format("{} cannot hand on its memory controller: {}",
                                                            directory.native(), base::errno_text(error)));
}

Result<CgroupHome> try_v2(fs::path directory) {
    if (directory.filename() == host_leaf) directory = directory.parent_path(); // we have stepped aside before
    auto const offered = words_of(directory / "cgroup.controllers");
    if (!offered.contains("memory"))
        return fail(Errc::unsupported, fmt::format("{} has no memory controller", directory.native()));
    if (::access((directory / "cgroup.procs").c_str(), W_OK) != 0)
        return fail(Errc::refused, fmt::format("{} is not delegated to this user", directory.native()));

    auto const handed = words_of(directory / "cgroup.subtree_control");
    bool pids = handed.contains("pids");
    if (!handed.contains("memory")) {
        pids = offered.contains("pids");
        PFAR_CHECK(hand_down(directory, pids ? "+memory +pids" : "+memory"));
    }
    PFAR_CHECK(check_writable(directory));
    return CgroupHome{MemoryControl::cgroup_v2, directory, pids ? directory : fs::path(), ""};
}

Result<CgroupHome> try_v1(Places const& places) {
    auto const memory = own_directory(places, "memory");
    if (!memory) return fail(Errc::unsupported, "there is no memory hierarchy");
    PFAR_CHECK(check_writable(*memory));
    auto const pids = own_directory(places, "pids");
    return CgroupHome{MemoryControl::cgroup_v1, *memory, pids && check_writable(*pids) ? *pids : fs::path(), ""};
}

std::string remedy() {
    return fmt::format("with systemd, start pfar in a group of its own by `systemd-run {}--scope -p Delegate=yes`",
                       ::geteuid() == 0 ? "" : "--user ");
}

} // namespace

CgroupHome find_cgroup_home(fs::path const& proc, fs::path const& root) {
    Places const places{proc, root, cgroup_mounts(proc)};
    auto const unified = own_directory(places, "");
    auto v2 = unified ? try_v2(*unified) : Result<CgroupHome>(fail(Errc::unsupported, "its file system is not there"));
    if (v2) return std::move(*v2);
    auto v1 = try_v1(places);
    if (v1) return std::move(*v1);
    return {MemoryControl::sampled,
            {},
            {},
            fmt::format("cgroup v2: {}; cgroup v1: {}; {}", v2.error().what, v1.error().what, remedy())};
}

} // namespace pfar::spawn
