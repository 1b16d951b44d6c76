#include "config/secret_look.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::config;

namespace {

struct Sample {
    char const *variable, *value;
};

/// Made here, so that nobody's scanner takes it for a real one.
std::string token(std::string const& beginning) {
    return beginning + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4";
}

} // namespace

TEST_CASE("a variable with a credential's name has a credential") {
    for (auto const& [variable, value] :
         {Sample{"GITHUB_TOKEN", "abc"}, Sample{"DB_PASSWORD", "hunter2"}, Sample{"NOTION_API_KEY", "abcdefgh"},
          Sample{"apiKey", "abcdefgh"}, Sample{"CLIENT_SECRET", "x"}, Sample{"PASS", "1234"},
          Sample{"MY_PAT", "12345678"}, Sample{"SECRET_KEY_BASE", "abcdefgh"}, Sample{"ACCESSTOKEN", "x y"},
          Sample{"AWS_SECRET_ACCESS_KEY", "abcdefgh"}, Sample{"SENTRY_DSN", "https://public@o1.ingest.example/1"},
          Sample{"X_AUTH", "user:password"}}) {
        CAPTURE(variable);
        CHECK(look_of(variable, value) == Look::secret);
    }
}

TEST_CASE("a variable that only speaks of credentials, or turns something on, is plain") {
    for (auto const& [variable, value] : {Sample{"MAX_TOKENS", "4096"},
                                          Sample{"TOKEN_LIMIT", "100"},
                                          Sample{"AUTHOR", "Jane Doe"},
                                          Sample{"KEYBOARD", "us-intl"},
                                          Sample{"AUTH_MODE", "none"},
                                          Sample{"USE_TOKEN", "true"},
                                          Sample{"GOOGLE_APPLICATION_CREDENTIALS", "/home/me/gcp.json"},
                                          Sample{"SSH_AUTH_SOCK", "/run/ssh.sock"},
                                          Sample{"PRIVATE_KEY_PATH", "/home/me/.ssh/id"},
                                          Sample{"AUTH_URL", "https://id.example.com/"},
                                          Sample{"LOG_LEVEL", "debug"},
                                          Sample{"MODEL", "claude-3-5-sonnet-20241022"},
                                          Sample{"HOME", "/home/me"},
                                          Sample{"TOKENIZERS_PARALLELISM", "false"},
                                          Sample{"API_BASE", "https://api.example.com/v1/things"},
                                          Sample{"DATABASE_ID", "0123456789abcdef0123456789abcdef"},
                                          Sample{"GREETING", ""},
                                          Sample{"PATTERN", "^a.*b$"},
                                          Sample{"NAME", "todoist"},
                                          Sample{"ALIGN", "center_left"}}) {
        CAPTURE(variable);
        CHECK(look_of(variable, value) == Look::plain);
    }
}

TEST_CASE("a value that has the beginning of a known token, or is random, is secret under any name") {
    for (auto const* const beginning :
         {"ghp_", "github_pat_", "ntn_", "sk-", "xoxb-", "glpat-", "AKIA", "eyJ", "hf_"}) {
        CAPTURE(beginning);
        CHECK(look_of("SETTING", token(beginning)) == Look::secret);
    }
    CHECK(look_of("SETTING", token("")) == Look::secret);
    CHECK(look_of("SETTING", "0123456789abcdef0123456789abcdef01234567") == Look::secret);
    CHECK(look_of("HOOK", "https://hooks.example.com/services/T0/" + token("")) == Look::secret);
    CHECK(look_of("HEADER", "Bearer " + token("")) == Look::secret);
    CHECK(look_of("URL", "https://x.example.com/?api_key=abcdefgh") == Look::secret);
    CHECK(look_of("URL", "redis://:hunter2hunter2@cache.example.com") == Look::secret);
    CHECK(look_of("PEM", "-----BEGIN PRIVATE KEY-----\nabc\n") == Look::secret);
}

TEST_CASE("what stands for a value that is not known is told apart from one") {
    for (auto const* const value :
         {"<YOUR_TOKEN>", "${input:token}", "${env:X}", "YOUR_API_KEY", "your-token-here", "ghp_xxxxxxxxxxxxxxxx",
          "sk-...", "****", "$GITHUB_TOKEN", "%TOKEN%", "{{token}}", "CHANGEME", "REPLACE_ME", "xxxx", "<token>"}) {
        CAPTURE(value);
        CHECK(look_of("API_KEY", value) == Look::placeholder);
        CHECK(is_placeholder(value));
    }
    CHECK(look_of("API_TOKEN", "") == Look::placeholder);
    CHECK_FALSE(is_placeholder("https://api.todoist.com"));
    CHECK_FALSE(is_placeholder("max"));
    CHECK_FALSE(is_placeholder("$5 a month"));
    CHECK_FALSE(is_placeholder(token("ghp_")));
}

