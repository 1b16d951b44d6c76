#include "audit/excerpt.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace pfar::audit;

TEST_CASE("what is short stands in the record as it is") {
    CHECK(excerpt_members("arguments", R"({"a": 1})") == R"("arguments":{"a": 1})");
    CHECK(excerpt_members("arguments", "null") == R"("arguments":null)");
    CHECK(excerpt_members("arguments", R"("12345")", 7) == R"("arguments":"12345")");
    CHECK(excerpt_members("arguments", "").empty());
}

TEST_CASE("of what is long there is the beginning, the size and a digest of the whole") {
    auto const json = R"({"text":"a \"quoted\" )" + std::string(5000, 'x') + "\"}";
    auto const out = boost::json::parse("{" + excerpt_members("result", json) + "}").as_object();
    CHECK(out.at("result").as_string() == json.substr(0, 4096));
    CHECK(out.at("result_bytes").as_int64() == static_cast<std::int64_t>(json.size()));
    CHECK(out.at("result_digest").as_string().size() == 64);
    auto const other = boost::json::parse("{" + excerpt_members("result", json + " ") + "}").as_object();
    CHECK(other.at("result_digest") != out.at("result_digest"));
    // printf '"abc"' | sha256sum
    auto const known = boost::json::parse("{" + excerpt_members("a", R"("abc")", 2) + "}").as_object();
    CHECK(known.at("a").as_string() == "\"a");
    CHECK(known.at("a_digest").as_string() == "6cc43f858fbb763301637b5af970e2a46b46f461f27e5a0f41e009c59b827b25");
}

TEST_CASE("no character is cut in two") {
    std::string const json = "\"\u20ac\u20ac\""; // three bytes each
    for (std::size_t most = 0; most < json.size(); ++most) {
        auto const out = boost::json::parse("{" + excerpt_members("a", json, most) + "}").as_object();
        CHECK(out.at("a").as_string().size() <= most);
        CHECK(json.starts_with(std::string_view(out.at("a").as_string())));
    }
}
