// Namespaces: nested ones (each is a way to more kernel), and joining the host's.
#include "attack.hpp"

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char no_namespace[] = "EPERM,EACCES,ENOSYS,ENOSPC,EINVAL";
constexpr char no_join[] = "EPERM,EACCES,ENOSYS,ENOENT,ESRCH,EINVAL";

Outcome user_by_unshare(Facts const&) {
    return judged(::unshare(CLONE_NEWUSER), "unshare of a user namespace");
}

Outcome cloned(long child, char const* how) {
    if (child == 0) ::_exit(0);
    if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
    return judged(child, std::string("a user namespace by ") + how);
}

Outcome user_by_clone(Facts const&) {
    return cloned(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr), "clone");
}

Outcome user_by_clone3(Facts const&) {
    clone_args arguments{};
    arguments.flags = CLONE_NEWUSER;
    arguments.exit_signal = SIGCHLD;
    return cloned(::syscall(SYS_clone3, &arguments, sizeof arguments), "clone3");
}

Outcome others(Facts const& facts) {
    if (!own_namespaces(facts, 0)) return untried("no user namespace");
    for (int const flag : {CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP})
        if (::unshare(flag) == 0) return success("unshare of another namespace");
    return refused("unshare of mount, net, pid, ipc, uts, cgroup");
}

/// Joins the holder's user namespace first, as anybody would who is not root there.
Outcome joins(int holder, int what, char const* how) {
    ::setns(holder, CLONE_NEWUSER);
    return judged(::setns(holder, what), std::string("setns ") + how);
}

Outcome net_by_pidfd(Facts const& facts) {
    long const holder = ::syscall(SYS_pidfd_open, number(facts, "holder"), 0);
    return holder < 0 ? refused("pidfd_open") : joins(static_cast<int>(holder), CLONE_NEWNET, "by pidfd");
}

Outcome joins_by_path(std::string const& process, char const* kind, int what) {
    int const user = ::open(("/proc/" + process + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC);
    int const other = ::open(("/proc/" + process + "/ns/" + kind).c_str(), O_RDONLY | O_CLOEXEC);
    if (other < 0) return refused("the namespace's file");
    ::setns(user, CLONE_NEWUSER);
    return judged(::setns(other, what), std::string("setns by /proc, ") + kind);
}

Outcome net_by_path(Facts const& facts) {
    return joins_by_path(fact(facts, "holder"), "net", CLONE_NEWNET);
}

Outcome mount_by_path(Facts const& facts) {
    return joins_by_path(fact(facts, "holder"), "mnt", CLONE_NEWNS);
}

Outcome launcher_mounts(Facts const& facts) {
    return joins_by_path(is_control(facts) ? fact(facts, "holder") : "1", "mnt", CLONE_NEWNS);
}

Outcome host_name(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWUTS)) return untried("no namespaces");
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return judged(::sethostname(name, std::strlen(name)), "sethostname to what it is");
}

} // namespace

Rows namespace_rows() {
    return {
        {"userns-unshare", "kernel", "makes a nested user namespace by unshare", no_namespace, user_by_unshare},
        {"userns-clone", "kernel", "the same by clone", no_namespace, user_by_clone},
        {"userns-clone3", "kernel", "the same by clone3", no_namespace, user_by_clone3},
        {"unshare", "kernel", "makes other namespaces", no_namespace, others},
        {"setns-pidfd", "network", "joins another network namespace by pidfd", no_join, net_by_pidfd},
        {"setns-path", "network", "joins another network namespace by /proc", no_join, net_by_path},
        {"setns-mount", "kernel", "joins another mount namespace", no_join, mount_by_path},
        {"setns-launcher", "kernel", "joins process 1's mount namespace", no_join, launcher_mounts},
        {"hostname", "kernel", "sets the host name", "EPERM,ENOSYS", host_name},
    };
}

} // namespace attack
