#include "unit/base/redact_reference.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

using namespace pfar;

namespace {

std::string const token = "ghp_q8Zr/2+Lm0 kT7&x\"Y";

std::string redacted(test::Secrets const& secrets, std::string_view text) {
    return test::redactor_for(secrets).redact(text).value_or("unchanged");
}

std::string redacted(std::string_view text) {
    return redacted({{"github", token}}, text);
}

std::string url_safe(std::string text) {
    for (auto& character : text) character = character == '+' ? '-' : character == '/' ? '_' : character;
    return text;
}

std::string folded(std::string const& text, std::size_t width, std::string const& line_break) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += width) out += text.substr(at, width) + line_break;
    return out;
}

} // namespace

TEST_CASE("a secret is replaced by its name and everything else stays") {
    CHECK(redacted("token=" + token + "; next\xff\n") == "token=[redacted:github]; next\xff\n");
    CHECK(redacted(token) == "[redacted:github]");
    CHECK(redacted(token + token) == "[redacted:github][redacted:github]");
    CHECK_FALSE(test::redactor_for({{"github", token}}).redact("nothing in here, 100% sure\n"));
    CHECK_FALSE(test::redactor_for({{"github", token}}).redact(""));
    CHECK(test::redactor_for({}).empty());
    CHECK(test::redactor_for({{"none", ""}, {"blank", "\n"}}).empty());
}

TEST_CASE("only a whole secret is redacted: neither a part of it nor another one with the same beginning") {
    std::string const header = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJz"; // of every token that this issuer signs
    auto const redactor = test::redactor_for({{"jwt", header + "dWIiOiIxMjM0NTY3ODkwIn0"}});
    CHECK_FALSE(redactor.redact(header + "dWIiOiIxMjM0NTY3ODkwIm0"));
    CHECK_FALSE(redactor.redact(test::base64("x" + header + "dWIiOiIxMjM0NTY3ODkwIm0")));
    CHECK_FALSE(redactor.redact(header + "dWIiOiIxMjM0NTY3ODkwIn"));
    CHECK_FALSE(redactor.redact(header));
    CHECK(redactor.redact(header + header + "dWIiOiIxMjM0NTY3ODkwIn0") == header + "[redacted:jwt]");
}

TEST_CASE("base64 is seen through at every alignment and in both alphabets, with its neighbours and padding") {
    for (std::size_t before = 0; before < 6; ++before) {
        for (std::size_t after = 0; after < 4; ++after) {
            auto const text = test::base64(std::string(before, 'u') + token + std::string(after, 'z'));
            auto const lead = text.substr(0, before * 8 / 6);
            INFO(text);
            auto const out = redacted("Basic " + text + ".");
            CHECK(out.starts_with("Basic " + lead + "[redacted:github]"));
            CHECK(out.size() <= std::string("Basic [redacted:github].").size() + lead.size() + after * 8 / 6 + 4);
            CHECK(out == redacted("Basic " + url_safe(text) + "."));
        }
    }
}

TEST_CASE("where the two alphabets of base64 differ, both are seen through") {
    std::string const value = "\xef\xef???~\xef>\xfb\xef\xfb\xef~~\xfe>";
    for (std::size_t before = 0; before < 3; ++before) {
        auto const text = test::base64(std::string(before, 'u') + value);
        REQUIRE(text.find('+') != std::string::npos);
        REQUIRE(text.find('/') != std::string::npos);
        CHECK(redacted({{"key", value}}, "<" + text + ">").ends_with("[redacted:key]>"));
        CHECK(redacted({{"key", value}}, "<" + url_safe(text) + ">").ends_with("[redacted:key]>"));
    }
}

TEST_CASE("base64 in lines is seen through, and a word at the end of a line is not taken for it") {
    auto const text = test::base64(std::string(200, 'u') + token + std::string(100, 'z'));
    for (std::size_t const width : {16, 60, 64, 76})
        for (auto const* const line_break : {"\n", "\r\n", "\n    ", "\n\t               ", "\\n", "%0A", "%0D%0A"}) {
            INFO(width << line_break);
            CHECK(redacted(folded(text, width, line_break)).find("[redacted:github]") != std::string::npos);
        }
    auto const core = test::base64(token);
    CHECK_FALSE(test::redactor_for({{"github", token}}).redact("see " + core.substr(0, 8) + "\n" + core.substr(8)));
}

TEST_CASE("URL-encoding is seen through in every dialect") {
    for (auto const* const text :
         {"ghp_q8Zr%2F2%2BLm0%20kT7%26x%22Y", "ghp_q8Zr%2f2%2bLm0+kT7%26x%22Y", "ghp_q8Zr/2+Lm0%20kT7&x\"Y",
          "%67%68%70%5F%71%38%5A%72%2F%32%2B%4C%6D%30%20%6B%54%37%26%78%22%59", "ghp%5fq8Zr%2F2%2bLm0 kT7%26x%22Y"})
        CHECK(redacted(fmt::format("?key={}&x", text)) == "?key=[redacted:github]&x");
}

