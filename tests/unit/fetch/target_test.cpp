#include "fetch/target.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::fetch;

TEST_CASE("a URL is written anew from what was judged") {
    auto const read = [](std::string_view url) { return read_target(url).value().url; };
    CHECK(read("https://api.example.com") == "https://api.example.com/");
    CHECK(read("HTTPS://API.Example.COM./a?b=c#d") == "https://api.example.com/a?b=c");
    CHECK(read("https://b\u00fccher.example/") == "https://xn--bcher-kva.example/");
    CHECK(read("https://api.example.com/a/../b/./c") == "https://api.example.com/b/c");
    CHECK(read("https://api.example.com/a b\u00e4") == "https://api.example.com/a%20b%c3%a4");
    CHECK(read("https://a%2eexample/") == "https://a.example/");
    CHECK(read("http://[2001:DB8:0::1]:8080/") == "http://[2001:db8::1]:8080/");
    auto const target = read_target("https://api.example.com/x").value();
    CHECK(target.port == 443);
    CHECK(target.host == "api.example.com");
}

TEST_CASE("a URL that is not HTTP, carries credentials or can be read in two ways is refused") {
    for (auto const* const url : {"file:///etc/passwd",
                                  "ftp://api.example.com/",
                                  "gopher://api.example.com:25/x",
                                  "javascript:alert(1)",
                                  "api.example.com/x",
                                  "//api.example.com/",
                                  "",
                                  "https://",
                                  "https:///x",
                                  "https:/api.example.com/",
                                  "https:api.example.com",
                                  "://x/",
                                  "https://user@api.example.com/",
                                  "https://user:hunter2@api.example.com/",
                                  "https://:hunter2@api.example.com/",
                                  "https://api.example.com\\@evil.test/",
                                  "https://api.example.com/\r\nX: y",
                                  "https://api.example.com/\x01",
                                  "https://api.example.com:99999/",
                                  "https://api.example.com:x/",
                                  "https://a..b/",
                                  "https://[::1%25lo]/"}) {
        CAPTURE(url);
        auto const target = read_target(url);
        REQUIRE_FALSE(target);
        CHECK(target.error().what.find("hunter2") == std::string::npos);
        CHECK(target.error().what.find('\r') == std::string::npos);
    }
    CHECK_FALSE(read_target("https://api.example.com/" + std::string(9000, 'x')));
}

TEST_CASE("a path stays below the base") {
    auto const base = read_target("https://api.example.com/v1/").value();
    auto const below = [&](std::string_view path) { return target_below(base, path).value().url; };
    CHECK(below("/users") == "https://api.example.com/v1/users");
    CHECK(below("users?a=b") == "https://api.example.com/v1/users?a=b");
    CHECK(below("") == "https://api.example.com/v1/");
    CHECK(target_below(read_target("https://api.example.com/x.json").value(), "").value().url ==
          "https://api.example.com/x.json");
    CHECK(below("?a=b") == "https://api.example.com/v1?a=b");
    for (auto const* const path : {"//evil.test/x", "@evil.test/", ":80@evil.test/", "/https://evil.test/",
                                   ".evil.test/", "/..//evil.test/", "#@evil.test"}) {
        CAPTURE(path);
        auto const target = target_below(base, path);
        if (target) CHECK(target->host == "api.example.com");
    }
    CHECK(with_query(target_below(base, "x?a=b").value(), "c=d").value().url == "https://api.example.com/v1/x?a=b&c=d");
    CHECK(percent_encoded("a b&c=d/\u00e4~") == "a%20b%26c%3Dd%2F%C3%A4~");
}

TEST_CASE("another host and the same without TLS are left alone") {
    auto const base = read_target("https://api.example.com/").value();
    auto const stays = [&](std::string_view url) {
        return static_cast<bool>(check_stays(base, read_target(url).value()));
    };
    CHECK(stays("https://API.example.com/x"));
    CHECK(stays("https://api.example.com:8443/"));
    CHECK_FALSE(stays("https://evil.test/"));
    CHECK_FALSE(stays("https://api.example.com.evil.test/"));
    CHECK_FALSE(stays("https://www.api.example.com/"));
    CHECK_FALSE(stays("http://api.example.com/"));
    CHECK(is_same_origin(base, read_target("https://api.example.com:443/x").value()));
    CHECK_FALSE(is_same_origin(base, read_target("https://api.example.com:8443/").value()));
}