TEST_CASE("the password of an address is found if it is its only secret") {
    auto const login = login_in("postgres://me:hunter2!@db.example.com:5432/x?sslmode=require");
    REQUIRE(login);
    CHECK(login->before == "postgres://me:");
    CHECK(login->password == "hunter2!");
    CHECK(login->behind == "@db.example.com:5432/x?sslmode=require");
    CHECK(login_in("redis://:pw@h/0")->before == "redis://:");
    for (auto const* const value : {"postgres://me@h/x", "https://h/a:b@c", "postgres://me:pw@h/x?password=abcdefgh",
                                    "a:b@c", "postgres://me:@h", "x://u:p@h/${vault:y}", "x://u:a@b@h/x"}) {
        CAPTURE(value);
        CHECK_FALSE(login_in(value));
    }
}

TEST_CASE("a credential among other words of a value is found") {
    CHECK(look_of("OPENAPI_MCP_HEADERS", "{\"Authorization\": \"Bearer " + token("ntn_") +
                                             "\", \"Notion-Version\": \"2022-06-28\" }") == Look::secret);
    CHECK(look_of("HEADERS", "Authorization: Bearer abcdef1234567890") == Look::secret);
    CHECK(look_of("OPTIONS", "{\"a\": 1, \"b\": \"two words\"}") == Look::plain);
    CHECK(look_of("NODE_OPTIONS", "--max-old-space-size=4096 --no-warnings") == Look::plain);
}

TEST_CASE("an argument with a credential is found, however it is given") {
    using Args = std::vector<std::string>;
    CHECK(secret_argument(Args{"server.js", "--api-key", "abcdefgh"}) == 2);
    CHECK(secret_argument(Args{"--token=abcdefgh"}) == 0);
    CHECK(secret_argument(Args{"-v", token("sk-")}) == 1);
    CHECK(secret_argument(Args{"-e", "GITHUB_TOKEN=abcdefgh"}) == 1);
    CHECK(secret_argument(Args{"postgres://me:hunter2@h/db"}) == 0);
    CHECK(secret_argument(Args{"--header", "Authorization: Bearer abcdefghijkl"}) == 1);
    CHECK(secret_argument(Args{"--api-key", "YOUR_KEY"}) == 1);
    for (auto const& args :
         {Args{"server.js", "--port", "3000"}, Args{"--key-file", "/x/y.pem"}, Args{"--token-limit", "40960000"},
          Args{"--auth", "none"}, Args{"/home/me/src/some-Long-Name-With-1234-and-More/server.js"},
          Args{"--config={\"a\":1}"}, Args{"-c", "print(1)"}, Args{"https://api.example.com/v1"}, Args{"C:\\x\\y"},
          Args{"--filter=a=b"}, Args{}, Args{"", "-"}})
        CHECK_FALSE(secret_argument(args));
}

TEST_CASE("a credential in a sentence is seen by its look, its name or the word before it") {
    for (auto const& said :
         {std::string("connect github, token 8f14e45fceea167a5a36dedd4bea2543"), std::string("password: hunter2"),
          std::string("my password is hunter2"), std::string("the api key 8f7a9c2e goes with it"),
          std::string("Authorization: Bearer abc123def456"), std::string("use Basic dXNlcjpwYXNz0"),
          std::string("0123456789abcdef0123456789abcdef"), std::string("a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d"),
          std::string("it is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE2KEY"),
          std::string("bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"), "gh\xe2\x80\x8bp_" + token("").substr(0, 30),
          token("ghp_"), "connect notion " + token("ntn_"), "notion:" + token("ntn_"), "npm:" + token("ghp_"),
          "notion/" + token("ntn_"), std::string("notion pass: hunter2"), std::string("me:hunter2@db.example.com"),
          std::string("--api-key=abcdefgh")}) {
        CAPTURE(said);
        CHECK(shows_secret(said));
    }
}

TEST_CASE("what people say without a credential in it is let through") {
    for (auto const* const said :
         {"connect notion", "connect @modelcontextprotocol/server-everything@2026.8.31", "new token for notion",
          "change the token of github2x", "connect our tracker at tracker.mycompany.com:8443",
          "connect /home/me/Projects/ServerNumber1/build/bin/server --port 8080",
          "npx -y @scope/ServerWithALongName12345", "https://api.example.com/v1/Accounts/Overview2", "secret manager",
          "connect key-value-store2", "rotate postgres", "connect npm:some-package@1.2.3",
          "connect my boarding pass scanner", "connect pypi:mcp-server-time@2026.1.2"}) {
        CAPTURE(said);
        CHECK_FALSE(shows_secret(said));
    }
    CHECK_FALSE(tells_secret("0123456789abcdef0123456789abcdef")); // an account's number, where that is asked for
    CHECK(names_secret("lab_token"));
    CHECK_FALSE(names_secret("site"));
}
