// Agents connect services: the owner agrees, fills in a page, and the tools are there; the agent never sees the secret.
#include "gateway/connect_stage.hpp"

#include <csignal>

using namespace test;

namespace {

/// A connected service, the way an up-to-date client does it.
Called connect(Agent& agent, std::string const& service, std::string const& secret) {
    auto const call = agent.begin_call("pfar__connect", {{"service", service}});
    auto const asked = agent.request();
    REQUIRE_FALSE(asked.empty());
    agent.answer(asked.at("id"), agrees);
    CHECK(OwnersPage(page_of(agent)).fill(secret).status == 200);
    return HostStage::called(agent.wait(call, 60));
}

} // namespace

TEST_CASE(
    "an agent connects a service: the owner agrees to what it is told, fills in a page, and the tools are there") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    REQUIRE(has_tool(agent, "pfar__connect"));
    CHECK_FALSE(has_tool(agent, "guarded__login"));
    auto const call = agent.begin_call("pfar__connect", {{"service", "guarded"}});
    auto const asked = agent.request();
    auto const words = words_of(asked);
    INFO(words);
    CHECK(says(words, "fixture-server"));
    CHECK(says(words, "guarded.example.com"));
    CHECK(stage.left().empty()); // nothing happens before the owner has agreed
    agent.answer(asked.at("id"), agrees);
    OwnersPage const page(page_of(agent));
    auto const form = page.look();
    CHECK(form.status == 200);
    CHECK(says(form.body, "The token of Guarded"));
    auto const done = page.fill(right_token());
    CHECK(done.status == 200);
    CHECK_FALSE(says(done.body, right_token()));
    auto const connected = HostStage::called(agent.wait(call, 60));
    INFO(connected.text);
    CHECK(connected.ok);
    CHECK(says(connected.text, "Guarded is connected"));
    CHECK_FALSE(agent.notification("notifications/tools/list_changed").empty());
    CHECK(has_tool(agent, "guarded__login"));
    CHECK(agent.call("guarded__login").text == "hello");
    CHECK(page.is_closed());
    CHECK(says(agent.call("pfar__status").text, "guarded: running"));

    CHECK_FALSE(stage.files_with("guarded.example.com").empty()); // so that the search can find something
    CHECK(stage.files_with(right_token()).empty());
    CHECK_FALSE(says(agent.everything(), right_token()));
    CHECK(stage.end() == 0);
    CHECK(stage.files_with(right_token()).empty());
}

TEST_CASE("a yes for the session is a yes to one connection") {
    ConnectStage stage;
    Agent agent(stage, with_forms());
    agent.answers_with = json::object{{"action", "accept"}, {"content", {{"for", "session"}}}};
    CHECK(agent.call("pfar__connect", {{"service", "plain"}}, 60).ok);
    CHECK(agent.requests == 1);
    agent.answers_with = declines;
    auto const other = agent.call("pfar__connect", {{"service", "guarded"}});
    INFO(other.text);
    CHECK_FALSE(other.ok);
    CHECK(agent.requests == 2);
    auto const away = agent.call("pfar__disconnect", {{"service", "plain"}});
    CHECK_FALSE(away.ok);
    CHECK(agent.requests == 3);
    CHECK(stage.left().size() == 2); // plain's file and state
}

TEST_CASE("who says no connects nothing") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    SECTION("to the connection") {
        agent.answers_with = declines;
        CHECK_FALSE(agent.call("pfar__connect", {{"service", "guarded"}}).ok);
        CHECK(agent.requests == 1);
    }
    SECTION("to the page") {
        auto const call = agent.begin_call("pfar__connect", {{"service", "guarded"}});
        agent.answer(agent.request().at("id"), agrees);
        auto const asked = agent.request();
        REQUIRE(asked.at("params").as_object().contains("url"));
        OwnersPage const page(std::string(asked.at("params").at("url").as_string()));
        CHECK(page.look().status == 200);
        agent.answer(asked.at("id"), declines);
        CHECK_FALSE(HostStage::called(agent.wait(call)).ok);
        CHECK(stage.soon([&] { return page.is_closed(); }));
    }
    CHECK(stage.left().empty());
}

