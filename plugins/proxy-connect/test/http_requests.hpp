// Requests in short, and the check that none of a list goes through.
#pragma once

#include "http_head.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace pfar::proxy_connect {

using namespace std::string_literals;

inline std::string connect(std::string const& authority) {
    return "CONNECT " + authority + " HTTP/1.1\r\n\r\n";
}

inline std::string get(std::string const& authority, std::string const& host) {
    return "GET http://" + authority + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

/// An origin-form request with these lines besides its Host.
inline std::string post(std::string const& lines) {
    return "POST / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
}

inline void refuses(std::vector<std::string> const& texts) {
    for (auto const& text : texts) {
        INFO(text);
        auto const parsed = parse_request(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == Errc::invalid);
        CHECK_FALSE(parsed.error().what.empty());
        CHECK(parsed.error().what.find_first_of("\r\n\t\x7f"s + '\0') == std::string::npos);
    }
}

} // namespace pfar::proxy_connect
