#include "config/dotenv.hpp"

#include <catch2/catch_test_macros.hpp>

using pfar::config::entry_for;
using pfar::config::read_dotenv;

namespace {

/// The value of the only line.
std::string value(std::string_view text) {
    auto const file = read_dotenv(text);
    if (file.values.size() != 1 || !file.unread.empty()) return "not one value";
    return std::string(file.values[0].value.reveal());
}

} // namespace

TEST_CASE("a value is what shells and dotenv libraries make of it") {
    CHECK(value("A=plain") == "plain");
    CHECK(value("  export A = spaced out  \r\n") == "spaced out");
    CHECK(value("A=with#hash # and a comment") == "with#hash");
    CHECK(value("A='as $it is \\n'") == "as $it is \\n");
    CHECK(value("A=\"line\\nline \\\"q\\\" \\\\ \\$x \\z\" # comment") == "line\nline \"q\" \\ $x \\z");
    CHECK(value("A=") == "");
    CHECK(value("A=#only a comment") == "");
    CHECK(value("A=x=y==") == "x=y==");
    CHECK(value("\xef\xbb\xbf"
                "A=bom") == "bom");
}

TEST_CASE("quotes may hold several lines, and lines are counted on") {
    auto const file = read_dotenv("A=\"one\ntwo\"\nB='x\ny'\n?\nC=c\n");
    REQUIRE(file.values.size() == 3);
    CHECK(file.values[0].value.reveal() == "one\ntwo");
    CHECK(file.values[1].value.reveal() == "x\ny");
    CHECK(file.values[2].line == 6);
    CHECK(file.unread == std::vector<std::size_t>{5});
}

TEST_CASE("a name that stands there twice has its last value") {
    auto const file = read_dotenv("A=1\nB=2\nA=3\n");
    REQUIRE(file.values.size() == 2);
    CHECK(file.values[1].name == "A");
    CHECK(file.values[1].value.reveal() == "3");
    CHECK(file.repeated == std::vector<std::string>{"A"});
}

TEST_CASE("what is no value is told by its line") {
    CHECK(read_dotenv("no equals\n1A=x\nA B=x\n=x\n").unread == std::vector<std::size_t>{1, 2, 3, 4});
    CHECK(read_dotenv("A=\"never closed\nB=2\n").unread == std::vector<std::size_t>{1});
    CHECK(read_dotenv("A='x' y\n").unread == std::vector<std::size_t>{1});
    CHECK(read_dotenv("# only\n\n  \t\n").unread.empty());
    CHECK(read_dotenv("A=\"ends in \\").unread == std::vector<std::size_t>{1});
}

TEST_CASE("an entry is the variable in lower case") {
    CHECK(entry_for("GITHUB_TOKEN") == "github_token");
    CHECK(entry_for(std::string(80, 'A')) == std::string(64, 'a'));
}

TEST_CASE("what a shell would put other variables into is told apart") {
    for (auto const* const text : {"A=$B", "A=x${B}", "A=\"x $B\"", "A=$(pass)"})
        CHECK(read_dotenv(text).values.at(0).expands);
    for (auto const* const text : {"A='$B'", "A=x$", "A=\"\\$B\"", "A=5$ 4", "A=\\$B"})
        CHECK_FALSE(read_dotenv(text).values.at(0).expands);
}