TEST_CASE(
    "a client that asks nobody has the queue for the yes and a link for the secret, and its next call finds it done") {
    ConnectStage stage;
    Agent agent(stage);
    auto const call = agent.begin_call("pfar__connect", {{"service", "guarded"}});
    auto const row = stage.only();
    CHECK(row.at("tool") == "connect");
    INFO(json::serialize(row));
    CHECK(says(json::serialize(row), "guarded.example.com"));
    stage.approves();
    auto const first = HostStage::called(agent.wait(call));
    CHECK(first.ok);
    CHECK(says(first.text, "pfar__connect again"));
    OwnersPage const page(link_in(first.text));
    CHECK(page.fill(right_token()).status == 200);
    auto const second = agent.call("pfar__connect", {{"service", "guarded"}}, 60);
    INFO(second.text);
    CHECK(second.ok);
    CHECK(says(second.text, "Guarded is connected"));
    CHECK(stage.open().empty());
    CHECK(agent.requests == 0);
    CHECK(agent.call("guarded__login").text == "hello");
    CHECK(stage.files_with(right_token()).empty());
    CHECK_FALSE(says(agent.everything(), right_token()));
}

TEST_CASE("what ended while nobody waited for it is not begun anew, by whatever answers, without the owner's yes") {
    ConnectStage stage;
    Agent agent(stage);
    json::object const arguments{{"service", "guarded"}};
    auto const call = agent.begin_call("pfar__connect", arguments);
    stage.approves();
    OwnersPage const page(link_in(HostStage::called(agent.wait(call)).text));
    CHECK(page.cancel().status == 200);
    REQUIRE(stage.soon([&] { return stage.left().empty(); }));
    agent.hear_all();
    auto const heard = agent.everything().size();
    auto const again = agent.begin_call("pfar__connect", arguments);
    agent.begin_call("pfar__connect", {{"service", "guarded"}, {"answers", {{"already", "keep it as it is"}}}});
    CHECK_FALSE(HostStage::called(agent.wait(again, 60)).ok);
    CHECK(stage.soon([&] {
        agent.hear_all();
        return says(agent.everything(), "that has ended meanwhile") || !stage.open().empty();
    }));
    CHECK_FALSE(says(agent.everything().substr(heard), "http://127.0.0.1:"));
    CHECK(stage.left().empty());
}

TEST_CASE("a wrong secret is asked for again by a page of its own, three times in all") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    auto const call = agent.begin_call("pfar__connect", {{"service", "guarded"}});
    agent.answer(agent.request().at("id"), agrees);
    auto const first = page_of(agent);
    CHECK(OwnersPage(first).fill("wrong-one").status == 200);
    auto const second = page_of(agent);
    CHECK(first != second);
    CHECK(OwnersPage(first).is_closed());
    SECTION("the right one then connects it") {
        CHECK(OwnersPage(second).fill(right_token()).status == 200);
        CHECK(HostStage::called(agent.wait(call, 60)).ok);
        CHECK(agent.call("guarded__login").text == "hello");
    }
    SECTION("three wrong ones leave nothing") {
        CHECK(OwnersPage(second).fill("wrong-two").status == 200);
        CHECK(OwnersPage(page_of(agent)).fill("wrong-three").status == 200);
        auto const over = HostStage::called(agent.wait(call, 60));
        CHECK_FALSE(over.ok);
        CHECK(says(over.text, "three tries"));
        CHECK(stage.left().empty());
        CHECK_FALSE(has_tool(agent, "guarded__login"));
    }
    for (auto const* const wrong : {"wrong-one", "wrong-two", "wrong-three"}) {
        CHECK(stage.files_with(wrong).empty());
        CHECK_FALSE(says(agent.everything(), wrong));
    }
}

