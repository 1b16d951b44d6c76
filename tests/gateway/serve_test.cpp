// pfar serve between an agent and the built host: every kind of stdin and stdout, several at once, and every way to end.
#include "gateway/agent.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

using namespace test;

namespace {

/// A host with one server.
class Serving : public HostStage {
public:
    explicit Serving(Setting setting) : HostStage(std::move(setting)) {
        server("a");
        REQUIRE(begin());
        REQUIRE(reaches("a", "running"));
    }
    json::array sessions() { return ask("sessions").as_array(); }
    bool has_sessions(std::size_t count) {
        return soon([&] { return sessions().size() == count; });
    }
};

constexpr auto hello =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n";
constexpr auto call =
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a__echo","arguments":{"text":"over there"}}})"
    "\n";

/// A pfar with these descriptors, stderr in a file.
pid_t start(HostStage const& stage, std::vector<std::string> const& arguments, int in, int out) {
    auto const words = stage.words(arguments);
    auto const err = stage.path() / "serve.err";
    auto const pid = ::fork();
    if (pid != 0) return pid;
    int const to = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(to, 2) < 0) ::_exit(125);
    become(words, stage.setting().uid);
}

/// Its exit code or 128 + signal; -1 if it goes on for 20 s.
int ended(HostStage const& stage, pid_t pid) {
    int status = 0;
    if (!stage.soon([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }))
        return ::kill(pid, SIGKILL), ::waitpid(pid, nullptr, 0), -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string read_until(int fd, std::string const& text) {
    std::string out;
    for (int tries = 0; tries < 200 && out.find(text) == std::string::npos; ++tries) {
        pollfd wait{fd, POLLIN, 0};
        char part[4096];
        if (::poll(&wait, 1, 100) <= 0) continue;
        auto const got = ::read(fd, part, sizeof part);
        if (got <= 0) break;
        out.append(part, static_cast<std::size_t>(got));
    }
    UNSCOPED_INFO("read: " << out);
    return out;
}

} // namespace

TEST_CASE("over pipes an agent has its session, and closing its input ends it with 0") {
    Serving stage(GENERATE(from_range(people())));
    Agent agent(stage);
    CHECK(agent.call("a__echo", {{"text", "hello"}}).text == "hello");
    auto const rows = stage.sessions();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("client") == "agent");
    CHECK(rows[0].at("transport") == "stdio");
    CHECK(rows[0].at("pid") == agent.pid());
    auto const shown = stage.pfar({"sessions"});
    CHECK(has(shown.out, "agent 1  stdio  (all)"));
    CHECK(agent.end() == 0);
    CHECK(stage.has_sessions(0));
}

TEST_CASE("a call that is under way is answered before the end of the input ends the session") {
    Serving stage(somebody());
    Agent agent(stage);
    auto const id = agent.begin_call("a__sleep", {{"ms", 500}});
    agent.close_input();
    CHECK(HostStage::called(agent.wait(id)).text == "slept");
    CHECK(agent.end() == 0);
}

TEST_CASE("with --server the tools have their own names, and a server that is not there is told") {
    Serving stage(somebody());
    Agent agent(stage, {{}, "agent", "2025-11-25", {"--server", "a"}});
    CHECK(agent.call("echo", {{"text", "hello"}}).text == "hello");
    auto const missing = run({stage.words({"serve", "--server", "nowhere"}), {}, "/", "", stage.setting().uid});
    CHECK(missing.status == 69);
    CHECK(missing.out.empty());
    CHECK(has(missing.err, "nowhere"));
}

TEST_CASE("over a socket it is the same") {
    Serving stage(GENERATE(from_range(people())));
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    auto const child = start(stage, {"serve"}, ends[1], ends[1]);
    REQUIRE(::write(ends[0], hello, std::strlen(hello)) > 0);
    REQUIRE(::write(ends[0], call, std::strlen(call)) > 0);
    CHECK(has(read_until(ends[0], "over there"), "over there"));
    CHECK((::fcntl(ends[1], F_GETFL) & O_NONBLOCK) == 0); // we share it: our reads still wait
    CHECK((::fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
    ::close(ends[1]);
    ::shutdown(ends[0], SHUT_WR);
    CHECK(ended(stage, child) == 0);
    CHECK(read_until(ends[0], "never").empty()); // its end
    ::close(ends[0]);
}

TEST_CASE("files: everything that is asked is answered, in a file") {
    Serving stage(GENERATE(from_range(people())));
    std::string asked = hello;
    for (int i = 2; i < 62; ++i)
        asked += fmt::format(
            R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"a__blob","arguments":{{"bytes":20000}}}}}})"
            "\n",
            i);
    auto const in = stage.write("in", asked), out = stage.write("out", "");
    int const from = ::open(in.c_str(), O_RDONLY | O_CLOEXEC), to = ::open(out.c_str(), O_WRONLY | O_CLOEXEC);
    CHECK(ended(stage, start(stage, {"serve"}, from, to)) == 0);
    auto const answers = read(out);
    CHECK(std::count(answers.begin(), answers.end(), '\n') == 61);
    CHECK(answers.size() > 60 * 20000);
    CHECK(read(stage.path() / "serve.err").empty());
    ::close(from), ::close(to);
}

