#include "config/edit.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

namespace {

constexpr auto server = "[server]\ncommand = \"sh\"\n";

config::FileContext context() {
    return {"/home/me/.pfar/mcp/a.toml", "/home/me/.pfar", "/home/me/.pfar", "/home/me", true, {}};
}

Result<std::string> add(std::string const& text, std::string_view domain = "new.example.com") {
    return config::add_domain(text, *config::parse_domain(domain), context());
}

/// The list alone, in a file that is otherwise ordinary.
std::string with_list(std::string const& list) {
    return "name = \"a\"\n" + list + "\n\n" + server;
}

struct Shape {
    char const *what, *before, *after;
};

constexpr Shape shapes[] = {
    {"an empty list", "allowed_domains = []", "allowed_domains = [\"new.example.com\"]"},
    {"an empty list with a space", "allowed_domains = [ ]", "allowed_domains = [\"new.example.com\"]"},
    {"one", "allowed_domains = [\"a.b\"]", "allowed_domains = [\"a.b\", \"new.example.com\"]"},
    {"several", "allowed_domains = [\"a.b\", \"c.d:1\"]",
     "allowed_domains = [\"a.b\", \"c.d:1\", \"new.example.com\"]"},
    {"without spaces", "allowed_domains=[\"a.b\",\"c.d\"]", "allowed_domains=[\"a.b\",\"c.d\",\"new.example.com\"]"},
    {"spaces within the brackets", "allowed_domains = [ \"a.b\" ]",
     "allowed_domains = [ \"a.b\", \"new.example.com\" ]"},
    {"a comma at the end", "allowed_domains = [\"a.b\",]", "allowed_domains = [\"a.b\", \"new.example.com\",]"},
    {"other quotes", "allowed_domains = ['a.b']", "allowed_domains = ['a.b', \"new.example.com\"]"},
    {"a comment behind it", "allowed_domains = [\"a.b\"] # ] , \"x\"",
     "allowed_domains = [\"a.b\", \"new.example.com\"] # ] , \"x\""},
    {"a key in quotes", "\"allowed_domains\" = [\"a.b\"]", "\"allowed_domains\" = [\"a.b\", \"new.example.com\"]"},
    {"a line each", "allowed_domains = [\n  \"a.b\",\n  \"c.d\"\n]",
     "allowed_domains = [\n  \"a.b\",\n  \"c.d\",\n  \"new.example.com\"\n]"},
    {"a line each and a comma at the end", "allowed_domains = [\n\t\"a.b\",\n\t\"c.d\",\n]",
     "allowed_domains = [\n\t\"a.b\",\n\t\"c.d\",\n\t\"new.example.com\",\n]"},
    {"comments on the lines", "allowed_domains = [\n  \"a.b\", # one, \"x\"\n  \"c.d\"  # two ]\n]",
     "allowed_domains = [\n  \"a.b\", # one, \"x\"\n  \"c.d\",  # two ]\n  \"new.example.com\"\n]"},
    {"a comment behind the last comma", "allowed_domains = [\n  \"a.b\", # one\n]",
     "allowed_domains = [\n  \"a.b\", # one\n  \"new.example.com\",\n]"},
    {"a comment below the last", "allowed_domains = [\n  \"a.b\",\n  # the end\n]",
     "allowed_domains = [\n  \"a.b\",\n  \"new.example.com\",\n  # the end\n]"},
    {"an empty list on two lines", "allowed_domains = [\n]", "allowed_domains = [\n    \"new.example.com\",\n]"},
    {"an empty list with a comment in it", "allowed_domains = [\n  # \"a.b\", none yet\n]",
     "allowed_domains = [\n  # \"a.b\", none yet\n  \"new.example.com\",\n]"},
    {"an empty list with a comment beside its bracket", "allowed_domains = [ # none\n]",
     "allowed_domains = [ # none\n    \"new.example.com\",\n]"},
    {"the first beside the bracket", "allowed_domains = [\"a.b\",\n                   \"c.d\"]",
     "allowed_domains = [\"a.b\",\n                   \"c.d\",\n                   \"new.example.com\"]"},
    {"all beside the bracket, which closes below", "allowed_domains = [\"a.b\", \"c.d\" # two\n]",
     "allowed_domains = [\"a.b\", \"c.d\", \"new.example.com\" # two\n]"},
    {"several on a line", "allowed_domains = [\n  \"a.b\", \"c.d\",\n  \"e.f\", \"g.h\",\n]",
     "allowed_domains = [\n  \"a.b\", \"c.d\",\n  \"e.f\", \"g.h\",\n  \"new.example.com\",\n]"},
    {"commas in front", "allowed_domains = [\n    \"a.b\"\n  , \"c.d\"\n]",
     "allowed_domains = [\n    \"a.b\"\n  , \"c.d\",\n  \"new.example.com\"\n]"},
    {"a comma on a line of its own", "allowed_domains = [\n  \"a.b\" # one\n  ,\n]",
     "allowed_domains = [\n  \"a.b\" # one\n  ,\n  \"new.example.com\",\n]"},
    {"an indented key", "  allowed_domains = [\n    \"a.b\"\n  ]",
     "  allowed_domains = [\n    \"a.b\",\n    \"new.example.com\"\n  ]"},
    {"text that looks like it further up",
     "description = \"\"\"\nallowed_domains = []\n\"\"\" # allowed_domains = []\nallowed_domains = []",
     "description = \"\"\"\nallowed_domains = []\n\"\"\" # allowed_domains = []\nallowed_domains = "
     "[\"new.example.com\"]"},
    {"no key", "label = \"public\"", "label = \"public\"\nallowed_domains = [\"new.example.com\"]"},
    {"no key, and comments above the header", "label = \"public\" # why\n\n# the server:",
     "label = \"public\" # why\nallowed_domains = [\"new.example.com\"]\n\n# the server:"},
    {"no key, and a list on several lines", "allow_private = [\n]\n# c",
     "allow_private = [\n]\nallowed_domains = [\"new.example.com\"]\n# c"},
};

} // namespace

