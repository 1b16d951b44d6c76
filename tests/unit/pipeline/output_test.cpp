// What comes back: the label is put in, and nothing else is touched; what could be understood in two ways is not passed on.
#include "pipeline/output.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using pipeline::check_output;
using pipeline::read_output;

namespace {

std::string labelled(std::string result, base::Label label) {
    auto const output = pipeline::read_output(result);
    if (output) pipeline::put_label(result, *output, label);
    return result;
}

constexpr auto internal = base::Label::internal;

pipeline::Tool tool_with(std::string const& schema) {
    pipeline::Tool out;
    out.name = "t", out.output = pipeline::SchemaSlot(schema);
    return out;
}

bool fits(std::string const& schema, std::string const& result) {
    auto const output = read_output(result);
    return output && check_output(tool_with(schema), *output);
}

std::string label_in(std::string const& result) {
    auto const parsed = boost::json::parse(result);
    return std::string(parsed.at("_meta").at("pfar/label").as_string());
}

} // namespace

TEST_CASE("a result gets its label behind everything else") {
    CHECK(labelled(R"({"content":[]})", internal) == R"({"content":[],"_meta":{"pfar/label":"internal"}})");
    CHECK(labelled("{}", base::Label::open) == R"({"_meta":{"pfar/label":"public"}})");
    CHECK(labelled("{ \n}", internal) == "{ \n\"_meta\":{\"pfar/label\":\"internal\"}}");
    CHECK(labelled(R"({"_meta":{}, "content":[] })", internal) ==
          R"({"_meta":{"pfar/label":"internal"}, "content":[] })");
    CHECK(labelled(R"({"_meta":{"a":1}})", base::Label::secret) == R"({"_meta":{"a":1,"pfar/label":"secret"}})");
}

TEST_CASE("everything else of a result stays as it came, byte for byte") {
    for (auto const* const body :
         {R"("z":1,"a":2,"content":[{"type":"text","text":"\u00fc\/ü😀\ud800"}])",
          R"( "n" : 123456789012345678901234567890.000e-1 ,"m":1E400,"k":-0,"structuredContent":{"b":1,"a":[ ]})",
          "\t\"content\":\t[1,\t2]", R"("x":{"_meta":{"pfar/label":"theirs"}},"content":[])"}) {
        auto const out = labelled("{" + std::string(body) + "}", internal);
        CHECK(out == "{" + std::string(body) + R"(,"_meta":{"pfar/label":"internal"}})");
    }
    std::string const meta = R"({ "b":1e999, "a" : "\u0041" , "io.x/y":[{}] })";
    auto const out = labelled(R"({"_meta":)" + meta + "}", internal);
    CHECK(out.starts_with(R"({"_meta":)" + meta.substr(0, meta.size() - 1)));
    CHECK(label_in(out) == "internal");
}

TEST_CASE("a server does not say its own label, in whatever spelling") {
    for (auto const* const claim :
         {R"("pfar/label":"public")", R"("pf\u0061r/label":"public")", R"("pfar\/label":"public")",
          R"("\u0070\u0066\u0061\u0072\u002f\u006c\u0061\u0062\u0065\u006c":"public")", R"("pfar/other":1)",
          R"("pfar/label":"public","pfar/label":"public")", R"("pfar/label":{"deep":[1]},"pf\u0061r/label":2)"}) {
        auto const out = labelled(R"({"_meta":{"keep":[1, 2],)" + std::string(claim) + "}}", base::Label::secret);
        INFO(out);
        CHECK(out == R"({"_meta":{"keep":[1, 2],"pfar/label":"secret"}})");
        auto const alone = labelled(R"({"_meta":{)" + std::string(claim) + "}}", base::Label::secret);
        CHECK(alone == R"({"_meta":{"pfar/label":"secret"}})");
    }
}

