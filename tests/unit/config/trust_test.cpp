#include "config/trust.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using config::Standing;
using config::TrustList;

namespace {

std::string const one(64, '1'), two(64, '2');

} // namespace

TEST_CASE("what was trusted is trusted until it changes or is forgotten") {
    test::TempDir const home;
    auto list = TrustList::read(home.path()).value();
    list.trust("/p/.pfar/mcp/a b.toml", one);
    REQUIRE(list.write(home.path()));
    auto again = TrustList::read(home.path()).value();
    CHECK(again.standing("/p/.pfar/mcp/a b.toml", one) == Standing::trusted);
    CHECK(again.standing("/p/.pfar/mcp/a b.toml", two) == Standing::changed);
    CHECK(again.standing("/p/.pfar/mcp/b.toml", one) == Standing::unknown);
    CHECK(again.forget("/p/.pfar/mcp/a b.toml"));
    CHECK(again.standing("/p/.pfar/mcp/a b.toml", one) == Standing::unknown);
}

TEST_CASE("a damaged list trusts nothing and says which line it is") {
    test::TempDir const home;
    for (auto const& damage : {std::string("garbage\n"), one + "  relative\n", one.substr(1) + "  /x\n", one + " /x\n",
                               std::string("\n"), one + "  /ok\n" + one.substr(0, 30)}) {
        home.write("trust", damage);
        auto const list = TrustList::read(home.path());
        REQUIRE_FALSE(list);
        CHECK(list.error().what.find("trust:") != std::string::npos);
    }
}

TEST_CASE("a path with a line break cannot smuggle a second entry in") {
    test::TempDir const home;
    TrustList list;
    list.trust("/p/x\n" + one + "  /q", two);
    CHECK_FALSE(list.write(home.path()));
    CHECK_FALSE(std::filesystem::exists(home / "trust"));
}
