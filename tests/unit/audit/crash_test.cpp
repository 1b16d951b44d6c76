#include "unit/audit/record.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

using namespace pfar;
using namespace pfar::audit;
using test::Record;

namespace {

void append(std::filesystem::path const& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

/// Writes in a loop until it is killed; each confirmed event is a byte in the pipe.
[[noreturn]] void write_for_ever(Record const& record, int confirmed) {
    Limits limits;
    limits.file_bytes = 4000;
    auto const writer = record.open(limits);
    for (int i = 0;; ++i) {
        writer->add({"call", {{"n", i}}}, [&](Result<void> const& result) {
            if (!result || ::write(confirmed, "x", 1) != 1) ::_exit(1);
        });
        if (i % 7 == 0 && !writer->flush()) ::_exit(1);
    }
}

/// Adds without end and without waiting. After two more groups were written, what had been added before them must be on disk: the second
/// began when the first was done. So much is reported.
[[noreturn]] void add_for_ever(Record const& record, int report) {
    Limits limits;
    limits.delay = std::chrono::milliseconds(2);
    auto const writer = record.open(limits);
    std::uint64_t added = 0, before = 0;
    int groups = 0;
    for (auto last = writer->last_good();;) {
        writer->add({"call", {{"n", added++}}});
        if (writer->last_good() != last && ++groups % 2 == 0) {
            if (before > 0 && ::write(report, &before, sizeof before) != sizeof before) ::_exit(1);
            before = added;
        }
        last = writer->last_good();
        if (added % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (added % 5000 == 0) // or it drops some, on a machine that has much else to do
            while (writer->last_good() == last) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// How many events were confirmed to a writer that was killed after about `events` of them.
std::size_t killed_after(Record const& record, std::size_t events) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    auto const child = ::fork();
    if (child == 0) write_for_ever(record, ends[1]);
    ::close(ends[1]);
    std::size_t confirmed = 0;
    char buffer[64];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
        confirmed += static_cast<std::size_t>(got);
        if (confirmed >= events) ::kill(child, SIGKILL); // and read on: what was confirmed before it died counts
    }
    ::close(ends[0]);
    CHECK(test::ended(child) == 1000 + SIGKILL);
    return confirmed;
}

} // namespace

TEST_CASE("two processes that write at once make one chain") {
    Record const record;
    auto const write = [&] {
        auto const writer = record.open();
        for (int i = 0; i < 500; ++i) {
            writer->add({"call", {{"n", i}}});
            if (i % 10 == 0 && !writer->flush()) return 1;
        }
        return writer->flush() ? 0 : 2;
    };
    pid_t children[2];
    for (auto& child : children)
        if (child = ::fork(); child == 0) ::_exit(write());
    for (auto const child : children) CHECK(test::ended(child) == 0);
    CHECK(record.fault().empty());
    CHECK(record.count("call") == 1000);
    CHECK(record.count("recovered") == 0);
}

TEST_CASE("processes that make a record at once have one key") {
    for (int round = 0; round < 10; ++round) {
        Record const record;
        pid_t children[4];
        for (auto& child : children)
            if (child = ::fork(); child == 0) {
                auto const writer = Writer::open(record.directory);
                if (!writer) ::_exit(1);
                (*writer)->add({"start", {}});
                ::_exit((*writer)->flush() ? 0 : 2);
            }
        for (auto const child : children) CHECK(test::ended(child) == 0);
        CHECK(verify(record.directory)->lines == 4);
    }
}

TEST_CASE("a writer that is killed loses nothing that it had confirmed") {
    Record const record;
    std::size_t confirmed = 0;
    for (std::size_t round = 0; round < 15; ++round) {
        confirmed += killed_after(record, 1 + round * 13);
        CHECK(record.fault().empty());
        CHECK(record.count("call") >= confirmed);
    }
    record.write(1);
    CHECK(record.fault().empty());
    CHECK(record.count("call") >= confirmed);
}

TEST_CASE("a writer that is killed while nobody waits for it loses no more than the last two groups") {
    Record const record;
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    auto const child = ::fork();
    if (child == 0) add_for_ever(record, ends[1]);
    ::close(ends[1]);
    std::uint64_t safe = 0, next = 0;
    for (int reports = 0; ::read(ends[0], &next, sizeof next) == sizeof next; safe = next)
        if (++reports == 5) ::kill(child, SIGKILL); // and read on: what it knew before it died counts
    ::close(ends[0]);
    CHECK(test::ended(child) == 1000 + SIGKILL);
    CHECK(safe > 0);
    CHECK(record.fault().empty());
    CHECK(record.count("call") >= safe);
    record.write(1);
    CHECK(record.fault().empty());
    CHECK(record.count("call") >= safe);
}

TEST_CASE("a line that was not written to its end is cut off, and a line tells so") {
    Record const record;
    record.write(3);
    append(record.file(), R"({"seq":4,"ts":"2026-)");
    CHECK(verify(record.directory)->lines == 3); // nobody was told that it is written
    record.write(1);
    auto const events = record.events();
    REQUIRE(events.size() == 5);
    CHECK(events[3].at("kind").as_string() == "recovered");
    CHECK(events[3].at("why").as_string() == "a line was not written to its end: 20 bytes cut off");
    CHECK(record.fault().empty());
}

TEST_CASE("a live writer notices what another left behind") {
    Record const record;
    auto const writer = record.open();
    writer->add({"call", {}});
    REQUIRE(writer->flush());
    append(record.file(), "{\"se");
    writer->add({"call", {}});
    REQUIRE(writer->flush());
    CHECK(record.count("recovered") == 1);
    CHECK(record.fault().empty());
}

TEST_CASE("lines whose writer died before it wrote the head are adopted") {
    Record const record;
    Limits limits;
    limits.file_bytes = 1000;
    record.write(2, limits, true);
    auto const head = test::read(record.directory / "head");
    record.write(20, limits, true); // on into further files
    record.root.write("audit/head", head);
    record.write(1);
    CHECK(record.count("egress") == 23);
    CHECK(record.events()[22].at("why").as_string() == "20 lines were behind the head: adopted");
    CHECK(record.fault().empty());
}

TEST_CASE("what a power failure made of the last lines is kept aside, and the chain goes on") {
    Record const record;
    record.write(2);
    auto const head = test::read(record.directory / "head");
    record.write(3);
    record.root.write("audit/head", head);
    auto lines = record.lines();
    lines[3].replace(10, 20, 20, '\0');
    record.replace(lines);
    record.write(1);
    CHECK(record.fault().empty());
    CHECK(record.count("egress") == 4); // two, the good one behind them, and the new one
    CHECK(test::read(record.directory / "cut-4") == lines[3] + "\n" + lines[4] + "\n");
}

TEST_CASE("a lost head is made again, and a line tells so") {
    Record const record;
    record.write(3);
    for (auto const* const head : {"", "not a head"}) {
        record.root.write("audit/head", head);
        record.write(1);
        CHECK(record.fault().empty());
    }
    std::filesystem::remove(record.directory / "head");
    record.write(1);
    CHECK(record.fault().empty());
    CHECK(record.count("recovered") == 3);
    CHECK(record.count("egress") == 6);
}

TEST_CASE("without a head nothing that does not fit is cut off") {
    Record const record;
    record.write(5);
    std::filesystem::remove(record.directory / "head");
    auto lines = record.lines();
    lines[1][40] ^= 1;
    record.replace(lines);
    record.write(1);
    CHECK(record.lines() == lines);
    CHECK(record.lines(2).size() == 2);
    CHECK(record.fault().find("audit-000001.jsonl:2: the line was changed") != std::string::npos);
}

TEST_CASE("a full disk is an error to whoever waits, and leaves no half line") {
    Record const record;
    record.write(3);
    auto const before = test::read(record.file());
    std::fflush(nullptr); // what the child's end would write again may go to a file that is larger
    auto const outcome = test::in_child([&] {
        auto const writer = record.open();
        rlimit const small{before.size() + 100, before.size() + 100};
        ::setrlimit(RLIMIT_FSIZE, &small);
        int refused = 0;
        writer->add({"call", {}}, [&](Result<void> const& result) { refused += result ? 0 : 1; });
        auto const flushed = writer->flush();
        bool const told = !flushed && flushed.error().what.find("could not be written") != std::string::npos;
        return told && refused == 1 ? 0 : 1;
    });
    CHECK(outcome == 0);
    CHECK(test::read(record.file()) == before);
    CHECK(record.fault().empty());
    record.write(1);
    CHECK(record.fault().empty());
    CHECK(record.count("recovered") == 0);
}

TEST_CASE("once the disk has room again, the record goes on and counts what it missed") {
    Record const record;
    record.write(3);
    std::fflush(nullptr); // what the child's end would write again may go to a file that is larger
    auto const outcome = test::in_child([&] {
        auto const writer = record.open();
        rlimit const small{std::filesystem::file_size(record.file()) + 100, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &small);
        for (int i = 0; i < 3; ++i) writer->add({"call", {}});
        if (writer->flush()) return 1;
        rlimit const large{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &large);
        writer->add({"call", {}});
        return writer->flush() ? 0 : 2;
    });
    CHECK(outcome == 0);
    CHECK(record.events().back().at("count").as_int64() == 3);
    CHECK(record.fault().empty());
}