TEST_CASE("an agent that leaves while a page is open takes everything along") {
    ConnectStage stage;
    auto agent = std::make_unique<Agent>(stage, with_forms_and_pages());
    agent->begin_call("pfar__connect", {{"service", "guarded"}});
    agent->answer(agent->request().at("id"), agrees);
    CHECK(OwnersPage(page_of(*agent)).fill("wrong-one").status == 200);
    OwnersPage const page(page_of(*agent)); // by now there is a file, a secret and a server
    CHECK(page.look().status == 200);
    CHECK_FALSE(stage.left().empty());
    agent.reset();
    CHECK(stage.soon([&] { return page.is_closed(); }));
    CHECK(stage.soon([&] { return stage.left().empty(); }));
    CHECK(stage.soon([&] { return stage.processes().empty(); }));
    CHECK(stage.listed("guarded").empty());
}

TEST_CASE("an agent that leaves between two calls takes everything along") {
    ConnectStage stage;
    auto agent = std::make_unique<Agent>(stage);
    auto const call = agent->begin_call("pfar__connect", {{"service", "guarded"}});
    stage.approves();
    OwnersPage const first(link_in(HostStage::called(agent->wait(call)).text));
    CHECK(first.fill("wrong-one").status == 200);
    auto const again = agent->call("pfar__connect", {{"service", "guarded"}});
    OwnersPage const page(link_in(again.text));
    CHECK(page.look().status == 200);
    CHECK_FALSE(stage.left().empty());
    agent.reset();
    CHECK(stage.soon([&] { return page.is_closed(); }));
    CHECK(stage.soon([&] { return stage.left().empty(); }));
    CHECK(stage.listed("guarded").empty());
}

TEST_CASE("an agent that says nothing more ends what it began at once") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    agent.begin_call("pfar__connect", {{"service", "guarded"}});
    agent.answer(agent.request().at("id"), agrees);
    OwnersPage const page(page_of(agent));
    agent.close_input();
    CHECK(agent.end() == 0); // sooner than its call would have waited
    CHECK(stage.soon([&] { return page.is_closed() && stage.left().empty(); }));
}

TEST_CASE("what is under way without a question ends with whoever wanted it") {
    ConnectStage stage;
    stage.write("home/.pfar/templates/slow.toml",
                "[slow]\ntitle = \"Slow\"\ndescription = \"Takes its time.\"\n"
                "command = \"fixture-server\"\nargs = [\"--slow-start\", \"20000\"]\n");
    auto agent = std::make_unique<Agent>(stage, with_forms_and_pages());
    auto const call = agent->begin_call("pfar__connect", {{"service", "slow"}});
    agent->answer(agent->request().at("id"), agrees);
    REQUIRE(stage.soon([&] { return stage.listed("slow").contains("state"); }));
    SECTION("its call is taken back") {
        agent->tell("notifications/cancelled", {{"requestId", call}});
    }
    SECTION("it is killed") {
        agent.reset();
    }
    SECTION("the host is killed") {
        ::kill(stage.host(), SIGKILL);
    }
    CHECK(stage.soon([&] { return stage.left().empty(); }));
}

TEST_CASE("an agent that takes its call back has it undone") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    auto const call = agent.begin_call("pfar__connect", {{"service", "guarded"}});
    agent.answer(agent.request().at("id"), agrees);
    OwnersPage const page(page_of(agent));
    agent.tell("notifications/cancelled", {{"requestId", call}});
    CHECK(stage.soon([&] { return page.is_closed(); }));
    CHECK(stage.soon([&] { return stage.left().empty(); }));
    CHECK(connect(agent, "guarded", right_token()).ok); // and it can begin anew
}

TEST_CASE("an agent disconnects a service, if the owner agrees") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    REQUIRE(connect(agent, "guarded", right_token()).ok);
    REQUIRE_FALSE(agent.notification("notifications/tools/list_changed").empty());
    agent.answers_with = declines;
    CHECK_FALSE(agent.call("pfar__disconnect", {{"service", "guarded"}}).ok);
    CHECK(has_tool(agent, "guarded__login"));
    agent.answers_with.reset();
    auto const call = agent.begin_call("pfar__disconnect", {{"service", "guarded"}});
    auto const asked = agent.request();
    CHECK(says(words_of(asked), "removes guarded"));
    agent.answers_with = json::object{{"action", "accept"}, {"content", {{"sure", true}, {"forget", false}}}};
    agent.answer(asked.at("id"), agrees);
    auto const done = HostStage::called(agent.wait(call));
    INFO(done.text);
    CHECK(done.ok);
    CHECK(says(done.text, "guarded is disconnected"));
    CHECK_FALSE(agent.notification("notifications/tools/list_changed").empty());
    CHECK_FALSE(has_tool(agent, "guarded__login"));
    CHECK(stage.left() == std::vector<std::string>{"vault guarded_fixture_token"});
}

