// pfar call, approvals and tools accept with the built host and a real server: every outcome, with a terminal and without.
#include "gateway/agent.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <csignal>

using namespace test;

namespace {

class Calling : public HostStage {
public:
    explicit Calling(std::string const& settings = "", Setting setting = somebody()) : HostStage(std::move(setting)) {
        write("home/.pfar/pfar.toml", "[policy]\napprove = \"write\"\n" + settings);
        server("a");
        server("never", {{}, "", "[tools.counter]\napprove = \"never\"\n"});
        REQUIRE(begin());
        REQUIRE(reaches("a", "running"));
        REQUIRE(reaches("never", "running"));
    }
    /// Without a terminal.
    [[nodiscard]] Outcome pfar(std::vector<std::string> arguments, std::string input = "") const {
        auto all = words(std::move(arguments));
        all.insert(all.begin(), {"/usr/bin/setsid", "--wait"});
        return run({std::move(all), {}, "/", std::move(input), setting().uid});
    }
    /// A shell's line on a terminal; $pfar is the program.
    [[nodiscard]] std::vector<std::string> line(std::string const& script) const {
        auto all = words({});
        auto const program = all.back();
        all.pop_back();
        all.insert(all.end(), {"TERM=xterm", "pfar=" + program, "/bin/sh", "-c", script});
        return all;
    }
    json::array open() { return ask("approvals").as_array(); }
    std::string only() {
        REQUIRE(soon([&] { return open().size() == 1; }));
        return std::string(open().at(0).at("id").as_string());
    }
    std::string counter() { return pfar({"call", "never.counter"}).out; }
};

} // namespace

TEST_CASE("what a tool says is printed, and what came of it is the exit code") {
    Calling stage("", GENERATE(from_range(people())));
    auto const echo = stage.pfar({"call", "a.echo", "text=hello there"});
    CHECK(echo.status == 0);
    CHECK(echo.out == "hello there\n");
    CHECK(echo.err.empty());
    CHECK(stage.pfar({"call", "a__echo", "text=five"}).out == "five\n");
    CHECK(stage.pfar({"call", "a", "blob", "bytes=100000"}).out.size() == 100001);
    CHECK(stage.pfar({"call", "a.echo", "--args", "-"}, R"({"text": "from stdin"})").out == "from stdin\n");
    auto const whole = stage.pfar({"call", "a.echo", "text=x", "--json"});
    CHECK(json::parse(whole.out).at("content").at(0).at("text") == "x");
    auto const bad = stage.pfar({"call", "a.error", "message=it broke"});
    CHECK(bad.status == 1);
    CHECK(has(bad.err, "it broke"));
    CHECK(bad.out.empty());
    auto const fault = stage.pfar({"call", "a.error", "message=no such thing", "code=-32000"});
    CHECK(fault.status != 0);
    CHECK(has(fault.err, "no such thing"));
    auto const typo = stage.pfar({"call", "a.ecko"});
    CHECK(typo.status == 69);
    CHECK(has(typo.err, "did you mean echo?"));
    auto const nowhere = stage.pfar({"call", "nowhere.echo"});
    CHECK(nowhere.status == 69);
    CHECK(has(nowhere.err, "nowhere"));
}

TEST_CASE("on a terminal the person decides") {
    Calling stage("", GENERATE(from_range(people())));
    auto const before = stage.counter();
    SECTION("yes") {
        Live live(stage, stage.words({"call", "a.counter"}), Live::On::terminal);
        CHECK(live.says("a.counter wants to run"));
        CHECK(live.says("[N]o: "));
        live.type("y\n");
        CHECK(live.end() == 0);
        CHECK(live.says("\r\n1\r\n"));
    }
    SECTION("no") {
        Live live(stage, stage.words({"call", "a.counter"}), Live::On::terminal);
        CHECK(live.says("[N]o: "));
        live.type("\n");
        CHECK(live.end() == 77);
        CHECK(live.says("pfar: "));
    }
    SECTION("decided elsewhere") {
        Live live(stage, stage.words({"call", "a.counter"}), Live::On::terminal);
        CHECK(live.says("[N]o: "));
        CHECK(stage.pfar({"deny", stage.only()}).status == 0);
        CHECK(live.says("(settled without you)"));
        CHECK(live.end() == 77);
    }
    SECTION("Ctrl-C") {
        Live live(stage, stage.words({"call", "a.counter"}), Live::On::terminal);
        CHECK(live.says("[N]o: "));
        live.type("\x03");
        CHECK(live.end() == 130);
        CHECK(stage.soon([&] { return stage.open().empty(); }));
    }
    SECTION("by --yes, where stdin and stdout are files") {
        Live live(stage, stage.line("exec \"$pfar\" call a.counter --yes < /dev/null > \"$HOME/out\" 2>&1"),
                  Live::On::terminal);
        CHECK(live.says("[N]o: "));
        live.type("y\n");
        CHECK(live.end() == 0);
        CHECK(read(stage.home() / "out") == "1\n");
    }
}

