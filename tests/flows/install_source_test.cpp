// URLs of registries and proxies, as a rule and as a proxy.
#include "house/install_source.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::house;

TEST_CASE("a registry's URL is taken apart as npm takes it apart") {
    auto const plain = parse_source("https://Registry.Example.com");
    REQUIRE(plain);
    CHECK(plain->host == "registry.example.com");
    CHECK(plain->port == 443);
    CHECK(plain->path == "/");
    CHECK(plain->authority() == "registry.example.com");
    auto const full = parse_source("http://me:p@ss@[::1]:4873/npm/?x#y");
    REQUIRE(full);
    CHECK(full->login == "me:p@ss");
    CHECK(full->host == "[::1]");
    CHECK(full->path == "/npm/?x#y");
    CHECK(full->authority() == "[::1]:4873");
    CHECK(to_text(*rule_of(*full)) == "[::1]:4873");
    for (auto const* const bad : {"", "registry.example.com", "ftp://x/", "https://", "https:///x", "http://x:0/",
                                  "http://x:70000/", "http://x:8a/", "http://:80/"})
        CHECK_FALSE(parse_source(bad));
    CHECK_FALSE(rule_of(*parse_source("http://a b/")));
    CHECK_FALSE(rule_of(*parse_source("http://*.example.com/")));
}

TEST_CASE("a proxy is used but for its exceptions, and only one that pfar can speak to") {
    auto const registry = *parse_source("https://npm.corp.example.com/");
    auto const proxy = proxy_for(registry, "http://a%40b:c@proxy:3128", {"example.org"});
    REQUIRE(proxy);
    REQUIRE(*proxy);
    CHECK((*proxy)->host == "proxy");
    CHECK((*proxy)->port == 3128);
    CHECK((*proxy)->authorization.reveal() == "Basic YUBiOmM=");
    for (auto const* const exception : {"corp.example.com", ".example.com", "npm.corp.example.com"})
        CHECK_FALSE(*proxy_for(registry, "http://proxy:3128", {exception}));
    CHECK(*proxy_for(registry, "http://proxy:3128", {"p.example.com"}));
    CHECK_FALSE(*proxy_for(registry, "", {}));
    CHECK(proxy_for(registry, "socks5://proxy:1080", {}).error().code == pfar::Errc::unsupported);
}

TEST_CASE("a registry is at home if its address is") {
    CHECK(is_at_home(*parse_source("http://127.0.0.1:4873/")));
    CHECK(is_at_home(*parse_source("http://[::1]/")));
    CHECK(is_at_home(*parse_source("http://192.168.1.2/")));
    CHECK_FALSE(is_at_home(*parse_source("http://93.184.216.34/")));
    CHECK_FALSE(is_at_home(*parse_source("http://registry.invalid/")));
}
