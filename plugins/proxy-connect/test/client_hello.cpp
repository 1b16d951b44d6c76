// Hellos of real clients in every piece, and hellos made wrong at one place each.
#include "client_hello.hpp"
#include "client_hellos.hpp"
#include "made_hellos.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace pfar::proxy_connect {

namespace {

using namespace std::string_literals;
using namespace hellos;
using State = HelloScan::State;

HelloScan whole(std::string const& bytes) {
    HelloReader reader;
    return reader.take(bytes);
}

// Byte by byte; and nothing is lost on the way.
HelloScan pieces(std::string const& bytes) {
    HelloReader reader;
    for (auto const byte : bytes) reader.take({&byte, 1});
    CHECK(reader.bytes() == bytes);
    return reader.take("");
}

} // namespace

TEST_CASE("the hello of a real client says its server name, in any pieces") {
    for (auto const hex : {hellos::openssl, hellos::openssl_tls10, hellos::openssl_in_records, hellos::curl,
                           hellos::node, hellos::java}) {
        auto const bytes = hellos::from_hex(hex);
        INFO(bytes.size() << " bytes");
        for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 40)
            CHECK(whole(bytes.substr(0, size)).state == State::incomplete);
        for (auto const& scan : {whole(bytes), pieces(bytes), pieces(bytes + "behind it")}) {
            CHECK(scan.state == State::complete);
            CHECK(scan.name == "api.notion.com");
        }
    }
}

TEST_CASE("the longest of them needs more than one packet and more than one record") {
    auto const bytes = hellos::from_hex(hellos::openssl_in_records);
    CHECK(bytes.size() > 1500);
    CHECK(bytes.substr(5 + 512, 3) == "\x16\x03\x01");
}

TEST_CASE("a hello may have no name, no extensions or names that nobody knows") {
    auto const ech = extension(0xfe0d, std::string(200, 'e')),
               grease = extension(0x0a0a, "") + extension(0xdada, "\0"s);
    CHECK(whole(hellos::from_hex(hellos::openssl_nameless)).state == State::complete);
    CHECK_FALSE(whole(hellos::from_hex(hellos::openssl_nameless)).name);
    CHECK(whole(record(message(start))).state == State::complete);
    CHECK(whole(hello("")).state == State::complete);
    CHECK(whole(hello(grease + names(name("Outer.Example")) + ech + grease)).name == "Outer.Example");
}

TEST_CASE("a hello of many records of one byte is still one") {
    auto const bytes = hello(names(name("a.example")));
    std::string split;
    for (auto const byte : bytes.substr(5)) split += record({byte});
    CHECK(whole(split).name == "a.example");
    CHECK(pieces(split).name == "a.example");
}

TEST_CASE("what cannot become a hello is bad at once") {
    for (auto const& text : {
             "G"s,
             "\x15"s,
             "\x17"s,
             "\x80"s,
             "\0"s,
             "\x16\x02"s,
             "\x16\x04"s,
             "\x16\x03\x01\0\0"s,
             "\x16\x03\x01\x40\x01"s,
             "\x16\x03\x01\xff\xff"s,
             "\x16\x03\x01\0\x05\x02"s,
             "\x16\x03\x01\0\x05\0"s,
             "\x16\x03\x01\0\x05\x01\x01\0\0"s,
             "\x16\x03\x01\0\x05\x01\0\xff\xfd"s,
             "\x16\x03\x01\0\x06\x01\0\0\x01"s,
             record("\x01\0"s) + "\x17",
             record("\x01\0"s) + "\x16\x03\x01\0\0"s,
         }) {
        INFO(text.size());
        CHECK(whole(text).state == State::bad);
        CHECK(pieces(text).state == State::bad);
        CHECK(whole(text.substr(0, text.size() - 1)).state == State::incomplete);
    }
}

TEST_CASE("a hello whose lengths do not fit is bad") {
    auto const good = start + block(2, names(name("a.example")) + extension(16, "alpn"));
    REQUIRE(whole(record(message(good))).state == State::complete);
    for (std::size_t size = 0; size < good.size(); ++size) {
        INFO(size);
        if (size != start.size()) CHECK(whole(record(message(good.substr(0, size)))).state == State::bad);
    }
    CHECK(whole(record(message(good + "x"))).state == State::bad);
    CHECK(whole(record(message(good) + "x")).state == State::bad);
    CHECK(whole(record(message(good) + message(good))).state == State::bad);
    auto const version = "\x03\x03" + std::string(32, 'r'), suites = block(2, "\x13\x01");
    for (auto const& body : {
             "\x02\x03"s + start.substr(2),
             version + block(1, std::string(33, 's')) + suites + block(1, "\0"s),
             version + block(1, "") + block(2, "") + block(1, "\0"s),
             version + block(1, "") + block(2, "abc") + block(1, "\0"s),
             version + block(1, "") + suites + block(1, ""),
         })
        CHECK(whole(record(message(body))).state == State::bad);
}

TEST_CASE("a server name is said once, as a name") {
    CHECK(whole(hello(names(name(std::string(255, 'a'))))).state == State::complete);
    for (auto const& extensions : {
             names(name("a")) + names(name("a")),
             names(name("a")) + extension(16, "x") + names(name("b")),
             names(name("a") + name("b")),
             names(name("a") + name("b", '\x01')),
             names(name("a", '\x01')),
             names(""),
             names(name("")),
             names(name("a") + "x"),
             names(name("a")).substr(0, 8),
             extension(0, ""),
             extension(0, block(2, name("a")) + "x"),
             extension(0, number(9, 2) + name("a")),
             names(name("a\0b"s)),
             names(name("a b")),
             names(name("a\n")),
             names(name("a\x7f")),
             names(name("\xc3\xa4")),
             names(name("a:443")),
             names(name("a/b")),
             names(name("*.a")),
             names(name(std::string(256, 'a'))),
         }) {
        CHECK(whole(hello(extensions)).state == State::bad);
        CHECK_FALSE(whole(hello(extensions)).name);
    }
}

TEST_CASE("a hello that never ends is bad in the end") {
    std::string split;
    auto const bytes = message(start + block(2, extension(21, std::string(60000, '\0'))));
    for (auto const byte : bytes) split += record({byte});
    CHECK(whole(split).state == State::bad);
    std::string in_two;
    for (std::size_t at = 0; at < bytes.size(); at += 16384) in_two += record(bytes.substr(at, 16384));
    CHECK(whole(in_two).state == State::complete);
}

TEST_CASE("the alert is fatal, and says unrecognized_name") {
    CHECK(alert_unrecognized_name.size() == 7);
    CHECK(static_cast<int>(alert_unrecognized_name[5]) == 2);
    CHECK(static_cast<int>(alert_unrecognized_name[6]) == 112);
}

} // namespace pfar::proxy_connect
