// A group that cannot be made is no failure: the watch is the remedy, and listings say so.
#include "spawn/sandbox.hpp"

#include "base/files.hpp"
#include "spawn/tree_memory.hpp"

#include <fmt/format.h>

#include <linux/magic.h>
#include <sys/vfs.h>

#include <cstdlib>

namespace pfar::spawn {
namespace {

constexpr int patience = 20;                // looks
constexpr std::uint64_t inode_bytes = 1024; // about what the kernel keeps for an empty file

/// A process that was executed inside: the shim itself may not let itself be looked at.
std::string root_of_child(pid_t first) {
    auto const children = base::read_file(fmt::format("/proc/{0}/task/{0}/children", first), 4096);
    auto const child = children ? std::strtol(children->c_str(), nullptr, 10) : 0;
    return fmt::format("/proc/{}/root", child);
}

/// The private file systems hold memory that no process maps.
std::uint64_t tmpfs_memory(pid_t first) {
    std::uint64_t sum = 0;
    auto const root = root_of_child(first);
    for (char const* const path : {"/tmp", "/dev/shm", secrets_inside}) {
        struct statfs status {};
        if (::statfs((root + path).c_str(), &status) != 0 || status.f_type != TMPFS_MAGIC) continue;
        sum +=
            static_cast<std::uint64_t>(status.f_blocks - status.f_bfree) * static_cast<std::uint64_t>(status.f_bsize);
        sum += static_cast<std::uint64_t>(status.f_files - status.f_ffree) * inode_bytes;
    }
    return sum;
}

} // namespace

Result<Sandbox> Sandbox::start(LaunchPlan const& plan, Beginning beginning, CgroupHome home, std::string const& name) {
    if (home.control == MemoryControl::cgroup_v1)
        home.pids.clear(); // a second hierarchy to enter; RLIMIT_NPROC does as well
    auto const limits = plan.orders ? plan.orders->limits : Limits{};
    std::optional<Cgroup> group;
    if (home.control != MemoryControl::sampled && limits.memory != 0)
        if (auto made = Cgroup::make(home, name, limits)) group = std::move(*made);
    if (group)
        for (auto const& entrance : group->entrances()) beginning.entrances.push_back(entrance.number());
    beginning.additions.count_memory = !group && limits.memory != 0;
    PFAR_TRY(child, Child::start(plan, beginning));
    return Sandbox(std::move(child), std::move(group), home.control, limits.memory);
}

std::optional<std::chrono::milliseconds> Sandbox::watch_every() const {
    bool const kernel_ends_all =
        group_ && control_ == MemoryControl::cgroup_v2; // v1 kills one at a time, and the others go on
    if (kernel_ends_all || limit_ == 0) return {};
    return std::chrono::milliseconds(250);
}

Result<Note> Sandbox::next() {
    auto note = child_.next();
    if (note && note->kind == Note::Kind::sockets)
        in_sockets_ = static_cast<std::uint64_t>(note->value) << 10U, unanswered_ = 0;
    return note;
}

bool Sandbox::watch() {
    if (group_) {
        bool const out = group_->ran_out();
        if (out) child_.end();
        return out;
    }
    auto const first = watch_every() ? child_.first_process() : 0;
    if (first == 0) return false;
    child_.pass(shim_asks_sockets);                         // the answer counts the next time
    if (++unanswered_ > patience) in_sockets_ = limit_ + 1; // a shim that is kept from answering hides something
    if (tree_memory(first) + tmpfs_memory(first) + in_sockets_ <= limit_) return false;
    watched_out_ = true;
    child_.end();
    return true;
}

} // namespace pfar::spawn
