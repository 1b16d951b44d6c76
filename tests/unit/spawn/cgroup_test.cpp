// Real groups of whichever kind this machine lets us make, and real processes that use more than they may.
#include "spawn/cgroup.hpp"
#include "spawn/cgroup_name.hpp"
#include "support/child.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <cstring>
#include <optional>

using namespace pfar;
using spawn::Cgroup;
using spawn::MemoryControl;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr Limits small{.memory = 32 * mib};

int enter(Cgroup const& group) {
    for (auto const& entrance : group.entrances())
        if (::write(entrance.number(), "0", 1) != 1) return errno;
    return 0;
}

int touch(std::size_t size, int flags) {
    auto* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    std::memset(memory, 1, size);
    return 0;
}

int fill(int file, std::size_t size) {
    static char const bytes[65536] = {1};
    for (std::size_t done = 0; done < size; done += sizeof bytes)
        if (::write(file, bytes, sizeof bytes) != sizeof bytes) return 1;
    return 0;
}

int fill_tmpfs() {
    return fill(::open("/dev/shm", O_TMPFILE | O_RDWR, 0600), 96 * mib);
}

int many_children() {
    int ready[2];
    if (::pipe(ready) != 0) return 1;
    std::vector<pid_t> children;
    for (int i = 0; i < 20; ++i) {
        pid_t const child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::close(ready[1]);
            char end = 0;
            int const bad = touch(5 * mib, MAP_PRIVATE);
            ::_exit(::read(ready[0], &end, 1) == 0 ? bad : 1); // held until all have tried
        }
        children.push_back(child);
    }
    ::close(ready[0]);
    siginfo_t gone{};
    ::waitid(P_ALL, 0, &gone, WEXITED | WNOWAIT); // with 100 MiB in 32 somebody has to go
    ::close(ready[1]);
    int killed = 0;
    for (pid_t const child : children) killed += test::ended(child) == 1000 + SIGKILL ? 1 : 0;
    return killed > 0 ? 9 : 0;
}

spawn::CgroupHome home_or_skip() {
    auto home = spawn::find_cgroup_home();
    if (home.control == MemoryControl::sampled) SKIP(home.why_not);
    return home;
}

std::size_t groups_in(std::filesystem::path const& directory, std::string const& part) {
    std::size_t count = 0;
    for (auto const& entry : std::filesystem::directory_iterator(directory))
        count += entry.path().filename().native().find(part) != std::string::npos ? 1 : 0;
    return count;
}

} // namespace

TEST_CASE("memory above a group's limit ends its user, however it is taken") {
    auto const home = home_or_skip();
    struct Bomb {
        char const* name;
        int (*go)();
    };
    Bomb const bombs[] = {
        {"private", [] { return touch(96 * mib, MAP_PRIVATE); }},
        {"shared", [] { return touch(96 * mib, MAP_SHARED); }},
        {"memfd", [] { return fill(::memfd_create("bomb", 0), 96 * mib); }},
        {"tmpfs", fill_tmpfs},
    };
    for (auto const& bomb : bombs) {
        INFO(bomb.name);
        CHECK(test::in_child(bomb.go) == 0); // the control
        auto const group = Cgroup::make(home, bomb.name, small);
        REQUIRE(group);
        CHECK_FALSE(group->ran_out());
        CHECK(test::in_child([&] { return enter(*group) != 0 ? 98 : bomb.go(); }) == 1000 + SIGKILL);
        CHECK(group->ran_out());
    }
}

TEST_CASE("a group's limit is one for all its processes") {
    auto const home = home_or_skip();
    auto const group = Cgroup::make(home, "children", small);
    REQUIRE(group);
    int const answer = test::in_child([&] { return enter(*group) != 0 ? 98 : many_children(); });
    CHECK((answer == 9 || answer == 1000 + SIGKILL)); // v1 ends one at a time, v2 all
    CHECK(group->ran_out());
}

TEST_CASE("what stays below the limit runs, and is counted") {
    auto const home = home_or_skip();
    auto const group = Cgroup::make(home, "good", {.memory = 64 * mib});
    REQUIRE(group);
    int const answer = test::in_child([&] {
        if (enter(*group) != 0 || touch(16 * mib, MAP_PRIVATE) != 0) return 98;
        return group->used() > 16 * mib && group->used() < 64 * mib ? 0 : 1;
    });
    CHECK(answer == 0);
    CHECK_FALSE(group->ran_out());
}

