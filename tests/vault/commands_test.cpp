// pfar vault set, list, remove, rename, status and import, as a script uses them.
#include "vault/vault_stage.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using test::has;
using test::VaultStage;
namespace json = boost::json;

namespace {

json::array list_of(VaultStage const& stage) {
    auto const listed = stage.vault({"list", "--json"});
    INFO(listed.err);
    REQUIRE(listed.status == 0);
    return json::parse(listed.out).as_array();
}

} // namespace

TEST_CASE("a value comes by stdin, is listed without itself, and goes to its server") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    stage.server("a", "printf %s \"$TOKEN\"", "[auth]\nTOKEN = \"vault:token\"\n");
    auto const set = stage.vault({"set", "token"}, "tok-0123456789\n");
    CHECK(set.status == 0);
    CHECK(set.out == "token is kept; used by a, started anew if running\n");
    CHECK_FALSE(has(set.err, "tok-"));
    CHECK(stage.run_server("a").out == "tok-0123456789");

    auto const all = list_of(stage);
    REQUIRE(all.size() == 1);
    auto const& entry = all[0].as_object();
    CHECK(entry.at("name").as_string() == "token");
    CHECK(entry.at("state").as_string() == "ok");
    CHECK(entry.at("set_at").is_string());
    CHECK(entry.at("used_at").is_string());
    CHECK(entry.at("servers").as_array().at(0).as_string() == "a");
    auto const text = stage.vault({"list"});
    CHECK(has(text.out, "token"));
    CHECK_FALSE(has(text.out, "tok-0123"));
}

TEST_CASE("a value is never taken from the command line") {
    VaultStage const stage(test::people().front());
    auto const refused = stage.vault({"set", "token", "tok-0123456789"}, "tok-other-value\n");
    CHECK(refused.status == 64);
    for (auto const* const words : {"tok-0123456789", "--value=tok-0123456789"}) {
        auto const said = stage.vault({"set", "token", words}, "tok-other-value\n").err;
        CHECK(has(said, "never comes from the command line"));
        CHECK_FALSE(has(said, "tok-0123"));
    }
    CHECK(list_of(stage).empty());
}

TEST_CASE("one line loses its line break, several lines stay as they are") {
    VaultStage const stage(test::people().front());
    stage.server("a", "printf %s \"$T\" | od -An -c | tr -s ' '", "[auth]\nT = \"vault:t\"\n");
    CHECK(stage.keep("t", "12345678\r\n") == 0);
    CHECK(has(stage.run_server("a").out, "1 2 3 4 5 6 7 8\n"));
    CHECK(stage.keep("t", "1234\n5678\n") == 0);
    CHECK(has(stage.run_server("a").out, "1 2 3 4 \\n 5 6 7 8 \\n\n"));
}

TEST_CASE("what cannot be redacted is refused unless asked for, and what is empty always") {
    VaultStage const stage(test::people().front());
    auto const refused = stage.vault({"set", "pin"}, "1234567\n");
    CHECK(refused.status == 78);
    CHECK(has(refused.err, "less than 8 bytes"));
    CHECK(has(refused.err, "--short"));
    CHECK(stage.vault({"set", "pin", "--short"}, "1234567\n").status == 0);
    CHECK(stage.vault({"set", "none", "--short"}, "\n").status == 78);
    CHECK(stage.vault({"set", "long"}, std::string((64U << 10U) + 2, 'x')).status == 78);
    CHECK(list_of(stage).size() == 1);
}

TEST_CASE("a name that is none is refused with one that is") {
    VaultStage const stage(test::people().front());
    for (auto const* const name : {"a b", "a/b", "", "\xc3\xa4"}) {
        auto const refused = stage.vault({"set", name}, "12345678\n");
        CHECK(refused.status == 64);
        CHECK(has(refused.err, "such as notion_token"));
    }
}

TEST_CASE("what servers need and nobody has set is listed as missing, and check warns of it") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    stage.server("a", "true", "[auth]\nTOKEN = \"vault:token\"\nURL = \"https://${vault:user}@x\"\n");
    auto const all = list_of(stage);
    REQUIRE(all.size() == 2);
    CHECK(all[0].as_object().at("state").as_string() == "missing");
    CHECK(has(stage.vault({"list"}).err, "missing: pfar vault set token"));
    auto const checked = stage.pfar({"check"});
    CHECK(checked.status == 0);
    CHECK(has(checked.err + checked.out, "the vault has no token, and a will not start without it"));
    auto const run = stage.run_server("a");
    CHECK(run.status == 69);
    CHECK(has(run.err, "a needs vault:token and vault:user: pfar vault set token; pfar vault set user"));
}

