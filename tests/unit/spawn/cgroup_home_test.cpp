// cgroup v2 with a memory controller is played by a directory tree: it proves what is read and written, not what a kernel makes of it.
#include "spawn/cgroup_home.hpp"
#include "support/child.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using namespace pfar;
using spawn::MemoryControl;

namespace {

constexpr char const* v2_mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

struct Machine {
    test::TempDir dir;
    std::string base = "sys/fs/cgroup/";

    void is(std::string const& cgroup, std::string const& mounts) const {
        dir.write("proc/self/cgroup", cgroup);
        dir.write("proc/self/mountinfo", "22 1 0:20 / / rw - ext4 /dev/vda rw\n" + mounts);
    }
    void group(std::string const& name, std::string const& offered, std::string const& handed) const {
        dir.write(base + name + "/cgroup.controllers", offered);
        dir.write(base + name + "/cgroup.subtree_control", handed);
        dir.write(base + name + "/cgroup.procs", "");
    }
    [[nodiscard]] std::filesystem::path at(std::string const& name) const { return dir / (base + name); }
    [[nodiscard]] spawn::CgroupHome home() const { return spawn::find_cgroup_home(dir / "proc", dir.path()); }
};

} // namespace

TEST_CASE("a v2 group that hands memory on is home") {
    Machine const machine;
    machine.is("0::/user/app\n", v2_mount);
    machine.group("user/app", "cpu memory pids\n", "memory pids\n");
    auto const home = machine.home();
    CHECK(home.control == MemoryControl::cgroup_v2);
    CHECK(home.memory == machine.at("user/app"));
    CHECK(home.pids == home.memory);
    CHECK(test::read(machine.at("user/app/cgroup.procs")).empty());
    CHECK(std::filesystem::is_empty(machine.at("user/app")) == false);
}

TEST_CASE("a v2 group that does not hand memory on yet is made to, after stepping aside") {
    Machine const machine;
    machine.is("0::/app.scope\n", v2_mount);
    machine.group("app.scope", "memory pids\n", "");
    machine.group("app.scope/pfar-host", "", "");
    auto const home = machine.home();
    CHECK(home.control == MemoryControl::cgroup_v2);
    CHECK(home.memory == machine.at("app.scope"));
    CHECK(test::read(machine.at("app.scope/pfar-host/cgroup.procs")) == "0");
    CHECK(test::read(machine.at("app.scope/cgroup.subtree_control")) == "+memory +pids");
}

TEST_CASE("whoever has stepped aside before finds the same home") {
    Machine const machine;
    machine.is("0::/app.scope/pfar-host\n", v2_mount);
    machine.group("app.scope", "memory\n", "memory\n");
    machine.group("app.scope/pfar-host", "memory\n", "");
    auto const home = machine.home();
    CHECK(home.memory == machine.at("app.scope"));
    CHECK(home.pids.empty());
}

TEST_CASE("where memory cannot be handed on, all is as it was and the reason is told") {
    Machine const machine;
    machine.is("0::/app.scope\n", v2_mount);
    machine.group("app.scope", "memory pids\n", "");
    machine.group("app.scope/pfar-host", "", "");
    std::filesystem::remove(machine.at("app.scope/cgroup.subtree_control"));
    std::filesystem::create_directory(machine.at("app.scope/cgroup.subtree_control"));
    auto const home = machine.home();
    CHECK(home.control == MemoryControl::sampled);
    CHECK(test::has(home.why_not, "cannot hand on its memory controller: Is a directory"));
    CHECK(test::has(home.why_not, "systemd-run"));
    CHECK(test::read(machine.at("app.scope/cgroup.procs")) == "0"); // back where we were
}

TEST_CASE("a step aside that fails leaves no group behind") {
    Machine const machine;
    machine.is("0::/app.scope\n", v2_mount);
    machine.group("app.scope", "memory pids\n", "");
    CHECK(machine.home().control == MemoryControl::sampled); // the new leaf has no cgroup.procs: this is no kernel
    CHECK_FALSE(std::filesystem::exists(machine.at("app.scope/pfar-host")));
}

TEST_CASE("v1 is taken where v2 has no memory controller") {
    Machine const machine;
    machine.is("8:pids:/p\n4:cpu,memory:/a/b\n0::/\n",
               "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,cpu,memory\n"
               "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    machine.group("unified", "hugetlb\n", "");
    machine.group("memory/a/b", "", "");
    auto home = machine.home();
    CHECK(home.control == MemoryControl::cgroup_v1);
    CHECK(home.memory == machine.at("memory/a/b"));
    CHECK(home.pids.empty()); // its directory is not there
    machine.group("pids/p", "", "");
    CHECK(machine.home().pids == machine.at("pids/p"));
}

TEST_CASE("a container's mount shows a part of the tree, and its name may have spaces") {
    Machine machine;
    machine.base = "mnt/c groups/";
    machine.is("0::/docker/abc/in\n", "30 23 0:26 /docker/abc /mnt/c\\040groups rw - cgroup2 cgroup2 rw\n");
    machine.group("in", "memory\n", "memory\n");
    CHECK(machine.home().memory == machine.at("in"));
    machine.is("0::/docker/other\n", "30 23 0:26 /docker/abc /mnt/c\\040groups rw - cgroup2 cgroup2 rw\n");
    CHECK(machine.home().control == MemoryControl::sampled);
    machine.is("0::/../elsewhere\n", v2_mount);
    CHECK(machine.home().control == MemoryControl::sampled);
}

TEST_CASE("a machine without control groups, or with nonsense in their place, is sampled and says why") {
    Machine const machine;
    CHECK_FALSE(machine.home().why_not.empty());
    machine.is("::\n:\nnonsense\n9\n", "1 2\n- - -\n\\\\ \\0 \\ - cgroup2 - -\n1 2 3 \\04 \\0 rw - cgroup2\n");
    auto const home = machine.home();
    CHECK(home.control == MemoryControl::sampled);
    CHECK_FALSE(home.why_not.empty());
}

TEST_CASE("an ordinary user without delegation is sampled and is told why") {
    if (::geteuid() != 0) SKIP("has to be root to become somebody else");
    test::TempDir const dir;
    ::chmod(dir.path().c_str(), 0777);
    auto const out = dir / "why";
    int const answer = test::in_child([&] {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 99;
        auto const home = spawn::find_cgroup_home();
        std::ofstream(out) << home.why_not;
        return static_cast<int>(home.control);
    });
    CHECK(answer == static_cast<int>(MemoryControl::sampled));
    CHECK(test::has(test::read(out), "systemd-run --user"));
}
