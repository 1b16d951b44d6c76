#include "unit/audit/record.hpp"

#include "audit/read.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fstream>

using namespace pfar;
using namespace pfar::audit;
using test::Record;

namespace {

Limits small_files() {
    Limits limits;
    limits.file_bytes = 1000;
    return limits;
}

/// The numbers of the lines that are heard.
std::vector<std::int64_t> heard(Reader& reader) {
    std::vector<std::int64_t> out;
    auto const read = reader.read([&](std::string_view line, boost::json::object const& event) {
        CHECK(boost::json::parse(line) == boost::json::value(event));
        out.push_back(event.at("seq").as_int64());
        return true;
    });
    CHECK(read);
    return out;
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> out;
    for (; first <= last; ++first) out.push_back(first);
    return out;
}

void append(std::filesystem::path const& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

} // namespace

TEST_CASE("all lines are read in their order, through all files") {
    Record const record;
    record.write(40, small_files(), true);
    REQUIRE(last_file(record.directory) > 5);
    Reader reader(record.directory, {});
    CHECK(heard(reader) == range(1, 40));
    CHECK(heard(reader).empty());
    record.write(10, small_files(), true);
    CHECK(heard(reader) == range(41, 50));
    CHECK(reader.skipped() == 0);
}

TEST_CASE("the last lines are found from the end, wherever they begin") {
    Record const record;
    record.write(40, small_files(), true);
    for (std::int64_t last : {0, 1, 2, 3, 4, 5, 17, 39, 40, 41, 1000}) {
        Reader reader(record.directory, {});
        REQUIRE(reader.go_to_last(static_cast<std::uint64_t>(last)));
        CHECK(heard(reader) == range(std::max<std::int64_t>(1, 41 - last), 40));
    }
}

TEST_CASE("long lines are read from both ends") {
    Record const record;
    auto const writer = record.open();
    for (int i = 0; i < 20; ++i)
        writer->add({"call", {{"text", std::string(static_cast<std::size_t>(i) * 3000, 'x')}}});
    REQUIRE(writer->flush());
    for (std::int64_t last : {1, 3, 19, 20}) {
        Reader reader(record.directory, {});
        REQUIRE(reader.go_to_last(static_cast<std::uint64_t>(last)));
        CHECK(heard(reader) == range(21 - last, 20));
    }
}

TEST_CASE("lines are chosen by what they are about") {
    Record const record;
    auto const writer = record.open();
    writer->add({"call", {{"server", "a"}, {"tool", "x"}, {"outcome", "ok"}, {"session", "1"}}});
    writer->add({"call", {{"server", "b"}, {"tool", "x"}, {"outcome", "error"}, {"session", "2"}}});
    writer->add({"egress", {{"server", "a"}, {"outcome", "blocked"}}});
    writer->add({"call", {}, R"("server":"a","tool":"y.z","outcome":"ok","arguments":{"server":"b"})"});
    writer->add({"host", {{"server", 5}}});
    REQUIRE(writer->flush());
    auto const chosen = [&](Filter const& filter) {
        Reader reader(record.directory, filter);
        return heard(reader);
    };
    using Numbers = std::vector<std::int64_t>;
    CHECK(chosen({.server = "a"}) == Numbers{1, 3, 4});
    CHECK(chosen({.server = "b"}) == Numbers{2});
    CHECK(chosen({.tool = "x"}) == Numbers{1, 2});
    CHECK(chosen({.tool = "a.x"}) == Numbers{1});
    CHECK(chosen({.tool = "a.y.z"}) == Numbers{4});
    CHECK(chosen({.tool = "a."}).empty());
    CHECK(chosen({.session = "2"}) == Numbers{2});
    CHECK(chosen({.kind = "egress"}) == Numbers{3});
    CHECK(chosen({.outcome = "ok"}) == Numbers{1, 4});
    CHECK(chosen({.server = "a", .kind = "call", .outcome = "ok"}) == Numbers{1, 4});
    Reader last(record.directory, {.server = "a"});
    REQUIRE(last.go_to_last(2));
    CHECK(heard(last) == Numbers{3, 4});
}

TEST_CASE("lines are chosen by their time, and files before it are not read") {
    Record const record;
    auto const line = [](int number, std::string const& time) {
        return fmt::format(R"({{"seq":{},"ts":"{}","kind":"call","prev":"","hash":""}})"
                           "\n",
                           number, time);
    };
    auto const time = [](int minutes) {
        return time_text(Time(std::chrono::seconds(1'794'847'200)) + std::chrono::minutes(minutes));
    };
    record.root.write("audit/" + file_name(1), line(1, time(0)) + "unread" + "\n" + line(2, time(1)));
    record.root.write("audit/" + file_name(2), line(3, time(10)) + line(4, time(20)));
    record.root.write("audit/" + file_name(3), line(5, time(30)) + line(6, time(40)));
    auto const since = [&](int minutes, bool last) {
        Reader reader(record.directory, {}, Time(std::chrono::seconds(1'794'847'200)) + std::chrono::minutes(minutes));
        if (last) REQUIRE(reader.go_to_last(100));
        auto numbers = heard(reader);
        if (minutes > 11) CHECK(reader.skipped() == 0);
        return numbers;
    };
    for (bool const last : {false, true}) {
        CHECK(since(20, last) == range(4, 6));
        CHECK(since(30, last) == range(5, 6));
        CHECK(since(40, last) == range(6, 6));
        CHECK(since(41, last).empty());
        CHECK(since(2, last) == range(3, 6));
        CHECK(since(-5, last) == range(1, 6));
    }
}

TEST_CASE("what is no line is passed over and counted, a part of one at the end waits to be whole") {
    Record const record;
    record.write(2);
    append(record.file(), "garbage\n{\"seq\":1}\n[]\n\n\xff\xfe\n" + std::string(300'000, 'x') + "\n");
    append(record.file(), R"({"seq":3,"ts":"2026-11-16T16:40:00.123Z",)");
    Reader reader(record.directory, {});
    CHECK(heard(reader) == range(1, 2));
    CHECK(reader.skipped() >= 6);
    CHECK(reader.is_torn());
    append(record.file(), "\"kind\":\"call\"}\n");
    CHECK(heard(reader) == range(3, 3));
    CHECK_FALSE(reader.is_torn());
    Reader last(record.directory, {});
    REQUIRE(last.go_to_last(3));
    CHECK(heard(last) == range(1, 3));
}

TEST_CASE("a reader goes on where a torn line was cut off, and where files are missing") {
    Record const record;
    record.write(3);
    append(record.file(), R"({"seq":4,"ts":"2026-)");
    Reader reader(record.directory, {});
    CHECK(heard(reader) == range(1, 3));
    CHECK(reader.is_torn());
    record.write(2); // and a line that tells of the repair
    CHECK(heard(reader) == range(4, 6));
    CHECK(reader.skipped() == 0);
    record.write(30, small_files(), true);
    std::filesystem::remove(record.file(2));
    CHECK(heard(reader).back() == 36);
}

TEST_CASE("without a record there is nothing to read, until there is one") {
    Record const record;
    Reader reader(record.directory, {});
    REQUIRE(reader.go_to_last(5));
    CHECK(heard(reader).empty());
    record.write(3);
    CHECK(heard(reader) == range(1, 3));
}

TEST_CASE("whoever has heard enough is told no more") {
    Record const record;
    record.write(10);
    Reader reader(record.directory, {});
    int count = 0;
    CHECK(reader.read([&](std::string_view, boost::json::object const&) { return ++count < 4; }));
    CHECK(count == 4);
    CHECK(heard(reader) == range(5, 10));
}

TEST_CASE("a reader beside writers misses nothing and hears nothing twice") {
    Record const record;
    auto const child = ::fork();
    if (child == 0) {
        record.write(400, small_files(), true);
        ::_exit(0);
    }
    Reader reader(record.directory, {});
    std::vector<std::int64_t> all;
    bool running = true;
    while (running) {
        running = ::waitpid(child, nullptr, WNOHANG) == 0;
        for (auto const number : heard(reader)) all.push_back(number);
    }
    CHECK(all == range(1, 400));
    CHECK(reader.skipped() == 0);
}