TEST_CASE("what an agent disconnects is what its owner was asked about, whatever else goes by that name") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    REQUIRE(connect(agent, "guarded", right_token()).ok); // which is known as lock, too
    stage.write("home/.pfar/mcp/lock.toml", "name = \"lock\"\n[server]\ncommand = \"" PFAR_FIXTURES
                                            "/fixture-server\"\nargs = [\"--only\", \"counter\"]\n");
    REQUIRE(stage.soon([&] { return says(stage.pfar({"list"}).out, "lock"); }));
    auto const call = agent.begin_call("pfar__disconnect", {{"service", "lock"}});
    auto const asked = agent.request();
    CHECK(says(words_of(asked), "removes lock,"));
    agent.answers_with = agrees;
    agent.answer(asked.at("id"), agrees);
    auto const done = HostStage::called(agent.wait(call));
    INFO(done.text);
    CHECK(done.ok);
    CHECK(says(done.text, "lock is disconnected"));
    CHECK_FALSE(std::filesystem::exists(stage.pfar_home() / "mcp/lock.toml"));
    CHECK(std::filesystem::exists(stage.pfar_home() / "mcp/guarded.toml"));
}

TEST_CASE("an agent that would set up anew what is connected has that said in the question") {
    ConnectStage stage;
    Agent agent(stage, with_forms_and_pages());
    REQUIRE(connect(agent, "guarded", right_token()).ok);
    auto const call = agent.begin_call(
        "pfar__connect", {{"service", "guarded"}, {"answers", {{"already", "reconnect from the beginning"}}}});
    auto const asked = agent.request();
    CHECK(says(words_of(asked), "guarded is connected already"));
    CHECK(says(words_of(asked), "which replaces its file"));
    agent.answer(asked.at("id"), declines);
    CHECK_FALSE(HostStage::called(agent.wait(call)).ok);
}

TEST_CASE("an owner who agreed to disconnecting is not asked a second time") {
    ConnectStage stage;
    SECTION("by elicitation") {
        Agent agent(stage, with_forms_and_pages());
        REQUIRE(connect(agent, "guarded", right_token()).ok);
        auto const call = agent.begin_call("pfar__disconnect", {{"service", "guarded"}});
        auto const asked = agent.request();
        CHECK(says(words_of(asked), "removes guarded"));
        agent.answers_with = agrees;
        agent.answer(asked.at("id"), agrees);
        auto const done = HostStage::called(agent.wait(call));
        INFO(done.text);
        CHECK(done.ok);
        CHECK(says(done.text, "guarded is disconnected"));
        CHECK(agent.requests == 3); // the two of connect, and the yes
        CHECK_FALSE(agent.notification("notifications/tools/list_changed").empty());
        CHECK_FALSE(has_tool(agent, "guarded__login"));
        CHECK(stage.left() == std::vector<std::string>{"vault guarded_fixture_token"});
    }
    SECTION("by the queue") {
        Agent agent(stage);
        auto const call = agent.begin_call("pfar__connect", {{"service", "plain"}});
        stage.approves();
        REQUIRE(HostStage::called(agent.wait(call, 60)).ok);
        auto const away = agent.begin_call("pfar__disconnect", {{"service", "plain"}});
        stage.approves();
        auto const done = HostStage::called(agent.wait(away));
        INFO(done.text);
        CHECK(done.ok);
        CHECK(says(done.text, "plain is disconnected"));
        CHECK(stage.left().empty());
    }
}