TEST_CASE("a group has no more processes than its limit") {
    auto const home = home_or_skip();
    if (home.pids.empty()) SKIP("processes cannot be counted here");
    auto const group = Cgroup::make(home, "pids", {.processes = 3});
    REQUIRE(group);
    int const forks = test::in_child([&] {
        if (enter(*group) != 0) return 98;
        for (int made = 0;; ++made) {
            pid_t const child = ::fork();
            if (child < 0) return errno == EAGAIN ? made : 97;
            if (child == 0) ::pause();
        }
    });
    CHECK(forks == 2); // and itself
}

TEST_CASE("a group goes with its object, and so does a fork bomb in it") {
    auto const home = home_or_skip();
    if (home.pids.empty()) SKIP("processes cannot be counted here, and an unlimited fork bomb is no test");
    pid_t bomb = 0;
    int started[2];
    REQUIRE(::pipe(started) == 0);
    {
        auto const group = Cgroup::make(home, "bomb", {.processes = 50});
        REQUIRE(group);
        REQUIRE(groups_in(home.memory, "-bomb") == 1);
        bomb = ::fork();
        if (bomb == 0) {
            if (enter(*group) != 0 || ::write(started[1], "x", 1) != 1) ::_exit(98);
            for (;;) ::fork();
        }
        char byte = 0;
        REQUIRE(::read(started[0], &byte, 1) == 1);
    }
    CHECK(test::ended(bomb) == 1000 + SIGKILL);
    CHECK(groups_in(home.memory, "-bomb") == 0);
    CHECK(groups_in(home.pids, "-bomb") == 0);
    ::close(started[0]), ::close(started[1]);
}

TEST_CASE("what a killed host has left is removed, what a living one has is not") {
    auto const home = home_or_skip();
    auto const mine = Cgroup::make(home, "mine", small);
    REQUIRE(mine);
    CHECK(test::in_child([&] {
              auto* const lost = new Result<Cgroup>(Cgroup::make(home, "lost", small));
              return *lost ? 7 : 98;
          }) == 7);
    CHECK(groups_in(home.memory, "-lost") == 1);
    auto const next = Cgroup::make(home, "next", small);
    CHECK(groups_in(home.memory, "-lost") == 0);
    CHECK(groups_in(home.memory, "-mine") == 1);
}

TEST_CASE("an entrance does not pass through exec") {
    auto const home = home_or_skip();
    auto const group = Cgroup::make(home, "entrance", small);
    REQUIRE(group);
    for (auto const& entrance : group->entrances()) CHECK((::fcntl(entrance.number(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a v2 group kills what is in it and goes, also where v2 has no memory controller") {
    std::optional<std::filesystem::path> unified;
    for (std::filesystem::path const place : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        if (std::filesystem::exists(place / "cgroup.procs") && ::access((place / "cgroup.procs").c_str(), W_OK) == 0)
            unified = place;
    if (!unified) SKIP("no cgroup v2 that this user may change");
    spawn::CgroupHome const home{MemoryControl::cgroup_v2, *unified, {}, ""};
    pid_t child = 0;
    {
        auto const group = Cgroup::make(home, "second", {});
        if (!group) SKIP(group.error().what);
        int entered[2];
        REQUIRE(::pipe(entered) == 0);
        child = ::fork();
        if (child == 0) {
            char const answer = enter(*group) == 0 ? 'y' : 'n';
            if (::write(entered[1], &answer, 1) == 1) ::pause();
            ::_exit(98);
        }
        char answer = 0;
        REQUIRE(::read(entered[0], &answer, 1) == 1);
        CHECK(answer == 'y');
        ::close(entered[0]), ::close(entered[1]);
    }
    CHECK(test::ended(child) == 1000 + SIGKILL);
    CHECK(groups_in(*unified, "-second") == 0);
}

TEST_CASE("a group's name says whose it is and nothing that a path could mean") {
    auto const name = spawn::group_name("../a b/\n" + std::string(300, 'x'));
    CHECK(name.starts_with("pfar." + std::to_string(::getpid()) + "."));
    CHECK(name.find('/') == std::string::npos);
    CHECK(name.size() < 128);
    CHECK(spawn::group_name("same") != spawn::group_name("same"));
}

TEST_CASE("where memory is sampled there is no group, and the error says why") {
    auto const group = Cgroup::make({MemoryControl::sampled, {}, {}, "the reason"}, "x", small);
    REQUIRE_FALSE(group);
    CHECK(group.error().what == "the reason");
}

TEST_CASE("a limit that cannot be set is an error, and leaves nothing") {
    test::TempDir const dir; // no kernel behind it: a new directory stays empty
    auto const group = Cgroup::make({MemoryControl::cgroup_v2, dir.path(), dir.path(), ""}, "x", small);
    CHECK_FALSE(group);
    CHECK(std::filesystem::is_empty(dir.path()));
}
