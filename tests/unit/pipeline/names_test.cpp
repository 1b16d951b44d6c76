// Names towards agents: SPEC 10's rule, and that no two tools of a server are ever called the same.
#include "pipeline/names.hpp"

#include "base/digest.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <set>

using pfar::pipeline::most_name;
using pfar::pipeline::public_names;
using pfar::pipeline::split_name;
using Names = std::vector<std::string>;

namespace {

bool is_allowed(std::string const& name) {
    return !name.empty() && name.size() <= most_name &&
           name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
               std::string::npos;
}

bool all_differ(Names const& names) {
    return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

std::string name_from(std::mt19937& random, std::string_view letters, std::size_t most) {
    std::string out;
    for (auto left = 1 + random() % most; left > 0; --left) out += letters[random() % letters.size()];
    return out;
}

} // namespace

TEST_CASE("a tool is called SERVER__TOOL, and what APIs do not take becomes a line") {
    CHECK(public_names("notion", {"search", "create-page", "Get_2"}) ==
          Names{"notion__search", "notion__create-page", "notion__Get_2"});
    CHECK(public_names("fs", {"a.b", "c/d e:f"}) == Names{"fs__a_b", "fs__c_d_e_f"});
    CHECK(public_names("fs", {}).empty());
}

TEST_CASE("of two tools that would be called the same, the one that is called so itself keeps the name") {
    auto const names = public_names("fs", {"a.b", "a_b", "a b"});
    CHECK(names[1] == "fs__a_b");
    CHECK(names[0].starts_with("fs__a_b_"));
    CHECK(names[0].size() == std::string("fs__a_b_").size() + 6);
    CHECK(all_differ(names));
    CHECK(all_differ(public_names("fs", {"a.b", "a/b"})));
}

TEST_CASE("a name of 50 stays whole, one of 51 is cut and ends with six characters of a digest") {
    std::string const fifty(most_name - 4, 'x');
    CHECK(public_names("fs", {fifty}) == Names{"fs__" + fifty});
    for (auto const size : {std::size_t{47}, std::size_t{200}, std::size_t{100'000}}) {
        auto const name = public_names("fs", {std::string(size, 'x')}).at(0);
        CHECK(name.size() == most_name);
        auto const hash = pfar::base::sha256("fs." + std::string(size, 'x')).substr(0, 6);
        CHECK(name == "fs__" + std::string(39, 'x') + "_" + hash);
    }
    CHECK(all_differ(public_names("fs", {std::string(200, 'x') + "1", std::string(200, 'x') + "2"})));
}

TEST_CASE("unicode, control characters and emptiness never get out") {
    for (auto const& name : public_names(
             "fs", {"\xc3\xbc", "\xf0\x9f\x98\x80", "a\nb", std::string("a\0b", 3), "\"; drop", "\xff\xfe", "__", "."}))
        CHECK(is_allowed(name));
    CHECK(all_differ(public_names("fs", {"\xc3\xbc", "\xc3\xa4", "\xc3\xb6", "__", "  "})));
}

TEST_CASE("the same names always get the same, in whatever order they are listed") {
    Names const names{"a.b", "a_b", "a b", std::string(80, 'y'), "plain"};
    auto const first = public_names("fs", names);
    CHECK(public_names("fs", names) == first);
    Names const reversed(names.rbegin(), names.rend());
    auto again = public_names("fs", reversed);
    std::reverse(again.begin(), again.end());
    CHECK(again == first);
    CHECK(public_names("gh", {std::string(80, 'y')}) != public_names("fs", {std::string(80, 'y')}));
}

TEST_CASE("over random sets of different names, all are allowed and no two are equal") {
    std::mt19937 random(20260401);
    for (int round = 0; round < 300; ++round) {
        std::set<std::string> names;
        auto const most = round % 3 == 0 ? 120U : 4U; // short ones of few letters meet often
        while (names.size() < 40) names.insert(name_from(random, "ab._- /", most));
        auto const out = public_names("srv", {names.begin(), names.end()});
        REQUIRE(all_differ(out));
        REQUIRE(std::all_of(out.begin(), out.end(), is_allowed));
    }
}

TEST_CASE("a tool that calls itself as another one's cut or hashed name does not get it") {
    auto const hashed = public_names("fs", {"a.b", "a_b"}).at(0);
    auto const stolen = hashed.substr(4); // fs__
    CHECK(all_differ(public_names("fs", {"a.b", "a_b", stolen})));
}

TEST_CASE("six characters of a digest are not enough for two thousand long names") {
    Names names; // as many as a server may list; some seeds meet, some do not
    bool differ = true;
    for (int seed = 0; seed < 20 && differ; ++seed) {
        names.clear();
        for (int i = 0; i < 2000; ++i)
            names.push_back(std::string(60, 'n') + std::to_string(seed) + "." + std::to_string(i));
        differ = all_differ(public_names("fs", names));
    }
    CHECK(differ);
}

TEST_CASE("a name that is listed twice does not come out twice") {
    CHECK(all_differ(public_names("fs", {"read", "read"})));
}

TEST_CASE("a character that is not allowed becomes one line, not one for each of its bytes") {
    CHECK(public_names("fs", {"gr\xc3\xbc\xc3\x9f"}) == Names{"fs__gr__"});
}

TEST_CASE("both forms of a name are taken apart at the first sign") {
    struct Row {
        std::string_view name, server, rest;
        bool people;
    };
    for (auto const& row :
         {Row{"notion__search", "notion", "search", false}, Row{"notion.search", "notion", "search", true},
          Row{"notion__a__b", "notion", "a__b", false}, Row{"notion.a.b", "notion", "a.b", true},
          Row{"notion.a__b", "notion", "a__b", true}, Row{"notion__a.b", "notion", "a.b", false},
          Row{"notion___x", "notion", "_x", false}, Row{"notion__", "notion", "", false}, Row{"search", "", "", false},
          Row{"", "", "", false}, Row{"__x", "", "x", false}, Row{".x", "", "x", true}, Row{"a_b", "", "", false}}) {
        auto const split = split_name(row.name);
        INFO(row.name);
        CHECK(split.server == row.server);
        CHECK(split.rest == row.rest);
        CHECK(split.people == row.people);
    }
}
