#include "fetch/arguments.hpp"
#include "fetch/header_rules.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>

using namespace pfar::fetch;

namespace {

using Variables = std::map<std::string, std::string>;

auto settings_of(Variables const& variables) {
    return read_settings([&](char const* name) {
        auto const found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

Settings const& settings() {
    static Settings const made = settings_of({{"PFAR_HTTP_BASE", "https://api.example.com/v1"},
                                              {"PFAR_HTTP_TOKEN", "t0ken-t0ken"},
                                              {"PFAR_HTTP_AUTH_HEADER", "X-Key"}})
                                     .value();
    return made;
}

auto fetch(std::string_view arguments) {
    return read_arguments(Tool::fetch, arguments, settings());
}
auto request(std::string_view arguments) {
    return read_arguments(Tool::request, arguments, settings());
}

} // namespace

TEST_CASE("arguments become one request") {
    auto const read =
        fetch(
            R"({"path": "/users", "query": {"q": "a b", "n": 3, "tag": ["x", "y"], "on": true}, "headers": {"Accept": "text/plain", "X-Empty": ""}})")
            .value();
    CHECK(read.method == "GET");
    CHECK(read.target.url == "https://api.example.com/v1/users?q=a%20b&n=3&tag=x&tag=y&on=true");
    CHECK(read.fields == std::vector<std::string>{"Accept: text/plain", "X-Empty;"});
    CHECK_FALSE(read.body);
    CHECK(fetch("{}").value().target.url == "https://api.example.com/v1");
    CHECK(fetch(R"({"url": "/users"})").value().target.url == "https://api.example.com/v1/users");
    CHECK(fetch(R"({"path": "https://api.example.com/other"})").value().target.url == "https://api.example.com/other");
    auto const written = request(R"({"method": "patch", "path": "x", "body": {"n": 12345678901234567890.5}})").value();
    CHECK(written.method == "PATCH");
    CHECK(written.body == R"({"n": 12345678901234567890.5})");
    CHECK(written.body_type == "application/json");
    CHECK(request(R"({"method": "POST", "path": "x", "body": "{\"a\": 1}"})").value().body_type == "application/json");
    CHECK(request(R"({"method": "POST", "path": "x", "body": "{a}"})").value().body_type ==
          "text/plain; charset=utf-8");
}

TEST_CASE("arguments that would reach elsewhere, write by reading or speak for somebody else are refused") {
    for (auto const* const arguments : {R"({"url": "https://evil.test/"})",
                                        R"({"url": "http://api.example.com/"})",
                                        R"({"url": "file:///etc/passwd"})",
                                        R"({"path": "file:///etc/passwd"})",
                                        R"({"url": "https://u:p@api.example.com/"})",
                                        R"({"url": "https://api.example.com/", "path": "/x"})",
                                        R"({"path": "/", "method": "POST"})",
                                        R"({"path": "/", "body": "x"})",
                                        R"({"path": 7})",
                                        R"({"path": "/x", "path": "/y"})",
                                        R"({"path": "/\r\nX: y"})",
                                        R"([])",
                                        R"({"query": "a=b"})",
                                        R"({"query": {"a": {"b": 1}}})",
                                        R"({"headers": {"Authorization": "Bearer mine"}})",
                                        R"({"headers": {"x-key": "mine"}})",
                                        R"({"headers": {"HOST": "evil.test"}})",
                                        R"({"headers": {"Cookie": "a=b"}})",
                                        R"({"headers": {"Proxy-Authorization": "Basic x"}})",
                                        R"({"headers": {"Connection": "close"}})",
                                        R"({"headers": {"Transfer-Encoding": "chunked"}})",
                                        R"({"headers": {"Content-Length": "0"}})",
                                        R"({"headers": {"X-HTTP-Method-Override": "DELETE"}})",
                                        R"({"headers": {"X-A": "b\r\nX-C: d"}})",
                                        R"({"headers": {"X-A": "b\nX-C: d"}})",
                                        R"({"headers": {"X-A: b\r\nX-C": "d"}})",
                                        R"({"headers": {"X A": "b"}})",
                                        R"({"headers": {"": "b"}})",
                                        R"({"headers": {"X-A": "\u0000"}})"}) {
        CAPTURE(arguments);
        CHECK_FALSE(fetch(arguments));
    }
    for (auto const* const arguments :
         {R"({"path": "/"})", R"({"method": "TRACE", "path": "/"})", R"({"method": "CONNECT", "path": "/"})",
          R"({"method": "GET / HTTP/1.1\r\nX: y\r\n", "path": "/"})",
          R"({"method": "POST", "url": "https://evil.test/"})"}) {
        CAPTURE(arguments);
        CHECK_FALSE(request(arguments));
    }
}

TEST_CASE("variables that make no sense are named, and a token is never repeated") {
    CHECK(settings_of({}).value().most_bytes == 1U << 20U);
    CHECK(settings().auth_header == "X-Key");
    CHECK(settings_of({{"PFAR_HTTP_TIMEOUT", "5"}, {"PFAR_HTTP_MAX", "100"}}).value().timeout ==
          std::chrono::seconds(5));
    CHECK(settings_of({{"PFAR_HTTP_BASE", "https://a.example"}, {"PFAR_HTTP_AUTH_SCHEME", ""}})
              .value()
              .auth_scheme.empty());
    for (auto const& [name, value] : Variables{{"PFAR_HTTP_BASE", "ftp://a.example"},
                                               {"PFAR_HTTP_TIMEOUT", "0"},
                                               {"PFAR_HTTP_MAX", "1k"},
                                               {"PFAR_HTTP_TOKEN", "s3cret"},
                                               {"PFAR_HTTP_AUTH_HEADER", "a b"},
                                               {"PFAR_HTTP_AUTH_SCHEME", "a\nb"}}) {
        auto const bad = settings_of({{name, value}});
        REQUIRE_FALSE(bad);
        CHECK(test::has(bad.error().what, name));
    }
    auto const token = settings_of({{"PFAR_HTTP_BASE", "https://a.example"}, {"PFAR_HTTP_TOKEN", "s3cret\r\nX: y"}});
    REQUIRE_FALSE(token);
    CHECK(token.error().what.find("s3cret") == std::string::npos);
    CHECK_FALSE(settings_of({{"PFAR_HTTP_BASE", "https://a.example/?x"}}));
}
