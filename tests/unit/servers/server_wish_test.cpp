#include "servers/network.hpp"
#include "servers/server_wish.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using namespace pfar::servers;

namespace {

config::SurveyedFile file(config::Origin origin) {
    config::SurveyedFile out;
    out.found = {"notes", origin, "/home/me/project/.pfar/mcp/notes.toml", "/home/me/project"};
    out.spec.emplace();
    out.spec->name = "notes";
    out.spec->server.command = "node";
    return out;
}

Wish wish(config::SurveyedFile const& file, std::string const& tool = "") {
    return server_wish(file, "/home/me/.pfar", tool).value();
}

bool is_everything(Rights const& rights) {
    return rights.read && rights.create && rights.update && rights.remove && rights.execute;
}

config::DomainRule domain(std::optional<std::uint16_t> port) {
    config::DomainRule rule{};
    rule.port = port;
    return rule;
}

} // namespace

TEST_CASE("a project's server that declares nothing has the project but for its .pfar") {
    auto const made = wish(file(config::Origin::project));
    REQUIRE(made.grants.size() == 1);
    CHECK(made.grants[0].path == "/home/me/project");
    CHECK(is_everything(made.grants[0].rights));
    CHECK(made.hidden == std::vector<std::filesystem::path>{"/home/me/project/.pfar"});
    CHECK(made.domains.empty());
    CHECK_FALSE(made.commands);
    CHECK(made.env_pass.empty());
}

TEST_CASE("another server that declares nothing has its cwd, or no files") {
    for (auto const origin : {config::Origin::user, config::Origin::system}) {
        auto mine = file(origin);
        CHECK(wish(mine).grants.empty());
        CHECK(wish(mine).hidden.empty());
        mine.spec->server.cwd = "/srv/notes";
        auto const made = wish(mine);
        REQUIRE(made.grants.size() == 1);
        CHECK(made.grants[0].path == "/srv/notes");
        CHECK(is_everything(made.grants[0].rights));
        CHECK(made.cwd == std::filesystem::path("/srv/notes"));
    }
}

TEST_CASE("[access] takes the place of the default, even if it grants nothing") {
    for (auto const origin : {config::Origin::project, config::Origin::user}) {
        auto mine = file(origin);
        mine.spec->server.cwd = "/srv/notes";
        mine.spec->access.emplace();
        CHECK(wish(mine).grants.empty());
        mine.spec->access->files = {{"/srv/data", {.read = true}}};
        mine.spec->access->commands = {{"git"}};
        auto const made = wish(mine);
        REQUIRE(made.grants.size() == 1);
        CHECK(made.grants[0].path == "/srv/data");
        CHECK_FALSE(made.grants[0].rights.writes());
        CHECK(made.grants[0].why == "[access] of notes");
        CHECK(made.commands == std::vector<std::string>{"git"});
    }
}

TEST_CASE("a stateless server has the files of the tool that is called and no others") {
    auto mine = file(config::Origin::project);
    mine.spec->stateful = false;
    mine.spec->tools["read"].access.emplace().files = {{"/srv/data", {.read = true}}};
    mine.spec->tools["plain"];
    SECTION("none while it only lists") {
        CHECK(wish(mine).grants.empty());
    }
    SECTION("those of the tool") {
        auto const made = wish(mine, "read");
        REQUIRE(made.grants.size() == 1);
        CHECK(made.grants[0].path == "/srv/data");
        CHECK(made.grants[0].why == "tools.read of notes");
    }
    SECTION("none for a tool that names none") {
        CHECK(wish(mine, "plain").grants.empty());
    }
    SECTION("an error for a tool of which nothing is said") {
        auto const missing = server_wish(mine, "/home/me/.pfar", "other");
        REQUIRE_FALSE(missing);
        CHECK(missing.error().code == Errc::not_found);
    }
}

TEST_CASE("a server keeps its HOME below pfar's own directory, unless it keeps nothing") {
    auto mine = file(config::Origin::user);
    CHECK(wish(mine).state == std::filesystem::path("/home/me/.pfar/state/notes"));
    mine.spec->state = false;
    CHECK_FALSE(wish(mine).state);
}

TEST_CASE("without domains there is no network, and with some there are the ports that they name") {
    auto mine = file(config::Origin::user);
    CHECK_FALSE(network_for(wish(mine).domains, true).egress);
    mine.spec->allowed_domains = {domain({}), domain(443), domain(5432), domain(5432), domain(80), domain(3128)};
    auto const network = network_for(wish(mine).domains, wish(mine).transparent);
    CHECK(network.egress);
    CHECK(network.transparent);
    CHECK(network.proxy_port == 3129); // 3128 is somebody's
    CHECK(network.ports == std::vector<std::uint16_t>{3128, 5432});
    mine.spec->transparent = false;
    CHECK_FALSE(network_for(wish(mine).domains, wish(mine).transparent).transparent);
}

TEST_CASE("variables in arguments and in the environment are replaced, and an unknown one is an error") {
    auto mine = file(config::Origin::user);
    mine.spec->server.args = {"--dir=${PFAR_HOME}/x", "plain"};
    mine.spec->env_set = {{"KEYS", "${auth.files}/key"}};
    auto const made = wish(mine);
    CHECK(made.args == std::vector<std::string>{"--dir=/home/me/.pfar/x", "plain"});
    CHECK(made.env_set.at("KEYS") == "/run/auth/key");
    mine.spec->server.args = {"${NOBODY}"};
    CHECK_FALSE(server_wish(mine, "/home/me/.pfar", ""));
}
