// Files of the three clients as they write and document them, and what is left of them when one server is exchanged: everything else.
#include "config/client_config.hpp"
#include "config/client_files.hpp"
#include "config/jsonc.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using config::client_servers;
using config::with_entry;
using Pointer = std::vector<std::string>;

namespace {

constexpr char claude[] = R"({
  "numStartups": 42,
  "installMethod": "native",
  "tipsHistory": { "new-user-warmup": 3 },
  "mcpServers": {
    "notion": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@notionhq/notion-mcp-server"],
      "env": { "NOTION_TOKEN": "ntn_abc" }
    },
    "sentry": { "type": "http", "url": "https://mcp.sentry.dev/mcp" }
  },
  "projects": {
    "/home/me/shop": {
      "allowedTools": [],
      "history": [{ "display": "say \"mcpServers\": {", "pastedContents": {} }],
      "mcpServers": {
        "db": { "type": "stdio", "command": "uvx", "args": ["postgres-mcp"], "env": { "DATABASE_URI": "postgres://u:p@h/d" } }
      },
      "enabledMcpjsonServers": [],
      "hasTrustDialogAccepted": true
    },
    "/home/me/blog": { "mcpServers": {}, "exampleFiles": [] }
  },
  "oauthAccount": { "accountUuid": "x" }
}
)";

constexpr char cursor[] = R"({
	"mcpServers": {
		"files": {
			"command": "node",
			"args": ["/opt/files/index.js", "${workspaceFolder}"],
			"env": {"API_KEY": "${env:API_KEY}"},
			"envFile": "${workspaceFolder}/.env",
			"disabled": true
		},
		"remote": { "url": "http://localhost:3000/mcp", "headers": { "API_KEY": "value" } }
	}
})";

constexpr char vscode[] = "// Servers of this workspace\r\n{\r\n  \"inputs\": [\r\n    { \"type\": \"promptString\", "
                          "\"id\": \"perplexity-key\", \"description\": \"Key\", "
                          "\"password\": true, },\r\n  ],\r\n  \"servers\": {\r\n    /* asks for \"its\" key: { */\r\n "
                          "   \"perplexity\": {\r\n      \"type\": \"stdio\", // local\r\n      "
                          "\"command\": \"npx\",\r\n      \"args\": [\"-y\", \"server-perplexity-ask\",],\r\n      "
                          "\"env\": { \"PERPLEXITY_API_KEY\": \"${input:perplexity-key}\" },\r\n    }, // "
                          "behind it\r\n    \"github\": { \"type\": \"http\", \"url\": "
                          "\"https://api.githubcopilot.com/mcp\" },\r\n  },\r\n}\r\n";

constexpr char settings[] = R"({
    // the editor
    "editor.fontSize": 13,
    "mcp": {
        "inputs": [],
        "servers": {
            "time": { "command": "python", "args": ["-m", "mcp_server_time", "--local-timezone=Europe/Berlin"], "env": {} }
        }
    },
    "files.exclude": { "**/.git": true, },
}
)";

std::vector<Pointer> pointers(std::string_view text) {
    auto const found = client_servers(text);
    REQUIRE(found);
    std::vector<Pointer> out;
    for (auto const& entry : *found) out.push_back(entry.pointer);
    return out;
}

} // namespace

TEST_CASE("the servers in every client's file are found, and by nothing that only looks like one") {
    CHECK(pointers(claude) == std::vector<Pointer>{{"mcpServers", "notion"},
                                                   {"mcpServers", "sentry"},
                                                   {"projects", "/home/me/shop", "mcpServers", "db"}});
    CHECK(pointers(cursor) == std::vector<Pointer>{{"mcpServers", "files"}, {"mcpServers", "remote"}});
    CHECK(pointers(vscode) == std::vector<Pointer>{{"servers", "perplexity"}, {"servers", "github"}});
    CHECK(pointers(settings) == std::vector<Pointer>{{"mcp", "servers", "time"}});
    CHECK(pointers("{}").empty());
    CHECK(pointers("[1, 2]").empty());
    CHECK(pointers(R"({"mcpServers": [], "projects": {"/x": 3}, "servers": {"a": "text"}, "mcp": null})").empty());
    auto const found = client_servers(claude).value();
    CHECK(found[2].project == "/home/me/shop");
    CHECK(found[2].name() == "db");
    CHECK(found[0].project.empty());
    auto const server = config::read_client_config(found[0].json).value();
    CHECK(server.at(0).command == "npx");
    CHECK(server.at(0).env.at(0).second.reveal() == "ntn_abc");
    auto const commented = config::read_client_config(client_servers(vscode).value()[0].json).value();
    CHECK(commented.at(0).args == std::vector<std::string>{"-y", "server-perplexity-ask"});
    CHECK(config::read_client_config(client_servers(cursor).value()[0].json).value().at(0).disabled);
}

TEST_CASE("a file that is named is its client's by where it lies") {
    CHECK(config::client_of("/home/me/.claude.json") == "Claude Code");
    CHECK(config::client_of("/work/.cursor/mcp.json") == "Cursor");
    CHECK(config::client_of("/work/.vscode/mcp.json") == "VS Code");
    CHECK(config::client_of("/work/mcp.json") == "mcp.json");
}

