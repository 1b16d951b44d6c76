// When events are written, without a clock: a delay of hours is over in no test, so what is on disk was not waited for.
#include "unit/audit/record.hpp"

#include <catch2/catch_test_macros.hpp>

#include <future>
#include <thread>

using namespace pfar;
using namespace pfar::audit;
using test::Record;

namespace {

Limits with_delay(std::chrono::milliseconds delay) {
    Limits limits;
    limits.delay = delay;
    return limits;
}

/// The first event waits for nothing; the test is about those after it.
std::unique_ptr<Writer> begun(Record const& record, Limits const& limits) {
    auto writer = record.open(limits);
    writer->add({"start", {}});
    writer->flush().value();
    return writer;
}

/// Looked at for a minute.
bool comes_true(std::function<bool()> const& what) {
    for (int tries = 0; tries < 6000; ++tries) {
        if (what()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

} // namespace

TEST_CASE("what is not urgent waits for others, and flush does not") {
    Record const record;
    auto const writer = begun(record, with_delay(std::chrono::hours(1)));
    for (int i = 0; i < 3; ++i) writer->add({"call", {}});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(record.count("call") == 0);
    CHECK(writer->flush());
    CHECK(record.count("call") == 3);
}

TEST_CASE("an event waits no longer than the delay") {
    Record const record;
    auto const writer = begun(record, with_delay(std::chrono::milliseconds(20)));
    for (std::size_t i = 1; i <= 3; ++i) {
        writer->add({"call", {}});
        CHECK(comes_true([&] { return record.count("call") == i; }));
    }
}

TEST_CASE("without a delay everything is written as it comes") {
    Record const record;
    auto const writer = begun(record, with_delay({}));
    writer->add({"call", {}});
    CHECK(comes_true([&] { return record.count("call") == 1; }));
}

TEST_CASE("an urgent event takes along all that wait") {
    Record const record;
    auto const writer = begun(record, with_delay(std::chrono::hours(1)));
    writer->add({"call", {}});
    writer->add({"call", {}});
    writer->add({.kind = "approval", .details = {}, .urgent = true});
    CHECK(comes_true([&] { return record.events().size() == 1 + 3; }));
    writer->add({.kind = "approval", .details = {}, .urgent = true}); // also if it is the first
    CHECK(comes_true([&] { return record.events().size() == 1 + 4; }));
}

TEST_CASE("whoever wants to be told does not wait") {
    Record const record;
    auto const writer = begun(record, with_delay(std::chrono::hours(1)));
    writer->add({"call", {}});
    std::promise<bool> told;
    writer->add({"call", {}}, [&](Result<void> const& written) { told.set_value(written.has_value()); });
    auto answer = told.get_future();
    REQUIRE(answer.wait_for(std::chrono::minutes(1)) == std::future_status::ready);
    CHECK(answer.get());
    CHECK(record.count("call") == 2);
}

TEST_CASE("when enough has come together it is written, by number and by size") {
    Record const record;
    auto limits = with_delay(std::chrono::hours(1));
    limits.waiting_events = 40;
    limits.waiting_bytes = 40'000;
    auto const writer = begun(record, limits);
    for (int i = 0; i < 10; ++i) writer->add({"call", {}});
    CHECK(comes_true([&] { return record.count("call") == 10; }));
    writer->add({"call", {{"text", std::string(20'000, 'x')}}});
    CHECK(comes_true([&] { return record.count("call") == 11; }));
}

TEST_CASE("what still waits at the end is written") {
    Record const record;
    begun(record, with_delay(std::chrono::hours(1)))->add({"call", {}});
    CHECK(record.count("call") == 1);
}

TEST_CASE("many threads that add, hurry and flush lose nothing") {
    Record const record;
    auto const writer = begun(record, with_delay(std::chrono::milliseconds(1)));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 500; ++i) {
                writer->add({.kind = "call", .details = {}, .members = R"("n":1)", .urgent = i % 50 == thread});
                if (i % 100 == thread && !writer->flush()) std::abort();
                if (!writer->health()) std::abort();
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(writer->flush());
    CHECK(verify(record.directory)->lines == 1 + 2000);
}

TEST_CASE("the first event waits for nothing, and shows that the record can be written") {
    Record const record;
    auto const writer = record.open(with_delay(std::chrono::hours(1)));
    CHECK(writer->last_good() == Writer::Clock::time_point()); // to open it is not to write it
    auto const before = Writer::Clock::now();
    writer->add({"start", {}});
    CHECK(comes_true([&] { return record.events().size() == 1; }));
    CHECK(comes_true([&] { return writer->last_good() >= before; }));
}