TEST_CASE("names that only look like ours stay") {
    auto const out = labelled(R"({"_meta":{"pfar":1,"xpfar/label":2,"Pfar/label":3,"pfar\\/label":4}})", internal);
    CHECK(out == R"({"_meta":{"pfar":1,"xpfar/label":2,"Pfar/label":3,"pfar\\/label":4,"pfar/label":"internal"}})");
}

TEST_CASE("a _meta that is no object is replaced by the label") {
    for (auto const* const meta : {"null", "[]", "7", R"("pfar/label")", "true"})
        CHECK(labelled(R"({"_meta":)" + std::string(meta) + R"(,"content":[]})", internal) ==
              R"({"_meta":{"pfar/label":"internal"},"content":[]})");
}

TEST_CASE("a _meta of very many members keeps them all") {
    std::string meta = "{";
    for (int i = 0; i < 1500; ++i) meta += fmt::format("{}\"k{}\":{}", i == 0 ? "" : ",", i, i);
    auto const out = labelled(R"({"_meta":)" + meta + "}}", internal);
    bool const whole = out == R"({"_meta":)" + meta + R"(,"pfar/label":"internal"}})";
    CHECK(whole);
}

TEST_CASE("a result that is no object, or could be understood in two ways, cannot be used") {
    for (auto const* const bad :
         {"", "null", "[]", "7", R"("x")", "{", R"({"isError":false,"isError":true})", R"({"is\u0045rror":true})",
          R"({"isError":false,"is\u0045rror":true})", R"({"structuredContent":{},"structuredContent":{"a":1}})",
          R"({"structuredContent":{},"structuredC\u006fntent":{"a":1}})", R"({"_meta":{},"_meta":{}})",
          R"({"content":[],"content":[]})", R"({"\u005fmeta":{"pfar/label":"public"}})"}) {
        INFO(bad);
        CHECK_FALSE(read_output(bad));
        CHECK(labelled(bad, internal) == bad); // and is not touched
    }
}

TEST_CASE("whether it says that it failed is true or nothing") {
    CHECK(read_output(R"({"isError":true})").value().says_error);
    for (auto const* const not_so :
         {"{}", R"({"isError":false})", R"({"isError":"true"})", R"({"isError":1})", R"({"x":{"isError":true}})"})
        CHECK_FALSE(read_output(not_so).value().says_error);
}

TEST_CASE("what is in it is found as it stands there") {
    std::string const text = R"({"content":[], "structuredContent" : { "a":1 } , "_meta":{"x":1}})";
    auto const output = read_output(text).value();
    CHECK(output.structured == R"({ "a":1 })");
    CHECK(output.meta == R"({"x":1})");
}

TEST_CASE("an output is judged by its schema, and what breaks it is named by a pointer") {
    std::string const schema =
        R"({"type":"object","properties":{"list":{"items":{"type":"integer"}},"n":{"maximum":10}},"required":["list"]})";
    CHECK(fits(schema, R"({"structuredContent":{"list":[1,2]}})"));
    CHECK(fits(schema, R"({"structuredContent":{"list":[123456789012345678901234567890]}})"));
    CHECK_FALSE(fits(schema, R"({"structuredContent":{"list":[],"n":1e400}})"));
    CHECK_FALSE(fits(schema, R"({"structuredContent":null})"));
    CHECK_FALSE(fits(schema, R"({"structuredContent":{}})"));
    auto const result = std::string(R"({"structuredContent":{"list":[1,"x"]}})");
    auto const output = read_output(result).value();
    auto const checked = check_output(tool_with(schema), output);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == Errc::invalid);
    CHECK(checked.error().what.find("/list/1") != std::string::npos);
}

TEST_CASE("an output without structured content breaks a schema, unless the tool failed or has none") {
    CHECK_FALSE(fits("{}", R"({"content":[]})"));
    CHECK(fits("{}", R"({"content":[],"isError":true})"));
    CHECK_FALSE(fits("{}", R"({"content":[],"isError":"true"})"));
    CHECK(fits("", R"({"content":[]})"));
    CHECK(fits("", R"({"structuredContent":{"anything":1}})"));
}
