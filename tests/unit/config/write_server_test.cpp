#include "config/write_server.hpp"

#include "config/address_domain.hpp"
#include "config/expand.hpp"
#include "config/server_file.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

namespace {

config::FileContext const context{
    "/home/me/.pfar/mcp/a.toml", "/home/me/.pfar", "/home/me/.pfar", "/home/me", false, {}};

config::ServerSpec read(std::string const& text) {
    auto result = config::read_server_file(config::Source(text), context);
    INFO(text);
    for (auto const& mistake : result.mistakes) UNSCOPED_INFO(describe(context.file, mistake));
    REQUIRE(result.spec);
    CHECK(result.mistakes.empty());
    return std::move(*result.spec);
}

config::ServerSpec small() {
    config::ServerSpec spec;
    spec.name = "a";
    spec.server.command = "/usr/bin/node";
    return spec;
}

} // namespace

TEST_CASE("a small server makes a small file") {
    CHECK(config::write_server(small()) ==
          "name = \"a\"\nallowed_domains = []   # it reaches nothing; pfar allow a DOMAIN adds one\n\n"
          "[server]\ncommand = \"/usr/bin/node\"\n");
}

TEST_CASE("what is written is read as it was meant") {
    auto spec = small();
    spec.description = "with \"quotes\", \\ and\nlines";
    spec.label = base::Label::regulated;
    spec.taint = base::Taint::clean;
    spec.share = base::Share::session;
    spec.autostart = false;
    spec.allowed_domains = {*config::parse_domain("*.example.com"), *config::parse_domain("db.example.com:5432")};
    spec.server.args = {"-c", "a 'b' \"c\"", "\x1b[2J", "", "${PFAR_HOME}/x"};
    for (int i = 0; i < 20; ++i) spec.server.args.push_back("argument number " + std::to_string(i));
    spec.server.cwd = "/home/me/${x}";
    spec.server.code = {"/opt/a", "/opt/b"};
    spec.auth = {{"TOKEN", {{true, "a_token"}}}, {"URL", {{false, "x://u:"}, {true, "pw"}, {false, "@h/\"q\""}}}};
    spec.env_pass = {"TZ"};
    spec.env_set = {{"A", "1"}, {"B", "$${x}"}};
    spec.sandbox.memory_limit = 512U << 20U;
    spec.access.emplace();
    spec.access->files = {{"/home/me/a b", Rights{true, false, false, false, false}},
                          {"/srv", Rights{true, true, true, true, false}}};
    auto const back = read(config::write_server(spec));
    CHECK(back.description == spec.description);
    CHECK(back.label == spec.label);
    CHECK(back.taint == spec.taint);
    CHECK(back.share == spec.share);
    CHECK_FALSE(back.autostart);
    CHECK(back.allowed_domains == spec.allowed_domains);
    CHECK(back.server.args == spec.server.args);
    CHECK(back.server.cwd == spec.server.cwd);
    CHECK(back.server.code == spec.server.code);
    CHECK(back.env_pass == spec.env_pass);
    CHECK(back.env_set == spec.env_set);
    CHECK(back.sandbox.memory_limit == spec.sandbox.memory_limit);
    REQUIRE(back.auth.size() == 2);
    CHECK(back.auth[1].pieces[2].text == "@h/\"q\"");
    REQUIRE(back.access->files.size() == 2);
    CHECK(back.access->files[1].rights.remove);
    CHECK_FALSE(back.access->files[0].rights.writes());
    CHECK(config::write_server(back) == config::write_server(spec));
    spec.access.reset();
    spec.stateful = false;
    spec.share = base::Share::host;
    CHECK_FALSE(read(config::write_server(spec)).stateful);
}

TEST_CASE("text is written so that it is read back") {
    for (auto const* const text : {"plain", "${x}", "$${x}", "a${", "$$${${", "${PFAR_HOME}", "${socket}", "$"}) {
        CAPTURE(text);
        CHECK(*config::expand(config::plain_text(text, false), {}) == text);
    }
    CHECK(config::plain_text("${PFAR_HOME}/${x} ${auth.files}", true) == "${PFAR_HOME}/$${x} ${auth.files}");
}

TEST_CASE("a command is changed in its place, or not at all") {
    auto const change = [](std::string const& text) {
        return config::with_command(text, "/usr/bin/node").value_or("none");
    };
    CHECK(change("[server]\ncommand = \"node\" # mine\nargs = [\"x\"]\n") ==
          "[server]\ncommand = \"/usr/bin/node\" # mine\nargs = [\"x\"]\n");
    CHECK(change("[server]\r\n  command='node'\r\n") == "[server]\r\n  command=\"/usr/bin/node\"\r\n");
    CHECK(change("name = \"a\"\nserver = { command = \"node\" }\n") ==
          "name = \"a\"\nserver = { command = \"/usr/bin/node\" }\n");
    CHECK(change("server.command = \"node\"\n") == "server.command = \"/usr/bin/node\"\n");
    CHECK(change("server = { args = [\"x\"], command = \"node\" }\n") == "none");
    for (auto const* const text :
         {"", "[server]\n", "[server]\ncommand = 3\n", "[server\ncommand = \"x\"", "[server]\ncommand = \"x"})
        CHECK(change(text) == "none");
}

TEST_CASE("an address leads to a domain") {
    auto const domain = [](std::string_view value) {
        auto const rule = config::domain_in(value);
        return rule ? config::to_text(*rule) : "none";
    };
    CHECK(domain("https://API.example.com/v1?x=y@z") == "api.example.com");
    CHECK(domain("http://h.example.com:8080") == "h.example.com:8080");
    CHECK(domain("postgres://u:p@db.example.com/x") == "db.example.com:5432");
    CHECK(domain("redis://:p@c.example.com:7000/0") == "c.example.com:7000");
    for (auto const* const value : {"", "plain", "http://localhost:3000", "http://127.0.0.1", "postgres://u:p@a,b/x",
                                    "https://<host>/", "ftp://h.example.com", "https://"})
        CHECK(domain(value) == "none");
}
