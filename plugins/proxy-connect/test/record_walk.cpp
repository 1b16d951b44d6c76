#include "record_walk.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace pfar::proxy_connect {

namespace {

std::string record(char type, std::string const& body) {
    return std::string{type, 3, 3, static_cast<char>(body.size() >> 8U), static_cast<char>(body.size())} + body;
}

struct Seen {
    std::string passed, kept;
    bool found, over;
};

/// In pieces of this size, what is kept coming again in front of the next.
Seen walk(std::string const& bytes, std::size_t piece, bool early_data = false, std::size_t skip = 0) {
    RecordWalk walk(skip, early_data);
    Seen seen{"", "", false, false};
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        seen.kept += bytes.substr(at, piece);
        if (walk.found()) continue;
        auto const free = walk.take(seen.kept);
        seen.passed += seen.kept.substr(0, free);
        seen.kept.erase(0, free);
    }
    seen.found = walk.found(), seen.over = walk.over();
    return seen;
}

std::string const cipher_spec = record(20, "\x01"), second = record(22, "\x01hello"),
                  key_exchange = record(22, "\x10key");

} // namespace

TEST_CASE("a second hello is found behind whatever may come before it, in any pieces") {
    for (std::size_t const piece : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{1000}}) {
        CAPTURE(piece);
        for (auto const& before : {std::string(), cipher_spec, record(21, "\x01\x00"), cipher_spec + cipher_spec}) {
            auto const seen = walk("first" + before + second, piece, false, 5);
            CHECK(seen.found);
            CHECK(seen.passed == "first" + before);
            CHECK(seen.kept == second);
        }
        auto const early = walk(record(23, "data") + second, piece, true);
        CHECK((early.found && early.kept == second));
    }
}

TEST_CASE("what cannot be followed by a second hello ends the walk and goes on as it is") {
    for (std::size_t const piece : {std::size_t{1}, std::size_t{1000}}) {
        CAPTURE(piece);
        for (auto const& rest :
             {key_exchange + cipher_spec, cipher_spec + record(23, "encrypted"), std::string("garbage")}) {
            auto const seen = walk(rest + "more", piece);
            CHECK(seen.over);
            CHECK_FALSE(seen.found);
            CHECK(seen.passed + seen.kept == rest + "more");
        }
    }
}

TEST_CASE("an empty handshake record is given to the reader, which refuses it") {
    CHECK(walk(record(22, ""), 1).found);
}

} // namespace pfar::proxy_connect
