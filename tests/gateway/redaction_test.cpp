// A server that tells its token wherever it can: the agent sees none of it, and no file of the home has it.
#include "gateway/agent.hpp"

using namespace test;

namespace {

constexpr char const* token = "sk-live-7Qm2Xv9LrTz4KpWd";

class Leaky : public HostStage {
public:
    explicit Leaky(Setting setting) : HostStage(std::move(setting)) {
        auto const kept = run({words({"vault", "set", "leaky_token"}), {}, "/", token, this->setting().uid});
        REQUIRE(kept.status == 0);
        server("leaky", {{"--leak", "TOKEN"}, "", "\n[auth]\nTOKEN = \"vault:leaky_token\"\n"});
        REQUIRE(begin());
        REQUIRE(reaches("leaky", "running"));
    }
};

/// In whatever file it stands.
std::vector<std::string> files_with(std::filesystem::path const& directory, std::string const& text) {
    std::vector<std::string> out;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(
             directory, std::filesystem::directory_options::skip_permission_denied)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        std::string const all{std::istreambuf_iterator<char>(in), {}};
        if (all.find(text) != std::string::npos) out.push_back(entry.path().native());
    }
    return out;
}

} // namespace

TEST_CASE("a token that a server tells reaches neither the agent nor a file, whichever way it goes") {
    Leaky stage(GENERATE(from_range(people())));
    Agent agent(stage, {{{"elicitation", json::object()}, {"sampling", json::object()}}, "victim"});
    agent.answers_with = json::object{{"action", "decline"}};
    CHECK(agent.greeting().at("result").at("instructions").as_string().find("[redacted:leaky_token]") !=
          std::string::npos);
    std::vector<json::object> answers{
        agent.ask("tools/list"), agent.ask("resources/read", {{"uri", "fixture://one"}}),
        agent.ask("prompts/get", {{"name", "leaky__greet"}, {"arguments", {{"who", "me"}}}}),
        agent.ask("completion/complete", {{"ref", {{"type", "ref/prompt"}, {"name", "leaky__greet"}}},
                                          {"argument", {{"name", "who"}, {"value", "a"}}}})};
    for (auto const* const how : {"result", "error", "fault", "key", "stderr"})
        answers.push_back(agent.ask("tools/call", {{"name", "leaky__leak"}, {"arguments", {{"how", how}}}}));
    answers.push_back(
        agent.ask("tools/call",
                  {{"name", "leaky__leak"}, {"arguments", {{"how", "progress"}}}, {"_meta", {{"progressToken", 7}}}}));
    for (auto const& answer : answers) {
        INFO(json::serialize(answer).substr(0, 600));
        CHECK(json::serialize(answer).find("[redacted:leaky_token]") != std::string::npos);
    }
    CHECK(json::serialize(agent.notification("notifications/progress")).find("[redacted:leaky_token]") !=
          std::string::npos);
    CHECK(agent.call("leaky__log", {{"text", "my token is"}}).ok);
    CHECK(json::serialize(agent.notification("notifications/message")).find("[redacted:leaky_token]") !=
          std::string::npos);
    agent.answers_with.reset();
    auto const waits = agent.begin_call("leaky__ask_elicitation");
    auto const asked = agent.request();
    REQUIRE_FALSE(asked.empty());
    CHECK(asked.at("params").at("message").as_string() == "[leaky asks] What is your name? [redacted:leaky_token]");
    agent.answer(asked.at("id"), {{"action", "decline"}});
    CHECK_FALSE(agent.wait(waits).empty());
    agent.hear_all();
    CHECK(agent.everything().find(token) == std::string::npos);
    CHECK(stage.end() == 0); // everything is written
    CHECK(files_with(stage.pfar_home(), token).empty());
}

TEST_CASE("a secret of one server is not told by another that was sent it") {
    Leaky stage(somebody());
    stage.server("other");
    stage.control().ask("reload");
    REQUIRE(stage.reaches("other", "running"));
    Agent agent(stage);
    auto const called = agent.call("other__echo", {{"text", token}}); // whoever knows it sends it
    CHECK(called.text == "[redacted:leaky_token]");
}
