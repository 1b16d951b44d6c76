// proxy-connect.so as the host uses it: loaded from its file, served on an executor of the host's in a thread of its own.
#include "loader/plugin_set.hpp"
#include "support/temp_dir.hpp"

#include <pfar/egress_filter.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <future>
#include <thread>

using namespace pfar;

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

struct Listening {
    Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::uint16_t port = 0;

    Listening() {
        auto address = loopback(0);
        socklen_t size = sizeof address;
        REQUIRE(::bind(socket.number(), reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(socket.number(), 64) == 0);
        REQUIRE(::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port = ntohs(address.sin_port);
    }
};

Fd dial(std::uint16_t port) {
    Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    auto const address = loopback(port);
    REQUIRE(::connect(socket.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    return socket;
}

std::string read_until(int socket, std::string const& end) {
    std::string got;
    char c = 0;
    while (!got.ends_with(end) && ::read(socket, &c, 1) == 1) got += c;
    return got;
}

/// Gives back whatever it gets, one connection after the other, `times` times.
void echo(int listener, int times) {
    for (; times > 0; --times) {
        Fd const peer{::accept(listener, nullptr, nullptr)};
        char buffer[4096];
        for (auto got = ::read(peer.number(), buffer, sizeof buffer); got > 0;
             got = ::read(peer.number(), buffer, sizeof buffer))
            if (::write(peer.number(), buffer, static_cast<std::size_t>(got)) != got) break;
    }
}

/// The executor that egress filters get: a context and a thread of their own.
class Lane {
public:
    Lane() : thread_([this] { context_.run(); }) {}
    Lane(Lane const&) = delete;
    Lane& operator=(Lane const&) = delete;
    ~Lane() {
        guard_.reset(); // runs dry, then ends
        thread_.join();
    }
    template <class Work> auto run(Work work) {
        std::packaged_task<decltype(work())()> task(std::move(work));
        auto result = task.get_future();
        boost::asio::post(context_, [&task] { task(); });
        return result.get();
    }
    boost::asio::any_io_executor executor() { return context_.get_executor(); }

private:
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{context_.get_executor()};
    std::thread thread_;
};

} // namespace

TEST_CASE("the loaded egress plugin carries bytes to where it was allowed to, and asks for every connection") {
    test::TempDir const home;
    config::HostSettings const settings;
    auto const plugins =
        loader::PluginSet::load({PFAR_BUILD "/lib/pfar/plugins", home.path(), PFAR_BUILD "/share/pfar", "", &settings});
    auto* const filter = plugins.get<EgressFilter>("proxy-connect").value();

    constexpr int rounds = 20;
    Listening world, inside;
    std::thread peer([&] { echo(world.socket.number(), rounds); });
    std::vector<std::string> asked;
    auto const port = inside.port;
    {
        Lane lane;
        EgressTask task;
        task.server = "test";
        task.executor = lane.executor();
        task.require_sni = false;
        task.listeners.push_back({std::move(inside.socket), EgressListener::Role::proxy, port});
        task.decide = [&](Destination destination, std::function<void(Verdict)> answer) {
            asked.push_back(destination.host);
            Verdict verdict;
            verdict.allowed = destination.host == "good.example.com";
            verdict.why = "evil.example.com is not allowed";
            verdict.dial = {boost::asio::ip::make_address("127.0.0.1")};
            answer(std::move(verdict));
        };
        task.record = [](EgressRecord) {};
        auto session = lane.run([&] { return filter->serve(std::move(task)).value(); });

        for (int i = 0; i < rounds; ++i) {
            auto const client = dial(port);
            auto const request =
                "CONNECT good.example.com:" + std::to_string(world.port) + " HTTP/1.1\r\nHost: x\r\n\r\nping";
            REQUIRE(::write(client.number(), request.data(), request.size()) == static_cast<ssize_t>(request.size()));
            CHECK(read_until(client.number(), "\r\n\r\n").starts_with("HTTP/1.1 200"));
            CHECK(read_until(client.number(), "ping") == "ping");
        }
        auto const refused = dial(port);
        std::string const request = "CONNECT evil.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n";
        REQUIRE(::write(refused.number(), request.data(), request.size()) == static_cast<ssize_t>(request.size()));
        auto const answer = read_until(refused.number(), "\x01");
        CHECK(answer.starts_with("HTTP/1.1 403"));
        CHECK(answer.find("evil.example.com is not allowed") != std::string::npos);
        lane.run([&] { return session.reset(), true; });
    }
    peer.join();
    CHECK(asked.size() == rounds + 1);
}