TEST_CASE("on a terminal one can talk to it by hand, and it leaves the terminal as it was") {
    Serving stage(GENERATE(from_range(people())));
    Live live(stage, stage.words({"serve"}), Live::On::terminal);
    auto const before = live.modes();
    live.type(hello);
    CHECK(live.says("\"serverInfo\""));
    live.forget();
    live.type(call);
    CHECK(live.says("\"text\":\"over there\"}]"));
    SECTION("Ctrl-D") {
        live.type("\x04");
        CHECK(live.end() == 0);
    }
    SECTION("Ctrl-C") {
        live.type("\x03");
        CHECK(live.end() == 130);
    }
    SECTION("kill -9") {
        live.signal(SIGKILL);
        CHECK(live.end() == 128 + SIGKILL);
    }
    auto const after = live.modes();
    CHECK(std::memcmp(&before, &after, sizeof before) == 0);
    CHECK(stage.has_sessions(0));
}

TEST_CASE("two agents at once have a session each and share the server") {
    Serving stage(somebody());
    Agent one(stage, {{}, "one"}), two(stage, {{}, "two"});
    CHECK(one.call("a__nonce").text == two.call("a__nonce").text);
    CHECK(stage.sessions().size() == 2);
    auto const slow = one.begin_call("a__sleep", {{"ms", 300}});
    CHECK(two.call("a__echo", {{"text", "quick"}}).ok);
    CHECK(HostStage::called(one.wait(slow)).ok);
    CHECK(one.end() == 0);
    CHECK(two.call("a__echo", {{"text", "still here"}}).ok);
}

TEST_CASE("serve that is killed takes its session along") {
    Serving stage(somebody());
    Agent agent(stage);
    agent.begin_call("a__sleep", {{"ms", 60000}});
    REQUIRE(stage.soon([&] { return stage.sessions().at(0).at("in_flight") == 1; }));
    agent.kill();
    CHECK(stage.has_sessions(0));
    CHECK(stage.soon([&] { return stage.call("a", "cancelled").text == "1"; }));
}

TEST_CASE("SIGTERM ends a session in order, with 0") {
    Serving stage(somebody());
    Agent agent(stage);
    ::kill(agent.pid(), SIGTERM);
    int status = -1;
    REQUIRE(stage.soon([&] { return ::waitpid(agent.pid(), &status, WNOHANG) == agent.pid(); }));
    CHECK(status == 0);
    CHECK(stage.has_sessions(0));
}

TEST_CASE("the host's death ends serve with 69 and a sentence") {
    Serving stage(GENERATE(from_range(people())));
    int to[2], from[2];
    REQUIRE(::pipe2(to, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(from, O_CLOEXEC) == 0);
    for (int const fd : {to[0], from[1]}) (void)!::fchown(fd, stage.setting().uid, stage.setting().uid);
    auto const child = start(stage, {"serve"}, to[0], from[1]);
    REQUIRE(::write(to[1], hello, std::strlen(hello)) > 0);
    CHECK(has(read_until(from[0], "serverInfo"), "serverInfo"));
    SECTION("killed") {
        stage.kill_host();
    }
    SECTION("stopped") {
        CHECK(stage.end() == 0);
    }
    CHECK(ended(stage, child) == 69);
    CHECK(has(read(stage.path() / "serve.err"), "pfar: the "));
    for (int const fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
}

TEST_CASE("where no host runs serve starts one, and that one outlives it") {
    HostStage stage(somebody());
    stage.server("a");
    Agent agent(stage);
    CHECK(stage.soon([&] { return agent.call("a__echo", {{"text", "hello"}}).ok; }));
    CHECK(agent.end() == 0);
    CHECK(stage.pfar({"host", "status"}).status == 0);
    CHECK(stage.pfar({"host", "stop"}).status == 0);
}

TEST_CASE("over HTTP it says where it listens, and the port is free when it has ended") {
    Serving stage(GENERATE(from_range(people())));
    int from[2];
    REQUIRE(::pipe2(from, O_CLOEXEC) == 0);
    int const nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    auto const child = start(stage, {"serve", "--http", "127.0.0.1:0", "--json"}, nothing, from[1]);
    auto const line = read_until(from[0], "\n");
    REQUIRE(line.ends_with("\n"));
    auto const there = json::parse(line).as_object();
    auto const url = std::string(there.at("url").as_string());
    auto const token = read(std::string(there.at("token_file").as_string()));
    auto const curl = [&](std::string const& header) {
        return run({{"curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "5", "-H", header, "-H",
                     "Accept: application/json, text/event-stream", "-H", "Content-Type: application/json", "-d",
                     std::string(hello).substr(0, std::string(hello).find('\n')), url},
                    {},
                    "/",
                    {}})
            .out;
    };
    CHECK(curl("Authorization: Bearer " + token.substr(0, token.find('\n'))) == "200");
    CHECK(curl("Authorization: Bearer nonsense") == "401");
    ::kill(child, SIGTERM);
    CHECK(ended(stage, child) == 0);
    CHECK(stage.soon([&] { return curl("X: y") == "000"; }));
    CHECK(has(read(stage.path() / "serve.err"), "Authorization: Bearer $(cat '"));
    ::close(nothing), ::close(from[0]), ::close(from[1]);
}
