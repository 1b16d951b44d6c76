// Approval as agents and the owner live it: real sessions, a real server, a file that is written or not.
#include "gateway/agent.hpp"

using namespace test;

namespace {

constexpr char const* by_default = "[policy]\napprove = \"write\"\napprove_without_terminal = true\n";

/// A host with one server that counts, and asks before it does.
class Asking : public HostStage {
public:
    Asking() : HostStage(somebody()) {
        write("home/.pfar/pfar.toml", by_default);
        server("a");
        REQUIRE(begin());
        REQUIRE(reaches("a", "running"));
    }
    /// How often it has run, by its own count: the counting itself runs once more.
    long runs() {
        auto const called = call("a", "counter");
        return called.ok ? std::stol(called.text) : -1;
    }
    json::array open() { return ask("approvals").as_array(); }
    json::object only() {
        REQUIRE(soon([&] { return open().size() == 1; }));
        return open().at(0).as_object();
    }
    bool decide(char const* how, json::value const& id, char const* scope = "once") {
        auto const answer = control().ask(how, {{"id", id}, {"for", scope}});
        return answer && answer->contains("result");
    }
};

Agent::Task elicits(std::string name = "elicits") {
    return {{{"elicitation", json::object()}}, std::move(name)};
}

json::object const yes{{"action", "accept"}, {"content", json::object()}}, no{{"action", "decline"}};

/// A write whose effect can be seen: another line in a file of the server's own.
json::object note(std::string const& text) {
    return {{"path", "/state/" + text}, {"text", text}};
}

std::size_t notes(HostStage const& stage) {
    auto const state = stage.pfar_home() / "state/a";
    std::size_t count = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator at(state, error), end; !error && at != end; at.increment(error)) ++count;
    return count;
}

} // namespace

TEST_CASE("a write asks through elicitation, and yes runs it once") {
    Asking stage;
    Agent agent(stage, elicits());
    agent.answers_with = yes;
    CHECK(agent.call("a__write_file", note("one")).ok);
    CHECK(agent.requests == 1);
    CHECK(notes(stage) == 1);
    CHECK(agent.call("a__write_file", note("one")).ok); // the same again is another execution
    CHECK(agent.requests == 2);
    CHECK(agent.call("a__echo", {{"text", "x"}}).ok); // what only reads asks nobody
    CHECK(agent.requests == 2);
    CHECK(stage.open().empty());
}

TEST_CASE("no, nonsense and silence do not run it") {
    Asking stage;
    Agent agent(stage, elicits());
    for (auto const& answer : {no, json::object{{"action", "cancel"}}, json::object{{"action", 1}}, json::object(),
                               json::object{{"action", "accept"}, {"content", {{"for", "ever"}}}}}) {
        agent.answers_with = answer;
        auto const called = agent.call("a__write_file", note("no"));
        CHECK_FALSE(called.ok);
        CHECK(called.is_result);
        CHECK(called.text.find("the owner said no") != std::string::npos);
    }
    agent.answers_with.reset();
    auto const waits = agent.begin_call("a__write_file", note("silence"));
    auto const asked = agent.request();
    REQUIRE_FALSE(asked.empty());
    CHECK(asked.at("params").at("message").as_string().find("a run write_file") != std::string::npos);
    agent.tell("notifications/cancelled", {{"requestId", waits}});
    CHECK(agent.notification("notifications/cancelled").at("params").at("requestId") == asked.at("id"));
    agent.answer(asked.at("id"), yes); // too late
    agent.hear_all();
    CHECK(stage.open().empty());
    CHECK(notes(stage) == 0);
}

TEST_CASE("without elicitation the queue is asked, and changed arguments need an approval of their own") {
    Asking stage;
    Agent agent(stage);
    auto const first = agent.begin_call("a__write_file", note("first"));
    auto const row = stage.only();
    CHECK(row.at("server") == "a");
    CHECK(row.at("tool") == "write_file");
    CHECK(row.at("arguments").at("text") == "first");
    auto const second = agent.begin_call("a__write_file", note("second"));
    REQUIRE(stage.soon([&] { return stage.open().size() == 2; }));
    CHECK(stage.decide("approve", row.at("id")));
    CHECK(HostStage::called(agent.wait(first)).ok);
    CHECK(notes(stage) == 1);
    CHECK_FALSE(stage.decide("approve", row.at("id"))); // it is used up
    CHECK(stage.decide("deny", stage.only().at("id")));
    CHECK_FALSE(HostStage::called(agent.wait(second)).ok);
    CHECK(notes(stage) == 1);
}

