// Questions as resolvers send them, and answers byte for byte.
#include "dns_message.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace pfar::proxy_connect {

namespace {

using namespace std::string_literals;

// Flags and counts, then the sections.
std::string query(std::string const& sections, std::string const& head = "\x01\0\0\x01\0\0\0\0\0\0"s) {
    return "\x12\x34" + head + sections;
}

auto const question = "\3aPi\6Notion\3com\0\0\x01\0\x01"s;
auto const opt = "\0\0\x29\x04\xd0\0\0\0\0\0\0"s;
auto const one_more = "\x01\0\0\x01\0\0\0\0\0\x01"s;

DnsCode code_of(std::string const& message) {
    auto const parsed = parse_dns_query(message);
    REQUIRE(parsed);
    CHECK(parsed->id == 0x1234);
    CHECK((parsed->code == DnsCode::no_error || parsed->name.empty()));
    return parsed->code;
}

std::string named(std::string const& labels) {
    return query(labels + "\0\x01\0\x01"s);
}

} // namespace

TEST_CASE("a question is read, and its letters are kept as they were") {
    auto const parsed = parse_dns_query(query(question));
    REQUIRE(parsed);
    CHECK(parsed->code == DnsCode::no_error);
    CHECK(parsed->name == "aPi.Notion.com");
    CHECK(parsed->type == dns_type_a);
    CHECK(parsed->question == question);
    CHECK_FALSE(parsed->edns);
}

TEST_CASE("an answer has the question's id, bytes and wish, and one address for a minute") {
    auto const parsed = parse_dns_query(query(question));
    REQUIRE(parsed);
    CHECK(dns_answer(*parsed, asio::ip::make_address_v4("198.18.0.1")) ==
          "\x12\x34\x81\x80\0\x01\0\x01\0\0\0\0"s + question + "\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc6\x12\0\x01"s);
    CHECK(dns_answer(*parsed, DnsCode::no_error) == "\x12\x34\x81\x80\0\x01\0\0\0\0\0\0"s + question);
    CHECK(dns_answer(*parsed, DnsCode::no_such_name) == "\x12\x34\x81\x83\0\x01\0\0\0\0\0\0"s + question);
    CHECK(dns_answer(*parsed, DnsCode::server_failure) == "\x12\x34\x81\x82\0\x01\0\0\0\0\0\0"s + question);
}

TEST_CASE("nobody's flags come back but the wish for recursion and for no checking") {
    auto const asked = [](std::string const& flags) {
        auto const parsed = parse_dns_query(query(question, flags + "\0\x01\0\0\0\0\0\0"s));
        REQUIRE(parsed);
        return dns_answer(*parsed, DnsCode::no_error).substr(2, 2);
    };
    CHECK(asked("\0\0"s) == "\x80\x80");
    CHECK(asked("\x01\0"s) == "\x81\x80");
    CHECK(asked("\x07\xff") == "\x81\x90");
}

TEST_CASE("EDNS is ignored, and answered with our own") {
    auto const cookie = "\0\0\x29\x10\0\0\0\x80\0\0\x0c\0\x0a\0\x08--------"s;
    for (auto const& record : {opt, cookie}) {
        auto const parsed = parse_dns_query(query(question + record, one_more));
        REQUIRE(parsed);
        CHECK(parsed->code == DnsCode::no_error);
        CHECK(parsed->edns);
        CHECK(dns_answer(*parsed, DnsCode::no_such_name) == "\x12\x34\x81\x83\0\x01\0\0\0\0\0\x01"s + question + opt);
        CHECK(dns_answer(*parsed, asio::ip::make_address_v4("198.18.0.1")).ends_with("\xc6\x12\0\x01"s + opt));
    }
}

TEST_CASE("what is no query gets no answer") {
    CHECK_FALSE(parse_dns_query(""));
    CHECK_FALSE(parse_dns_query("hello"));
    CHECK_FALSE(parse_dns_query(query(question).substr(0, 11)));
    CHECK_FALSE(parse_dns_query(query(question, "\x81\x80\0\x01\0\0\0\0\0\0"s)));
}

