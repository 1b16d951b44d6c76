#include "unit/audit/record.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using namespace pfar::audit;
using test::Record;

namespace {

bool says(std::string const& fault, std::string const& part) {
    INFO(fault);
    return fault.find(part) != std::string::npos;
}

Limits small_files() {
    Limits limits;
    limits.file_bytes = 1000;
    return limits;
}

} // namespace

TEST_CASE("a record that nobody touched is whole") {
    Record const record;
    CHECK(verify(record.directory).error().code == Errc::not_found);
    {
        auto const writer = record.open();
        CHECK(verify(record.directory)->lines == 0);
    }
    record.write(100, small_files(), true);
    CHECK(verify(record.directory)->lines == 100);
}

TEST_CASE("a changed byte is found wherever it is") {
    Record const record;
    record.write(3);
    auto const whole = test::read(record.file());
    for (std::size_t i = 0; i < whole.size(); i += 7) {
        auto spoilt = whole;
        spoilt[i] = static_cast<char>(spoilt[i] ^ 1);
        record.root.write("audit/audit-000001.jsonl", spoilt);
        CHECK(says(record.fault(), "audit-000001.jsonl:"));
    }
    auto lines = record.lines();
    record.root.write("audit/audit-000001.jsonl", whole);
    lines = record.lines();
    lines[1].replace(lines[1].find("notion"), 6, "github");
    record.replace(lines);
    CHECK(says(record.fault(), "audit-000001.jsonl:2: the line was changed"));
}

TEST_CASE("a line that was removed, moved, doubled or put in is found by its place") {
    Record const record;
    record.write(5);
    auto const lines = record.lines();
    auto spoilt = lines;
    spoilt.erase(spoilt.begin() + 2);
    record.replace(spoilt);
    CHECK(says(record.fault(), "audit-000001.jsonl:3: the line has number 4 where 3 should follow: lines are missing"));
    spoilt = lines;
    std::swap(spoilt[1], spoilt[2]);
    record.replace(spoilt);
    CHECK(says(record.fault(), "audit-000001.jsonl:2: "));
    spoilt = lines;
    spoilt.insert(spoilt.begin() + 3, lines[1]);
    record.replace(spoilt);
    CHECK(says(record.fault(),
               "audit-000001.jsonl:4: the line has number 2 where 4 should follow: it is not in its place"));
    spoilt = lines;
    spoilt.insert(spoilt.begin(), "");
    record.replace(spoilt);
    CHECK(says(record.fault(), "audit-000001.jsonl:1: "));
    spoilt = lines;
    spoilt.erase(spoilt.begin());
    record.replace(spoilt);
    CHECK(says(record.fault(), "audit-000001.jsonl:1: "));
    record.replace(lines);
    CHECK(record.fault().empty());
}

TEST_CASE("an end that was cut off is found by the head, at a line's end and in the middle of one") {
    Record const record;
    record.write(5);
    auto const whole = test::read(record.file());
    auto lines = record.lines();
    lines.pop_back();
    record.replace(lines);
    CHECK(says(record.fault(), "audit-000001.jsonl:5: the record ends here, but it had 5 lines"));
    record.root.write("audit/audit-000001.jsonl", whole.substr(0, whole.size() - 20));
    CHECK(says(record.fault(), "audit-000001.jsonl:5: "));
    record.root.write("audit/audit-000001.jsonl", whole.substr(0, whole.size() - 1));
    CHECK(says(record.fault(), "audit-000001.jsonl:5: "));
    record.root.write("audit/audit-000001.jsonl", "");
    CHECK(says(record.fault(), "audit-000001.jsonl:1: "));
}

TEST_CASE("a cut end stays visible after the next writer has gone on") {
    Record const record;
    record.write(5);
    auto lines = record.lines();
    lines.resize(3);
    record.replace(lines);
    record.write(2);
    CHECK(record.count("recovered") == 1);
    CHECK(says(record.fault(), "where 4 should follow: lines are missing before it"));
}

TEST_CASE("a file that was removed is found, first, middle or last") {
    Record const record;
    record.write(30, small_files(), true);
    auto const last = last_file(record.directory);
    REQUIRE(last >= 4);
    for (auto const number : {1U, 2U, last}) {
        auto const content = test::read(record.file(number));
        std::filesystem::remove(record.file(number));
        CHECK(says(record.fault(), file_name(number) + " is missing"));
        record.root.write("audit/" + file_name(number), content);
    }
    CHECK(record.fault().empty());
    std::filesystem::rename(record.file(2), record.file(last + 1));
    std::filesystem::rename(record.file(3), record.file(2));
    CHECK_FALSE(record.fault().empty());
}

TEST_CASE("a head that was removed or written by somebody else is found") {
    Record const record;
    record.write(5);
    auto const head = test::read(record.directory / "head");
    std::filesystem::remove(record.directory / "head");
    CHECK(says(record.fault(), "head is missing or not whole"));
    auto forged = head;
    forged[head.find("\"seq\":5") + 6] = '3';
    record.root.write("audit/head", forged);
    CHECK(says(record.fault(), "head is missing or not whole"));
    record.root.write("audit/head", record.lines().back());
    CHECK(says(record.fault(), "head is missing or not whole"));
    record.root.write("audit/head", std::string(100'000, 'x'));
    CHECK(says(record.fault(), "head is missing or not whole"));
}

TEST_CASE("an old head that was put back hides nothing that was changed") {
    Record const record;
    record.write(2);
    auto const old = test::read(record.directory / "head");
    record.write(3);
    record.root.write("audit/head", old);
    CHECK(verify(record.directory)->lines == 5); // nothing is missing
    auto lines = record.lines();
    lines.erase(lines.begin() + 3);
    record.replace(lines);
    CHECK(says(record.fault(), "audit-000001.jsonl:4: "));
}

TEST_CASE("a copy of the head that was kept elsewhere tells even a record that was put back as a whole") {
    Record const record;
    record.write(2);
    auto const early = verify(record.directory)->head;
    auto const old_head = test::read(record.directory / "head"), old_lines = test::read(record.file());
    record.write(3);
    auto const kept = verify(record.directory)->head;
    CHECK(verify(record.directory, kept)->lines == 5);
    record.write(1);
    CHECK(verify(record.directory, kept)->lines == 6); // it grew since
    CHECK(verify(record.directory, early));
    record.root.write("audit/head", old_head);
    record.root.write("audit/audit-000001.jsonl", old_lines);
    CHECK(verify(record.directory)->lines == 2);
    CHECK(says(record.fault(kept), "no line has the hash"));
    std::filesystem::remove(record.directory / "head");
    CHECK(verify(record.directory, early)->lines == 2); // then the copy vouches for the end
}

TEST_CASE("a line of another key is nobody's line") {
    Record const record, other;
    record.write(3);
    other.write(3);
    record.replace(other.lines());
    CHECK(says(record.fault(), "audit-000001.jsonl:1: the line was changed"));
}

TEST_CASE("verification runs beside a writer") {
    Record const record;
    auto const writer = record.open();
    for (int i = 0; i < 20; ++i) {
        for (int n = 0; n < 50; ++n) writer->add({"call", {{"n", n}}});
        CHECK(record.fault().empty());
    }
    REQUIRE(writer->flush());
    CHECK(verify(record.directory)->lines == 1000);
}