TEST_CASE("one server is exchanged and every other byte stays") {
    std::string const with = R"({"type": "stdio", "command": "pfar", "args": ["serve", "--server", "x"]})";
    for (std::string_view const text :
         {std::string_view(claude), std::string_view(cursor), std::string_view(vscode), std::string_view(settings)}) {
        for (auto const& entry : client_servers(text).value()) {
            auto const changed = with_entry(text, entry.pointer, with).value();
            auto const begin = static_cast<std::size_t>(entry.json.data() - text.data());
            CHECK(changed.substr(0, begin) == text.substr(0, begin));
            CHECK(changed.substr(begin, with.size()) == with);
            CHECK(changed.substr(begin + with.size()) == text.substr(begin + entry.json.size()));
            CHECK(client_servers(changed).value().size() == client_servers(text).value().size());
        }
    }
    auto const plain = with_entry(claude, {"mcpServers", "notion"}, with).value();
    CHECK(plain.find("ntn_abc") == std::string::npos);
    CHECK(with_entry("\xef\xbb\xbf{\"servers\": {\"\\u0061\\n\": {}}}", {"servers", "a\n"}, "{}").value() ==
          "\xef\xbb\xbf{\"servers\": {\"\\u0061\\n\": {}}}");
}

TEST_CASE("what is not there exactly once is not touched") {
    for (auto const& pointer :
         std::vector<Pointer>{{}, {"mcpServers", "x"}, {"servers", "notion"}, {"mcpServers", "notion", "command"}}) {
        CHECK_FALSE(with_entry(claude, pointer, "{}"));
    }
    CHECK_FALSE(with_entry(R"({"mcpServers": {"a": {}, "a": {}}})", {"mcpServers", "a"}, "{}"));
    CHECK_FALSE(with_entry(R"({"mcpServers": {"a": {}, "\u0061": {}}})", {"mcpServers", "a"}, "{}"));
    CHECK_FALSE(with_entry(R"({"mcpServers": {"a": {}}, "mcpServers": {}})", {"mcpServers", "a"}, "{}"));
    CHECK(with_entry(R"({"mcpServers": {"a": {}, "b": {}, "b": {}}})", {"mcpServers", "a"}, R"({"x":1})").value() ==
          R"({"mcpServers": {"a": {"x":1}, "b": {}, "b": {}}})");
    CHECK_FALSE(with_entry(claude, {"mcpServers", "notion"}, "[]"));
    CHECK_FALSE(with_entry(claude, {"mcpServers", "notion"}, "{"));
}

TEST_CASE("a file that is no JSON is told by its place, and nothing of it is repeated") {
    for (auto const* const text :
         {"", "{", "{\"a\": hunter2}", "{\"a\" 1}", "{\"a\": 1 \"b\": 2}", "{,}", "{\"a\": 1,,}", "[1,,2]",
          "{\"a\": \"hunter2", "{\"a\": \"x\ny\"}", "{} {}", "/* hunter2", "{\"a\": 1} hunter2", "{'a': 1}",
          "{\"a\": 01}", "{\"a\": \"\\", "nul", "{\"a\":}", "/"}) {
        CAPTURE(text);
        auto const read = client_servers(text);
        REQUIRE_FALSE(read);
        CHECK(test::has(read.error().what, "line "));
        CHECK(read.error().what.find("hunter2") == std::string::npos);
    }
    CHECK(client_servers("{\n  \"a\": ?\n}").error().what.find("line 2, column 8") != std::string::npos);
    std::string deep(100000, '[');
    CHECK_FALSE(client_servers(deep));
    CHECK(config::jsonc_value(std::string(60, '[') + std::string(60, ']')));
    CHECK_FALSE(config::jsonc_value(std::string(70, '[') + std::string(70, ']')));
}

TEST_CASE("the files of the clients are found where they keep them") {
    test::TempDir const dir;
    CHECK(config::client_files(dir / "home", dir / "shop").empty());
    for (auto const* const name :
         {"home/.claude.json", "home/.cursor/mcp.json", "home/.config/Code/User/mcp.json",
          "home/.config/Code/User/settings.json", "shop/.mcp.json", "shop/.cursor/mcp.json", "shop/.vscode/mcp.json"})
        dir.write(name, "{}");
    std::filesystem::create_directories(dir / "shop/.vscode/settings.json"); // no file
    auto const files = config::client_files(dir / "home", dir / "shop");
    REQUIRE(files.size() == 7);
    CHECK(files[0].client == "Claude Code");
    CHECK(files[0].path == dir / "shop/.mcp.json");
    CHECK(files[0].project);
    CHECK(files[3].path == dir / "home/.claude.json");
    CHECK_FALSE(files[3].project);
    CHECK(files[6].client == "VS Code");
    CHECK(config::client_files(dir / "home", {}).size() == 4);
    CHECK(config::client_files(dir / "home", dir / "home").size() == 4);
}
