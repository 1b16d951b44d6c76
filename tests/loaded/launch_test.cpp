// Both backends as the host uses them: loaded from their files, their plans run for real, as root and as an ordinary user.
#include "loader/load_plugin.hpp"
#include "spawn/run_to_end.hpp"

#include <pfar/sandbox_probe.hpp>

#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fmt/format.h>

#include <grp.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cstring>

using namespace pfar;

namespace {

std::string const directory = PFAR_BUILD "/lib/pfar/plugins/";

Result<Ended> launch(std::string const& backend, SandboxPolicy const& policy, std::string const& script) {
    PFAR_TRY(loaded, loader::load_plugin(directory + "sandbox-" + backend + ".so"));
    auto* const plugin = static_cast<SandboxBackend*>(loaded.object.get());
    PluginContext const context{"/nonexistent", "/nonexistent", PFAR_BUILD "/libexec/pfar/pfar-shim", {}, {}};
    PFAR_CHECK(plugin->configure(context));
    PFAR_TRY(plan, plugin->plan(policy, {"/bin/sh", {"-c", script}, "/", {{"PATH", "/usr/bin:/bin"}}}));
    return spawn::run_to_end(plan, std::chrono::seconds(20));
}

/// The same in a process that is this user; what it said comes back.
std::string as(uid_t uid, std::string const& backend, SandboxPolicy (*policy)(), std::string const& script) {
    constexpr std::size_t room = 8192;
    auto* const answer =
        static_cast<char*>(::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    pid_t const child = ::fork();
    if (child == 0) {
        if (uid != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(uid) != 0 || ::setuid(uid) != 0)) ::_exit(1);
        auto const ended = launch(backend, policy(), script);
        auto const text =
            ended ? fmt::format("{}listeners {} transparent {}\n", ended->output, ended->listeners, ended->transparent)
                  : "not launched: " + ended.error().what;
        std::strncpy(answer, text.c_str(), room - 1);
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    std::string out(answer);
    ::munmap(answer, room);
    return out;
}

struct Column {
    std::string backend;
    uid_t uid;
};

Column any_column() {
    auto const backend = GENERATE(std::string("bwrap"), std::string("landlock"));
    auto const uid = GENERATE(uid_t{0}, uid_t{4244});
    CAPTURE(backend, uid);
    return {backend, ::geteuid() == 0 ? uid : ::geteuid()};
}

SandboxPolicy writable_root() {
    auto policy = probe_policy();
    policy.read_only_root = false;
    policy.network = {};
    policy.limits.tmp_bytes = 4U << 20U;
    return policy;
}

SandboxPolicy no_tmp() {
    auto policy = probe_policy();
    policy.private_tmp = false;
    return policy;
}

} // namespace

TEST_CASE("a writable root takes new files, bounded, and the system stays as it is") {
    auto const column = any_column();
    auto const said =
        as(column.uid, column.backend, writable_root,
           "mkdir -p /var/lib/made && echo made > /var/lib/made/file && cat /var/lib/made/file; touch /usr/x; "
           "echo y > /new && cat /new; dd if=/dev/zero of=/big bs=1M count=16 2>&1 | tail -n 1; wc -c < /big; "
           "unshare -U true; echo unshare $?; mount -t tmpfs x /mnt; echo mount $?");
    INFO(said);
    CHECK(said.find("made\n") != std::string::npos);
    CHECK(said.find("cannot touch '/usr/x'") != std::string::npos);
    CHECK(said.find("y\n") != std::string::npos);
    CHECK(said.find("16777216") == std::string::npos);
    CHECK(said.find("unshare 1") != std::string::npos);
    CHECK(said.find("mount 0") == std::string::npos);
    CHECK(::access("/var/lib/made", F_OK) != 0);
}

TEST_CASE("a sandbox without /tmp has an empty one that cannot be written") {
    auto const column = any_column();
    auto const said = as(column.uid, column.backend, no_tmp, "ls -A /tmp | wc -l; touch /tmp/x; echo $?");
    INFO(said);
    CHECK(said.find("0\n") == 0);
    CHECK(said.find("Read-only file system") != std::string::npos);
}

TEST_CASE("the complete launch hands over the listeners of proxy and transparent mode") {
    auto const column = any_column();
    auto const said = as(column.uid, column.backend, probe_policy, "grep Cap /proc/self/status; cat /proc/net/route");
    INFO(said);
    CHECK(said.find("listeners 5 transparent true") != std::string::npos); // proxy, 443, 80, DNS by both
    CHECK(said.find("CapEff:\t0000000000000000") != std::string::npos);
    CHECK(said.find("CapBnd:\t0000000000000000") != std::string::npos);
}
