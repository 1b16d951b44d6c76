// Nothing stays: no process, mount, file or control group, however pfar ends.
#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <poll.h>

#include <csignal>
#include <set>
#include <sstream>

using test::Live;
using test::Stage;

namespace {

/// What pfar could have left in a directory that others use too.
std::set<std::string> ours_in(std::filesystem::path const& directory) {
    std::set<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(directory)) {
        auto const name = entry.path().filename().native();
        bool const of_tests = name.starts_with("pfar-test-") || name.starts_with("pfar-attack-") ||
                              name.starts_with("pfar-sandbox-") || name.starts_with("pfar-cmake");
        if (name.starts_with("pfar") && !of_tests) all.insert(name);
    }
    return all;
}

/// All but those that another test makes for itself.
std::string lasting_mounts() {
    std::istringstream lines(test::read("/proc/self/mountinfo"));
    std::string all;
    for (std::string line; std::getline(lines, line);)
        if (!test::has(line, " pfar-test ")) all += line + "\n";
    return all;
}

struct Trace {
    std::string mounts = lasting_mounts();
    std::set<std::string> tmp = ours_in("/tmp"), shm = ours_in("/dev/shm");
    std::set<std::filesystem::path> files;
    std::size_t descriptors = test::paths_below("/proc/self/fd").size();

    explicit Trace(Stage const& stage) {
        auto const all = test::paths_below(stage.path());
        files.insert(all.begin(), all.end());
    }
};

/// What has come there and stays: a doctor whom another test runs has a directory there for a moment.
std::set<std::string> left_in(std::filesystem::path const& directory, std::set<std::string> const& before) {
    auto left = ours_in(directory);
    for (int tries = 0; tries < 200; ++tries, ::poll(nullptr, 0, 100)) {
        auto const now = ours_in(directory);
        std::erase_if(left, [&](auto const& name) { return before.contains(name) || !now.contains(name); });
        if (left.empty()) break;
    }
    return left;
}

void check_same(Trace const& before, Stage const& stage) {
    CHECK(test::no_child_is_left());
    Trace const now(stage);
    CHECK(now.mounts == before.mounts);
    CHECK(left_in("/tmp", before.tmp) == std::set<std::string>());
    CHECK(left_in("/dev/shm", before.shm) == std::set<std::string>());
    CHECK(now.files == before.files);
    CHECK(now.descriptors == before.descriptors);
}

} // namespace

TEST_CASE("many runs in a row leave nothing") {
    test::adopt_orphans();
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    REQUIRE(stage.sh("exit 3").status == 3);
    Trace const before(stage);
    int other = 0;
    for (int i = 0; i < 50; ++i) other += stage.sh("sleep 1000 & setsid sleep 1000 & exit 3").status != 3;
    CHECK(other == 0);
    check_same(before, stage);
}

TEST_CASE("kill -9 of pfar takes everything with it") {
    test::adopt_orphans();
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const directory = stage.make("grant").native();
    auto const words = stage.exec_words(
        {"--write", directory},
        {"sh", "-c", "(setsid sh -c 'trap \"\" TERM HUP INT; echo ready; sleep 1000') & wait; sleep 1000"});
    REQUIRE(stage.exec({"--write", directory}, {"true"}).status == 0);
    Trace const before(stage);
    pid_t last = 0;
    for (int i = 0; i < 5; ++i) {
        Live live(stage, words, i % 2 == 0 ? Live::On::pipes : Live::On::terminal);
        REQUIRE(live.says("ready"));
        last = live.pid();
        live.signal(SIGKILL);
        CHECK(live.end() == 137);
        CHECK(test::no_child_is_left());
    }
    CHECK(stage.exec({}, {"true"}).status == 0); // which clears the empty control groups
    CHECK(test::groups_of(last).empty());
    check_same(before, stage);
}

TEST_CASE("kill -9 of pfar at any moment of its start takes everything with it") {
    test::adopt_orphans();
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    REQUIRE(stage.exec({}, {"true"}).status == 0);
    Trace const before(stage);
    for (int i = 0; i < 40; ++i) {
        Live live(stage, stage.exec_words({}, {"sleep", "1000"}));
        ::usleep(static_cast<useconds_t>(i) * 1000); // a moment of its start, not a wait for anything
        live.signal(SIGKILL);
        CHECK(live.end() == 137);
        CHECK(test::no_child_is_left());
    }
    CHECK(stage.exec({}, {"true"}).status == 0);
    check_same(before, stage);
}

TEST_CASE("a run's control group goes with it") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    Live live(stage, stage.exec_words({}, {"sh", "-c", "echo ready; sleep 1000"}));
    REQUIRE(live.says("ready"));
    auto const pid = live.pid();
    if (stage.is_root())
        CHECK((!test::groups_of(pid).empty() || ::access("/sys/fs/cgroup/memory", W_OK) != 0)); // the control
    live.signal(SIGTERM);
    CHECK(live.end() == 143);
    CHECK(test::groups_of(pid).empty());
}

TEST_CASE("the command inherits no descriptor but its three streams") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    CHECK(stage.exec({}, {"/usr/bin/python3", "-c", "import os; print(sorted(os.listdir('/proc/self/fd')))"}).out ==
          "['0', '1', '2', '3']\n");
    auto words = stage.exec_words({}, {"sh", "-c", "ls /proc/self/fd | wc -l"});
    words.insert(words.begin(), {"/bin/sh", "-c", "exec 8</etc/passwd 9</etc/group; exec \"$@\"", "sh"});
    CHECK(test::run({words, {}, "/", {}, stage.setting().uid}).out == "4\n");
}
