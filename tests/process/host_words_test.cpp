// What commands make of the host's answers: a host of the test's own, which says what it is told to.
#include "support/process.hpp"
#include "unit/control/control_world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>

using namespace pfar;
using control::Request;
using test::ControlWorld;
using test::has;
using Answer = ControlWorld::Answer;

namespace {

/// Of the built pfar, as control::own_identity has it.
std::string own_greeting() {
    struct stat file {};
    REQUIRE(::stat(PFAR_PROGRAM, &file) == 0);
    auto version = test::run({{PFAR_PROGRAM, "--version"}, {}, {}, {}}).out.substr(5);
    version.pop_back();
    return fmt::format(R"({{"version":"{}","build":"{}:{}:{}.{:09}","pid":7,"idle":false}})", version, file.st_dev,
                       file.st_ino, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

Answer say(std::string text, Request /*request*/) {
    co_return text;
}

Answer say_params(Request request) {
    co_return fmt::format(R"([{{"name":"x","state":"running","reason":"","asked":{}}}])", request.params);
}

Answer unknown(Request /*request*/) {
    co_return fail(Errc::not_found, "there is no server \"notoin\" (did you mean \"notion\"?); pfar list shows all");
}

/// If it is to follow: a line, and once the answer is out the end.
Answer follow(Request request) {
    if (request.params.find(R"("follow":true)") != std::string::npos) {
        (void)request.caller->tell("log", R"({"line":"new \u001b[31m"})");
        auto const executor = co_await boost::asio::this_coro::executor;
        auto const timer = std::make_shared<boost::asio::steady_timer>(executor, std::chrono::milliseconds(1));
        auto const connection = std::dynamic_pointer_cast<control::Connection>(request.caller);
        timer->async_wait([timer, connection](auto const&) { connection->close(); });
    }
    co_return std::string(R"({"lines":["old"]})");
}

using Said = std::map<std::string, std::string>;

class FakeHost {
public:
    explicit FakeHost(Said said, control::Methods methods = {}) {
        said.emplace("hello", own_greeting());
        for (auto& [method, text] : said) {
            std::replace(text.begin(), text.end(), '\n', ' '); // an answer is a line
            methods.emplace(method, [text = text](Request request) { return say(text, std::move(request)); });
        }
        world_.start(std::move(methods));
    }
    [[nodiscard]] test::Outcome pfar(std::vector<std::string> words) const {
        return test::pfar(world_.home(), std::move(words));
    }
    ControlWorld& world() { return world_; }

private:
    ControlWorld world_;
};

constexpr auto two_servers = R"([
  {"name":"notion","origin":"user","state":"running","tools":12,"label":"internal","backend":"bwrap","memory":"cgroup","pid":4711,
   "restarts":0,"blocked":1,"reason":"","blocked_domains":[{"domain":"x.example.com","count":3,"why":"not allowed","remedy":"pfar allow notion x.example.com"}]},
  {"name":"github","origin":"project","state":"stopped","tools":0,"label":"public","backend":"auto","memory":"","pid":null,"restarts":2,"blocked":0,
   "reason":"needs vault:token\u001b[2J: pfar vault set token"}])";

} // namespace

TEST_CASE("list has a row for each server, and below it why and what to do") {
    FakeHost const host(Said{{"list", two_servers}});
    auto const list = host.pfar({"list"});
    CHECK(list.status == 0);
    CHECK(list.out == R"(NAME    STATE    TOOLS  LABEL     BACKEND  MEMORY  PID   RESTARTS  BLOCKED  ORIGIN
notion  running  12     internal  bwrap    cgroup  4711  0         1        user
    refused 3 times: x.example.com; pfar allow notion x.example.com
github  stopped  0      public    auto     -       -     2         -        project
    needs vault:token\u001b[2J: pfar vault set token
)");
    CHECK(has(host.pfar({"list", "--json"}).out, "\"domain\": \"x.example.com\""));
    FakeHost const nothing(Said{{"list", "[]"}});
    CHECK(has(nothing.pfar({"list"}).out, "no servers yet"));
    FakeHost const nonsense(Said{{"list", "{}"}});
    CHECK(nonsense.pfar({"list"}).status == 0);
}

TEST_CASE("status tells how a server is, where it failed, its last words and what was refused it") {
    FakeHost const host(
        Said{{"status", R"({"name":"a","description":"about","state":"failed","reason":"died","uptime":3725,
        "file":"/x/a.toml","origin":"user","label":"internal","tools":0,"restarts":1,"crashes":2,"last_exit":"exit code 3",
        "failure":{"where":"handshake","words":"it ended"},"stderr":["bad \u001b[31mthing"],"processes":[{"pid":5,"what":"shared"}],
        "blocked_domains":[{"domain":"x.example.com","count":2,"why":"not in allowed_domains","remedy":"pfar allow a x.example.com"}]})"}});
    auto const status = host.pfar({"status", "a"});
    CHECK(status.status == 0);
    CHECK(status.out == R"(name         a
about        about
state        failed for 1 h 2 min: died
file         /x/a.toml (user)
label        internal
tools        0
restarts     1, 2 crashes
processes    pid 5, shared
failed in    handshake: it ended
last exit    exit code 3

its last words on stderr:
  bad \u001b[31mthing

refused:
  x.example.com (2 times): not in allowed_domains
    pfar allow a x.example.com
)");
}

TEST_CASE("host status says so if the audit record cannot be written") {
    constexpr auto trouble = R"({"pid":7,"version":"1","audit_trouble":"no room\u001b[2J"})";
    FakeHost const full(Said{{"host", trouble}}), fine(Said{{"host", R"({"pid":7,"version":"1","audit_trouble":""})"}});
    auto const told = full.pfar({"host", "status"});
    CHECK(told.status == 0);
    CHECK(has(told.out, "audit        cannot be written, so calls that write are refused: no room\\u001b[2J\n"));
    CHECK(has(full.pfar({"host", "status", "--json"}).out, R"("audit_trouble": "no room)"));
    CHECK_FALSE(has(fine.pfar({"host", "status"}).out, "audit"));
}

TEST_CASE("an unknown server is the host's sentence, and 69") {
    FakeHost const host(Said{}, {{"status", unknown}, {"restart", unknown}, {"logs", unknown}});
    for (auto const* const command : {"status", "restart", "logs"}) {
        auto const refused = host.pfar({command, "notoin"});
        CHECK(refused.status == 69);
        CHECK(has(refused.err, "pfar: there is no server \"notoin\" (did you mean \"notion\"?)"));
    }
}

TEST_CASE("tools are listed in a line each and explained in full") {
    FakeHost const host(
        Said{{"tools", R"([{"name":"a.echo","server":"a","semantics":"read","why":"its readOnlyHint","approve":"write",
        "pinned":true,"label":"internal","title":"Echo","description":"first line\nsecond","input_schema":{"type":"object"}}])"}});
    CHECK(host.pfar({"tools"}).out == "NAME    SEMANTICS  ASKS   LABEL     DESCRIPTION\n"
                                      "a.echo  read       write  internal  first line\n");
    CHECK(host.pfar({"tools", "--explain", "a.echo"}).out == R"(name         a.echo
title        Echo
semantics    read
because      its readOnlyHint
asks         write
label        internal

  first line
  second

arguments:
{
  "type": "object"
}
)");
    CHECK(has(host.pfar({"tools", "a", "--explain", "echo", "--json"}).out, "\"title\": \"Echo\""));
    auto const missing = host.pfar({"tools", "a", "--explain", "ehco"});
    CHECK(missing.status == 69);
    CHECK(has(missing.err, "there is no tool \"ehco\" (did you mean echo?)"));
}

TEST_CASE("logs follow until the host ends") {
    FakeHost host(Said{}, {{"logs", follow}});
    CHECK(host.pfar({"logs", "a"}).out == "old\n");
    CHECK(host.pfar({"logs", "a", "--lines", "x"}).status == 64);
    auto const followed = host.pfar({"logs", "a", "--follow"});
    CHECK(followed.status == 69);
    CHECK(followed.out == "old\nnew \\u001b[31m\n");
    CHECK(has(followed.err, "the host has ended, so nothing follows"));
}

TEST_CASE("restart asks for one or for all, and a server that does not run is a failure") {
    FakeHost const host(Said{{"disable", R"({"name":"a","state":"disabled","reason":"disabled by its owner"})"},
                             {"enable", R"({"name":"a","state":"failed","reason":"no such command"})"}},
                        {{"restart", say_params}});
    CHECK(host.pfar({"restart", "x"}).out == "x: running\n");
    CHECK(has(host.pfar({"restart", "--all", "--json"}).out, "\"server\": \"*\""));
    CHECK(host.pfar({"restart"}).status == 64);
    CHECK(host.pfar({"restart", "a", "--all"}).status == 64);
    CHECK(host.pfar({"disable", "a"}).out == "a: disabled by its owner\n");
    auto const failed = host.pfar({"enable", "a"});
    CHECK(failed.status == 69);
    CHECK(failed.err == "pfar: a: failed, no such command\n");
}

TEST_CASE("host is a command, and the first word of others") {
    test::TempDir const home;
    CHECK(has(test::pfar(home.path(), {"host", "--help"}).out, "pfar host restart     stop it and start another"));
    CHECK(has(test::pfar(home.path(), {"help", "host"}).out, "--no-table"));
    CHECK_FALSE(has(test::pfar(home.path(), {"host", "--help"}).out, "--detached"));
    auto const unknown_word = test::pfar(home.path(), {"host", "stats"});
    CHECK(unknown_word.status == 64);
    CHECK(has(unknown_word.err, "did you mean host status?"));
    CHECK(has(test::pfar(home.path(), {"__complete", "host", "st"}).out, "status\t"));
    CHECK(has(test::pfar(home.path(), {"__complete", "host", "--"}).out, "--no-table\t"));
    CHECK_FALSE(has(test::pfar(home.path(), {"__complete", "host", "--"}).out, "--ready"));
}
