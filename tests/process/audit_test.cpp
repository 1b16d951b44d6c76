// pfar audit on records that were written as pfar writes them, and on spoilt ones.
#include "support/process.hpp"
#include "unit/audit/record.hpp"

#include "audit/coalesce.hpp"
#include "audit/excerpt.hpp"

#include <catch2/catch_test_macros.hpp>

#include <poll.h>

#include <csignal>
#include <fstream>

using namespace pfar::audit;
using test::has;
using test::Record;

namespace {

test::Outcome audit(Record const& record, std::vector<std::string> words, std::string const& zone = "UTC") {
    std::vector<std::string> argv{PFAR_PROGRAM, "audit"};
    argv.insert(argv.end(), words.begin(), words.end());
    return test::run({argv, {{"PFAR_HOME", record.root.path().native()}, {"TZ", zone}}, {}, {}, 0});
}

/// The table without its first column, which is the time.
std::string without_times(std::string const& table) {
    std::istringstream in(table);
    std::string out;
    for (std::string line; std::getline(in, line);) out += line.substr(std::min<std::size_t>(21, line.size())) + "\n";
    return out;
}

std::size_t lines_in(std::string const& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// One of each kind.
void write_all_kinds(Record const& record) {
    auto const writer = record.open();
    auto const call = [](std::string const& outcome) {
        return R"("session":"s-1","server":"notion","tool":"search","outcome":")" + outcome + R"(","call":1)";
    };
    writer->add({"host", {{"action", "start"}, {"pid", 10}, {"version", "0.1"}}});
    writer->add({"vault", {{"action", "set"}, {"entry", "token"}, {"outcome", "ok"}}});
    writer->add({"credential", {{"server", "notion"}, {"outcome", "given"}, {"entries", {"token", "other"}}}});
    writer->add({"spawn", {{"server", "notion"}, {"outcome", "running"}, {"file", "/x"}, {"pid", 11}}});
    writer->add({"egress",
                 {{"server", "notion"},
                  {"outcome", "allowed"},
                  {"domain", "api.notion.com"},
                  {"port", 443},
                  {"sent", 1234},
                  {"received", 5'678'901},
                  {"ms", 2500},
                  {"ended", "closed"}}});
    writer->add(
        {"egress", {{"server", "notion"}, {"outcome", "blocked"}, {"domain", "x.org"}, {"count", 3}, {"why", "no"}}});
    writer->add(
        {"call", {}, call("sent") + R"(,"semantics":"read",)" + excerpt_members("arguments", R"({"q":"cats"})")});
    writer->add({"call", {}, call("ok") + R"(,"ms":3.214,)" + excerpt_members("result", R"({"content":[]})")});
    writer->add({"call", {}, call("error") + R"(,"ms":1203.5,"why":"timed out \u001b[31m")"});
    writer->add({"crash", {{"server", "notion"}, {"outcome", "crashed"}, {"why", "exit code 3"}, {"pid", 11}}});
    Coalescer coalescer;
    for (int i = 0; i < 60; ++i) coalescer.admit("s-1", Time(std::chrono::seconds(1'794'847'200)));
    for (auto& event : coalescer.due({}, true)) writer->add(std::move(event));
    writer->add({"unheard-of", {{"colour", "red"}, {"size", 5}, {"parts", {1, 2}}}});
    writer->add({"host", {{"action", "stop"}, {"pid", 10}, {"why", "idle"}}});
    writer->flush().value();
}

/// pfar audit --follow, read as it writes.
class Following {
public:
    Following(Record const& record, std::vector<std::string> words) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]), ::close(ends[1]);
            ::setenv("PFAR_HOME", record.root.path().c_str(), 1);
            std::vector<char const*> argv{PFAR_PROGRAM, "audit", "--follow"};
            for (auto const& word : words) argv.push_back(word.c_str());
            argv.push_back(nullptr);
            ::execv(PFAR_PROGRAM, const_cast<char* const*>(argv.data()));
            ::_exit(127);
        }
        ::close(ends[1]);
        out_ = ends[0];
    }
    Following(Following const&) = delete;
    Following& operator=(Following const&) = delete;
    ~Following() {
        if (child_ > 0) ::kill(child_, SIGKILL), test::ended(child_);
        stop_reading();
    }
    /// Waits for a minute.
    bool says(std::string const& part) {
        while (text_.find(part) == std::string::npos) {
            pollfd wait{out_, POLLIN, 0};
            char buffer[4096];
            if (::poll(&wait, 1, 60'000) != 1) return false;
            auto const got = ::read(out_, buffer, sizeof buffer);
            if (got <= 0) return false;
            text_.append(buffer, static_cast<std::size_t>(got));
        }
        return true;
    }
    void stop_reading() {
        if (out_ >= 0) ::close(std::exchange(out_, -1));
    }
    int end() { return test::ended(std::exchange(child_, -1)); }
    [[nodiscard]] std::string const& text() const { return text_; }

private:
    pid_t child_ = -1;
    int out_ = -1;
    std::string text_;
};

} // namespace

TEST_CASE("the record is a table in which every kind of event reads well") {
    Record const record;
    write_all_kinds(record);
    auto const table = audit(record, {});
    CHECK(table.status == 0);
    CHECK(table.err.empty());
    CHECK(table.out.starts_with("TIME                 KIND "));
    CHECK(without_times(table.out) == R"(KIND        SUBJECT        OUTCOME  SESSION  WHAT
host        -              start    -        pid 10, version 0.1
vault       vault:token    ok       -        set
credential  notion         given    -        token, other
spawn       notion         running  -        pid 11
egress      notion         allowed  -        api.notion.com:443, 1.2 kB sent, 5.7 MB received, 2.5 s, closed
egress      notion         blocked  -        x.org, 3 times: no
call        notion.search  sent     s-1      read, with {"q":"cats"}
call        notion.search  ok       s-1      3.2 ms
call        notion.search  error    s-1      1.2 s: timed out \u001b[31m
crash       notion         crashed  -        pid 11: exit code 3
refusals    -              refused  s-1      40 times, since 2026-11-16 16:40:00
unheard-of  -              -        -        colour red, size 5, parts [1,2]
host        -              stop     -        pid 10: idle
)");
    CHECK(has(audit(record, {"--kind", "refusals"}, "Asia/Tokyo").out, "since 2026-11-17 01:40:00"));
}

TEST_CASE("lines are chosen by what they are about, and how many") {
    Record const record;
    write_all_kinds(record);
    CHECK(lines_in(audit(record, {"--server", "notion"}).out) == 1 + 8);
    CHECK(lines_in(audit(record, {"--tool", "notion.search"}).out) == 1 + 3);
    CHECK(lines_in(audit(record, {"--tool", "search", "--outcome", "ok"}).out) == 1 + 1);
    CHECK(lines_in(audit(record, {"--session", "s-1"}).out) == 1 + 4);
    CHECK(lines_in(audit(record, {"--kind", "egress", "--last", "1"}).out) == 1 + 1);
    CHECK(lines_in(audit(record, {"--since", "1h"}).out) == 1 + 13);
    CHECK(lines_in(audit(record, {"--since", "2020-01-01"}).out) == 1 + 13);
    CHECK(lines_in(audit(record, {"--since", "2020-01-01T10:00"}).out) == 1 + 13);
    CHECK(lines_in(audit(record, {"--since", "2020-01-01 10:00:30Z", "--last", "2"}).out) == 1 + 2);
    auto const none = audit(record, {"--server", "github"});
    CHECK(none.status == 0);
    CHECK(none.out.empty());
    CHECK(none.err == "no line of the record is about that\n");
    CHECK(audit(record, {"--since", "2999-01-01"}).out.empty());
}

TEST_CASE("without a word the table has the last fifty, and JSON everything exactly as it is stored") {
    Record const record;
    Limits limits;
    limits.file_bytes = 4000;
    record.write(80, limits, true);
    CHECK(lines_in(audit(record, {}).out) == 1 + 50);
    std::string stored;
    for (std::uint32_t file = 1; file <= last_file(record.directory); ++file) stored += test::read(record.file(file));
    CHECK(audit(record, {"--json"}).out == stored);
    auto const last = record.lines(last_file(record.directory)).back();
    CHECK(audit(record, {"--json", "--last", "1"}).out == last + "\n");
    CHECK(lines_in(audit(record, {"--since", "1d"}).out) == 1 + 80);
    CHECK(lines_in(audit(record, {"--last", "1000"}).out) == 1 + 80);
    CHECK(audit(record, {"--last", "0"}).out.empty());
}

TEST_CASE("what cannot be meant is 64 and says what can") {
    Record const record;
    for (auto const* const since : {"yesterday", "", "1", "2026-02-30", "2026-11-18T25:00", "2026-11-18x", "-1h"}) {
        auto const refused = audit(record, {"--since", since});
        CHECK(refused.status == 64);
        CHECK(has(refused.err, "such as 30m, 1h or 2d, or a time such as 2026-11-18 or 2026-11-18T10:00"));
    }
    for (auto const* const last : {"x", "-1", "1000001", "3x", ""}) CHECK(audit(record, {"--last", last}).status == 64);
    for (auto const& head : {std::string("abc"), std::string(64, 'g'), std::string(65, 'a')}) {
        auto const refused = audit(record, {"verify", "--head", head});
        CHECK(refused.status == 64);
        CHECK(has(refused.err, "64 hexadecimal digits"));
    }
    CHECK(has(audit(record, {"verfy"}).err, "did you mean audit verify?"));
}

TEST_CASE("where there is no record yet that is said, and nothing is made") {
    Record const record;
    auto const none = audit(record, {});
    CHECK(none.status == 0);
    CHECK(has(none.err, "there is no record yet in"));
    CHECK(audit(record, {"--json"}).out.empty());
    auto const verified = audit(record, {"verify"});
    CHECK(verified.status == 69);
    CHECK(has(verified.err, "has no record: nothing was written yet"));
    CHECK_FALSE(std::filesystem::exists(record.directory));
}

TEST_CASE("lines that cannot be read are left out, and that is told") {
    Record const record;
    record.write(3);
    std::ofstream(record.file(), std::ios::app) << "{\"se\x1b[2J\n{\"seq\":4,\"ts\":";
    auto const table = audit(record, {});
    CHECK(table.status == 0);
    CHECK(lines_in(table.out) == 1 + 3);
    CHECK(has(table.err, "1 line could not be read and was left out; pfar audit verify names the first"));
    CHECK(has(table.err, "the last line is not whole: its writer was killed; the next one repairs it"));
    CHECK(lines_in(audit(record, {"--json"}).out) == 3);
}

TEST_CASE("a record that nobody touched is whole, and its head is told") {
    Record const record;
    record.write(3);
    auto const head = verify(record.directory)->head;
    auto const whole = audit(record, {"verify"});
    CHECK(whole.status == 0);
    CHECK(whole.out == "the record is whole: 3 lines, head " + head + "\n");
    CHECK(boost::json::parse(audit(record, {"verify", "--json"}).out) ==
          boost::json::value{{"whole", true}, {"lines", 3}, {"head", head}});
    record.write(2);
    auto upper = head;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    CHECK(audit(record, {"verify", "--head", upper}).status == 0);
    auto const other = audit(record, {"verify", "--head", std::string(64, 'a')});
    CHECK(other.status == 65);
    CHECK(has(other.err, "no line has the hash aaaa"));
}

TEST_CASE("the first bad line is named with its file, and the exit code is 65") {
    Record const record;
    record.write(5);
    auto lines = record.lines();
    lines[2].replace(lines[2].find("notion"), 6, "github");
    record.replace(lines);
    auto const spoilt = audit(record, {"verify"});
    CHECK(spoilt.status == 65);
    CHECK(spoilt.out.empty());
    CHECK(has(spoilt.err, "audit/audit-000001.jsonl:3: the line was changed: its hash does not fit"));
    auto const json = audit(record, {"verify", "--json"});
    CHECK(json.status == 65);
    CHECK(has(json.out, "\"whole\": false"));
    CHECK(has(json.out, "audit-000001.jsonl:3: "));
}

TEST_CASE("what is written from now on follows, through new files, until nobody reads it any more") {
    Record const record;
    Limits limits;
    limits.file_bytes = 1000;
    record.write(3, limits, true);
    Following json(record, {"--json", "--last", "1"});
    CHECK(json.says("\"seq\":3,"));
    CHECK_FALSE(has(json.text(), "\"seq\":2,"));
    record.write(20, limits, true);
    CHECK(json.says("\"seq\":23,"));
    CHECK(lines_in(json.text()) == 21);
    CHECK(last_file(record.directory) > 3);
    json.stop_reading();
    json.end();

    Following table(record, {"--server", "notion", "--last", "1"});
    CHECK(table.says("n 19"));
    record.write(1);
    CHECK(table.says("n 0\n"));
    CHECK(lines_in(table.text()) == 3); // with its headings, once
}

TEST_CASE("a record that is not there yet can be followed") {
    Record const record;
    Following following(record, {"--json"});
    record.write(1);
    CHECK(following.says("\"seq\":1,"));
}

TEST_CASE("outcomes are coloured on a terminal") {
    Record const record;
    write_all_kinds(record);
    auto const on_terminal =
        test::run({{"script", "-qec", std::string(PFAR_PROGRAM) + " audit", "/dev/null"},
                   {{"PFAR_HOME", record.root.path().native()}, {"TERM", "xterm"}, {"NO_COLOR", ""}},
                   {},
                   {},
                   0});
    CHECK(has(on_terminal.out, "\x1b[31mcrashed\x1b[0m"));
    CHECK(has(on_terminal.out, "\x1b[33mblocked\x1b[0m"));
    CHECK(has(on_terminal.out, "\x1b[32mok\x1b[0m       "));
}

TEST_CASE("audit is a command and the first word of another; both explain and complete themselves") {
    Record const record;
    auto const& home = record.root.path();
    CHECK(has(audit(record, {"--help"}).out, "pfar audit --server notion --since 1h"));
    CHECK(has(test::pfar(home, {"help", "audit", "verify"}).out, "--head HASH"));
    CHECK(has(test::pfar(home, {"__complete", "audit", "v"}).out, "verify\t"));
    CHECK(has(test::pfar(home, {"__complete", "audit", "--s"}).out, "--since\t"));
    CHECK(has(test::pfar(home, {"__complete", "audit", "--kind", "eg"}).out, "egress"));
    CHECK(has(test::pfar(home, {"--help"}).out, "\n  audit        show the record"));
}
