// pfar approvals, approve, deny, sessions, and tools accept, with a host that says what it is told to.
#include "process/agent_world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>

using namespace test;
using pfar::control::Request;
using Answer = AgentHost::Answer;

namespace {

constexpr auto two =
    R"([{"id":"a1b2","session":"s1","server":"s","tool":"write","arguments":{"path":"/x\u001b","n":12345678901234567890123},
    "why":"it writes","expires_in":598},
    {"id":"a1c3","session":"s2","server":"t","tool":"send","arguments":{"text":"0123456789012345678901234567890123456789012345678901234567890123456789"},
    "why":"new","expires_in":42}])";
constexpr auto row = R"({"id":"a1b2"})";
constexpr auto strict = R"({"approve_without_terminal":false})";
constexpr auto changes =
    R"({"server":"s","changes":[{"tool":"add","change":"changed","pin":"d1","before":{"description":"adds"},"now":{"description":"mails"}},
    {"tool":"mail","change":"new","pin":"d2","before":null,"now":{"description":"mails \u001b[2J"}}]})";

Answer not_open(Request /*request*/) {
    co_return pfar::fail(pfar::Errc::not_found, "there is no open approval of this id");
}

bool was_asked(AgentHost& host, std::string const& what) {
    auto const all = host.asked();
    return std::find(all.begin(), all.end(), what) != all.end();
}

} // namespace

TEST_CASE("what waits is a row each, and --json has all of it") {
    AgentHost const host(Said{{"approvals", two}});
    auto const list = host.pfar({"approvals"});
    CHECK(list.status == 0);
    CHECK(list.out == R"(ID    TOOL     SESSION  WHY        EXPIRES  ARGUMENTS
a1b2  s.write  s1       it writes  9 min    {"path":"/x\u001b","n":12345678901234567890123}
a1c3  t.send   s2       new        42 s     {"text":"012345678901234567890123456789012345678901234567890...
pfar approve ID shows one in full and asks; pfar deny ID refuses it
)");
    CHECK(has(host.pfar({"approvals", "--json"}).out, "\"n\": 12345678901234567890123"));
    AgentHost const nothing(Said{{"approvals", "[]"}});
    CHECK(nothing.pfar({"approvals"}).out == "nothing waits for you\n");
}

TEST_CASE("without a host nothing waits, nobody is connected, and none is started") {
    TempDir const home;
    CHECK(test::pfar(home.path(), {"approvals"}).out == "nothing waits for you\n");
    CHECK(test::pfar(home.path(), {"approvals", "--json"}).out == "[]\n");
    CHECK(test::pfar(home.path(), {"sessions"}).out == "nobody is connected\n");
    CHECK(test::pfar(home.path(), {"sessions", "--json"}).out == "[]\n");
    auto const deny = test::pfar(home.path(), {"deny", "x"});
    CHECK(deny.status == 69);
    CHECK(has(deny.err, "no host runs, so nothing waits for you"));
    CHECK(test::pfar(home.path(), {"approve", "x"}).status == 69);
    CHECK_FALSE(std::filesystem::exists(home / "run/pfar.sock"));
}

TEST_CASE("approve shows the whole question on the controlling terminal and asks") {
    AgentHost host(Said{{"approvals", two}, {"approve", row}});
    auto const [screen, terminal] = terminal_pair();
    SECTION("yes, once") {
        write_to(screen, "n\n"); // before the question
        AgentChild child(host.home(), {"approve", "a1b"}, {-1, -1, -1, terminal.number()});
        auto const shown = read_until(screen, "[y/N] ");
        CHECK(has(shown, "s.write wants to run (session s1)\r\nwhy: it writes\r\n"));
        CHECK(has(shown, "\"n\": 12345678901234567890123"));
        CHECK(has(shown, "Approve it, once? [y/N]"));
        write_to(screen, "y\n");
        CHECK(child.end() == 0);
        CHECK(was_asked(host, R"(approve {"id":"a1b2","for":"once"})"));
    }
    SECTION("yes, for the session") {
        AgentChild child(host.home(), {"approve", "a1b2", "--for", "session"}, {-1, -1, -1, terminal.number()});
        CHECK(has(read_until(screen, "[y/N] "), "for the rest of the session?"));
        write_to(screen, "yes\n");
        CHECK(child.end() == 0);
        CHECK(was_asked(host, R"(approve {"id":"a1b2","for":"session"})"));
    }
    SECTION("no") {
        AgentChild child(host.home(), {"approve", "a1b2"}, {-1, -1, -1, terminal.number()});
        read_until(screen, "[y/N] ");
        write_to(screen, "\n");
        CHECK(child.end() == 77);
        CHECK(has(child.err(), "nothing was approved"));
        CHECK(host.asked().size() == 1);
    }
}

TEST_CASE("without a terminal approve is refused and deny is not, unless the policy has it otherwise") {
    AgentHost host(Said{{"approvals", two}, {"approve", row}, {"deny", row}, {"policy", strict}});
    auto const refused = host.pfar({"approve", "a1b2"}, "y\n");
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "policy.approve_without_terminal = true"));
    CHECK(host.asked().back().starts_with("policy"));
    CHECK(host.pfar({"deny", "a1c"}).out == "a1c3 is denied\n");
    CHECK(host.asked().back() == R"(deny {"id":"a1c3"})");
    AgentHost open(Said{{"approvals", two}, {"approve", row}, {"policy", R"({"approve_without_terminal":true})"}});
    CHECK(open.pfar({"approve", "a1b2", "--for", "once"}).out == "a1b2 is approved\n");
    CHECK(open.asked().back() == R"(approve {"id":"a1b2","for":"once"})");
}

