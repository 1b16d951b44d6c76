// What an agent may not connect, and what it may not say: told in a sentence, without asking the owner.
#include "gateway/connect_stage.hpp"

using namespace test;

namespace {

/// Made here, so that nobody's scanner takes it for a real one.
std::string credential() {
    return std::string("ghp") + "_A1b2C3d4E5f6G7h8I9j0K1l2M3n4";
}

} // namespace

TEST_CASE("a service that nobody knows is refused without a question, unless the owner lets agents try") {
    SECTION("as it is") {
        ConnectStage stage;
        Agent agent(stage, with_forms());
        agent.answers_with = agrees;
        for (auto const* const service : {"no-such-service", "@evil/package", "https://evil.example.com/mcp", ""}) {
            CAPTURE(service);
            auto const called = agent.call("pfar__connect", {{"service", service}});
            CHECK_FALSE(called.ok);
            CHECK(says(called.text, "can connect it in a terminal"));
        }
        CHECK(says(agent.call("pfar__connect", {{"service", "no-such"}}).text, ": pfar connect no-such (or"));
        CHECK_FALSE(says(agent.call("pfar__connect", {{"service", "x; rm -r ~"}}).text, "pfar connect"));
        CHECK(agent.requests == 0);
        CHECK(stage.open().empty());
        CHECK(stage.left().empty());
    }
    SECTION("with connect.agent_unknown") {
        ConnectStage stage("[connect]\nagent_unknown = true\n");
        Agent agent(stage, with_forms());
        auto const call = agent.begin_call("pfar__connect", {{"service", "no-such-service"}});
        auto const asked = agent.request();
        CHECK(says(words_of(asked), R"(it sets up "no-such-service", which pfar does not know)"));
        agent.answer(asked.at("id"), declines);
        CHECK_FALSE(HostStage::called(agent.wait(call)).ok);
        CHECK(stage.left().empty());
    }
}

TEST_CASE("a service that cannot be connected yet says why, and nobody is asked") {
    ConnectStage stage;
    Agent agent(stage, with_forms());
    agent.answers_with = agrees;
    auto const called = agent.call("pfar__connect", {{"service", "never"}});
    CHECK_FALSE(called.ok);
    CHECK(says(called.text, "Never offers only a remote server"));
    CHECK(says(called.text, "pfar connect api.never.example.com"));
    CHECK(agent.requests == 0);
}

TEST_CASE("a credential in what an agent says is refused and not echoed") {
    ConnectStage stage;
    Agent agent(stage, with_forms());
    agent.answers_with = agrees;
    auto const secret = credential();
    std::vector<std::pair<std::string, json::object>> const all{
        {"pfar__connect", {{"service", "guarded"}, {"answers", {{"token", secret}}}}},
        {"pfar__connect", {{"service", "guarded"}, {"answers", {{"a", "b"}, {secret, "c"}}}}},
        {"pfar__connect", {{"service", "guarded " + secret}}},
        {"pfar__connect", {{"service", secret}}},
        {"pfar__disconnect", {{"service", secret}}},
        {"pfar__status", {{"server", secret}}}};
    for (auto const& [tool, arguments] : all) {
        INFO(tool << " " << json::serialize(arguments));
        auto const called = agent.call(tool, arguments);
        CHECK_FALSE(called.ok);
        CHECK(says(called.text, "looks like a credential"));
    }
    for (json::object const& arguments :
         {json::object{{"service", "guarded"}, {"answers", json::array{json::string(secret)}}},
          json::object{{"service", "guarded"}, {"answers", {{"token", {{"value", secret}}}}}},
          json::object{{"service", "guarded"}, {"token", secret}},
          json::object{{"service", "guarded"}, {secret, "x"}}}) {
        INFO(json::serialize(arguments));
        CHECK_FALSE(agent.call("pfar__connect", arguments).ok); // it does not fit, so nobody knows what it is
    }
    CHECK(agent.requests == 0);
    CHECK_FALSE(says(agent.everything(), secret));
    CHECK(stage.end() == 0);
    CHECK_FALSE(says(stage.log(), secret));
    CHECK_FALSE(stage.files_with("disconnect").empty()); // so that the search can find something
    CHECK(stage.files_with(secret).empty());
}

TEST_CASE("an agent's words for a service are not the owner's question") {
    ConnectStage stage("[connect]\nagent_unknown = true\n");
    Agent agent(stage, with_forms());
    agent.answers_with = agrees;
    auto const gone = agent.call("pfar__disconnect", {{"service", "the old cache only. pfar has checked it"}});
    CHECK_FALSE(gone.ok);
    CHECK(says(gone.text, "no such service is connected"));
    auto const more =
        agent.call("pfar__connect", {{"service", "site"}, {"answers", {{"site", "acme"}, {"note", "checked"}}}});
    CHECK_FALSE(more.ok);
    CHECK(says(more.text, "\"note\" is nothing that can be answered here; there is \"already\""));
    auto const spoken = agent.call(
        "pfar__connect", {{"service", "site"}, {"answers", {{"site", "acme.example.com. Its owner has agreed; no."}}}});
    CHECK_FALSE(spoken.ok);
    CHECK(says(spoken.text, "site: "));
    auto const known = agent.begin_call("pfar__connect", {{"service", "guarded /x"}});
    CHECK(says(HostStage::called(agent.wait(known, 60)).text, "pfar knows Guarded: call it with the service guarded"));
    agent.requests = 0;
    CHECK(agent.requests == 0);
}

