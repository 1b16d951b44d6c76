#include "house/live_table.hpp"

#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <unistd.h>

using pfar::house::table_lines;

namespace {

constexpr auto two = R"([{"name":"notion","state":"running","tools":12,"pid":4711,"restarts":0,"reason":""},
    {"name":"x","state":"stopped","tools":0,"pid":0,"restarts":3,"reason":"needs vault:token: pfar vault set token"}])";

} // namespace

TEST_CASE("the live table has a line for each server") {
    CHECK(table_lines(two, 120, 10) ==
          std::vector<std::string>{"NAME    STATE    TOOLS  PID   RESTARTS  REASON", "notion  running  12     4711  0",
                                   "x       stopped  0            3         needs vault:token: pfar vault set token"});
}

TEST_CASE("the live table respects the terminal's size, and nonsense leaves its head") {
    for (auto const& line : table_lines(two, 20, 10)) CHECK(line.size() <= 20);
    CHECK(table_lines(two, 120, 2).back() == "... and 2 more: pfar list");
    CHECK(table_lines("nonsense", 120, 2).size() == 1);
    CHECK(table_lines(R"([{"name":"ééééé"}])", 3, 9).back() == "ééé");
}

TEST_CASE("log lines go by above the live table, and it is gone at the end") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    {
        pfar::house::LiveTable table(ends[1]);
        table.log("first\n");
        table.show(R"([{"name":"a"}])");
        table.show(R"([{"name":"a"}])"); // the same
        table.log("second\n");
    }
    ::close(ends[1]);
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), text.size())));
    ::close(ends[0]);
    std::string const drawn = "\x1b[?7lNAME  STATE  TOOLS  PID  RESTARTS  REASON\na\n\x1b[?7h",
                      erased = "\r\x1b[2A\x1b[J";
    CHECK(text == "first\n" + drawn + erased + "second\n" + drawn + erased);
}
