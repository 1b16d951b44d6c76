// A record on a disk that is full: what only reads goes on, what writes is refused and told why, and with room it is all as before.
#include "gateway/agent.hpp"
#include "sandbox/small_disk.hpp"

#include <cerrno>

using namespace test;

namespace {

json::object note(int number) {
    return {{"path", fmt::format("/state/{}", number)}, {"text", "written"}};
}

/// Writes until one is refused, and for longer than the record is tried again: the page that it ends in may have room for a line or two more.
Called refused_for_good(HostStage const& stage, Agent& agent) {
    using Clock = std::chrono::steady_clock;
    Called called;
    auto last_good = Clock::now();
    int number = 0;
    bool const for_good = stage.soon([&] {
        called = agent.call("a__write_file", note(number++ % 100));
        if (called.ok) last_good = Clock::now();
        return Clock::now() - last_good > std::chrono::milliseconds(2500);
    });
    CHECK(for_good);
    return called;
}

bool is_written(HostStage const& stage, int number) {
    return std::filesystem::exists(stage.pfar_home() / "state/a" / std::to_string(number));
}

} // namespace

TEST_CASE("with a full disk under the record calls that only read go on, and those that write are refused until there "
          "is room") {
    HostStage stage(GENERATE(from_range(people())));
    stage.server("a");
    SmallDisk const disk(stage.make("home/.pfar/audit"), stage.setting().uid);
    if (!disk.is_mounted()) SKIP("no file system may be mounted here");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    Agent agent(stage);
    REQUIRE(agent.call("a__write_file", note(1000)).ok);
    CHECK(stage.ask("host").at("audit_trouble") == "");

    disk.fill();
    auto const refused = refused_for_good(stage, agent);
    CHECK_FALSE(refused.ok);
    CHECK(refused.is_result);
    CHECK(has(refused.text, "the audit record cannot be written"));
    CHECK(has(refused.text, "No space left on device"));
    CHECK_FALSE(agent.call("a__write_file", note(1001)).ok);
    CHECK_FALSE(is_written(stage, 1001));
    CHECK(agent.call("a__echo", {{"text", "only reads"}}).text == "only reads");
    CHECK(has(stage.pfar({"host", "status"}).out, "audit        cannot be written, so calls that write are refused: "));
    CHECK(has(json::serialize(stage.ask("host")), "No space left on device"));

    disk.make_room();
    CHECK(stage.soon([&] { return agent.call("a__write_file", note(1002)).ok; }));
    CHECK(is_written(stage, 1002));
    CHECK(stage.ask("host").at("audit_trouble") == "");
    CHECK_FALSE(has(stage.pfar({"host", "status"}).out, "audit "));
    CHECK(agent.end() == 0);
    CHECK(stage.end() == 0);
    auto const verified = stage.pfar({"audit", "verify"});
    CHECK(verified.status == 0);
    CHECK(has(stage.pfar({"audit", "--json"}).out, R"("kind":"lost")"));
}
