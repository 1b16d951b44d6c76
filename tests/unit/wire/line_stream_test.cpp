// Lines over real pipes and sockets, cut anywhere, too long, half, and written from both sides at once.
#include "unit/wire/far_end.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <vector>

using pfar::wire::LineStream;
using test::FarEnd;
using test::Over;

namespace {

struct Near {
    boost::asio::io_context context;
    FarEnd far;
    std::shared_ptr<LineStream> stream;
    std::vector<std::string> lines;
    int too_long = 0, ended = 0, drained = 0;
    bool half = false;

    explicit Near(Over over, std::size_t most_line = pfar::wire::most_line_bytes)
        : stream(LineStream::make(context.get_executor(), far.open(over), {most_line})) {
        LineStream::Heard heard;
        heard.line = [this](std::string_view line) { lines.emplace_back(line); };
        heard.too_long = [this] { ++too_long; };
        heard.ended = [this](bool cut) { ++ended, half = cut; };
        heard.drained = [this] { ++drained; };
        stream->start(heard);
    }
    ~Near() {
        stream->close();
        test::turn(context);
    }
    bool until(std::function<bool()> const& holds) { return test::turn_until(context, holds); }
    /// Writes all of it from the far end, turning in between.
    void push(std::string_view text) {
        REQUIRE(until([&] {
            text.remove_prefix(far.write_some(text));
            return text.empty();
        }));
    }
};

constexpr auto ways = {Over::pipes, Over::socket, Over::shared_socket};

} // namespace

TEST_CASE("lines are heard whole, wherever they were cut") {
    std::string const text = "one\n\nthree \xc3\xa9\r\n{\"four\":4}\n";
    std::vector<std::string> const expected{"one", "", "three \xc3\xa9\r", "{\"four\":4}"};
    for (auto const over : ways)
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            Near near(over);
            near.far.write(text.substr(0, cut));
            test::turn(near.context);
            near.far.write(text.substr(cut));
            REQUIRE(near.until([&] { return near.lines.size() == 4; }));
            REQUIRE(near.lines == expected);
        }
}

TEST_CASE("lines are heard whole, byte for byte") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    Near near(over);
    for (char const byte : std::string("ab\n\ncd\n")) near.far.write({&byte, 1}), test::turn(near.context);
    CHECK(near.lines == std::vector<std::string>{"ab", "", "cd"});
}

TEST_CASE("many lines that come at once are all heard, in order") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    Near near(over);
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
    near.push(text);
    REQUIRE(near.until([&] { return near.lines.size() == 100'000; }));
    bool ordered = true;
    for (int i = 0; i < 100'000; ++i) ordered = ordered && near.lines[static_cast<std::size_t>(i)] == std::to_string(i);
    CHECK(ordered);
}

TEST_CASE("a line of 16 MiB is heard, one byte more is left out, and the next line is heard") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    Near near(over);
    std::string const most(pfar::wire::most_line_bytes, 'x');
    near.push(most + "\n" + most + "y\nnext\n" + most + most + most + "\nlast\n");
    REQUIRE(near.until([&] { return near.lines.size() == 3; }));
    CHECK(near.too_long == 2);
    CHECK(near.lines[0] == most);
    CHECK(near.lines[1] == "next");
    CHECK(near.lines[2] == "last");
}

TEST_CASE("a small limit holds whichever way the line is cut") {
    std::string const text = "1234\n12345\n123456789\nab\n";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Near near(Over::pipes, 4);
        near.far.write(text.substr(0, cut));
        test::turn(near.context);
        near.far.write(text.substr(cut));
        REQUIRE(near.until([&] { return near.lines.size() == 2; }));
        REQUIRE(near.lines == std::vector<std::string>{"1234", "ab"});
        REQUIRE(near.too_long == 2);
    }
}

TEST_CASE("the end is heard once, and whether the last line was cut") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    auto const* const last = GENERATE("whole\n", "half", "");
    Near near(over);
    near.far.write(last);
    near.far.close();
    REQUIRE(near.until([&] { return near.ended > 0; }));
    test::turn(near.context);
    CHECK(near.ended == 1);
    CHECK(near.half == (std::string_view(last) == "half"));
    CHECK(near.lines.size() == (std::string_view(last) == "whole\n" ? 1 : 0));
}

TEST_CASE("a line that was too long and never ended is no half line") {
    Near near(Over::pipes, 8);
    near.far.write("0123456789");
    test::turn(near.context);
    near.far.write("0123456789");
    near.far.close();
    REQUIRE(near.until([&] { return near.ended > 0; }));
    CHECK(near.too_long == 1);
    CHECK_FALSE(near.half);
}