TEST_CASE("what is a query, but not one question, is malformed") {
    auto const good = query(question + opt, one_more);
    for (std::size_t size = 12; size < good.size(); ++size)
        CHECK(code_of(good.substr(0, size)) == DnsCode::format_error);
    for (auto const& message : {
             query("", "\x01\0\0\0\0\0\0\0\0\0"s),
             query(question, "\x01\0\0\0\0\0\0\0\0\0"s),
             query(question + question, "\x01\0\0\x02\0\0\0\0\0\0"s),
             query(question, "\x01\0\0\x01\0\x01\0\0\0\0"s),
             query(question, "\x01\0\0\x01\0\0\0\x01\0\0"s),
             query(question, one_more),
             query(question + opt + opt, "\x01\0\0\x01\0\0\0\0\0\x02"s),
             query(question + "\1a" + opt.substr(1), one_more),
             query(question + "\0\0\x01\0\x01\0\0\0\0\0\0"s, one_more),
             query(question + opt),
             query(question + "x"),
             named("\xc0\x0c"),
             named("\1a\xc0\x0c"),
             named("\x40" + std::string(64, 'a') + "\0"s),
             named("\x80" + std::string(128, 'a') + "\0"s),
         })
        CHECK(code_of(message) == DnsCode::format_error);
}

TEST_CASE("a name has 255 bytes at most") {
    auto const label = "\x3f" + std::string(63, 'a');
    auto const longest = label + label + label + "\x3d" + std::string(61, 'b') + "\0"s;
    CHECK(longest.size() == 255);
    auto const parsed = parse_dns_query(named(longest));
    REQUIRE(parsed);
    CHECK(parsed->name.size() == 253);
    CHECK(dns_answer(*parsed, asio::ip::make_address_v4("198.18.0.1")).size() <= 512);
    CHECK(code_of(named(label + label + label + "\x3e" + std::string(62, 'b') + "\0"s)) == DnsCode::format_error);
    CHECK(code_of(named(label + label + label + label + label + "\0"s)) == DnsCode::format_error);
}

TEST_CASE("a name that no list can have does not exist, and its bytes reach nobody") {
    for (auto const& label : {"a.b"s, "a b"s, "\0a "s, "*aa"s, "\\.a"s, "z\xc3\xa4"s, "a\n "s, "a/b"s}) {
        REQUIRE(label.size() == 3);
        CHECK(code_of(named("\1a\x03" + label + "\3com\0"s)) == DnsCode::no_such_name);
    }
    CHECK(code_of(named("\x04_tcp\3a-b\0"s)) == DnsCode::no_error);
}

TEST_CASE("other kinds of questions are refused in their own way") {
    CHECK(code_of(query(question, "\x29\0\0\x01\0\0\0\0\0\0"s)) == DnsCode::not_implemented);
    CHECK(code_of(query("", "\x29\0\0\0\0\0\0\0\0\0"s)) == DnsCode::not_implemented);
    CHECK(code_of(query("\x07version\4bind\0\0\x10\0\x03"s)) == DnsCode::refused);
    CHECK(code_of(query("\0\0\x02\0\x01"s)) == DnsCode::refused);
    auto const parsed = parse_dns_query(query("\1a\0\0\x1c\0\x01"s));
    REQUIRE(parsed);
    CHECK(parsed->type == 28);
}

TEST_CASE("an answer to a malformed query is a header and nothing else") {
    auto const parsed = parse_dns_query(query("\xc0\x0c\0\x01\0\x01"s));
    REQUIRE(parsed);
    CHECK(dns_answer(*parsed, parsed->code) == "\x12\x34\x81\x81\0\0\0\0\0\0\0\0"s);
}

TEST_CASE("messages over TCP come out as they went in, in any pieces") {
    std::vector<std::string> const messages{query(question), "", "x", std::string(65535, 'y'), "z"};
    std::string bytes;
    for (auto const& message : messages) bytes += dns_framed(message);
    for (auto const piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{1000}, bytes.size()}) {
        DnsStream stream;
        std::vector<std::string> got;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            stream.take(std::string_view(bytes).substr(at, piece));
            while (auto message = stream.next()) got.push_back(*message);
        }
        CHECK(got == messages);
    }
}

} // namespace pfar::proxy_connect
