#include "unit/control/control_world.hpp"

#include "support/child.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>

using namespace pfar;
using control::Client;
using control::Request;
using test::ControlWorld;
using test::has;
using Answer = ControlWorld::Answer;

namespace {

Answer echo(Request request) {
    co_return request.params;
}

Answer refuse(Request /*request*/) {
    co_return fail(Errc::not_found, "there is none; make one");
}

Answer throwing(Request /*request*/) {
    throw std::runtime_error("a bug");
    co_return std::string();
}

/// Without the client's manners.
struct Raw {
    base::Fd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};

    explicit Raw(ControlWorld const& world) {
        auto const address = world.run().socket_address();
        REQUIRE(::connect(socket.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    }
    void say(std::string_view text) const { (void)!::send(socket.number(), text.data(), text.size(), MSG_NOSIGNAL); }
    /// Up to a line's end, or to the end of all.
    [[nodiscard]] std::string line() const {
        std::string out;
        for (char byte = 0; ::read(socket.number(), &byte, 1) == 1;) {
            if (byte == '\n') return out;
            out += byte;
        }
        return out + "<end>";
    }
};

constexpr auto hello = R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{"directory":"/"}})"
                       "\n";

} // namespace

TEST_CASE("what is asked is answered, and errors come with their kind") {
    ControlWorld world;
    world.start({{"echo", echo}, {"refuse", refuse}, {"throw", throwing}});
    auto client = world.client();
    auto const greeting = client.hello(test::own_identity, "/");
    REQUIRE(greeting);
    CHECK(greeting->identity == test::own_identity);
    CHECK(greeting->pid == 7);
    CHECK(greeting->idle);
    auto const said = client.ask({"echo", R"({"a":[1,"\u00e9"]})"});
    REQUIRE(said);
    CHECK(*said == R"({"a":[1,"\u00e9"]})");
    auto const refused = client.ask({"refuse"});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::not_found);
    CHECK(refused.error().what == "there is none; make one");
    CHECK(client.ask({"throw"}).error().code == Errc::internal);
    CHECK(has(client.ask({"other"}).error().what, "this host has no other"));
    CHECK(client.ask({"echo", R"({"large":")" + std::string(3 << 20, 'x') + "\"}"}).value().size() > (3U << 20U));
}

TEST_CASE("nothing is answered before hello, and hello is said once, with a directory") {
    ControlWorld world;
    world.start({{"echo", echo}});
    auto client = world.client();
    CHECK(has(client.ask({"echo"}).error().what, "the first request has to be hello"));
    CHECK(has(client.ask({"hello", R"({"directory":"here"})"}).error().what, "hello has no directory"));
    CHECK(client.hello(test::own_identity, "/a/b"));
    CHECK(has(client.ask({"hello", R"({"directory":"/"})"}).error().what, "hello was said already"));
    CHECK(client.ask({"echo"}));
}

TEST_CASE("the socket is the owner's alone, and one that was left behind is replaced") {
    test::TempDir const home;
    auto const run = control::RunDirectory::open(home.path()).value();
    auto const lock = control::HostLock::take(run, test::own_identity).value();
    boost::asio::io_context context;
    SECTION("a socket of a host that was killed") {
        base::Fd const stale(::socket(AF_UNIX, SOCK_STREAM, 0));
        auto const address = run.socket_address();
        REQUIRE(::bind(stale.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    }
    SECTION("a file") {
        home.write("run/pfar.sock", "?");
    }
    auto listener = control::Listener::open(context.get_executor(), run, lock);
    REQUIRE(listener);
    struct stat status {};
    REQUIRE(::stat((home / "run/pfar.sock").c_str(), &status) == 0);
    CHECK(S_ISSOCK(status.st_mode));
    CHECK((status.st_mode & 07777U) == 0600);
    listener->reset();
    CHECK_FALSE(std::filesystem::exists(home / "run/pfar.sock"));
    CHECK(Client::connect(run).error().code == Errc::not_found);
}

TEST_CASE("garbage is survived, but not for ever") {
    ControlWorld world;
    world.start({{"echo", echo}});
    Raw const raw(world);
    raw.say("garbage\n{}\n[]\n\xff\xfe\n{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":1}\n");
    raw.say(hello);
    CHECK(has(raw.line(), R"("id":1,"result":{"version")"));
    for (int i = 0; i < 200; ++i) raw.say("garbage\n");
    CHECK(raw.line() == "<end>");
    CHECK(world.greeted().ask({"echo"}));
}

TEST_CASE("whoever connects and says nothing is sent away") {
    control::ListenerLimits limits;
    limits.hello = std::chrono::milliseconds(30);
    ControlWorld world(limits);
    world.start();
    Raw const raw(world);
    CHECK(raw.line() == "<end>");
}

TEST_CASE("above the limit one waits until another leaves") {
    control::ListenerLimits limits;
    limits.connections = 2;
    ControlWorld world(limits);
    world.start({{"echo", echo}});
    auto first = world.greeted();
    std::optional<Client> second = world.greeted();
    Raw const third(world);
    third.say(hello);
    CHECK(first.ask({"echo"})); // by now the third would have been heard
    pollfd poll{third.socket.number(), POLLIN, 0};
    CHECK(::poll(&poll, 1, 0) == 0);
    second.reset();
    CHECK(has(third.line(), "\"result\""));
}

namespace {

Answer write_there(Request request) {
    if (request.descriptors.size() != 2) co_return fail(Errc::invalid, "not two descriptors");
    (void)!::write(request.descriptors[1].number(), "here", 4);
    co_return std::string("{}");
}

} // namespace

TEST_CASE("descriptors go beside a request, and are closed when it is done") {
    ControlWorld world;
    world.start({{"write", write_there}, {"echo", echo}});
    auto client = world.greeted();
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    CHECK(client.ask({"write", "{}", std::chrono::seconds(30), {0, ends[1]}}));
    CHECK(client.ask({"echo", "{}", std::chrono::seconds(30), {ends[1]}})); // one that wants none
    CHECK_FALSE(client.ask({"write"}));
    ::close(ends[1]);
    char said[8] = {};
    CHECK(::read(ends[0], said, sizeof said) == 4);
    CHECK(std::string_view(said) == "here");
    CHECK(::read(ends[0], said, sizeof said) == 0); // all copies are closed
    ::close(ends[0]);
}

namespace {

struct Waiting {
    std::promise<void> heard, gone;
    boost::asio::steady_timer* timer = nullptr;
};

Answer wait(std::shared_ptr<Waiting> waiting, Request request) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, std::chrono::hours(1));
    request.caller->when_gone([waiting, &timer] {
        waiting->gone.set_value();
        timer.cancel();
    });
    waiting->heard.set_value();
    try {
        co_await timer.async_wait(boost::asio::use_awaitable);
    } catch (boost::system::system_error const&) {} // cancelled
    auto const told = request.caller->tell("late", "{}");
    co_return told ? Result<std::string>("{}") : Result<std::string>(told.error());
}

} // namespace