TEST_CASE("what looks like half an escape before a secret does not hide it") {
    test::Secrets const secrets{{"key", "41b/cdefgh"}};
    CHECK(redacted(secrets, "abc%241b/cdefgh") == "abc%2[redacted:key]");
    CHECK(redacted(secrets, "abc%%34%31b%2Fcdefgh") == "abc%[redacted:key]");
    CHECK(redacted(secrets, "abc%2%341b%2Fcdefgh") == "abc%2[redacted:key]");
    CHECK(redacted(secrets, "abc%41b%2Fcdefgh") == "abc%[redacted:key]");
    CHECK(redacted(secrets, "abc%241b%2Fcdefgh%2") == "abc%2[redacted:key]%2");
    CHECK(redacted(secrets, "abc\\41b\\/cdefgh\\") == "abc\\[redacted:key]\\");
}

TEST_CASE("a secret with line breaks is found in the JSON of a log line, and without those at its end") {
    test::Secrets const secrets{{"pem", "-----BEGIN KEY-----\nMIIEvQ+/==\n-----END KEY-----\n"}};
    CHECK(redacted(secrets, R"(got {"key":"-----BEGIN KEY-----\nMIIEvQ+\/==\n-----END KEY-----\n"})") ==
          R"(got {"key":"[redacted:pem]\n"})");
    CHECK(redacted(secrets, R"("-----BEGIN KEY-----\u000aMIIEvQ\u002b/\u003d=\n-----END KEY-----")") ==
          R"("[redacted:pem]")");
    CHECK(redacted(secrets, "-----BEGIN KEY-----\nMIIEvQ+/==\n-----END KEY-----") == "[redacted:pem]");
}

TEST_CASE("of secrets that overlap, the leftmost and then the longest gives the name, and nothing of either remains") {
    test::Secrets const secrets{
        {"short", "abcdefgh"}, {"long", "abcdefghijkl"}, {"later", "ghijklmnop"}, {"inner", "cdefghij"}};
    CHECK(redacted(secrets, "<abcdefgh>") == "<[redacted:short]>");
    CHECK(redacted(secrets, "<abcdefghijkl>") == "<[redacted:long]>");
    CHECK(redacted(secrets, "<abcdefghijklmnop>") == "<[redacted:long]>");
    CHECK(redacted(secrets, "<xcdefghijklmnop>") == "<x[redacted:inner]>");
    CHECK(redacted(secrets, "<abcdefghghijklmnop>") == "<[redacted:short][redacted:later]>");
    CHECK(redacted({{"first", "samevalue"}, {"second", "samevalue"}}, "samevalue") == "[redacted:first]");
    CHECK(redacted({{"a", "aaaaaaaa"}}, std::string(100000, 'a')) == "[redacted:a]");
}

TEST_CASE("a secret that is short is found as it is and URL-encoded") {
    CHECK(redacted({{"pin", "0a7"}}, "pin 0a7, %30a%37, 0b7") == "pin [redacted:pin], [redacted:pin], 0b7");
    CHECK(redacted({{"one", "x"}}, "axb") == "a[redacted:one]b");
    CHECK(redacted({{"five", "hello"}}, test::base64("hello")) == "[redacted:five]");
}

TEST_CASE("a URL is found as it is, encoded once more, and decoded by who got it") {
    test::Secrets const secrets{{"db", "postgres://u:p%40ss@db/x"}};
    CHECK(redacted(secrets, "to postgres://u:p%40ss@db/x.") == "to [redacted:db].");
    CHECK(redacted(secrets, "to postgres%3A%2F%2Fu%3Ap%2540ss%40db%2Fx.") == "to [redacted:db].");
    CHECK(redacted(secrets, "to postgres://u:p@ss@db/x.") == "to [redacted:db].");
}

TEST_CASE("a name that could break JSON or a terminal is made harmless") {
    CHECK(redacted({{"a\"b\\c\x1b d", token}}, token) == "[redacted:a_b_c__d]");
}

TEST_CASE("a secret of any length is found, at any place of a long text") {
    test::Random random(1);
    for (std::size_t const size : {8U, 40U, 3000U, 70000U}) {
        test::Secrets const secrets{{"it", random.text("abcdef /+%", size)}};
        auto const redactor = test::redactor_for(secrets);
        for (int way = 0; way < 6; ++way) {
            auto const unit = fmt::format("<{}> ", test::written(secrets[0].second, random));
            auto const expected = redactor.redact(unit);
            INFO(size << " " << unit.substr(0, 300));
            REQUIRE(expected);
            REQUIRE(expected->size() < 40);
            std::string text, out;
            while (text.size() < 300000 + 3 * unit.size()) text += unit, out += *expected;
            REQUIRE(redactor.redact(text) == out);
        }
    }
}
