// What goes through comes out as it went in: numbers that no double holds, the order of keys, spaces, escapes, unknown members.
#include "gateway/agent.hpp"
#include "support/temp_dir.hpp"

using namespace test;

namespace {

constexpr char const* odd =
    R"({"z":1,"a":12345678901234567890123456789.000000000000000000001,"content":[ {"type":"text","text":"\u00e4 ä \ud83d\ude00 \/ "} ],"unknown":{"b":1E400,"a":-0.0},"_meta":{"x/y":[1,2 ,3]}})";

/// The line that answers this id.
std::string line_for(Agent const& agent, std::string const& id) {
    auto const& all = agent.everything();
    auto const at = all.find("\"id\":" + id + ",");
    if (at == std::string::npos) return "";
    auto const begin = all.rfind('\n', at) + 1;
    return all.substr(begin, all.find('\n', at) - begin);
}

} // namespace

TEST_CASE("a result goes on byte for byte, with the label behind everything else") {
    HostStage stage(somebody());
    stage.server("a", {{"--raw-result", odd}, "", ""});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    Agent agent(stage);
    agent.send_raw(R"({"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"a__raw"}})"
                   "\n");
    REQUIRE_FALSE(agent.wait(901).empty());
    auto expected = std::string(odd);
    expected.insert(expected.size() - 2, R"(,"pfar/label":"internal")");
    CHECK(line_for(agent, "901") == R"({"jsonrpc":"2.0","id":901,"result":)" + expected + "}");
}

TEST_CASE("params reach the server byte for byte, but for the name and the token") {
    HostStage stage(somebody());
    stage.server("a");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    Agent agent(stage);
    agent.send_raw(
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{ "later":[1.0e5], "arguments":{"z":18446744073709551617,"a":"\u0041"},"name":"a__heard","_meta":{"progressToken":"mine","k":"v"}}})"
        "\n");
    auto const called = HostStage::called(agent.wait(7));
    REQUIRE(called.ok);
    auto const at = called.text.find("\"params\":");
    REQUIRE(at != std::string::npos);
    CHECK(called.text.substr(at).starts_with(
        R"("params":{ "later":[1.0e5], "arguments":{"z":18446744073709551617,"a":"\u0041"},"name":"heard","_meta":{"progressToken":)"));
    CHECK(called.text.ends_with(R"(,"k":"v"}}})"));
}

TEST_CASE("a schema that is made to be slow, endless or from elsewhere harms nobody") {
    auto const schema = GENERATE(
        R"~({"properties":{"x":{"pattern":"^(a|b|ab)*$"}}})~", R"~({"properties":{"x":{"pattern":"(a+)+$"}}})~",
        R"~({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})~",
        R"~({"properties":{"x":{"$ref":"https://evil.example.com/x.json"}}})~",
        R"~({"properties":{"x":{"pattern":"(?=lookahead)"}}})~");
    HostStage stage(somebody());
    stage.server("a", {{"--input-schema", schema}, "", ""});
    stage.server("b");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    REQUIRE(stage.reaches("b", "running"));
    Agent agent(stage);
    auto const first = agent.begin_call("a__shaped", {{"x", std::string(400'000, 'a') + "c"}});
    CHECK(agent.call("b__echo", {{"text", "still here"}}).text == "still here");
    CHECK_FALSE(agent.wait(first).empty());
}

TEST_CASE("arguments are checked before anything is sent, and a result that breaks its schema is withheld") {
    HostStage stage(somebody());
    stage.server(
        "a",
        {{"--input-schema",
          R"({"type":"object","properties":{"structured":{},"n":{"type":"integer"}},"additionalProperties":false})",
          "--output-schema", R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})"},
         "",
         ""});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    Agent agent(stage);
    auto const wrong = agent.call("a__shaped", {{"n", "three"}});
    CHECK_FALSE(wrong.ok);
    CHECK(wrong.is_result);
    CHECK(wrong.text.find("/n") != std::string::npos);
    CHECK(agent.call("a__shaped", {{"structured", {{"n", 3}}}}).ok);
    auto const withheld = agent.call("a__shaped", {{"structured", {{"n", "hidden words"}}}});
    CHECK_FALSE(withheld.ok);
    CHECK(withheld.text.find("/n") != std::string::npos);
    CHECK(withheld.text.find("hidden words") == std::string::npos);
    CHECK(stage.end() == 0);
    std::string record;
    for (auto const& file : std::filesystem::directory_iterator(stage.pfar_home() / "audit"))
        if (file.path().extension() == ".jsonl") record += read(file.path());
    CHECK(record.find("hidden words") != std::string::npos); // the original is in the record
    CHECK(record.find("withheld") != std::string::npos);
}
