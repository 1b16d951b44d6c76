// The tree is walked by the kernel's lists of children; kernels without them are asked for every process's parent instead.
#include "spawn/tree_memory.hpp"

#include "spawn/cgroup_files.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace pfar::spawn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_processes = 4096;

/// What a process or thread tells about itself to anybody.
std::uint64_t resident_of(fs::path const& directory) {
    auto const status = text_of(directory / "status");
    return number_after(status, "RssAnon:") + number_after(status, "RssShmem:") + number_after(status, "VmSwap:");
}

std::uint64_t pages_of(pid_t process) {
    auto const rollup = text_of(fmt::format("/proc/{}/smaps_rollup", process));
    auto const kib = [&](std::string_view key) { return number_after(rollup, key); };
    if (rollup.find("\nPss_Anon:") != std::string::npos) return kib("Pss_Anon:") + kib("Pss_Shmem:") + kib("SwapPss:");
    if (!rollup.empty()) return kib("Pss:") + kib("SwapPss:");
    return resident_of(fmt::format("/proc/{}", process));
}

/// A process whose first thread has ended tells of its memory only through the others, and only the simpler numbers.
std::uint64_t memory_of(pid_t process) {
    std::error_code error;
    for (fs::directory_iterator thread(fmt::format("/proc/{}/task", process), error), end; !error && thread != end;
         thread.increment(error)) {
        auto const status = text_of(thread->path() / "status");
        if (status.find("\nRssAnon:") == std::string::npos) continue;
        bool const is_first = thread->path().filename() == std::to_string(process);
        return (is_first ? pages_of(process) : resident_of(thread->path())) + number_after(status, "VmPTE:");
    }
    return 0;
}

using Parents = std::multimap<pid_t, pid_t>; // parent, child

Parents all_parents() {
    Parents out;
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
        auto const process = static_cast<pid_t>(number_after(entry->path().filename().native(), ""));
        if (process == 0) continue;
        auto const status = text_of(entry->path() / "status");
        out.emplace(static_cast<pid_t>(number_after(status, "PPid:")), process);
    }
    return out;
}

/// Each thread has a list of the children it made.
void add_children(pid_t process, std::vector<pid_t>& out) {
    std::error_code error;
    for (fs::directory_iterator thread(fmt::format("/proc/{}/task", process), error), end; !error && thread != end;
         thread.increment(error)) {
        std::istringstream children(text_of(thread->path() / "children"));
        for (pid_t child = 0; children >> child;) out.push_back(child);
    }
}

} // namespace

std::uint64_t tree_memory(pid_t top) {
    bool const has_lists = ::access("/proc/thread-self/children", R_OK) == 0;
    auto const parents = has_lists ? Parents() : all_parents();
    std::set<pid_t> seen;
    std::vector<pid_t> waiting{top};
    std::uint64_t kib = 0;
    while (!waiting.empty() && seen.size() < most_processes) {
        pid_t const process = waiting.back();
        waiting.pop_back();
        if (!seen.insert(process).second) continue;
        kib += memory_of(process);
        if (has_lists)
            add_children(process, waiting);
        else
            for (auto [child, end] = parents.equal_range(process); child != end; ++child)
                waiting.push_back(child->second);
    }
    return kib * 1024;
}

} // namespace pfar::spawn
