#include "control/relay.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <numeric>
#include <thread>

using namespace pfar;
using base::Fd;
using control::Relay;

namespace {

struct Way {
    Fd source, sink; // where a test writes, and where it reads
    Relay relay;
};

Way make(int flags, std::size_t gulp) {
    std::array<int, 2> in{}, out{};
    REQUIRE(::pipe2(in.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(out.data(), O_CLOEXEC) == 0);
    REQUIRE(::fcntl(out[1], F_SETFL, flags) == 0);
    std::signal(SIGPIPE, SIG_IGN);
    return {Fd(in[1]), Fd(out[0]), Relay(Fd(in[0]), Fd(out[1]), gulp)};
}

/// True if something happened.
bool turn(Relay& relay, int patience) {
    std::vector<pollfd> waits;
    relay.watch(waits);
    CHECK(waits.size() == Relay::entries);
    if (::poll(waits.data(), waits.size(), patience) <= 0) return false;
    relay.ready(waits[0], waits[1]);
    return true;
}

void write_all(Fd const& fd, std::string_view bytes) {
    while (!bytes.empty()) {
        auto const put = ::write(fd.number(), bytes.data(), bytes.size());
        if (put <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::string read_all(Fd const& fd) {
    std::string out;
    std::array<char, 5000> part{};
    for (auto got = ::read(fd.number(), part.data(), part.size()); got > 0;
         got = ::read(fd.number(), part.data(), part.size()))
        out.append(part.data(), static_cast<std::size_t>(got));
    return out;
}

} // namespace

TEST_CASE("under load every byte comes through, in order") {
    for (int const flags : {O_NONBLOCK, 0}) { // ours, and one that blocks
        auto way = make(flags, flags != 0 ? SSIZE_MAX : PIPE_BUF);
        std::string sent(20U << 20U, '\0');
        for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 31 + i / 4096);
        std::string got;
        std::thread writer([&] {
            write_all(way.source, sent);
            way.source = Fd();
        });
        std::thread reader([&] { got = read_all(way.sink); });
        while (!way.relay.is_over()) turn(way.relay, -1);
        writer.join();
        reader.join();
        CHECK((got == sent));
    }
}

TEST_CASE("a peer that does not read stops the writer, and no more than a buffer is on the way") {
    for (int const flags : {O_NONBLOCK, 0}) {
        auto way = make(flags, flags != 0 ? SSIZE_MAX : PIPE_BUF);
        REQUIRE(::fcntl(way.source.number(), F_SETFL, O_NONBLOCK) == 0);
        std::size_t taken = 0;
        std::string const part(4096, 'z');
        for (bool moves = true; moves;) {
            moves = false;
            for (auto put = ::write(way.source.number(), part.data(), part.size()); put > 0;
                 put = ::write(way.source.number(), part.data(), part.size()))
                taken += static_cast<std::size_t>(put), moves = true;
            while (turn(way.relay, 0)) moves = true; // never waits, whatever the descriptor is like
        }
        CHECK(taken >= 64U << 10U);
        CHECK(taken <= 3 * (64U << 10U)); // two pipes and the relay's own
        CHECK_FALSE(way.relay.is_over());
        way.source = Fd();
        std::string got;
        std::thread reader([&] { got = read_all(way.sink); });
        while (!way.relay.is_over()) turn(way.relay, -1);
        reader.join();
        CHECK(got.size() == taken);
    }
}

TEST_CASE("a reader that goes ends it, with bytes on the way and without") {
    auto way = make(O_NONBLOCK, SSIZE_MAX);
    SECTION("without") {}
    SECTION("with") {
        write_all(way.source, "bytes");
        CHECK(turn(way.relay, 1000)); // taken
    }
    way.sink = Fd();
    while (!way.relay.is_over()) REQUIRE(turn(way.relay, 1000));
    CHECK(::write(way.source.number(), "x", 1) == -1); // and so does the writer
}

TEST_CASE("what is over asks for nothing") {
    auto way = make(O_NONBLOCK, SSIZE_MAX);
    way.source = Fd();
    while (!way.relay.is_over()) turn(way.relay, 1000);
    CHECK_FALSE(turn(way.relay, 0));
    CHECK(read_all(way.sink).empty());
}