TEST_CASE("removing asks, warns of who needs it, and is done with --yes") {
    VaultStage const stage(test::people().front());
    stage.server("a", "true", "[auth]\nTOKEN = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "12345678") == 0);
    auto const refused = stage.vault({"remove", "token"});
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "a will not start without it"));
    CHECK(has(refused.err, "--yes"));
    CHECK(stage.vault({"remove", "token", "--yes"}).status == 0);
    CHECK(stage.run_server("a").status == 69);
    auto const again = stage.vault({"remove", "tokn", "--yes"});
    CHECK(again.status == 69);
}

TEST_CASE("an entry that is not there is met with the nearest that is") {
    VaultStage const stage(test::people().front());
    REQUIRE(stage.keep("notion_token", "12345678") == 0);
    CHECK(has(stage.vault({"remove", "notion_tokn", "--yes"}).err, "did you mean notion_token?"));
}

TEST_CASE("renaming keeps the value and says which servers still ask for the old name") {
    VaultStage const stage(test::people().front());
    stage.server("a", "printf %s \"$T\"", "[auth]\nT = \"vault:old\"\n");
    stage.server("b", "printf %s \"$T\"", "[auth]\nT = \"vault:new\"\n");
    REQUIRE(stage.keep("old", "12345678") == 0);
    REQUIRE(stage.keep("other", "87654321") == 0);
    CHECK(stage.vault({"rename", "old", "other"}).status == 69);
    auto const renamed = stage.vault({"rename", "old", "new"});
    CHECK(renamed.status == 0);
    CHECK(has(renamed.err, "a still asks for vault:old; change that to vault:new"));
    CHECK(stage.run_server("b").out == "12345678");
    CHECK(stage.run_server("a").status == 69);
}

TEST_CASE("status tells how credentials are kept and never asks") {
    VaultStage const stage(test::people().front());
    auto const fresh = stage.vault({"status"});
    CHECK(fresh.status == 0);
    CHECK(has(fresh.out, "vault-file"));
    CHECK_FALSE(std::filesystem::exists(stage.pfar_home() / "vault"));
    REQUIRE(stage.keep("t", "12345678") == 0);
    auto const status = json::parse(stage.vault({"status", "--json"}).out).as_object();
    CHECK(status.at("store").as_string() == "vault-file");
    CHECK_FALSE(status.at("locked").as_bool());
    CHECK(status.at("entries").to_number<int>() == 1);
}

TEST_CASE("every change and every use is on record by name, and no value is") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    stage.server("a", "true", "[auth]\nTOKEN = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "canary-0123456789") == 0);
    REQUIRE(stage.run_server("a").status == 0);
    REQUIRE(stage.vault({"rename", "token", "gone"}).status == 0);
    REQUIRE(stage.vault({"change-key"}).status == 0);
    REQUIRE(stage.vault({"remove", "gone", "--yes"}).status == 0);
    auto const record = stage.audit();
    CHECK(has(record, R"("kind":"vault","action":"set","entry":"token")"));
    CHECK(has(record, R"("kind":"credential","server":"a","outcome":"given","entries":["token"])"));
    CHECK(has(record, R"("action":"rename","entry":"token","outcome":"ok","to":"gone")"));
    CHECK(has(record, R"("action":"change-key")"));
    CHECK(has(record, R"("action":"remove","entry":"gone")"));
    CHECK_FALSE(has(record, "canary"));
}

TEST_CASE("the words of the vault are explained, suggested and completed") {
    VaultStage const stage(test::people().front());
    REQUIRE(stage.keep("notion_token", "12345678") == 0);
    CHECK(has(stage.pfar({"--help"}).out, "vault"));
    CHECK(has(stage.vault({"--help"}).out, "change-key"));
    CHECK(stage.vault({}).status == 64);
    CHECK(has(stage.vault({"sett"}).err, "did you mean vault set?"));
    CHECK(has(stage.vault({"set", "--help"}).out, "pfar vault set gcp < service-account.json"));
    CHECK(has(stage.pfar({"help", "vault", "set"}).out, "pfar vault set: keep a credential"));
    CHECK(has(stage.pfar({"__complete", "vault", "re"}).out, "rename"));
    CHECK(has(stage.pfar({"__complete", "vault", "remove", "no"}).out, "notion_token"));
}

TEST_CASE("a store that cannot be loaded is told, and no other takes its place") {
    VaultStage const stage(test::people().front());
    REQUIRE(stage.keep("token", "12345678") == 0);
    stage.settings_file("[plugins.vault-file]\nkey_file = 3\n");
    auto const broken = stage.vault({"list"});
    CHECK(broken.status != 0);
    CHECK(has(broken.err, "vault-file"));
    CHECK(has(broken.err, "key_file"));
    stage.settings_file("[credentials]\nstore = \"vault-fiel\"\n");
    CHECK(stage.vault({"list"}).status != 0);
}