TEST_CASE("an id that begins several is no id, and one that is not open is the host's sentence") {
    AgentHost host(Said{{"approvals", two}}, {{"approve", not_open}, {"deny", not_open}});
    for (auto const* const command : {"approve", "deny"}) {
        auto const several = host.pfar({command, "a1"});
        CHECK(several.status == 64);
        CHECK(has(several.err, "2 approvals begin with \"a1\"; give more of the id"));
        auto const none = host.pfar({command, "zz"});
        CHECK(none.status == 69);
        CHECK(has(none.err, "there is no open approval of this id"));
    }
    CHECK(host.pfar({"approve", "a1b2", "--for", "ever"}).status == 64);
    CHECK(host.pfar({"approve"}).status == 64);
}

TEST_CASE("ids and tools are completed from the host, and without one at once and silently") {
    AgentHost const host(Said{{"approvals", two}, {"tools", R"-([{"name":"s.write"},{"name":"s.$(x)"}])-"}});
    CHECK(host.pfar({"__complete", "approve", "a1"}).out == "a1b2\na1c3\n");
    CHECK(host.pfar({"__complete", "deny", "a1c"}).out == "a1c3\n");
    CHECK(host.pfar({"__complete", "call", ""}).out == "s.write\n");
    CHECK(host.pfar({"__complete", "approve", "--for", "s"}).out == "session\n");
    TempDir const dir;
    auto const none = test::pfar(dir / "none", {"__complete", "approve", ""});
    CHECK((none.status == 0 && none.out.empty() && none.err.empty()));
    CHECK_FALSE(std::filesystem::exists(dir / "none"));
}

TEST_CASE("a host that hangs does not hold up completion") {
    AgentHost host(Said{{"approvals", two}});
    std::promise<void> stop;
    std::thread blocker([&] { host.world().on_thread([&] { stop.get_future().wait(); }); });
    auto const before = std::chrono::steady_clock::now();
    CHECK(host.pfar({"__complete", "approve", ""}).out.empty());
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(4));
    stop.set_value();
    blocker.join();
}

TEST_CASE("who is connected is a row each") {
    AgentHost const host(
        Said{{"sessions", R"([{"id":"s1","client":"claude-code","version":"2.1","transport":"stdio","server":"",
        "pid":4711,"since":75,"label":"internal","taint":"raw","in_flight":1,"calls":12},
        {"id":"s2","client":"","version":"","transport":"http","server":"notion","pid":0,"since":3,"label":"public","taint":"clean","in_flight":0,"calls":0}])"}});
    CHECK(host.pfar({"sessions"}).out ==
          R"(ID  CLIENT           BY     SERVER  PID   SINCE  LABEL     TAINT  IN FLIGHT  CALLS
s1  claude-code 2.1  stdio  (all)   4711  1 min  internal  raw    1          12
s2  -                http   notion  -     3 s    public    clean  0          0
)");
    CHECK(has(host.pfar({"sessions", "--json"}).out, "\"client\": \"claude-code\""));
}