TEST_CASE("both sides write 10 MB before either reads, and nobody waits for ever") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    Near near(over);
    std::string const line(999, 'x');
    for (int i = 0; i < 10'000; ++i) REQUIRE(near.stream->send(line + "\n"));
    CHECK(near.stream->waiting() > 9'000'000);
    std::string theirs, back;
    for (int i = 0; i < 10'000; ++i) theirs += std::string(999, 'y') + "\n";
    std::string_view rest = theirs;
    REQUIRE(near.until([&] {
        rest.remove_prefix(near.far.write_some(rest));
        if (rest.empty()) back += near.far.read_some(); // not before all of theirs is out
        return near.lines.size() == 10'000 && back.size() == 10'000'000;
    }));
    CHECK(near.stream->waiting() == 0);
    CHECK(near.drained == 1);
    CHECK(std::count(back.begin(), back.end(), '\n') == 10'000);
}

TEST_CASE("what two writers send stands in whole lines") {
    Near near(Over::pipes); // a server whose children inherited its stdout
    std::string const a(2000, 'a'), b(2000, 'b');
    int const second = ::dup(near.far.out());
    for (int i = 0; i < 200; ++i) {
        near.push(a + "\n");
        std::string_view rest = b;
        REQUIRE(near.until([&] {
            auto const put = ::write(second, rest.data(), rest.size());
            rest.remove_prefix(put > 0 ? static_cast<std::size_t>(put) : 0);
            return rest.empty();
        }));
        near.push("\n");
    }
    REQUIRE(near.until([&] { return near.lines.size() == 400; }));
    CHECK(std::count(near.lines.begin(), near.lines.end(), a) == 200);
    near.far.close();
    test::turn(near.context);
    CHECK(near.ended == 0); // one of them still has it open
    ::close(second);
    CHECK(near.until([&] { return near.ended == 1; }));
}

TEST_CASE("who floods without end does not keep a neighbour waiting") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    boost::asio::io_context context;
    FarEnd flooder, neighbour;
    auto const loud = LineStream::make(context.get_executor(), flooder.open(over), {1000});
    auto const quiet = LineStream::make(context.get_executor(), neighbour.open(over), {1000});
    std::string const lines = [] {
        std::string all;
        while (all.size() < 60'000) all += std::string(99, 'x') + "\n";
        return all;
    }();
    std::size_t loud_lines = 0;
    bool heard_quiet = false;
    LineStream::Heard heard;
    heard.line = [&](std::string_view) { // there is always more
        if (++loud_lines % 100 == 0 && loud_lines < 1'000'000) static_cast<void>(flooder.write_some(lines));
    };
    heard.too_long = [] {};
    heard.ended = [](bool) {};
    loud->start(heard);
    heard.line = [&](std::string_view) { heard_quiet = true; };
    quiet->start(heard);
    flooder.write(lines);
    neighbour.write("hello\n");
    REQUIRE(test::turn_until(context, [&] { return heard_quiet; }));
    CHECK(loud_lines < 100'000); // some turns of 256 KiB, not all that there is
    loud->close(), quiet->close();
}

TEST_CASE("while paused nothing is read and the far end waits; afterwards all is heard") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    Near near(over);
    near.far.write("before\n");
    REQUIRE(near.until([&] { return near.lines.size() == 1; }));
    near.stream->pause();
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "0123456789\n";
    std::string_view rest = text;
    for (int i = 0; i < 50; ++i) rest.remove_prefix(near.far.write_some(rest)), test::turn(near.context);
    CHECK(near.lines.size() <= 2); // one turn was already under way
    CHECK(rest.size() > text.size() / 4);
    auto const paused_at = near.lines.size();
    near.stream->resume();
    REQUIRE(near.until([&] {
        rest.remove_prefix(near.far.write_some(rest));
        return rest.empty() && near.lines.size() == 100'001;
    }));
    CHECK(paused_at < 100'001);
}

TEST_CASE("pausing while a line is heard keeps the next ones") {
    boost::asio::io_context context;
    FarEnd far;
    auto const stream = LineStream::make(context.get_executor(), far.open(Over::pipes), {1000});
    std::vector<std::string> lines;
    bool ended = false;
    LineStream::Heard heard;
    heard.line = [&](std::string_view line) { lines.emplace_back(line), stream->pause(); };
    heard.too_long = [] {};
    heard.ended = [&](bool) { ended = true; };
    stream->start(heard);
    far.write("a\nb\nc\n");
    far.close();
    for (std::size_t i = 1; i <= 3; ++i) {
        REQUIRE(test::turn_until(context, [&] { return lines.size() == i; }));
        test::turn(context);
        CHECK(lines.size() == i);
        CHECK_FALSE(ended);
        stream->resume();
    }
    CHECK(test::turn_until(context, [&] { return ended; }));
}

TEST_CASE("descriptors come beside a line, ours to take; more than eight are closed") {
    Near near(Over::socket);
    int pipe_ends[2];
    REQUIRE(::pipe2(pipe_ends, O_CLOEXEC) == 0);
    for (int i = 0; i < 12; ++i) near.far.send_descriptor("line\n", pipe_ends[1]);
    REQUIRE(near.until([&] { return near.lines.size() == 12; }));
    auto const taken = near.stream->take_descriptors();
    CHECK(taken.size() == 8);
    CHECK(near.stream->take_descriptors().empty());
    CHECK((::fcntl(taken[0].number(), F_GETFD) & FD_CLOEXEC) != 0);
    REQUIRE(::write(taken[0].number(), "x", 1) == 1);
    char byte = 0;
    CHECK(::read(pipe_ends[0], &byte, 1) == 1);
    ::close(pipe_ends[0]), ::close(pipe_ends[1]);
}

TEST_CASE("who no longer reads is told to whoever sends, and what it still says is heard") {
    int there[2], back[2];
    REQUIRE((::pipe2(there, O_CLOEXEC) == 0 && ::pipe2(back, O_CLOEXEC) == 0));
    ::signal(SIGPIPE, SIG_IGN);
    boost::asio::io_context context;
    pfar::wire::Ends ends{pfar::base::Fd(back[0]), pfar::base::Fd(there[1])};
    pfar::wire::never_block(ends.in), pfar::wire::never_block(ends.out);
    auto const stream = LineStream::make(context.get_executor(), std::move(ends), {1000});
    std::vector<std::string> lines;
    int drained = 0;
    LineStream::Heard heard;
    heard.line = [&](std::string_view line) { lines.emplace_back(line); };
    heard.too_long = [] {};
    heard.ended = [](bool) {};
    heard.drained = [&] { ++drained; };
    stream->start(heard);
    while (stream->waiting() == 0) REQUIRE(stream->send(std::string(1000, 'x') + "\n"));
    ::close(there[0]);
    REQUIRE(test::turn_until(context, [&] { return drained == 1; }));
    CHECK(stream->waiting() == 0);
    CHECK_FALSE(stream->send("more\n"));
    REQUIRE(::write(back[1], "still here\n", 11) == 11);
    CHECK(test::turn_until(context, [&] { return lines.size() == 1; }));
    ::close(back[1]);
    stream->close();
}

TEST_CASE("a socket that blocks goes on blocking for whoever shares it, also after a wait for room") {
    boost::asio::io_context context;
    FarEnd far;
    auto ends = far.open(Over::shared_socket);
    pfar::base::Fd const agents(::fcntl(ends.in.number(), F_DUPFD_CLOEXEC, 3));
    auto const stream = LineStream::make(context.get_executor(), std::move(ends), {1000});
    int lines = 0;
    LineStream::Heard heard;
    heard.line = [&](std::string_view) { ++lines; };
    heard.too_long = [] {};
    heard.ended = [](bool) {};
    stream->start(heard);
    auto const flags = ::fcntl(agents.number(), F_GETFL);
    CHECK((flags & O_NONBLOCK) == 0);
    far.write("hello\n");
    REQUIRE(test::turn_until(context, [&] { return lines == 1; }));
    std::size_t sent = 0, back = 0;
    for (; stream->waiting() == 0; test::turn(context)) sent += 1001, stream->send(std::string(1000, 'x') + "\n");
    CHECK(::fcntl(agents.number(), F_GETFL) == flags);
    REQUIRE(test::turn_until(context, [&] { return (back += far.read_some().size()) == sent; }));
    stream->close();
    CHECK(::fcntl(agents.number(), F_GETFL) == flags);
}

TEST_CASE("closing the output is seen, and what comes is still heard") {
    auto const over = GENERATE(Over::pipes, Over::socket, Over::shared_socket);
    Near near(over);
    near.stream->send("last\n");
    near.stream->close_output();
    CHECK_FALSE(near.stream->send("too late\n"));
    CHECK(near.far.read_some() == "last\n");
    CHECK(near.far.sees_end());
    near.far.write("answer\n");
    CHECK(near.until([&] { return near.lines.size() == 1; }));
}

TEST_CASE("closing it within a line ends it at once") {
    boost::asio::io_context context;
    FarEnd far;
    auto stream = LineStream::make(context.get_executor(), far.open(Over::pipes), {1000});
    int lines = 0;
    LineStream::Heard heard;
    heard.line = [&](std::string_view) { ++lines, stream->close(), stream.reset(); };
    heard.too_long = [] {};
    heard.ended = [&](bool) { lines += 100; };
    stream->start(heard);
    far.write("a\nb\nc\n");
    REQUIRE(test::turn_until(context, [&] { return lines > 0; }));
    test::turn(context);
    CHECK(lines == 1);
}
