#include "config/client_config.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using config::near_server_name;
using config::read_client_config;

namespace {

config::ClientServer one(std::string_view json) {
    auto read = read_client_config(json);
    INFO(json << "\n" << (read ? "" : read.error().what));
    REQUIRE(read);
    REQUIRE(read->size() == 1);
    return std::move(read->front());
}

std::string why(std::string_view json) {
    auto const read = read_client_config(json);
    return read ? "" : read.error().what;
}

bool has(std::string const& text, std::string const& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("every client's shape is understood") {
    for (auto const* const json : {
             R"({"mcpServers": {"a": {"command": "node", "args": ["x.js"]}}})",
             R"({"inputs": [], "servers": {"a": {"type": "stdio", "command": "node", "args": ["x.js"]}}})",
             R"({"mcp": {"servers": {"a": {"command": "node", "args": ["x.js"]}}}})",
             R"({"mcp": {"a": {"type": "local", "command": ["node", "x.js"], "enabled": true}}})",
             R"({"context_servers": {"a": {"command": {"path": "node", "args": ["x.js"]}}}})",
             R"({"a": {"command": "node", "args": ["x.js"]}})",
             R"("a": {"command": "node", "args": ["x.js"]})",
             R"("mcpServers": {"a": {"command": "node", "args": ["x.js"]}},)",
             "\xef\xbb\xbf// a comment\n{ /* and */ \"servers\": {\"a\": {\"command\": \"node\", \"args\": "
             "[\"x.js\",],},},}\n",
         }) {
        auto const server = one(json);
        CHECK(server.name == "a");
        CHECK(server.command == "node");
        CHECK(server.args == std::vector<std::string>{"x.js"});
        CHECK(server.left_out.empty());
    }
    CHECK(one(R"({"command": "node"})").name.empty());
    CHECK(one(R"({"mcpServers": {"servers": {"command": "node"}}})").name == "servers");
}

TEST_CASE("what a server is given is taken over, and what pfar has no use for is told") {
    auto const server = one(
        R"({"a": {"command": "n", "env": {"T": "x\"y", "N": 3, "B": true, "Z": null}, "cwd": "/w", "description": "d",
        "disabled": true, "autoApprove": ["x"], "timeout": 60, "envFile": ".env"}})");
    REQUIRE(server.env.size() == 3);
    CHECK(server.env[0].second.reveal() == "x\"y");
    CHECK(server.env[1].second.reveal() == "3");
    CHECK(server.env[2].second.reveal() == "true");
    CHECK(server.cwd == "/w");
    CHECK(server.description == "d");
    CHECK(server.disabled);
    REQUIRE(server.left_out.size() == 3);
    CHECK(has(server.left_out[0], "autoApprove is left out"));
    CHECK(has(server.left_out[1], "timeout is left out"));
    CHECK(server.left_out[2] == config::env_file_left_out);
    CHECK(server.env_file == ".env");
    CHECK(has(one(R"({"a": {"command": "n", "envFile": 3}})").left_out.at(0), "envFile is left out"));
}

TEST_CASE("a remote server is refused, whatever it is called") {
    for (auto const* const json :
         {R"({"mcpServers": {"far": {"url": "https://u:hunter2@h/"}}})", R"({"far": {"serverUrl": "x"}})",
          R"({"far": {"httpUrl": "x"}})", R"({"servers": {"far": {"type": "http", "url": "x"}}})",
          R"({"mcpServers": {"far": {"type": "sse", "command": "x"}}})",
          R"({"mcpServers": {"far": {"transport": "streamable-http", "command": "x"}}})"}) {
        CHECK(has(why(json), "far is a remote server"));
        CHECK_FALSE(has(why(json), "hunter2"));
    }
}

TEST_CASE("what is none of it is told without repeating a value") {
    CHECK(has(why(""), "nothing on stdin"));
    CHECK(has(why("hunter2"), "not JSON: syntax error at line 1, column 1"));
    CHECK(has(why("{\n  \"a\": hunter2}"), "line 2, column 8"));
    CHECK(has(why("{\"a\": \"hunter2"), "ends too early"));
    CHECK(has(why("{} hunter2"), "more behind its end"));
    CHECK(has(why(std::string("{\"a\":\0}", 7)), "not JSON"));
    CHECK(has(why("{\"a\": \"\xff\"}"), "not JSON"));
    for (auto const* const json :
         {"[]", "{}", "3", "null", "{\"a\": 1}", "{\"mcpServers\": {}}", "{\"mcpServers\": []}"})
        CHECK(has(why(json), "no server in that"));
    CHECK(has(why(R"({"mcpServers": {"a": 3}})"), "a is no server"));
    CHECK(has(why(R"({"mcpServers": {"a": {}}})"), "a has no command"));
    CHECK(has(why(R"({"a": {"command": 3}})"), "a has a command that is no text"));
    CHECK(has(why(R"({"a": {"command": []}})"), "a has an empty command"));
    CHECK(has(why(R"({"a": {"command": "x", "args": "hunter2"}})"), "a has args that are no list"));
    CHECK(has(why(R"({"a": {"command": "x", "args": [["hunter2"]]}})"), "an argument that is no text"));
    CHECK(has(why(R"({"a": {"command": "x", "env": {"T": ["hunter2"]}}})"), "env.T that is no text"));
    CHECK(has(why(R"({"a": {"command": "x", "env": []}})"), "an env that is no table"));
    CHECK_FALSE(has(why(R"({"a": {"command": "x", "env": {"T": ["hunter2"]}}})"), "hunter2"));
}

TEST_CASE("depth and number are bounded") {
    CHECK(has(why(std::string(100000, '[')), "too deep"));
    std::string deep;
    for (int i = 0; i < 40; ++i) deep += "{\"mcp\":";
    CHECK(has(why(deep), "too deep"));
    std::string many = "{\"mcpServers\":{";
    for (int i = 0; i < 200; ++i) many += "\"s" + std::to_string(i) + "\":{\"command\":\"x\"},";
    CHECK(has(why(many + "}}"), "200 servers; at most 100"));
}

TEST_CASE("a name is made valid") {
    CHECK(near_server_name("GitHub_MCP") == "github-mcp");
    CHECK(near_server_name("notion") == "notion");
    CHECK(near_server_name("../../etc/passwd") == "etc-passwd");
    CHECK(near_server_name("@scope/server name!") == "scope-server-name");
    CHECK(near_server_name("a-very-long-name-of-a-server") == "a-very-long-name-of");
    CHECK(near_server_name("\xc3\xa4").empty());
    CHECK(near_server_name("").empty());
}
