#include "config/server_file.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

namespace {

config::FileContext const context{
    "/home/me/.pfar/mcp/a.toml", "/home/me/.pfar", "/home/me/.pfar", "/home/me", false, {}};

config::ServerSpec read(std::string const& text) {
    auto result = config::read_server_file(config::Source("name = \"a\"\n" + text), context);
    REQUIRE(result.spec);
    return *result.spec;
}

} // namespace

TEST_CASE("a file with only a name and a command has the documented defaults") {
    auto const spec = read("[server]\ncommand = \"node\"\n");
    CHECK(spec.label == base::Label::internal);
    CHECK(spec.taint == base::Taint::raw);
    CHECK(spec.share == base::Share::host);
    CHECK((spec.stateful && spec.autostart && spec.state && spec.transparent && spec.require_sni));
    CHECK(spec.allowed_domains.empty());
    CHECK(spec.sandbox.backend == "auto");
    CHECK(spec.sandbox.memory_limit == 256U * 1024 * 1024);
    CHECK(spec.sandbox.tmp_size == 64U * 1024 * 1024);
    CHECK(spec.sandbox.pids_limit == 256);
    CHECK(spec.sandbox.require == std::vector{Promise::files, Promise::network, Promise::environment});
    CHECK(spec.timeouts.start == std::chrono::seconds(30));
    CHECK(spec.timeouts.call == std::chrono::seconds(120));
    CHECK(spec.timeouts.call_max == std::chrono::minutes(30));
    CHECK(spec.pool == 1);
    CHECK_FALSE(spec.access);
}

TEST_CASE("everything that is given arrives") {
    auto const spec = read(test::read(PFAR_SOURCE "/tests/golden/config/ok-stateless/files.toml")
                               .substr(std::string("name = \"files\"\n").size()));
    CHECK_FALSE(spec.stateful);
    CHECK(spec.pool == 2);
    REQUIRE(spec.tools.contains("read"));
    auto const& access = *spec.tools.at("read").access;
    REQUIRE(access.files.size() == 1);
    CHECK(access.files[0].path == "/home/me/notes");
    CHECK((access.files[0].rights.read && !access.files[0].rights.writes()));
    CHECK(access.domains->front().host == "api.example.com");
    CHECK(access.commands->empty());
    auto const& rights = spec.tools.at("write").access->files[0].rights;
    CHECK((rights.create && rights.update && !rights.remove));
}

TEST_CASE("a secret inside a text is kept as pieces") {
    auto const spec = read("[server]\ncommand = \"x\"\n[auth]\nURL = \"postgres://u:${vault:pw}@db/${vault:name}\"\n");
    REQUIRE(spec.auth.size() == 1);
    auto const& pieces = spec.auth[0].pieces;
    REQUIRE(pieces.size() == 4);
    CHECK((!pieces[0].secret && pieces[0].text == "postgres://u:"));
    CHECK((pieces[1].secret && pieces[1].text == "pw"));
    CHECK((!pieces[2].secret && pieces[2].text == "@db/"));
    CHECK((pieces[3].secret && pieces[3].text == "name"));
}

TEST_CASE("what is missing on this machine is a warning and not an error") {
    auto here = context;
    here.look_around = true;
    auto const result = config::read_server_file(
        config::Source(
            "name = \"a\"\n[server]\ncommand = \"no-such-command-anywhere\"\nargs = [\"/no/such/file.js\"]\ncode = "
            "[\"/no/such\"]\n[access]\nfs = [{ path = \"/no/such\", read = true }]\n"),
        here);
    CHECK(result.spec);
    CHECK(result.mistakes.size() == 4);
    CHECK(count(result.mistakes, config::Severity::error) == 0);
}

TEST_CASE("a value that may be a secret is never quoted, wherever the mistake in it is") {
    for (std::string const text :
         {"[auth]\nT = \"hunter2-hunter2\"\n",
          "[auth]\nT = hunter2-hunter2\n",
          "[auth]\nT = \"hunter2-hunter2\n",
          "auth = { T = \"hunter2-hunter2\" }\n",
          "auth.T = \"hunter2-hunter2\"\n",
          "[auth.files]\n\"a/b\" = \"hunter2-hunter2\"\n",
          "[env]\nset = { API_TOKEN = \"hunter2-hunter2\" }\n",
          "[env.set]\nAPI_TOKEN = hunter2-hunter2\n",
          "[auth]\nT = [\"hunter2-hunter2\"]\n",
          "[auth]\nT = \"hunter2-hunter2 ${vault:x\"\n",
          "[auth]\nT = \"vault:x hunter2-hunter2 x\"\n",
          "[auth]\nT = '''\nS'''\n",
          "[auth]\nT = \"\"\"\nS\nx\n",
          "[auth] T=\"hunter2-hunter2\"\n",
          "[auth]\rT=\"hunter2-hunter2\"\n",
          "[\"\\u0061uth\"]\nT = \"hunter2-hunter2\"\n",
          "\"\\u0061uth\".T = \"hunter2-hunter2\"\n",
          "[auth]\nT = [\n[\"hunter2-hunter2\" \"b\"],\n]\n",
          "[auth.files]\n\"g.json\" = \"\"\"\n{\\\"k\\\":\n[1,\n\"hunter2-hunter2\\q\"]}\n\"\"\"\n",
          "[Auth]\nT = hunter2-hunter2\n",
          "[auht]\nT = hunter2-hunter2\n",
          "stateful = false\n[tools.x.access]\nauth = [\"hunter2-hunter2\"]\n",
          "[auth]\n\"hunter2-hunter2-x\" = \"vault:x\"\n",
          "x={auth={A=\"hunter2-hunter2\"}}\n",
          "[env.set]\nGITHUB_TOKEN = \"\"\"\nS\\q\n\"\"\"\n",
          "[env.set]\nGITHUB_TOKEN = \"${hunter2-hunter2}\"\n",
          "[env.set]\nDATABASE_URL = hunter2-hunter2\n",
          "[auth]\nA = \"vault:a\"\n[env.set]\nA = \"hunter2-hunter2\"\n",
          "[server]\ncommand = \"x\"\nargs = [\"--token\", \"hunter2-hunter2\", 5]\n",
          "allowed_domains = [\"https://u:hunter2-hunter2@h\"]\n",
          "hunter2-hunter2\n",
          "[hunter2-hunter2\n"}) {
        CAPTURE(text);
        auto const result = config::read_server_file(config::Source("name = \"a\"\n" + text), context);
        CHECK_FALSE(result.mistakes.empty());
        for (auto const& mistake : result.mistakes)
            CHECK(describe("a.toml", mistake).find("hunter2-hunter2") == std::string::npos);
    }
}