TEST_CASE("two agents with one tool and crossed answers do not mix") {
    Asking stage;
    Agent one(stage, elicits("one")), two(stage, elicits("two"));
    auto const first = one.begin_call("a__write_file", note("same"));
    auto const second = two.begin_call("a__write_file", note("same"));
    auto const asked_one = one.request(), asked_two = two.request();
    REQUIRE_FALSE(asked_one.empty());
    REQUIRE_FALSE(asked_two.empty());
    one.answer(asked_two.at("id"), no),
        two.answer(asked_one.at("id"), no); // of the other, if they were the same numbers
    CHECK_FALSE(HostStage::called(one.wait(first)).ok);
    CHECK_FALSE(HostStage::called(two.wait(second)).ok);
    auto const again = one.begin_call("a__write_file", note("same"));
    auto const other = two.begin_call("a__write_file", note("same"));
    REQUIRE(stage.soon([&] { return stage.open().size() == 2; }));
    one.answer(one.request().at("id"), yes);
    CHECK(HostStage::called(one.wait(again)).ok);
    CHECK(stage.open().size() == 1); // the other one's is still open
    two.answer(two.request().at("id"), no);
    CHECK_FALSE(HostStage::called(two.wait(other)).ok);
}

TEST_CASE("an agent that disconnects takes its question along, and nobody can say yes to it any more") {
    Asking stage;
    auto agent = std::make_unique<Agent>(stage);
    agent->begin_call("a__write_file", note("gone"));
    auto const id = stage.only().at("id");
    auto const bystander = std::make_unique<Agent>(stage);
    bystander->begin_call("a__write_file", note("bystander"));
    REQUIRE(stage.soon([&] { return stage.open().size() == 2; }));
    agent.reset();
    REQUIRE(stage.soon([&] { return stage.open().size() == 1; }));
    CHECK_FALSE(stage.decide("approve", id));
    CHECK(notes(stage) == 0);
}

TEST_CASE("for the session: the tool asks no more until the session has seen something more confidential") {
    Asking stage;
    stage.server("b", {{}, "label = \"sensitive\"\n", ""});
    stage.control().ask("reload");
    REQUIRE(stage.reaches("b", "running"));
    Agent agent(stage, elicits());
    CHECK(agent.call("a__echo", {{"text", "x"}}).ok); // what it has seen by then counts
    agent.answers_with = json::object{{"action", "accept"}, {"content", {{"for", "session"}}}};
    CHECK(agent.call("a__write_file", note("one")).ok);
    CHECK(agent.call("a__write_file", note("two")).ok);
    CHECK(agent.requests == 1);
    CHECK(agent.call("b__echo", {{"text", "x"}}).ok);
    CHECK(agent.call("a__write_file", note("three")).ok);
    CHECK(agent.requests == 2);
}

TEST_CASE("arguments to a lower place are asked about with both names, for what reads too") {
    Asking stage;
    stage.server("diary", {{}, "label = \"sensitive\"\n", ""});
    stage.server("blog", {{}, "label = \"internal\"\n", ""});
    stage.control().ask("reload");
    REQUIRE(stage.reaches("diary", "running"));
    REQUIRE(stage.reaches("blog", "running"));
    Agent agent(stage, elicits());
    CHECK(agent.call("blog__echo", {{"text", "before"}}).ok);
    CHECK(agent.requests == 0);
    CHECK(agent.call("diary__echo", {{"text", "dear diary"}}).ok);
    auto const waits = agent.begin_call("blog__echo", {{"text", "dear diary"}});
    auto const asked = agent.request();
    REQUIRE_FALSE(asked.empty());
    auto const words = std::string(asked.at("params").at("message").as_string());
    CHECK(words.find("diary") != std::string::npos);
    CHECK(words.find("blog") != std::string::npos);
    CHECK(words.find("sensitive") != std::string::npos);
    agent.answer(asked.at("id"), no);
    CHECK_FALSE(HostStage::called(agent.wait(waits)).ok);
}

TEST_CASE("a tool that changes its hint after the owner agreed is a write that asks, until that is accepted") {
    Asking stage;
    Agent agent(stage, elicits());
    agent.answers_with = yes;
    REQUIRE(agent.call("a__change_tools", {{"flip", "counter"}}).ok); // from now on it says that it only reads
    REQUIRE_FALSE(agent.notification("notifications/tools/list_changed").empty());
    auto const told = agent.notification("notifications/message");
    REQUIRE_FALSE(told.empty());
    CHECK(told.at("params").at("data").as_string().find("counter") != std::string::npos);
    auto const before = agent.requests;
    CHECK(agent.call("a__counter").ok);
    CHECK(agent.requests == before + 1);
    auto const changes = stage.ask("tool_changes", {{"server", "a"}});
    REQUIRE(changes.at("changes").as_array().size() == 1);
    auto const& change = changes.at("changes").at(0);
    CHECK(change.at("tool") == "counter");
    CHECK(change.at("before").at("annotations").at("readOnlyHint") == false);
    CHECK(change.at("now").at("annotations").at("readOnlyHint") == true);
    stage.ask("tools_accept", {{"server", "a"}, {"pins", {{"counter", change.at("pin")}}}});
    CHECK(agent.call("a__counter").ok);
    CHECK(agent.requests == before + 1);
}
