#include "control/handover.hpp"

#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <pty.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>

using namespace pfar;
using base::Fd;
using control::Direction;
using control::hand_over;

namespace {

struct Ends {
    Fd out, in; // read, write
};

Ends pipe_ends() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    return {Fd(ends[0]), Fd(ends[1])};
}

bool is_nonblocking(Fd const& fd) {
    return (::fcntl(fd.number(), F_GETFL) & O_NONBLOCK) != 0;
}

bool is_same_file(Fd const& one, Fd const& other) {
    struct stat a {
    }, b{};
    return ::fstat(one.number(), &a) == 0 && ::fstat(other.number(), &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

std::string read_some(Fd const& fd) {
    std::string out(100, '\0');
    auto const got = ::read(fd.number(), out.data(), out.size());
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return out;
}

/// Until it has nothing to do for a moment, or is over.
void run(control::Relay& relay) {
    while (!relay.is_over()) {
        std::vector<pollfd> waits;
        relay.watch(waits);
        if (::poll(waits.data(), waits.size(), 20) <= 0) return;
        relay.ready(waits[0], waits[1]);
    }
}

} // namespace

TEST_CASE("a pipe is opened anew, so that it does not block for us and does for everybody else") {
    auto const pipe = pipe_ends();
    auto const in = hand_over(pipe.out.number(), Direction::in).value();
    auto const out = hand_over(pipe.in.number(), Direction::out).value();
    CHECK_FALSE(in.relay);
    CHECK_FALSE(out.relay);
    CHECK(is_nonblocking(in.given));
    CHECK(is_nonblocking(out.given));
    CHECK_FALSE(is_nonblocking(pipe.out));
    CHECK_FALSE(is_nonblocking(pipe.in));
    CHECK(is_same_file(in.given, pipe.out));
    REQUIRE(::write(out.given.number(), "hello", 5) == 5);
    CHECK(read_some(in.given) == "hello");
}

TEST_CASE("a socket goes as it is") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    Fd const agent(ends[0]), ours(ends[1]);
    auto const in = hand_over(ours.number(), Direction::in).value();
    CHECK_FALSE(in.relay);
    CHECK(is_same_file(in.given, ours));
    CHECK_FALSE(is_nonblocking(in.given)); // it is the agent's too
}

TEST_CASE("a socket that keeps messages apart is relayed") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
    Fd const agent(ends[0]), ours(ends[1]);
    CHECK(hand_over(ours.number(), Direction::in).value().relay);
}

TEST_CASE("a file is read to its end, and that is the end of what the host reads") {
    test::TempDir const dir;
    auto const text = std::string(300'000, 'x') + "end";
    Fd const file(::open(dir.write("in", text).c_str(), O_RDONLY | O_CLOEXEC));
    auto in = hand_over(file.number(), Direction::in).value();
    REQUIRE(in.relay);
    std::string got;
    for (int turns = 0; turns < 1000 && !in.relay->is_over(); ++turns) {
        run(*in.relay);
        for (auto part = read_some(in.given); !part.empty(); part = read_some(in.given)) got += part;
    }
    CHECK(got == text);
    CHECK(::read(in.given.number(), got.data(), 1) == 0); // the end, not EAGAIN
    CHECK_FALSE(is_nonblocking(file));
}

TEST_CASE("what goes to a file gets there, all of it") {
    test::TempDir const dir;
    Fd const file(::open((dir / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    auto out = hand_over(file.number(), Direction::out).value();
    REQUIRE(out.relay);
    std::string const text(50'000, 'y');
    for (int i = 0; i < 4; ++i) {
        REQUIRE(::write(out.given.number(), text.data(), text.size()) == 50'000);
        run(*out.relay);
    }
    out.given = Fd();
    run(*out.relay);
    CHECK(out.relay->is_over());
    CHECK(test::read(dir / "out").size() == 200'000);
}

TEST_CASE("a terminal is relayed, and it stays as it is") {
    int master = -1, slave = -1;
    REQUIRE(::openpty(&master, &slave, nullptr, nullptr, nullptr) == 0);
    Fd const screen(master), terminal(slave);
    auto const before = ::fcntl(slave, F_GETFL);
    auto in = hand_over(slave, Direction::in).value();
    auto out = hand_over(slave, Direction::out).value();
    REQUIRE((in.relay && out.relay));
    REQUIRE(::write(master, "typed", 5) == 5);
    run(*in.relay);
    CHECK(read_some(in.given).empty()); // no line yet
    REQUIRE(::write(master, "\n\x04", 2) == 2);
    run(*in.relay);
    CHECK(read_some(in.given) == "typed\n");
    CHECK(in.relay->is_over()); // by Ctrl-D
    REQUIRE(::write(out.given.number(), "said\n", 5) == 5);
    run(*out.relay);
    CHECK(read_some(screen).find("said") != std::string::npos);
    CHECK(::fcntl(slave, F_GETFL) == before);
}

TEST_CASE("nothing is relayed like a file, and what cannot be read has ended") {
    Fd const null(::open("/dev/null", O_RDWR | O_CLOEXEC)), path(::open("/dev/null", O_PATH | O_CLOEXEC));
    auto const pipe = pipe_ends();
    auto in = hand_over(null.number(), Direction::in).value();
    REQUIRE(in.relay);
    run(*in.relay);
    CHECK(in.relay->is_over());
    char byte = 0;
    CHECK(::read(in.given.number(), &byte, 1) == 0);
    for (auto const* const fd : {&path, &pipe.in}) {
        auto const ended = hand_over(fd->number(), Direction::in).value();
        CHECK_FALSE(ended.relay);
        CHECK(::read(ended.given.number(), &byte, 1) == 0);
    }
    for (auto const* const fd : {&path, &pipe.out}) CHECK_FALSE(hand_over(fd->number(), Direction::out));
    CHECK(hand_over(null.number(), Direction::out).value().relay);
    CHECK_FALSE(hand_over(987, Direction::in));
}

TEST_CASE("a pipe of another user's is relayed, without being changed") {
    if (::geteuid() != 0) SKIP("needs root to become somebody else");
    auto const pipe = pipe_ends();
    REQUIRE(::seteuid(61000) == 0);
    auto in = hand_over(pipe.out.number(), Direction::in);
    auto out = hand_over(pipe.in.number(), Direction::out);
    REQUIRE(::seteuid(0) == 0);
    REQUIRE(in.value().relay);
    REQUIRE(out.value().relay);
    REQUIRE(::write(out->given.number(), "hello", 5) == 5);
    run(*out->relay);
    run(*in->relay);
    CHECK(read_some(in->given) == "hello");
    CHECK_FALSE(is_nonblocking(pipe.out));
    CHECK_FALSE(is_nonblocking(pipe.in));
}
