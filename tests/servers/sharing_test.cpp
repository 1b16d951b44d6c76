// Who shares a process: sessions, projects with a server of the same name, and the socket transport.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using test::has;
using test::HostStage;
using test::json::object;

TEST_CASE("with share = session every session has a process of its own; otherwise one is for all") {
    HostStage stage(test::somebody());
    stage.server("own", {{}, "share = \"session\"", ""});
    stage.server("shared");
    REQUIRE(stage.begin());
    REQUIRE(stage.soon([&] { return !stage.tools("own").empty() && !stage.tools("shared").empty(); }));
    auto const first = stage.call("own", "nonce", {}, "s1").text, second = stage.call("own", "nonce", {}, "s2").text;
    CHECK_FALSE(first.empty());
    CHECK(first != second);
    CHECK(stage.call("own", "nonce", {}, "s1").text == first);
    CHECK(stage.call("own", "counter", {}, "s1").text == "1");
    CHECK(stage.call("own", "counter", {}, "s2").text == "1");
    CHECK(stage.call("shared", "counter", {}, "s1").text == "1");
    CHECK(stage.call("shared", "counter", {}, "s2").text == "2");
    CHECK(has(stage.word("own", "processes"), "s1"));
}

TEST_CASE("two projects may have a server of one name, each its own") {
    HostStage stage(GENERATE(from_range(test::people())));
    for (auto const* const project : {"one", "two"}) {
        stage.server_in(std::string("home/") + project + "/.pfar/mcp", "same",
                        {{}, "", std::string("[env]\nset = { PROJECT = \"") + project + "\" }\n"});
        auto const trusted = stage.pfar({"trust", "--yes"}, stage.home() / project);
        CAPTURE(trusted.out, trusted.err);
        REQUIRE(trusted.status == 0);
    }
    stage.server("same", {{}, "", "[env]\nset = { PROJECT = \"none\" }\n"});
    REQUIRE(stage.begin());
    auto const project_of = [&](std::string const& directory) {
        auto control = stage.connect(directory);
        REQUIRE(control.ok());
        return HostStage::called(control.ask("call", HostStage::call_params("same", "env", {{"name", "PROJECT"}})))
            .text;
    };
    CHECK(project_of((stage.home() / "one").native()) == "one");
    CHECK(project_of((stage.home() / "two").native()) == "two");
    CHECK(project_of("/") == "none");
    CHECK(stage.processes("same").size() == 3);
}

TEST_CASE("a server that speaks on a Unix socket is called like any other") {
    HostStage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto text = stage.text_of("a", {{"--socket", "server.sock"}, "", ""});
    text.insert(text.find("[server]\n") + 9, "socket = \"server.sock\"\n");
    stage.write("home/.pfar/mcp/a.toml", text);
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "echo", {{"text", "over a socket"}}).text == "over a socket");
    CHECK(stage.call("a", "blob", {{"bytes", 4 << 20}}).text.size() == 4U << 20U);
    auto const crash = stage.call("a", "crash", {{"code", 4}});
    CHECK_FALSE(crash.ok);
    CHECK(has(crash.text, "4"));
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "counter").text == "1");
    CHECK(stage.end() == 0);
    CHECK(test::no_child_is_left());
    for (auto const& path : test::paths_below(stage.pfar_home() / "run")) CHECK(path.filename() != "server.sock");
}
