// pfar serve between an agent and a host of the test's own: what is handed over, what is relayed, and how it ends.
#include "process/agent_world.hpp"
#include "process/host_home.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>

#include <cstring>

using namespace test;

namespace {

constexpr auto clean = R"({"why":"the client closed its input","clean":true})";

std::promise<void> heard;

AgentHost::Answer never(pfar::control::Request request) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, std::chrono::hours(1));
    request.caller->when_gone([&timer] { timer.cancel(); });
    heard.set_value();
    try {
        co_await timer.async_wait(boost::asio::use_awaitable);
    } catch (boost::system::system_error const&) {} // cancelled
    co_return std::string("{}");
}

bool blocks(Fd const& fd) {
    return (::fcntl(fd.number(), F_GETFL) & O_NONBLOCK) == 0;
}

bool is_a(Fd const& fd, mode_t kind) {
    struct stat status {};
    return ::fstat(fd.number(), &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

/// Both ways through the session, line by line.
void talk(Fd const& to_agent, Fd const& from_agent, Served const& host) {
    write_to(to_agent, "{\"asked\":1}\n");
    CHECK(read_until(host.in, "}\n") == "{\"asked\":1}\n");
    write_to(host.out, "{\"answer\":1}\n");
    CHECK(has(read_until(from_agent, "\"answer\":1}"), "{\"answer\":1}"));
}

bool becomes_nothing(pid_t pid, int fd) {
    for (int tries = 0; tries < 2000; ++tries, ::poll(nullptr, 0, 5))
        if (std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", pid, fd)) == "/dev/null") return true;
    return false;
}

std::string modes(Fd const& terminal) {
    termios now{};
    REQUIRE(::tcgetattr(terminal.number(), &now) == 0);
    return {reinterpret_cast<char const*>(&now), sizeof now};
}

} // namespace

TEST_CASE("over pipes the host gets them opened anew, and serve lets go of its own") {
    AgentHost host;
    auto in = pipe_pair(), out = pipe_pair();
    AgentChild child(host.home(), {"serve"}, {in.first.number(), out.second.number()});
    auto served = host.served();
    CHECK(served.params == "{}");
    talk(in.second, out.first, served);
    CHECK(blocks(in.first));
    CHECK(blocks(out.second));
    CHECK_FALSE(blocks(served.in));
    for (int const fd : {0, 1}) CHECK(becomes_nothing(child.pid(), fd));
    out.second = Fd();
    served.out = Fd();
    CHECK(read_until(out.first, "never").empty()); // nobody else has it
    in.second = Fd(), in.first = Fd();
    char byte = 0;
    CHECK(::read(served.in.number(), &byte, 1) == 0);
    host.tell(served, "ended", clean);
    CHECK(child.end() == 0);
    CHECK(child.err().empty());
}

TEST_CASE("over a socket the host gets it as it is") {
    AgentHost host;
    auto const agent = socket_pair();
    AgentChild child(host.home(), {"serve", "--server", "notion"}, {agent.second.number(), agent.second.number()});
    auto const served = host.served();
    CHECK(served.params == R"({"server":"notion"})");
    CHECK(is_a(served.in, S_IFSOCK));
    talk(agent.first, agent.first, served);
    CHECK(blocks(agent.second));
    host.tell(served, "ended", clean);
    CHECK(child.end() == 0);
}

TEST_CASE("files are relayed: one is read to its end, the other gets everything") {
    AgentHost host;
    TempDir const dir;
    std::string text;
    for (int i = 0; i < 40'000; ++i) text += std::to_string(i) + "\n";
    Fd const from(::open(dir.write("in", text).c_str(), O_RDONLY | O_CLOEXEC));
    Fd const to(::open((dir / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    AgentChild child(host.home(), {"serve"}, {from.number(), to.number()});
    auto served = host.served();
    CHECK(is_a(served.in, S_IFIFO));
    CHECK(read_until(served.in, "39999\n") == text);
    CHECK(read_until(served.in, "never").empty()); // its end, and the session goes on
    write_to(served.out, text);
    served.out = Fd();
    host.tell(served, "ended", clean);
    CHECK(child.end() == 0);
    CHECK(read(dir / "out") == text);
    CHECK(blocks(from));
    CHECK(blocks(to));
}

TEST_CASE("what was said before the end goes out, even if the host is gone") {
    AgentHost host;
    TempDir const dir;
    auto in = pipe_pair();
    Fd const to(::open((dir / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    AgentChild child(host.home(), {"serve"}, {in.first.number(), to.number()});
    auto served = host.served();
    CHECK_FALSE(blocks(served.in)); // only what has to be is relayed
    std::string const text(60'000, 'x');
    write_to(served.out, text);
    served.out = Fd();
    host.hang_up(served);
    CHECK(child.end() == 69);
    CHECK(has(child.err(), "pfar: the host has ended, and this session with it"));
    CHECK(read(dir / "out") == text);
}

TEST_CASE("a terminal is relayed line by line, and Ctrl-D ends the input alone") {
    AgentHost host;
    auto const [screen, terminal] = terminal_pair();
    auto const before = modes(terminal);
    int const flags = ::fcntl(terminal.number(), F_GETFL);
    AgentChild child(host.home(), {"serve"}, {terminal.number(), terminal.number(), -1, terminal.number()});
    auto served = host.served();
    talk(screen, screen, served);
    write_to(screen, "\x04");
    CHECK(read_until(served.in, "never").empty());
    write_to(served.out, "late\n");
    CHECK(has(read_until(screen, "late"), "late"));
    CHECK(modes(terminal) == before);
    CHECK(::fcntl(terminal.number(), F_GETFL) == flags);
    host.tell(served, "ended", clean);
    CHECK(child.end() == 0);
}

TEST_CASE("kill -9 leaves the terminal as it was") {
    AgentHost host;
    auto const [screen, terminal] = terminal_pair();
    auto const before = modes(terminal);
    int const flags = ::fcntl(terminal.number(), F_GETFL);
    AgentChild child(host.home(), {"serve"},
                     {terminal.number(), terminal.number(), terminal.number(), terminal.number()});
    auto const served = host.served();
    CHECK(has(read_until(screen, "ends it"), "for an agent; Ctrl-D ends it")); // only where a person sits
    talk(screen, screen, served);
    ::kill(child.pid(), SIGKILL);
    CHECK(child.end() == 128 + SIGKILL);
    CHECK(modes(terminal) == before);
    CHECK(::fcntl(terminal.number(), F_GETFL) == flags);
    CHECK(read_until(served.in, "never").empty()); // and the host sees its end
}

TEST_CASE("Ctrl-C on the terminal ends it with 130") {
    AgentHost host;
    auto const [screen, terminal] = terminal_pair();
    AgentChild child(host.home(), {"serve"}, {terminal.number(), terminal.number(), -1, terminal.number()});
    auto const served = host.served();
    talk(screen, screen, served);
    write_to(screen, "\x03");
    CHECK(child.end() == 130);
    CHECK(child.err().empty());
}

TEST_CASE("SIGTERM and SIGHUP end it in order, unless they were to be ignored") {
    AgentHost host;
    for (int const signal : {SIGTERM, SIGHUP}) {
        auto const in = pipe_pair(), out = pipe_pair();
        AgentChild child(host.home(), {"serve"}, {in.first.number(), out.second.number()});
        auto const served = host.served();
        std::promise<void> gone;
        host.world().on_thread([&] { served.caller->when_gone([&] { gone.set_value(); }); });
        ::kill(child.pid(), signal);
        CHECK(child.end() == 0);
        CHECK(gone.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    }
}

TEST_CASE("a host that does not answer does not keep a signal waiting") {
    AgentHost host({}, {{"serve_http", never}});
    AgentChild child(host.home(), {"serve", "--http", "h:1"}, {});
    REQUIRE(heard.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    ::kill(child.pid(), SIGINT);
    CHECK(child.end() == 130);
    CHECK(child.err().empty());
}

TEST_CASE("a session that ends for another reason says which, with 69") {
    AgentHost host;
    auto const in = pipe_pair(), out = pipe_pair();
    AgentChild child(host.home(), {"serve"}, {in.first.number(), out.second.number()});
    auto const served = host.served();
    host.tell(served, "news", "{}"); // what it does not know does not end it
    host.tell(served, "ended", R"({"why":"it sent \u001b[2J nonsense"})");
    CHECK(child.end() == 69);
    CHECK(child.err() == "pfar: the session is over: it sent \\u001b[2J nonsense\n");
}

TEST_CASE("a peer that does not read fills no memory, and does not keep serve from ending") {
    AgentHost host;
    TempDir const dir;
    auto const [screen, terminal] = terminal_pair(); // nobody reads the screen
    auto const in = pipe_pair();
    AgentChild child(host.home(), {"serve"}, {in.first.number(), terminal.number(), -1, -1});
    auto const served = host.served();
    REQUIRE(::fcntl(served.out.number(), F_SETFL, O_NONBLOCK) == 0);
    std::string const part(4096, 'x');
    std::size_t taken = 0;
    for (int quiet = 0; quiet < 20;) { // until it takes no more for 100 ms
        auto const put = ::write(served.out.number(), part.data(), part.size());
        if (put > 0)
            taken += static_cast<std::size_t>(put), quiet = 0;
        else
            ::poll(nullptr, 0, 5), ++quiet;
    }
    CHECK(taken <= 256U << 10U);
    ::kill(child.pid(), SIGTERM);
    CHECK(child.end() == 0);
}

TEST_CASE("stdin that is nothing is an end, stdout that is closed is told") {
    AgentHost host;
    auto const out = pipe_pair();
    auto const closed = test::run(
        {{"sh", "-c", "exec \"$0\" serve >&-", PFAR_PROGRAM}, {{"PFAR_HOME", host.home().native()}}, "/", {}});
    CHECK(closed.status == 74);
    CHECK(has(closed.err, "descriptor 1 cannot be written to"));
    AgentChild child(host.home(), {"serve"}, {-1, out.second.number()});
    auto const served = host.served();
    CHECK(read_until(served.in, "never").empty());
    host.tell(served, "ended", clean);
    CHECK(child.end() == 0);
}

TEST_CASE("a server that does not exist is the host's sentence, and nothing is on stdout") {
    AgentHost const host;
    auto const refused = host.pfar({"serve", "--server", "unknown"});
    CHECK(refused.status == 69);
    CHECK(refused.out.empty());
    CHECK(has(refused.err, "pfar: there is no server \"unknown\""));
}

TEST_CASE("over HTTP it says where, and stays") {
    AgentHost host(Said{{"serve_http", R"({"url":"http://127.0.0.1:8900/mcp","page":"http://127.0.0.1:8900/",
        "token_file":"/home/a/.pfar/run/o'http.token","owner_token_file":"/home/a/.pfar/run/owner.token"})"}});
    auto const out = pipe_pair();
    AgentChild child(host.home(),
                     {"serve", "--json", "--http", "127.0.0.1:8900", "--tls-cert", "c.pem", "--tls-key", "/k.pem",
                      "--origin", "https://a.example", "--origin", "http://b:8"},
                     {-1, out.second.number(), -1, -1, {{"PFAR_HOST_NAMES", "x.example, y.example"}}});
    auto const served = host.served();
    CHECK(served.params ==
          fmt::format(R"({{"listen":"127.0.0.1:8900","auth":true,"origins":["https://a.example","http://b:8"],)"
                      R"("hosts":["x.example","y.example"],"certificate":"{}/c.pem","key":"/k.pem"}})",
                      std::filesystem::current_path().native()));
    CHECK(has(read_until(out.first, "}\n"), R"({"url":"http://127.0.0.1:8900/mcp","page")"));
    CHECK(is_gone_within(child.pid(), 100) == false);
    ::kill(child.pid(), SIGINT);
    CHECK(child.end() == 130);
    CHECK(child.err() ==
          R"-(MCP for agents   http://127.0.0.1:8900/mcp (all servers), http://127.0.0.1:8900/mcp/NAME (one)
  their header   "Authorization: Bearer $(cat '/home/a/.pfar/run/o'\''http.token')"
owner's page     http://127.0.0.1:8900/
  its token      $(cat '/home/a/.pfar/run/owner.token')
Ctrl-C ends it
)-");
}

TEST_CASE("what serve is told makes sense, or is refused by name") {
    AgentHost const host;
    struct Case {
        std::vector<std::string> words;
        std::map<std::string, std::string> environment;
        std::string complaint;
    };
    std::vector<Case> const cases{
        {{"--http", "8900"}, {}, "--http is HOST:PORT, such as 127.0.0.1:8900, not \"8900\""},
        {{"--http", "x:99999"}, {}, "--http is HOST:PORT"},
        {{"--http", "::1:80"}, {}, "--http is HOST:PORT"},
        {{"--http", ""}, {}, "--http is HOST:PORT"},
        {{}, {{"PFAR_HTTP", "nonsense"}}, "PFAR_HTTP is HOST:PORT"},
        {{"--server", ""}, {}, "--server is a server's name, not \"\""},
        {{}, {{"PFAR_SERVER", "No Server"}}, "PFAR_SERVER is a server's name"},
        {{"--http", "h:1", "--server", "x"}, {}, "/mcp/NAME; leave out --server"},
        {{}, {{"PFAR_HTTP", "h:1"}, {"PFAR_SERVER", "x"}}, "/mcp/NAME; leave out --server and PFAR_SERVER"},
        {{"--no-auth"}, {}, "--no-auth goes with --http"},
        {{"--json"}, {}, "--json goes with --http"},
        {{"--http", "h:1"}, {{"PFAR_NO_AUTH", "yes"}}, "PFAR_NO_AUTH is 0 or 1, not \"yes\""},
        {{"--http", "h:1", "--tls-cert", "a"}, {}, "--tls-cert needs --tls-key too"},
        {{"--http", "h:1"}, {{"PFAR_TLS_KEY", "a"}}, "PFAR_TLS_KEY needs --tls-cert too"},
        {{"--http", "h:1", "--origin", "example.com"}, {}, "--origin is an origin such as https://example.com"},
        {{"--http", "h:1"},
         {{"PFAR_ORIGINS", "https://a,b"}},
         "PFAR_ORIGINS is an origin such as https://example.com, not \"b\""},
        {{"--http", "h:1", "--host-name", "a/b"}, {}, "--host-name is a host name"},
        {{"extra"}, {}, "serve does not take \"extra\""},
    };
    for (auto const& [words, environment, complaint] : cases) {
        auto all = words;
        all.insert(all.begin(), "serve");
        auto const refused = host.pfar(all, "", environment);
        CHECK(refused.status == 64);
        CHECK(refused.out.empty());
        CHECK(has(refused.err, complaint));
    }
}

TEST_CASE("the command line wins over the environment") {
    AgentHost host(Said{{"serve_http", R"({"url":"u","page":"p"})"}});
    auto const out = pipe_pair();
    {
        AgentChild const child(
            host.home(), {"serve", "--http", "[::1]:0", "--no-auth", "--origin", "https://b"},
            {-1,
             out.second.number(),
             -1,
             -1,
             {{"PFAR_SERVER", "x"}, {"PFAR_HTTP", "nonsense"}, {"PFAR_NO_AUTH", "0"}, {"PFAR_ORIGINS", "https://a"}}});
        CHECK(host.served().params == R"({"listen":"[::1]:0","auth":false,"origins":["https://b"],"hosts":[]})");
    }
    AgentChild const child(host.home(), {"serve", "--server", "a"},
                           {-1, out.second.number(), -1, -1, {{"PFAR_SERVER", "x"}, {"PFAR_HTTP", "h:1"}}});
    CHECK(host.served().params == R"({"server":"a"})");
}
