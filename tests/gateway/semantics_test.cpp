// Semantics scripts as agents and the owner live them: a rule lets a call run without asking, or makes it ask, and `pfar tools` says which.
#include "gateway/agent.hpp"

using namespace test;

namespace {

constexpr char const* rules = R"(
rule { name = "short notes are harmless", tool = "write_file", arguments = true,
  decide = function(call) if #call.arguments.text < 4 then return "read" end end }
rule { name = "echo is loud", tool = "echo", decide = function(call) assert(call.hint) return "write" end }
rule { name = "breaks on long ones", tool = "write_file", arguments = true,
  decide = function(call) if #call.arguments.text > 20 then return call.nothing.here end end }
rule { name = "half done", tool = "pid", decide = function(call) return call.nothing.here end }
)";

class Ruled : public HostStage {
public:
    Ruled() : HostStage(somebody()) {
        write("home/.pfar/pfar.toml", "[policy]\napprove = \"write\"\napprove_without_terminal = true\n");
        write("home/.pfar/scripts/semantics.lua", rules);
        server("a");
        REQUIRE(begin());
        REQUIRE(reaches("a", "running"));
    }
    json::object tool(std::string const& name) {
        auto const tools = ask("tools", {{"server", "a"}});
        for (auto const& one : tools.as_array())
            if (one.at("name").as_string() == "a." + name) return one.as_object();
        return {};
    }
    std::string word(std::string const& name) { return std::string(tool(name).at("semantics").as_string()); }
    std::string why(std::string const& name) { return std::string(tool(name).at("why").as_string()); }
    std::size_t open() { return ask("approvals").as_array().size(); }
};

bool says(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a rule decides by arguments whether a call asks") {
    Ruled stage;
    Agent agent(stage);
    CHECK(agent.call("a__write_file", {{"path", "/state/one"}, {"text", "one"}}).ok);
    CHECK(stage.open() == 0);
    agent.begin_call("a__write_file", {{"path", "/state/two"}, {"text", "a longer one"}});
    CHECK(stage.soon([&] { return stage.open() == 1; }));
    agent.begin_call("a__echo", {{"text", "x"}}); // its hint says that it reads, the owner's rule that it writes
    CHECK(stage.soon([&] { return stage.open() == 2; }));
}

TEST_CASE("whoever is asked because of a script's mistake is told so, and so is who looks at the tool afterwards") {
    Ruled stage;
    Agent agent(stage);
    agent.begin_call("a__write_file", {{"path", "/state/long"}, {"text", "one that is longer than twenty"}});
    CHECK(stage.soon([&] { return stage.open() == 1; }));
    auto const asked = json::serialize(stage.ask("approvals"));
    INFO(asked);
    CHECK(says(asked, "whether it writes is not known: "));
    CHECK(says(asked, "semantics.lua:5: breaks on long ones made a mistake: "));
    CHECK(says(stage.why("write_file"), "the last time "));
    CHECK(says(stage.why("write_file"), "semantics.lua:5: breaks on long ones made a mistake: "));
}

TEST_CASE("what decided is told: a rule with its place, a mistake, a hint") {
    Ruled stage;
    CHECK(stage.word("echo") == "write");
    CHECK(says(stage.why("echo"), "semantics.lua:4: echo is loud"));
    CHECK(stage.word("pid") == "write");
    CHECK(says(stage.why("pid"), "a script's mistake: "));
    CHECK(says(stage.why("write_file"), "unless its arguments decide by the rule "));
    CHECK(stage.tool("write_file").at("by_arguments").as_bool());
    CHECK(stage.word("nonce") == "read");
    CHECK(stage.why("nonce") == "its readOnlyHint");
}

TEST_CASE("a script that does not load makes everything a write, and is read again when it is put right") {
    Ruled stage;
    REQUIRE(stage.word("nonce") == "read");
    stage.write("home/.pfar/scripts/semantics.lua", "rule {");
    CHECK(stage.word("nonce") == "write"); // at once
    CHECK(says(stage.why("nonce"), "semantics.lua has a mistake"));
    stage.write("home/.pfar/scripts/semantics.lua", "");
    CHECK(stage.word("nonce") == "read");
    CHECK(stage.word("echo") == "read");
}
