// Much at once: bulk, slow and idle connections, and what the others notice of them.
#include "egress/world.hpp"
#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

using test::has;
using test::WorldStage;

namespace {

std::vector<std::string> load(WorldStage const& stage, std::vector<std::string> words) {
    auto const script = stage.write("given/load.py", test::read(PFAR_SOURCE "/tests/egress/load.py"));
    words.insert(words.begin(), {"/usr/bin/python3", script.native()});
    return words;
}

/// The most memory that a process has had, in MiB.
long peak(pid_t pid) {
    auto const status = test::read("/proc/" + std::to_string(pid) + "/status");
    return std::atol(status.c_str() + status.find("VmHWM:") + 6) / 1024;
}

} // namespace

TEST_CASE("20 MiB go up and down unchanged, by every way") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching({"good.example"}, load(stage, {"bulk"}));
    INFO(outcome.err);
    CHECK(outcome.out == "tunnel True\nabsolute True\ntransparent True\ntransparent-http True\n");
}

TEST_CASE("when one direction has ended the other goes on") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching({"db.example:7000"}, load(stage, {"half"}));
    INFO(outcome.err);
    CHECK(outcome.out == "tunnel peer=good tally=1000000\ntransparent peer=good tally=1000000\n");
}

TEST_CASE("200 connections of a byte a second keep nobody else from working") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching({"good.example"}, load(stage, {"slow"}));
    INFO(outcome.err);
    CHECK(outcome.out == "answered 20 of 20\n");
}

TEST_CASE("thousands of idle connections cost little and keep nobody from working") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    stage.write("home/.pfar/pfar.toml", "[plugins.proxy-connect]\ntunnels = 12000\nheader_seconds = 300\n", 0600);
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    auto const most = std::min<rlim_t>(10000, limit.rlim_cur - 512);
    test::Live live(stage, stage.exec_words(stage.options({"good.example"}),
                                            load(stage, {"idle", std::to_string(most), "beside"})));
    REQUIRE(live.says(" connections\n"));
    auto const number = std::strtoul(live.heard().c_str() + live.heard().find("idle ") + 5, nullptr, 10);
    live.type("\n");
    CHECK(live.says("beside 10\n"));
    WARN("idle connections: " << number << ", pfar's memory: " << peak(live.pid()) << " MiB");
    CHECK(number == most);
    CHECK(peak(live.pid()) < 512); // with a sanitizer, which keeps what was freed for a while
    CHECK(live.says("after 5\n"));
    CHECK(live.end() == 0);
}

TEST_CASE("more connections than one may have are refused, and harm nobody else") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    auto words = stage.exec_words(stage.options({"good.example"}), load(stage, {"idle", "3000", "alone"}));
    if (GENERATE(false, true)) words.insert(words.begin(), {"/bin/sh", "-c", "ulimit -n 128; exec \"$@\"", "sh"});
    test::Live live(stage, words);
    REQUIRE(live.says(" connections\n"));
    auto const other = stage.reaching({"good.example"}, {"curl", "-sS", "-m", "20", "https://good.example/"});
    CHECK(has(other.out, "peer=good"));
    live.type("\n");
    CHECK(live.says("after 5\n")); // and it has lived through it
    CHECK(live.end() == 0);
}