TEST_CASE("progress is shown on a terminal, and nowhere else") {
    Calling stage;
    Live live(stage, stage.line("exec \"$pfar\" call a.sleep ms=400"), Live::On::terminal);
    CHECK(live.says("a.sleep: 50/400"));
    CHECK(live.end() == 0);
    CHECK(live.says("\r\x1b[Kslept\r\n"));
    CHECK(stage.pfar({"call", "a.sleep", "ms=100"}).err.empty());
}

TEST_CASE("Ctrl-C cancels a call that runs") {
    Calling stage;
    Live live(stage, stage.line("exec \"$pfar\" call a.sleep ms=60000"), Live::On::terminal);
    CHECK(live.says("a.sleep: 50/60000"));
    live.type("\x03");
    CHECK(live.end() == 130);
    CHECK(stage.soon([&] { return stage.call("a", "cancelled").text == "1"; }));
}

TEST_CASE("without a terminal --yes is refused, unless the policy has it otherwise") {
    {
        Calling stage;
        auto const refused = stage.pfar({"call", "a.counter", "--yes"});
        CHECK(refused.status == 77);
        CHECK(has(refused.err, "policy.approve_without_terminal"));
    }
    Calling open("approve_without_terminal = true\n");
    CHECK(open.pfar({"call", "a.counter", "--yes"}).out == "1\n");
}

TEST_CASE("without a terminal a call waits in the queue, where the owner finds it") {
    Calling stage("", GENERATE(from_range(people())));
    auto const words = stage.line("exec setsid --wait \"$pfar\" call a.counter < /dev/null");
    Live live(stage, words);
    auto const id = stage.only();
    auto const listed = stage.pfar({"approvals"});
    CHECK(has(listed.out, id + "  a.counter"));
    CHECK(has(stage.pfar({"__complete", "approve", ""}).out, id));
    auto const refused = stage.pfar({"approve", id}, "y\n");
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "policy.approve_without_terminal"));
    CHECK(stage.open().size() == 1);
    SECTION("approved, by the beginning of its id") {
        Live owner(stage, stage.words({"approve", id.substr(0, id.size() - 1)}), Live::On::terminal);
        CHECK(owner.says("a.counter wants to run"));
        CHECK(owner.says("[y/N]")); // what is typed before that is thrown away
        owner.type("y\n");
        CHECK(owner.end() == 0);
        CHECK(live.end() == 0);
        CHECK(live.heard() == "1\n");
    }
    SECTION("denied") {
        CHECK(stage.pfar({"deny", id}).out == id + " is denied\n");
        CHECK(live.end() == 77);
        CHECK(has(live.heard(), "pfar: "));
    }
    SECTION("withdrawn") {
        live.signal(SIGTERM);
        CHECK(stage.soon([&] { return stage.open().empty(); }));
        auto const late = stage.pfar({"deny", id});
        CHECK(late.status == 69);
        CHECK(has(late.err, "there is no open approval of this id"));
    }
}

TEST_CASE("an agent's call is approved by the owner at a terminal") {
    Calling stage;
    Agent agent(stage);
    CHECK(agent.call("a__echo", {{"text", "x"}}).ok); // what it has seen by then counts
    auto const waits = agent.begin_call("a__counter");
    auto const id = stage.only();
    Live owner(stage, stage.words({"approve", id, "--for", "session"}), Live::On::terminal);
    CHECK(owner.says("for the rest of the session? [y/N]"));
    owner.type("y\n");
    CHECK(owner.end() == 0);
    CHECK(HostStage::called(agent.wait(waits)).text == "1");
    CHECK(agent.call("a__counter").text == "2"); // it asks no more
}

TEST_CASE("tools that changed are marked, shown and accepted") {
    Calling stage("", GENERATE(from_range(people())));
    CHECK_FALSE(has(stage.pfar({"tools", "a"}).out, "!"));
    CHECK(has(stage.pfar({"tools", "accept", "a"}).out, "nothing has changed"));
    Agent agent(stage, {{{"elicitation", json::object()}}, "elicits"});
    agent.answers_with = json::object{{"action", "accept"}, {"content", json::object()}};
    std::string list;
    REQUIRE(stage.soon([&, count = 0]() mutable { // what comes in the first second is agreed to
        auto const fresh = "fresh" + std::to_string(++count);
        CHECK(agent.call("a__change_tools", {{"describe", "echo"}, {"add", fresh}}).ok);
        CHECK_FALSE(agent.notification("notifications/tools/list_changed").empty());
        list = stage.pfar({"tools", "a"}).out;
        return list.find("a." + fresh + " !") != std::string::npos;
    }));
    CHECK(has(list, "a.echo !"));
    CHECK(has(list, "pfar tools accept a shows what differs"));
    auto const refused = stage.pfar({"tools", "accept", "a"});
    CHECK(refused.status == 77);
    CHECK(has(refused.out, "+ described anew"));
    Live owner(stage, stage.words({"tools", "accept", "a"}), Live::On::terminal);
    CHECK(owner.says("a.echo has changed"));
    CHECK(owner.says("  - Says the text again"));
    CHECK(owner.says(" is new\r\n"));
    CHECK(owner.says("[y/N] "));
    owner.type("y\n");
    CHECK(owner.end() == 0);
    CHECK_FALSE(has(stage.pfar({"tools", "a"}).out, "!"));
    CHECK(has(stage.pfar({"tools", "accept", "a"}).out, "nothing has changed"));
}
