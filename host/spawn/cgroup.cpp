// Swap is refused as well, or a limit would only move the memory to the disk. Files that an older kernel lacks are passed over, except
// those that are the limit itself.
#include "spawn/cgroup.hpp"

#include "base/files.hpp"
#include "spawn/cgroup_files.hpp"
#include "spawn/cgroup_name.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

namespace pfar::spawn {
namespace {

Error failed(std::filesystem::path const& path, int error) {
    return fail(Errc::io, fmt::format("the control group {} could not be set up: {}; see `pfar doctor`", path.native(),
                                      base::errno_text(error)));
}

Result<void> must_put(std::filesystem::path const& file, std::uint64_t value) {
    if (int const error = put(file, std::to_string(value)); error != 0) return failed(file, error);
    return {};
}

void kill_members(std::filesystem::path const& directory) {
    std::istringstream members(text_of(directory / "cgroup.procs"));
    for (pid_t member = 0; members >> member;)
        if (member > 1 && member != ::getpid()) ::kill(member, SIGKILL); // 0: one that this PID namespace does not see
}

} // namespace

Result<Cgroup> Cgroup::make(CgroupHome const& home, std::string_view name, Limits const& limits) {
    if (home.control == MemoryControl::sampled) return fail(Errc::unsupported, home.why_not);
    Cgroup group(home.control);
    auto const full_name = group_name(name);
    PFAR_CHECK(group.add(home.memory, full_name));
    if (!home.pids.empty() && home.pids != home.memory) PFAR_CHECK(group.add(home.pids, full_name));
    PFAR_CHECK(group.limit(home, limits));
    return group;
}

Result<void> Cgroup::add(std::filesystem::path const& home, std::string const& name) {
    remove_leftovers(home);
    auto const directory = home / name;
    if (::mkdir(directory.c_str(), 0755) != 0) return failed(directory, errno);
    directories_.push_back(directory);
    // A thread that moves itself alone needs no lock on all processes of the machine, for which the kernel would wait 10 ms.
    auto const* const door = control_ == MemoryControl::cgroup_v1 ? "tasks" : "cgroup.procs";
    base::Fd entrance{::open((directory / door).c_str(), O_WRONLY | O_CLOEXEC)};
    if (!entrance) return failed(directory, errno);
    entrances_.push_back(std::move(entrance));
    return {};
}

Result<void> Cgroup::limit(CgroupHome const& home, Limits const& limits) {
    auto const& memory = directories_.front();
    if (limits.memory != 0 && control_ == MemoryControl::cgroup_v2) {
        PFAR_CHECK(must_put(memory / "memory.max", limits.memory));
        put(memory / "memory.swap.max", "0");
        put(memory / "memory.oom.group", "1");
    } else if (limits.memory != 0) {
        PFAR_CHECK(must_put(memory / "memory.limit_in_bytes", limits.memory));
        put(memory / "memory.memsw.limit_in_bytes", std::to_string(limits.memory)); // with swap; after the one without
        put(memory / "memory.swappiness", "0");
    }
    if (limits.processes != 0 && !home.pids.empty())
        PFAR_CHECK(must_put(directories_.back() / "pids.max", limits.processes));
    return {};
}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
    std::swap(control_, other.control_);
    std::swap(directories_, other.directories_);
    std::swap(entrances_, other.entrances_);
    return *this;
}

Cgroup::~Cgroup() {
    using namespace std::chrono_literals;
    if (directories_.empty()) return;
    put(directories_.back() / "pids.max", "0"); // what forks faster than it is killed stops forking
    for (auto wait = 1ms; wait < 512ms; wait *= 2) {
        kill();
        if (remove()) return;
        std::this_thread::sleep_for(wait); // the killed are still on their way out
    }
}

void Cgroup::kill() const {
    if (control_ == MemoryControl::cgroup_v2 && put(directories_.front() / "cgroup.kill", "1") == 0) return;
    for (auto const& directory : directories_) kill_members(directory);
}

bool Cgroup::remove() const {
    return std::count_if(directories_.begin(), directories_.end(),
                         [](auto const& directory) { return ::rmdir(directory.c_str()) != 0 && errno != ENOENT; }) == 0;
}

bool Cgroup::ran_out() const {
    auto const* const file = control_ == MemoryControl::cgroup_v2 ? "memory.events" : "memory.oom_control";
    return number_after(text_of(directories_.front() / file), "oom_kill ") != 0;
}

std::uint64_t Cgroup::used() const {
    auto const* const file = control_ == MemoryControl::cgroup_v2 ? "memory.current" : "memory.usage_in_bytes";
    return number_after(text_of(directories_.front() / file), "");
}

} // namespace pfar::spawn
