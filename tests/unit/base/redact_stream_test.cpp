#include "base/redact_stream.hpp"

#include "unit/base/redact_reference.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

using namespace pfar;

namespace {

test::Secrets const secrets{
    {"key", "s3cr3t/k+y!"}, {"long", "s3cr3t/k+y!and more"}, {"a", "aaaaaaaaab"}, {"hex", "4142 4344"}};

std::vector<std::string> texts() {
    auto const base64 = test::base64("user:s3cr3t/k+y!x");
    return {
        "plain s3cr3t/k+y! and s3cr3t/k+y!and more and s3cr3t/k+y!and less",
        fmt::format("Basic {} and {}==", base64, base64),
        test::base64(std::string(20, 'u') + "s3cr3t/k+y!").insert(20, "\r\n  "),
        "?a=s3cr3t%2Fk%2by%21&b=%73%33cr3t/k+y!and%20more%2",
        R"(log {"t":"s3cr3t\/k\u002by!","u":"{\"v\":\"s3cr3t\\/k+y!\"}"} \\ \ud83d\ude00)",
        "aaaaaaaaaaaaaaaaaaaaaaaaabaaaaaaaaabab",
        "%41%34142 4344 %4142%204344 4142+4344",
        "s3cr3t/k+s3cr3t/k+s3cr3t/k+y!",
    };
}

std::string fed(base::Redactor const& redactor, std::vector<std::string_view> const& chunks) {
    base::RedactingStream stream(redactor);
    std::string out;
    for (auto const chunk : chunks) out += stream.feed(chunk);
    return out + stream.finish();
}

} // namespace

TEST_CASE("wherever a stream is cut, in two, in three or into bytes, the same comes out as for the whole") {
    auto const redactor = test::redactor_for(secrets);
    for (std::string_view const text : texts()) {
        auto const whole = redactor.redact(text);
        INFO(text);
        REQUIRE(whole == test::slowly_redacted(text, secrets));
        for (std::size_t i = 0; i <= text.size(); ++i)
            for (auto j = i; j <= text.size(); ++j)
                REQUIRE(fed(redactor, {text.substr(0, i), text.substr(i, j - i), text.substr(j)}) == whole);
        std::vector<std::string_view> bytes;
        for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
        REQUIRE(fed(redactor, bytes) == whole);
    }
}

TEST_CASE("a line passes at once; only what may become a secret waits") {
    auto const redactor = test::redactor_for(secrets);
    base::RedactingStream stream(redactor);
    CHECK(stream.feed("Listening on port 3000\n") == "Listening on port 3000\n");
    CHECK(stream.feed("key: s3cr3t/") == "key: ");
    CHECK(stream.feed("k+y?\n") == "s3cr3t/k+y?\n");
    CHECK(stream.feed("key: s3cr3t/k+y!") == "key: "); // "and more" may follow
    CHECK(stream.feed("\n") == "[redacted:key]\n");
    CHECK(stream.feed("key: s3cr3t/k+y!and mo") == "key: ");
    CHECK(stream.finish() == "[redacted:key]and mo");
    CHECK(stream.feed("re\n") == "re\n");
}

TEST_CASE("without secrets everything passes as it comes") {
    auto const redactor = test::redactor_for({});
    base::RedactingStream stream(redactor);
    CHECK(stream.feed("abc%2") == "abc%2");
    CHECK(stream.finish().empty());
}

TEST_CASE("whatever is sent without end, little of it is kept") {
    auto const redactor = test::redactor_for(secrets);
    for (std::string_view const unit : {"a", "\\", "%41", "\\u0041", "%", "s3cr3t/k+", "YWFh", "4142 ", "aaaaaaaaab",
                                        "\n", "\r", "=", "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh\n"}) {
        INFO(unit);
        std::string text;
        while (text.size() < 40000) text += unit;
        base::RedactingStream stream(redactor);
        std::string out;
        for (std::size_t at = 0; at < text.size(); at += 700) {
            out += stream.feed(text.substr(at, 700));
            REQUIRE(stream.held() < 2000);
        }
        CHECK(out + stream.finish() == redactor.redact(text).value_or(text));
    }
}

TEST_CASE("a long secret is found in chunks of any size, and one that only begins like it passes in the end") {
    test::Random random(3);
    auto const value = random.text("abcdefghij0123456789", 200000);
    auto const redactor = test::redactor_for({{"big", value}});
    for (std::size_t const size : {1000U, 65536U, 1000000U}) {
        base::RedactingStream stream(redactor);
        auto const text = "<" + value + "> <" + value.substr(0, 150000) + "!> " + test::base64(value) + "\n";
        std::string out;
        for (std::size_t at = 0; at < text.size(); at += size)
            out += stream.feed(std::string_view(text).substr(at, size));
        CHECK(out + stream.finish() == "<[redacted:big]> <" + value.substr(0, 150000) + "!> [redacted:big]\n");
    }
}

TEST_CASE("what was found stays found, although the beginning of its long word has passed") {
    std::string const secret = "kept in base64 and wrapped";
    auto const redactor = test::redactor_for({{"key", secret}});
    auto const encoded = test::base64("cc:" + secret); // of the first line all 16 are needed to see that it is wrapped
    auto const text = " " + encoded.substr(0, 16) + "\\n" + encoded.substr(16) + std::string(600, 'x');
    std::vector<std::string_view> bytes;
    for (std::size_t at = 0; at < text.size(); ++at) bytes.push_back(std::string_view(text).substr(at, 1));
    auto const whole = redactor.redact(text);
    REQUIRE(whole);
    CHECK(fed(redactor, bytes) == *whole);
}