TEST_CASE("a caller that goes in the middle is survived and told of") {
    ControlWorld world;
    auto const waiting = std::make_shared<Waiting>();
    world.start({{"wait", [waiting](Request request) { return wait(waiting, std::move(request)); }}, {"echo", echo}});
    {
        Raw const raw(world);
        raw.say(hello);
        raw.say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"wait\"}\n");
        waiting->heard.get_future().get();
        CHECK(has(raw.line(), "\"id\":1"));
        CHECK(world.on_thread([&] { return world.listener().in_flight(); }) == 1);
    }
    waiting->gone.get_future().get();
    auto client = world.greeted();
    CHECK(client.ask({"echo"}));
    CHECK(world.on_thread([&] { return world.listener().connections(); }) == 1);
    CHECK(world.on_thread([&] { return world.listener().in_flight(); }) == 0);
}

namespace {

Answer follow(Request request) {
    for (int i = 0; i < 3; ++i) (void)request.caller->tell("log", std::to_string(i).insert(0, R"({"line":)") + "}");
    co_return std::string("{}");
}

} // namespace

TEST_CASE("what is told before an answer is heard after it") {
    ControlWorld world;
    world.start({{"follow", follow}});
    auto client = world.greeted();
    REQUIRE(client.ask({"follow"}));
    std::string all;
    CHECK(client.listen([&](std::string_view method, std::string_view params) {
        all += std::string(method) + std::string(params);
        return all.find("2}") == std::string::npos;
    }));
    CHECK(all == R"(log{"line":0}log{"line":1}log{"line":2})");
}

TEST_CASE("a closed door lets requests end, and sends whoever comes to the next host") {
    ControlWorld world;
    auto const waiting = std::make_shared<Waiting>();
    world.start({{"wait", [waiting](Request request) { return wait(waiting, std::move(request)); }}, {"echo", echo}});
    auto old = world.greeted();
    auto late = world.client();
    CHECK(old.ask({"echo"})); // both are let in by now
    world.on_thread([&] { world.listener().close_door(); });
    CHECK(old.ask({"echo"}));
    auto const refused = late.hello(test::own_identity, "/");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::unavailable);
    CHECK(Client::connect(world.run()).error().code == Errc::not_found);
}

TEST_CASE("a home whose path is too long for an address is no obstacle") {
    ControlWorld world({}, std::string(100, 'a') + "/" + std::string(100, 'b'));
    world.start({{"echo", echo}});
    CHECK(world.greeted().ask({"echo"}));
}

TEST_CASE("another user is not let in, even if the file's mode would") {
    if (::geteuid() != 0) SKIP("needs root to become somebody else");
    ControlWorld world;
    world.start({{"echo", echo}});
    ::chmod(world.home().c_str(), 0755);
    ::chmod(world.run().path().c_str(), 0755);
    ::chmod((world.run().path() / control::socket_name).c_str(), 0666);
    auto const address = world.run().socket_address();
    auto const attempt = [&](uid_t uid) { // nothing but system calls: the test has threads
        auto const child = ::fork();
        if (child != 0) return test::ended(child);
        if (::setresuid(uid, uid, uid) != 0) ::_exit(3);
        int const socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        if (::connect(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) ::_exit(4);
        ::send(socket, hello, std::strlen(hello), MSG_NOSIGNAL);
        char byte = 0;
        ::_exit(::read(socket, &byte, 1) == 1 ? 0 : 5);
    };
    CHECK(attempt(0) == 0);
    CHECK(attempt(61000) == 5);
}
