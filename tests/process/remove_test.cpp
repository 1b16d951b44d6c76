// pfar remove
#include "vault/vault_stage.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <unistd.h>

using test::has;
namespace json = boost::json;

namespace {

constexpr auto with_secrets =
    "[server]\ncommand = \"/bin/sh\"\n[auth]\nT = \"vault:own\"\nU = \"x://${vault:shared}@h\"\n";

struct World : test::VaultStage {
    explicit World(test::Setting setting = test::people().front()) : VaultStage(std::move(setting)) {
        static_cast<void>(write("home/.pfar/mcp/a.toml", std::string("name = \"a\"\n") + with_secrets));
        static_cast<void>(write("home/.pfar/mcp/b.toml",
                                "name = \"b\"\n[server]\ncommand = \"/bin/sh\"\n[auth]\nT = \"vault:shared\"\n"));
        static_cast<void>(write("home/.pfar/state/a/deep/file", "x"));
        static_cast<void>(write("home/.pfar/mcp-servers/a/package.json", "{}"));
        std::filesystem::create_symlink("/etc", pfar_home() / "state/a/link");
        REQUIRE(keep("own", "own-value-1") == 0);
        REQUIRE(keep("shared", "shared-value") == 0);
    }
    [[nodiscard]] bool there(std::string const& name) const {
        return std::filesystem::exists(std::filesystem::symlink_status(pfar_home() / name));
    }
};

} // namespace

TEST_CASE("a server is removed, and what it leaves is kept and told") {
    World const world(GENERATE(from_range(test::people())));
    auto const unsure = world.pfar({"remove", "a"});
    CHECK(unsure.status == 77);
    CHECK(has(unsure.err, "say --yes"));
    CHECK(world.there("mcp/a.toml"));
    auto const removed = world.pfar({"remove", "a", "--yes"});
    CHECK(removed.status == 0);
    for (auto const* const part : {"a is removed", "kept     ~/.pfar/state/a (rm -r removes it)",
                                   "kept     own in the vault (pfar vault remove own removes it)"})
        CHECK(has(removed.out, part));
    CHECK_FALSE(has(removed.out, "shared"));
    CHECK_FALSE(world.there("mcp/a.toml"));
    CHECK(world.there("state/a/deep/file"));
    CHECK(has(world.vault({"list"}).out, "own"));
    CHECK(world.pfar({"remove", "a", "--yes"}).status == 69);
}

TEST_CASE("--purge takes what is its own and nothing else") {
    World const world(GENERATE(from_range(test::people())));
    auto const removed = world.pfar({"remove", "a", "--purge", "--yes", "--json"});
    INFO(removed.err);
    REQUIRE(removed.status == 0);
    auto const report = json::parse(removed.out).as_object();
    CHECK(report.at("entries").as_array().size() == 1);
    CHECK(report.at("left").as_array().empty());
    for (auto const* const name : {"mcp/a.toml", "state/a", "mcp-servers/a"}) CHECK_FALSE(world.there(name));
    CHECK(std::filesystem::exists("/etc/passwd")); // behind the link
    CHECK(world.there("mcp/b.toml"));
    auto const entries = world.vault({"list"}).out;
    CHECK_FALSE(has(entries, "own"));
    CHECK(has(entries, "shared"));
    CHECK(has(world.audit(), "remove"));
}

TEST_CASE("it asks on a terminal, with everything that goes, and no is no") {
    World world;
    world.environment = {"TERM=xterm"};
    test::Live no(world, world.words({"remove", "a", "--purge"}), test::Live::On::terminal);
    REQUIRE(no.says("Remove a? [y/N]"));
    for (auto const* const part : {"mcp/a.toml", "state/a/ and all in it", "mcp-servers/a/", "own in the vault"})
        CHECK(has(no.heard(), part));
    no.type("n\n");
    CHECK(no.end() == 77);
    CHECK(world.there("mcp/a.toml"));
    CHECK(world.there("state/a"));
    test::Live yes(world, world.words({"remove", "a"}), test::Live::On::terminal);
    REQUIRE(yes.says("Remove a? [y/N]"));
    yes.type("y\n");
    CHECK(yes.end() == 0);
    CHECK_FALSE(world.there("mcp/a.toml"));
}

TEST_CASE("a project's file goes with its trust, and the owner's of that name takes its place") {
    World const world;
    static_cast<void>(world.write("home/p/.pfar/mcp/b.toml",
                                  "name = \"b\"\n[server]\ncommand = \"/bin/sh\"\n[auth]\nT = \"vault:own\"\n"));
    auto const project = world.home() / "p";
    REQUIRE(world.pfar({"trust", "--yes"}, project).status == 0);
    // From elsewhere: another project's trusted file names the entry too.
    CHECK_FALSE(has(world.pfar({"remove", "a", "--yes"}).out, "own in the vault"));
    auto const removed = world.pfar({"remove", "b", "--yes"}, project);
    CHECK(removed.status == 0);
    CHECK(has(removed.out, "now      b is ~/.pfar/mcp/b.toml"));
    CHECK(has(world.pfar({"trust", "--list"}).out, "nothing is trusted"));
    CHECK(world.there("mcp/b.toml"));
    CHECK_FALSE(std::filesystem::exists(project / ".pfar/mcp/b.toml"));
}

TEST_CASE("a link goes, the file behind it stays; a file with mistakes goes too") {
    World const world;
    auto const real = world.write("home/dotfiles/c.toml", "name = \"c\"\n[server]\ncommand = \"/bin/sh\"\n");
    std::filesystem::create_symlink(real, world.pfar_home() / "mcp/c.toml");
    CHECK(has(world.pfar({"remove", "c", "--yes"}).out, "the file behind the link"));
    CHECK(std::filesystem::exists(real));
    CHECK_FALSE(world.there("mcp/c.toml"));
    static_cast<void>(world.write("home/.pfar/mcp/d.toml", "name = [\n"));
    CHECK(world.pfar({"remove", "d", "--yes"}).status == 0);
    CHECK_FALSE(world.there("mcp/d.toml"));
    auto const unknown = world.pfar({"remove", "bb", "--yes"});
    CHECK(unknown.status == 69);
    for (auto const* const name : {"../mcp/b", "", "/", "*"})
        CHECK(world.pfar({"remove", name, "--yes", "--purge"}).status == 69);
    CHECK(world.there("mcp/b.toml"));
}

TEST_CASE("one that may not be removed is told so") {
    if (::geteuid() != 0) SKIP("needs root to become somebody else");
    World const world(test::people().back());
    std::filesystem::permissions(world.pfar_home() / "mcp", std::filesystem::perms(0500));
    auto const refused = world.pfar({"remove", "a", "--yes", "--purge"});
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "may not be removed"));
    CHECK(world.there("state/a"));
    CHECK(has(world.vault({"list"}).out, "own"));
}
