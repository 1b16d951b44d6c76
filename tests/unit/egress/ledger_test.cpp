#include "egress/ledger.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using egress::Ledger;

namespace {

struct Book {
    std::vector<boost::json::object> events;
    Ledger ledger{"notion", [this](boost::json::object event) { events.push_back(std::move(event)); }};
    Ledger::Clock::time_point now{};

    void block(std::string const& domain) { ledger.block({domain, "not allowed", domain, 1}, now); }
};

} // namespace

TEST_CASE("what is refused is told once per domain and minute, with a count") {
    Book book;
    for (int i = 0; i < 5; ++i) book.block("evil.test");
    book.block("other.test");
    CHECK(book.events.empty());
    book.now += std::chrono::seconds(61);
    book.ledger.settle(book.now, false);
    REQUIRE(book.events.size() == 2);
    CHECK(book.events[0].at("domain") == "evil.test");
    CHECK(book.events[0].at("count").to_number<int>() == 5);
    CHECK(book.events[0].at("outcome") == "blocked");
    book.ledger.settle(book.now, true);
    CHECK(book.events.size() == 2);
    CHECK(book.ledger.total() == 6);
}

TEST_CASE("above fifty domains a minute there is one count, and memory stays bounded") {
    Book book;
    for (int i = 0; i < 100000; ++i) book.block(std::to_string(i) + ".test");
    book.ledger.settle(book.now, true);
    REQUIRE(book.events.size() == 51);
    CHECK(book.events.back().at("count").to_number<int>() == 100000 - 50);
    auto const blocked = book.ledger.blocked();
    CHECK(blocked.size() == 201);
    CHECK(blocked.back().count == 100000 - 200);
}

TEST_CASE("a connection that is over is told with its bytes and time") {
    Book book;
    book.ledger.closed(
        {{"API.Notion.com", 443, Destination::Said::connect}, true, 10, 20, std::chrono::milliseconds(30), "closed"},
        book.now);
    REQUIRE(book.events.size() == 1);
    CHECK(book.events[0].at("domain") == "api.notion.com");
    CHECK(book.events[0].at("sent").to_number<int>() == 10);
    CHECK(book.events[0].at("received").to_number<int>() == 20);
    CHECK(book.events[0].at("ms").to_number<int>() == 30);
}

TEST_CASE("what the filter itself refused counts as blocked, and its text is made safe") {
    Book book;
    book.ledger.closed({{"a\nb", 443, Destination::Said::connect}, false, 0, 0, {}, "the name is \x1b[2J"}, book.now);
    auto const blocked = book.ledger.blocked();
    REQUIRE(blocked.size() == 1);
    CHECK(blocked[0].domain.find('\n') == std::string::npos);
    CHECK(blocked[0].why.find('\x1b') == std::string::npos);
}

TEST_CASE("above six hundred connections a minute there is one sum") {
    Book book;
    for (int i = 0; i < 1000; ++i)
        book.ledger.closed({{"a.test", 443, Destination::Said::connect}, true, 2, 3, {}, "closed"}, book.now);
    book.ledger.settle(book.now, true);
    REQUIRE(book.events.size() == 601);
    CHECK(book.events.back().at("count").to_number<int>() == 400);
    CHECK(book.events.back().at("sent").to_number<int>() == 800);
    CHECK(book.events.back().at("received").to_number<int>() == 1200);
}
