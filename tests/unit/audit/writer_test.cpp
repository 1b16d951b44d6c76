#include "unit/audit/record.hpp"

#include "audit/lock.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

#include <atomic>

using namespace pfar;
using namespace pfar::audit;
using test::Record;

namespace {

std::int64_t lost(Record const& record) {
    std::int64_t count = 0;
    for (auto const& event : record.events())
        if (event.at("kind").as_string() == "lost") count += event.at("count").as_int64();
    return count;
}

} // namespace

TEST_CASE("each line names the hash of the one before, and the last is the head") {
    Record const record;
    record.write(3);
    record.write(2); // another writer goes on
    auto const events = record.events();
    REQUIRE(events.size() == 5);
    std::string prev(64, '0');
    for (std::size_t i = 0; i < events.size(); ++i) {
        CHECK(events[i].at("seq").as_int64() == static_cast<std::int64_t>(i) + 1);
        CHECK(events[i].at("prev").as_string() == prev);
        prev = events[i].at("hash").as_string();
    }
    auto const verified = verify(record.directory);
    REQUIRE(verified);
    CHECK(verified->lines == 5);
    CHECK(verified->head == prev);
}

TEST_CASE("the record and its key are the owner's alone") {
    Record const record;
    record.write(1);
    auto const mode = [&](std::filesystem::path const& path) {
        struct stat status {};
        CHECK(::stat(path.c_str(), &status) == 0);
        return status.st_mode & 0777U;
    };
    CHECK(mode(record.directory) == 0700);
    for (auto const* const name : {"key", "head", "lock", "audit-000001.jsonl"})
        CHECK(mode(record.directory / name) == 0600);
    std::filesystem::permissions(record.directory / "key", std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    CHECK(Writer::open(record.directory).error().code == Errc::refused);
}

TEST_CASE("a record whose key is gone is not written to with another") {
    Record const record;
    record.write(1);
    std::filesystem::remove(record.directory / "key");
    CHECK(Writer::open(record.directory).error().what.find("is missing although there is a record") !=
          std::string::npos);
    CHECK(record.fault().find("put it back") != std::string::npos);
}

TEST_CASE("opening does nothing that takes time, and starts no thread") {
    Record const record;
    record.write(2000);
    auto const threads = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); };
    auto const before = threads();
    auto best = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 20; ++i) {
        auto const begin = std::chrono::steady_clock::now();
        auto const writer = record.open();
        best = std::min(best, std::chrono::steady_clock::now() - begin);
        CHECK(threads() == before);
    }
    CHECK(best < std::chrono::milliseconds(1));
}

TEST_CASE("whoever added an event is told once it is on disk") {
    Record const record;
    auto const writer = record.open();
    std::atomic<int> told = 0;
    for (int i = 0; i < 100; ++i)
        writer->add({"call", {{"n", i}}}, [&](Result<void> const& result) { told += result ? 1 : 0; });
    CHECK(writer->flush());
    CHECK(told == 100);
    CHECK(record.events().size() == 100);
}

TEST_CASE("what was added before the end is written at the end") {
    Record const record;
    {
        auto const writer = record.open();
        for (int i = 0; i < 3000; ++i) writer->add({"call", {{"n", i}}});
    }
    CHECK(verify(record.directory)->lines == 3000);
}

TEST_CASE("a full file is followed by a new one, and the chain goes on in it") {
    Record const record;
    Limits limits;
    limits.file_bytes = 2000;
    record.write(40, limits, true);
    record.write(40, limits, true);
    CHECK(last_file(record.directory) > 5);
    CHECK(verify(record.directory)->lines == 80);
    for (std::uint32_t number = 1; number <= last_file(record.directory); ++number)
        CHECK(std::filesystem::file_size(record.file(number)) < 2600);
}

TEST_CASE("above the bound events are dropped and counted by one line") {
    Record const record;
    Limits limits;
    limits.waiting_events = 10;
    auto const writer = record.open(limits);
    std::atomic<int> refused = 0;
    {
        auto const held = hold(record.directory);
        for (int i = 0; i < 50; ++i)
            writer->add({"call", {{"n", i}}}, [&](Result<void> const& result) { refused += result ? 0 : 1; });
    }
    CHECK_FALSE(writer->flush());
    CHECK(writer->flush()); // an error is told once
    CHECK(record.events().back().at("kind").as_string() == "lost");
    CHECK(lost(record) == refused);
    CHECK(record.count("call") + static_cast<std::size_t>(refused) == 50);
    CHECK(record.count("lost") <= 2); // one for each group that could be written
    CHECK(refused >= 30);
    CHECK(record.fault().empty());
}

TEST_CASE("the bound holds for bytes too") {
    Record const record;
    Limits limits;
    limits.waiting_bytes = 100'000;
    auto const writer = record.open(limits);
    {
        auto const held = hold(record.directory);
        for (int i = 0; i < 20; ++i) writer->add({"call", {{"text", std::string(30'000, 'x')}}});
    }
    CHECK_FALSE(writer->flush());
    CHECK(record.count("call") <= 2 * 3); // one group in flight, one waiting
    CHECK(record.count("call") + static_cast<std::size_t>(lost(record)) == 20);
}

TEST_CASE("a process that does not let go of the lock is not waited for without end") {
    Record const record;
    Limits limits;
    limits.lock = std::chrono::milliseconds(20);
    auto const writer = record.open(limits);
    {
        auto const held = hold(record.directory);
        writer->add({"call", {}});
        auto const result = writer->flush();
        REQUIRE_FALSE(result);
        CHECK(result.error().code == Errc::timeout);
    }
    writer->add({"call", {}});
    CHECK(writer->flush());
    CHECK(record.count("lost") == 1); // the first is not forgotten
    CHECK(record.fault().empty());
}

TEST_CASE("files that were moved away under a writer are begun anew, and that shows") {
    Record const record;
    auto const writer = record.open();
    writer->add({"call", {}});
    REQUIRE(writer->flush());
    std::filesystem::remove(record.file());
    writer->add({"call", {}});
    REQUIRE(writer->flush());
    CHECK(record.count("recovered") == 1);
    CHECK(record.fault().find("audit-000001.jsonl is missing") != std::string::npos);
}
