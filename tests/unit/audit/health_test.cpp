// A disk that is full, and has room again.
#include "unit/audit/record.hpp"

#include "audit/lock.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <thread>

using namespace pfar;
using namespace pfar::audit;
using test::Record;

namespace {

void limit_files(rlim_t bytes) {
    rlimit const limit{bytes, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

/// The child is ended by an alarm if it takes a minute.
void wait_until(std::function<bool()> const& what) {
    while (!what()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

std::int64_t lost(Record const& record) {
    std::int64_t count = 0;
    for (auto const& event : record.events())
        if (event.at("kind").as_string() == "lost") count += event.at("count").as_int64();
    return count;
}

/// A disk of 64 KiB at the record's place, for this process only. False where that may not be made.
bool mount_small_disk(Record const& record) {
    std::filesystem::create_directory(record.directory);
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("pfar", record.directory.c_str(), "tmpfs", 0, "size=64k,mode=700") == 0;
}

/// 0: as it should be.
int fill_and_make_room(Record const& record) {
    Limits limits;
    limits.retry = std::chrono::milliseconds(5);
    auto const writer = record.open(limits);
    int written = 0;
    for (; writer->flush() && written < 1000; ++written) writer->add({"call", {{"text", std::string(3000, 'x')}}});
    if (written == 1000 || writer->health()) return 1;
    if (writer->health().error().what.find("No space left on device") == std::string::npos) return 2;
    if (!verify(record.directory)) return 3; // no half line is left
    // The oldest lines are moved away by their owner; there is nothing that has to happen for the writer to go on.
    if (::mount("pfar", record.directory.c_str(), "tmpfs", MS_REMOUNT, "size=1m,mode=700") != 0) return 4;
    wait_until([&] { return writer->health().has_value(); });
    if (!writer->flush() && !writer->flush()) return 5;
    return verify(record.directory) && lost(record) == 1 &&
                   record.count("call") + 1 == static_cast<std::size_t>(written)
               ? 0
               : 6;
}

} // namespace

TEST_CASE("a record that cannot be written says so until it can, and needs nobody to add something for that") {
    Record const record;
    record.write(3);
    std::fflush(nullptr); // what the child's end would write again may go to a file that is larger
    auto const outcome = test::in_child([&] {
        Limits limits;
        limits.retry = std::chrono::milliseconds(5);
        std::atomic<int> bad = 0, good = 0;
        auto const writer = std::move(Writer::open(record.directory, limits, [&](Result<void> const& health) {
                                          ++(health ? good : bad);
                                      }).value());
        if (!writer->health()) return 1;
        auto const before = writer->last_good();
        limit_files(std::filesystem::file_size(record.file()) + 100);
        for (int i = 0; i < 3; ++i) writer->add({"call", {}});
        if (writer->flush()) return 2;
        if (writer->health() || writer->health().error().what.find("could not be written") == std::string::npos)
            return 3;
        std::this_thread::sleep_for(std::chrono::milliseconds(30)); // a few tries
        if (writer->health() || writer->last_good() != before) return 4;
        limit_files(RLIM_INFINITY);
        wait_until([&] { return writer->health().has_value(); });
        if (writer->last_good() <= before) return 5;
        wait_until([&] { return good == 1; });
        return bad == 1 ? 0 : 6;
    });
    CHECK(outcome == 0);
    CHECK(lost(record) == 3);
    CHECK(record.fault().empty());
}

TEST_CASE("what is added while the record cannot be written is counted, and written once it can") {
    Record const record;
    record.write(3);
    std::fflush(nullptr);
    auto const outcome = test::in_child([&] {
        Limits limits;
        limits.retry = std::chrono::hours(1); // only by what is urgent
        auto const writer = record.open(limits);
        limit_files(std::filesystem::file_size(record.file()) + 100);
        writer->add({"call", {}});
        if (writer->flush()) return 1;
        writer->add({"call", {}}); // waits for the next try
        limit_files(RLIM_INFINITY);
        writer->add({.kind = "approval", .details = {}, .urgent = true});
        wait_until([&] { return writer->health().has_value(); });
        return 0;
    });
    CHECK(outcome == 0);
    CHECK(record.count("call") == 1);
    CHECK(record.count("approval") == 1);
    CHECK(lost(record) == 1);
}

TEST_CASE("a full disk is told as such, leaves no half line, and is gone on with once there is room") {
    Record const record;
    std::fflush(nullptr);
    auto const outcome = test::in_child([&] { return mount_small_disk(record) ? fill_and_make_room(record) : 99; });
    if (outcome == 99) SKIP("no file system may be mounted here");
    CHECK(outcome == 0);
}

TEST_CASE("a record that falls too far behind is not well either") {
    Record const record;
    Limits limits;
    limits.waiting_events = 10;
    auto const writer = record.open(limits);
    {
        auto const held = hold(record.directory);
        for (int i = 0; i < 50; ++i) writer->add({"call", {}});
        REQUIRE_FALSE(writer->health());
        CHECK(writer->health().error().what.find("too many events wait") != std::string::npos);
    }
    CHECK_FALSE(writer->flush());
    CHECK(writer->health());
    CHECK(record.count("call") == 10);
    CHECK(lost(record) == 40);
    CHECK(record.fault().empty());
}