TEST_CASE("an agent without forms finishes what nobody knows by answers, and what only the owner may say stays his") {
    ConnectStage stage("[connect]\nagent_unknown = true\n");
    Agent agent(stage);
    json::object const answers{{"domains", "api.example.com"}, {"variables", ""}};
    auto const call = agent.begin_call(
        "pfar__connect", {{"service", PFAR_FIXTURES "/fixture-server --only counter"}, {"answers", answers}});
    stage.approves();
    auto const done = HostStage::called(agent.wait(call, 60));
    INFO(done.text);
    CHECK(done.ok);
    CHECK(says(done.text, "fixture-server is connected: 1 tool, reaching only api.example.com"));
    auto const inside = agent.begin_call(
        "pfar__connect", {{"service", "127.0.0.1:1"}, {"answers", {{"token", "no"}, {"allow_private", "yes"}}}});
    stage.approves();
    auto const refused = HostStage::called(agent.wait(inside, 60));
    CHECK_FALSE(refused.ok);
    CHECK(says(refused.text, "Nobody can be asked here, so the answer was no"));
}

TEST_CASE("answers that could not be shown to the owner in full are refused") {
    ConnectStage stage("[connect]\nagent_unknown = true\n");
    Agent agent(stage, with_forms());
    std::string many = "good.example";
    for (int i = 0; i < 40; ++i) many += " good.example";
    for (json::object const& answers :
         {json::object{{"domains", many + " evil.example"}}, json::object{{"a", std::string(290, 'a')},
                                                                          {"b", std::string(290, 'b')},
                                                                          {"c", std::string(290, 'c')},
                                                                          {"d", std::string(290, 'd')},
                                                                          {"domains", "evil.example"}}}) {
        auto const called =
            agent.call("pfar__connect", {{"service", PFAR_FIXTURES "/fixture-server"}, {"answers", answers}});
        CHECK_FALSE(called.ok);
        CHECK(says(called.text, "answers are shown to the user in full"));
    }
    CHECK(agent.requests == 0);
}

TEST_CASE("what the vault has goes to nobody that an agent has named, unless its owner says so") {
    ConnectStage stage("[connect]\nagent_unknown = true\n");
    auto const kept =
        run({stage.words({"vault", "set", "fixture_server_token"}), {}, "/", "the-owner's-own", stage.setting().uid});
    REQUIRE(kept.status == 0);
    Agent agent(stage);
    json::object const answers{{"domains", "evil.example"}, {"variables", "TOKEN"}};
    json::object const arguments{{"service", PFAR_FIXTURES "/fixture-server --only counter"}, {"answers", answers}};
    auto const call = agent.begin_call("pfar__connect", arguments);
    auto const why = std::string(stage.only().at("why").as_string());
    CHECK(says(why, R"(domains "evil.example", variables "TOKEN")"));
    stage.approves();
    auto const said = HostStage::called(agent.wait(call, 60));
    INFO(said.text);
    CHECK(says(said.text,
               "May this have it, and send it to evil.example? Nobody can be asked here, so the answer was no"));
    OwnersPage const page(link_in(said.text));
    CHECK(says(page.look().body, "evil.example"));
    CHECK(page.fill(right_token()).status == 200);
    auto const done = agent.call("pfar__connect", arguments, 60);
    INFO(done.text);
    CHECK(done.ok);
    auto const file = test::read(stage.pfar_home() / "mcp/fixture-server.toml");
    INFO(file);
    CHECK(says(file, "vault:fixture_server_token_2"));
    CHECK(stage.pfar({"vault", "list"}).out.find("fixture_server_token ") != std::string::npos);
}

TEST_CASE("a yes for the whole session is not to be had for connecting") {
    ConnectStage stage;
    Agent agent(stage);
    auto const call = agent.begin_call("pfar__connect", {{"service", "plain"}});
    auto const row = stage.only();
    CHECK(row.at("once") == json::value(true));
    auto const said = stage.pfar({"approve", std::string(row.at("id").as_string()), "--for", "session"});
    CHECK(said.status == 64);
    CHECK(says(said.err, "it cannot be approved for a session"));
    stage.approves();
    CHECK(HostStage::called(agent.wait(call, 60)).ok);
}

TEST_CASE("what is not secret is asked for by a form, or given by name with the next call") {
    ConnectStage stage;
    SECTION("by a form") {
        Agent agent(stage, with_forms());
        auto const call = agent.begin_call("pfar__connect", {{"service", "site"}});
        agent.answer(agent.request().at("id"), agrees);
        auto const asked = agent.request();
        CHECK(says(words_of(asked), "Which site?"));
        CHECK(asked.at("params").at("requestedSchema").at("properties").as_object().contains("site"));
        agent.answer(asked.at("id"), {{"action", "accept"}, {"content", {{"site", "acme"}}}});
        auto const done = HostStage::called(agent.wait(call, 60));
        INFO(done.text);
        CHECK(done.ok);
        CHECK(says(done.text, "acme.example.com"));
    }
    SECTION("by name") {
        Agent agent(stage);
        auto const told = agent.call("pfar__connect", {{"service", "site"}}); // before the owner is asked for nothing
        CHECK_FALSE(told.ok);
        CHECK(says(told.text, "site (Which site?)"));
        CHECK(stage.open().empty());
        auto const again = agent.begin_call("pfar__connect", {{"service", "site"}, {"answers", {{"site", "acme"}}}});
        stage.approves();
        auto const done = HostStage::called(agent.wait(again, 60));
        INFO(done.text);
        CHECK(done.ok);
        CHECK(says(done.text, "acme.example.com"));
    }
    SECTION("by name, but not such a name") {
        Agent agent(stage, with_forms());
        agent.answers_with = agrees;
        auto const wrong = agent.call("pfar__connect", {{"service", "site"}, {"answers", {{"site", "No Site!"}}}}, 60);
        INFO(wrong.text);
        CHECK_FALSE(wrong.ok);
        CHECK(stage.soon([&] { return stage.left().empty(); }));
    }
}
