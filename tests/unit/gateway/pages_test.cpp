#include "gateway/pages.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace pfar::gateway;

TEST_CASE("a page is a list of what was added, and says nothing of a next one if there is none") {
    Page page("tools");
    CHECK(page.add({"a", 0}, R"({"name":"x"})"));
    CHECK(page.add({"b", 3}, "{}"));
    CHECK(std::move(page).text() == R"({"tools":[{"name":"x"},{}]})");
    CHECK(Page("prompts").text() == R"({"prompts":[]})");
}

TEST_CASE("a page of a thousand is full, and the next one begins with what did not fit") {
    Page page("tools");
    for (std::size_t i = 0; i < most_on_page; ++i) REQUIRE(page.add({"a", i}, "1"));
    CHECK_FALSE(page.add({"b", 7}, "1"));
    auto const text = boost::json::parse(std::move(page).text());
    CHECK(text.at("tools").as_array().size() == most_on_page);
    auto const place = parse_cursor(boost::json::serialize(text.at("nextCursor")));
    REQUIRE(place);
    CHECK(*place == EntryPlace{"b", 7});
}

TEST_CASE("a page is bounded in bytes, but one entry always fits") {
    std::string const large(most_page_bytes / 2, '1');
    Page page("tools");
    CHECK(page.add({"a", 0}, large));
    CHECK_FALSE(page.add({"a", 1}, large));
    Page single("tools");
    CHECK(single.add({"a", 0}, std::string(2 * most_page_bytes, '1'))); // or nobody would ever get past it
    CHECK_FALSE(single.add({"a", 1}, "1"));
}

TEST_CASE("a cursor leads back to its place, whatever the server is called") {
    for (auto const& place : {EntryPlace{"notion", 0}, EntryPlace{"a", 18446744073709551615U}, EntryPlace{"a:b:c", 1},
                              EntryPlace{"\xc3\xbc\"\\\n", 2}})
        CHECK(parse_cursor(cursor_text(place)) == place);
}

TEST_CASE("what is no cursor of ours is none") {
    for (auto const* const foreign :
         {"", "null", "7", "{}", R"("")", R"("abc")", R"(":a")", R"("1:")", R"("-1:a")", R"("1.5:a")", R"("x:a")",
          R"("18446744073709551616:a")", R"(" 1:a")", R"("1:a)", R"(["1:a"])"}) {
        INFO(foreign);
        CHECK_FALSE(parse_cursor(foreign));
    }
    CHECK_FALSE(parse_cursor("\"1:" + std::string(100'000, 'a') + "\""));
}
