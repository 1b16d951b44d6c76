// Addresses for names: one each, the same for good.
#include "synthetic_names.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

namespace pfar::proxy_connect {

namespace {

auto at(char const* text) {
    return asio::ip::make_address_v4(text);
}

} // namespace

TEST_CASE("a name has one address, and the address has one name") {
    SyntheticNames names;
    CHECK(names.address_of("a.example") == at("198.18.0.1"));
    CHECK(names.address_of("b.example") == at("198.18.0.2"));
    CHECK(names.address_of("a.example") == at("198.18.0.1"));
    CHECK(names.name_of(at("198.18.0.1")) == "a.example");
    CHECK(names.name_of(at("198.18.0.2")) == "b.example");
}

TEST_CASE("an address that was given to nobody has no name") {
    SyntheticNames names;
    names.address_of("a.example");
    for (auto const* text : {"198.18.0.0", "198.18.0.2", "198.18.0.255", "198.18.1.1", "198.17.255.255", "198.17.0.1",
                             "0.0.0.0", "0.0.0.1", "127.0.0.1", "255.255.255.255", "198.20.0.1", "199.18.0.1"})
        CHECK_FALSE(names.name_of(at(text)));
}

TEST_CASE("there are 4096 addresses, none ends in 0 or 255, and none is given twice") {
    SyntheticNames names;
    std::set<std::uint32_t> seen;
    for (std::size_t count = 0; count < SyntheticNames::most; ++count) {
        auto const name = "n" + std::to_string(count) + ".example";
        auto const address = names.address_of(name);
        REQUIRE(address);
        auto const end = address->to_bytes()[3];
        if (end == 0 || end == 255 || names.name_of(*address) != name || !seen.insert(address->to_uint()).second)
            FAIL(name);
    }
    CHECK_FALSE(names.address_of("one.more"));
    CHECK(names.address_of("n0.example") == at("198.18.0.1"));
    CHECK(names.address_of("n254.example") == at("198.18.1.1"));
    CHECK(asio::ip::address_v4(*seen.rbegin()) == at("198.18.16.32"));
    for (auto const* text : {"198.18.0.0", "198.18.0.255", "198.18.1.0", "198.18.16.33"})
        CHECK_FALSE(names.name_of(at(text)));
}

} // namespace pfar::proxy_connect
