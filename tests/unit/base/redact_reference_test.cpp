// Random texts over few characters, where matches, escapes and near misses are everywhere: the quick way does what the slow one does.
#include "base/redact_stream.hpp"
#include "base/text.hpp"
#include "unit/base/redact_reference.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

namespace {

std::string text_with(test::Secrets const& secrets, std::string_view alphabet, test::Random& random) {
    std::string text;
    for (auto parts = 1 + random.below(5); parts != 0; --parts) {
        text += random.text(alphabet, random.below(30));
        auto const& value = secrets[random.below(secrets.size())].second;
        auto const piece = random.below(3) == 0 ? value : test::written(value, random);
        text += random.below(4) == 0 ? piece.substr(0, random.below(piece.size() + 1)) : piece;
    }
    return text + random.text(alphabet, random.below(30));
}

/// What escapes may stand for, most of it in no secret: between secrets, and within them.
std::string strewn(test::Secrets const& secrets, test::Random& random) {
    static constexpr char const* pieces[] = {
        "\\n",   "\\\"", "\\t",      "\\r\\n",    "\\u003c", "\\u00e9", "\\u000a", "\\\\",       "\\\\n", "%0A", " ",
        "word ", "\n",   "\\\\\\\"", "\\u005c\"", "ab12",    "QUJD",    "=",       "\\u0020\\t", "%",     "\\"};
    auto const some = [&](std::size_t most) {
        std::string out;
        for (auto count = random.below(most); count != 0; --count) out += pieces[random.below(std::size(pieces))];
        return out;
    };
    std::string text = some(30);
    for (auto parts = 1 + random.below(3); parts != 0; --parts) {
        auto piece = test::written(secrets[random.below(secrets.size())].second, random);
        if (random.below(3) == 0) piece.insert(random.below(piece.size() + 1), some(2));
        text += piece + some(20);
    }
    return random.below(3) == 0 ? test::json_escaped(text, random) : text;
}

std::string streamed(base::Redactor const& redactor, std::string_view text, test::Random& random) {
    base::RedactingStream stream(redactor);
    std::string out;
    for (auto const most = 1 + random.below(20); !text.empty();) {
        auto const size = std::min(text.size(), random.below(most) + 1);
        out += stream.feed(text.substr(0, size));
        text.remove_prefix(size);
    }
    return out + stream.finish();
}

void compare(std::string_view alphabet, std::size_t shortest, unsigned seed) {
    test::Random random(seed);
    test::Secrets secrets;
    for (auto count = 1 + random.below(4); count != 0; --count)
        secrets.emplace_back(std::string(1, static_cast<char>('A' + count)),
                             random.text(alphabet, shortest + random.below(8)));
    auto const redactor = test::redactor_for(secrets);
    for (int round = 0; round < 12; ++round) {
        auto const text = text_with(secrets, alphabet, random);
        auto const expected = test::slowly_redacted(text, secrets);
        auto const whole = redactor.redact(text).value_or(text), chunks = streamed(redactor, text, random);
        INFO("seed " << seed << ", alphabet " << base::printable(alphabet) << "\ntext     " << base::printable(text)
                     << "\nexpected " << base::printable(expected) << "\nwhole    " << base::printable(whole)
                     << "\nstream   " << base::printable(chunks));
        bool const same = whole == expected, same_in_chunks = chunks == expected;
        REQUIRE(same);
        REQUIRE(same_in_chunks);
    }
}

} // namespace

TEST_CASE("redaction and streams do on random texts what the slow obvious way does") {
    for (unsigned seed = 0; seed < 8; ++seed)
        for (auto const* const alphabet :
             {"ab%2=", "a4%1", "ab\\\"u0", "ab+/ %2B", "xyz0123456789ABCDEF%\n", "aA9-_%\r\n \\", "?>~\xff\xfe%+/"})
            compare(alphabet, 8, seed);
}

TEST_CASE("short secrets are redacted by the same rules") {
    for (unsigned seed = 0; seed < 8; ++seed)
        for (auto const* const alphabet : {"ab%2=", "a4%1", "ab\\\"u0"}) compare(alphabet, 1, seed);
}

TEST_CASE("escapes that need not be undone hide nothing") {
    for (unsigned seed = 0; seed < 60; ++seed)
        for (auto const* const alphabet : {"abcdef0123456789", "abAB+/09", "ab\\\"u0", "ab\n\t ", "ab\"{}:,"}) {
            test::Random random(seed);
            test::Secrets const secrets{{"A", random.text(alphabet, 8 + random.below(30))}};
            auto const text = strewn(secrets, random);
            INFO("seed " << seed << ", alphabet " << base::printable(alphabet) << "\ntext " << base::printable(text));
            CHECK(test::redactor_for(secrets).redact(text).value_or(text) == test::slowly_redacted(text, secrets));
        }
}