TEST_CASE("a domain is added to a list of any shape, and nothing else changes") {
    for (auto const& [what, before, after] : shapes) {
        DYNAMIC_SECTION(what) {
            auto const changed = add(with_list(before));
            REQUIRE(changed);
            CHECK(*changed == with_list(after));
        }
    }
}

TEST_CASE("line ends of Windows are kept, and so is a missing one at the end") {
    CHECK(*add("name = \"a\"\r\nallowed_domains = [\r\n  \"a.b\"\r\n]\r\nserver.command = \"sh\"") ==
          "name = \"a\"\r\nallowed_domains = [\r\n  \"a.b\",\r\n  \"new.example.com\"\r\n]\r\nserver.command = \"sh\"");
    CHECK(*add("name = \"a\"\r\n[server]\r\ncommand = \"sh\"\r\n") ==
          "name = \"a\"\r\nallowed_domains = [\"new.example.com\"]\r\n[server]\r\ncommand = \"sh\"\r\n");
    CHECK(*add("name = \"a\"\nserver.command = \"sh\"") ==
          "name = \"a\"\nserver.command = \"sh\"\nallowed_domains = [\"new.example.com\"]\n");
    CHECK(*add("name = \"a\"\nserver.command = \"sh\"\nallowed_domains = []") ==
          "name = \"a\"\nserver.command = \"sh\"\nallowed_domains = [\"new.example.com\"]");
    CHECK(*add("\xef\xbb\xbf"
               "allowed_domains = []\nname = \"a\"\n[server]\ncommand = \"sh\"\n") ==
          "\xef\xbb\xbf"
          "allowed_domains = [\"new.example.com\"]\nname = \"a\"\n[server]\ncommand = \"sh\"\n");
}

TEST_CASE("a key of the same name in a section is another one") {
    std::string const text =
        "name = \"a\"\nstateful = false\n[server]\ncommand = \"sh\"\n[tools.x.access]\ndomains = []\n";
    CHECK(*add(text) == "name = \"a\"\nstateful = false\nallowed_domains = [\"new.example.com\"]\n[server]\ncommand = "
                        "\"sh\"\n[tools.x.access]\ndomains = []\n");
}

TEST_CASE("addresses, ports and wildcards are written in their canonical form") {
    CHECK(add(with_list("allowed_domains = []"), "[2001:DB8::1]:8443").value() ==
          with_list("allowed_domains = [\"[2001:db8::1]:8443\"]"));
    CHECK(add(with_list("allowed_domains = []"), "*.EXAMPLE.com.").value() ==
          with_list("allowed_domains = [\"*.example.com\"]"));
}

TEST_CASE("a list that is written too unusually is left alone, and the line to write is told") {
    auto const refused = add(with_list("\"allowed\\u005fdomains\" = [\"a.b\"]"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::unsupported);
    CHECK(refused.error().what.find("by hand: allowed_domains = [\"a.b\", \"new.example.com\"]") != std::string::npos);
}

TEST_CASE("a file with mistakes is not changed") {
    for (auto const* const text :
         {"", "name = \"a\"\n", "name = \"a\"\nallowed_domains = \"x.y\"\n[server]\ncommand = \"sh\"\n",
          "name = \"a\"\nallowed_domains = [\n[server]\ncommand = \"sh\"\n"}) {
        auto const refused = add(text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::invalid);
    }
}
