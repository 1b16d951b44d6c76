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
    REQUIRE(becomes_nothing(child.pid(), STDOUT_FILENO)); // it has heard that the session began
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
