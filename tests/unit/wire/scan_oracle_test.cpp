// The scanner beside Boost.JSON on thousands of broken and half-broken texts: what one takes, the other takes.
#include "wire/scan.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <random>
#include <string>

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 9> seeds{
    R"({"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,2.5e-3,null,true]}}})",
    R"([{"jsonrpc":"2.0","id":"a\"b","result":{}},{"jsonrpc":"2.0","method":"n"}])",
    "{\"k\\u00e9\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \\ud83d\\ude00\"}",
    R"([[[[[[]]]]], {"":{"":{"":""}}}, -0.0, 1E5, "\\\"\/\b\f\n\r\t"])",
    R"(   {"error" : {"code" : -32000 , "message":"no"} , "id":null}  )",
    R"(-12345.678e+10)",
    R"("just a string with \u0041 in it")",
    R"([true,false,null,0,1,-1,""])",
    R"({"a":{"b":{"c":{"d":[[],{},[{}]]}}}})"};

std::string mutated(std::string text, std::mt19937& random) {
    static constexpr std::string_view bytes =
        "{}[]\",:\\/untrfalse0123456789.-+eE \t\r\n\0\x01\x1f\x7f\x80\xc3\xa9\xed\xa0\xff";
    auto const below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
    for (auto count = 1 + below(3); count != 0; --count) {
        auto const at = below(text.size() + 1), size = below(6);
        switch (below(5)) {
        case 0:
            text.insert(at, 1, bytes[below(bytes.size())]);
            break;
        case 1:
            text.erase(at, size);
            break;
        case 2:
            if (at < text.size()) text[at] = bytes[below(bytes.size())];
            break;
        case 3:
            text.insert(at, text.substr(below(text.size()), size));
            break;
        default:
            text.resize(at);
        }
    }
    return text;
}

/// Boost refuses half a pair of surrogates and exponents out of range; the grammar has both.
bool is_beyond_the_grammar(std::string const& text, boost::system::error_code const& error) {
    static std::string_view const pair = "\\ud83d\\ude00";
    auto rest = text;
    for (auto at = rest.find(pair); at != std::string::npos; at = rest.find(pair)) rest.erase(at, pair.size());
    return error == json::error::exponent_overflow || rest.find("\\ud") != std::string::npos;
}

} // namespace

TEST_CASE("what Boost.JSON takes the scanner takes, and nothing else") {
    std::mt19937 random(20261118);
    unsigned taken = 0, refused = 0;
    for (int i = 0; i < 40000; ++i) {
        auto const text = mutated(std::string(seeds[i % seeds.size()]), random);
        boost::system::error_code error;
        json::parse_options options;
        options.max_depth = pfar::wire::most_depth;
        json::parse(text, error, {}, options);
        if (is_beyond_the_grammar(text, error)) continue;
        CAPTURE(text, error.message());
        bool const same = pfar::wire::scan(text, {}) == !error;
        if (!same) REQUIRE(same); // counted once, not 40,000 times
        ++(error ? refused : taken);
    }
    CHECK(taken > 4000);
    CHECK(refused > 10000);
}

TEST_CASE("a part that was cut out is a JSON value of its own, and the same one") {
    std::mt19937 random(7);
    for (int i = 0; i < 5000; ++i) {
        auto const text = mutated(std::string(seeds[i % 5]), random);
        boost::system::error_code error;
        auto const whole = json::parse(text, error);
        if (error || !whole.is_array()) continue;
        json::array parts;
        pfar::wire::ScanTask task;
        task.element = [&](std::string_view part) { return parts.push_back(json::parse(part)), true; };
        REQUIRE(pfar::wire::scan(text, task));
        REQUIRE(parts == whole.as_array());
    }
}