TEST_CASE("tools that changed are shown where the person is asked, and exactly these are accepted") {
    AgentHost host(Said{{"tool_changes", changes}, {"tools_accept", R"({"accepted":1,"left":["mail"]})"}});
    auto const [screen, terminal] = terminal_pair();
    auto const out = pipe_pair();
    AgentChild child(host.home(), {"tools", "accept", "s", "--json"}, {-1, out.second.number(), -1, terminal.number()});
    auto const shown = read_until(screen, "[y/N] ");
    CHECK(has(shown, "s.add has changed\r\n  description:\r\n  - adds\r\n  + mails\r\n"));
    CHECK(has(shown, "s.mail is new"));
    CHECK(has(shown, "\\u001b[2J"));
    CHECK(has(shown, "Accept these 2? "));
    write_to(screen, "y\n");
    CHECK(child.end() == 69); // one changed again
    CHECK(has(child.err(), "s.mail has changed again meanwhile and is not accepted"));
    CHECK(has(read_until(out.first, "}\n"), "\"accepted\": 1"));
    CHECK(host.asked().back() == R"(tools_accept {"server":"s","pins":{"add":"d1","mail":"d2"}})");
}

TEST_CASE("tools that changed are not accepted by a no, or without a terminal") {
    AgentHost host(Said{{"tool_changes", changes}, {"tools_accept", R"({"accepted":2})"}, {"policy", strict}});
    auto const refused = host.pfar({"tools", "accept", "s"});
    CHECK(refused.status == 77);
    CHECK(has(refused.out, "s.mail is new"));
    CHECK(has(refused.err, "policy.approve_without_terminal"));
    auto const [screen, terminal] = terminal_pair();
    AgentChild child(host.home(), {"tools", "accept", "s"}, {-1, -1, -1, terminal.number()});
    CHECK(has(read_until(screen, "[y/N] "), "s.mail is new")); // stdout is not what the person sees
    write_to(screen, "n\n");
    CHECK(child.end() == 77);
    for (auto const& asked : host.asked()) CHECK_FALSE(asked.starts_with("tools_accept"));
    AgentHost const same(Said{{"tool_changes", R"({"server":"s","changes":[]})"}});
    auto const nothing = same.pfar({"tools", "accept", "s"});
    CHECK(nothing.status == 0);
    CHECK(nothing.out == "nothing has changed: all tools of s are accepted\n");
}

TEST_CASE("tools is a command with a server, and the first word of accept") {
    AgentHost const host(Said{
        {"tools",
         R"([{"name":"s.a","server":"s","semantics":"read","approve":"write","pinned":true,"label":"internal","description":"x"},
        {"name":"s.b","server":"s","semantics":"write","approve":"always","pinned":false,"label":"internal","description":"y"}])"}});
    CHECK(host.pfar({"tools", "s"}).out == R"(NAME   SEMANTICS  ASKS    LABEL     DESCRIPTION
s.a    read       write   internal  x
s.b !  write      always  internal  y
! new or changed, so it asks each time: pfar tools accept s shows what differs
)");
    CHECK(has(host.pfar({"tools", "--explain", "s.b"}).out, "pfar tools accept s shows what differs"));
    CHECK(host.pfar({"tools", "accept"}).status == 64);
    CHECK(host.pfar({"tools", "a", "b"}).status == 64);
    CHECK(has(host.pfar({"tools", "accept", "--help"}).out, "Usage: pfar tools accept"));
    CHECK(has(host.pfar({"help", "tools", "accept"}).out, "Usage: pfar tools accept"));
    TempDir const home;
    home.write("mcp/notion.toml", "");
    auto const complete = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "__complete");
        return test::pfar(home.path(), words).out;
    };
    CHECK(complete({"tools", ""}) == "accept\tagree to a server's new and changed tools\nnotion\n");
    CHECK(complete({"tools", "accept", ""}) == "notion\n");
    CHECK(complete({"tools", "notion", ""}).empty());
    CHECK(has(complete({"tools", "notion", "--"}), "--explain"));
    CHECK(has(complete({"host", "st"}), "status\t"));
}
