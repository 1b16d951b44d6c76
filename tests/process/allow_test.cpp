#include "support/child.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using test::has;

namespace {

constexpr auto file =
    "# mine\nname = \"a\"\nallowed_domains = [\"api.example.com\"] # only this\n[server]\ncommand = \"sh\"\n";

struct World {
    test::TempDir home, project;

    World() { home.write("mcp/a.toml", file); }
    [[nodiscard]] test::Outcome pfar(std::vector<std::string> words) const {
        return test::pfar(home.path(), std::move(words), project.path());
    }
    [[nodiscard]] std::string text() const { return test::read(home / "mcp/a.toml"); }
};

struct stat status_of(std::filesystem::path const& path) {
    struct stat status {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    return status;
}

} // namespace

TEST_CASE("a domain is allowed, and the file says so and is otherwise as it was") {
    World const world;
    auto const allowed = world.pfar({"allow", "a", "New.Example.com"});
    CHECK(allowed.status == 0);
    CHECK(allowed.out == "a may now reach new.example.com (" + (world.home / "mcp/a.toml").native() + ")\n");
    CHECK(world.text() == "# mine\nname = \"a\"\nallowed_domains = [\"api.example.com\", \"new.example.com\"] # only "
                          "this\n[server]\ncommand = \"sh\"\n");
    CHECK(has(world.pfar({"check", "a"}).out, "ok"));
}

TEST_CASE("what is allowed already stays as it is") {
    World const world;
    auto const before = status_of(world.home / "mcp/a.toml").st_ino;
    auto const same = world.pfar({"allow", "a", "api.example.com:443"});
    CHECK(same.status == 0);
    CHECK(has(same.out, "a may already reach api.example.com:443"));
    CHECK(has(world.pfar({"allow", "a", "api.example.com", "--json"}).out, "\"changed\": false"));
    CHECK(world.text() == file);
    CHECK(status_of(world.home / "mcp/a.toml").st_ino == before);
}

TEST_CASE("scripts get JSON") {
    World const world;
    auto const out = world.pfar({"allow", "a", "*.b.example", "--json"}).out;
    for (auto const* const part :
         {"\"server\": \"a\"", "\"domain\": \"*.b.example\"", "mcp/a.toml\"", "\"changed\": true"})
        CHECK(has(out, part));
}

TEST_CASE("what is no domain and no server is told apart") {
    World const world;
    auto const url = world.pfar({"allow", "a", "https://x.example.com/v1"});
    CHECK(url.status == 64);
    CHECK(has(url.err, "is a URL, not a host name; \"x.example.com\""));
    world.home.write("mcp/notion.toml", "name = \"notion\"\n[server]\ncommand = \"sh\"\n");
    auto const unknown = world.pfar({"allow", "notoin", "x.example.com"});
    CHECK(unknown.status == 69);
    CHECK(has(unknown.err, "there is no server \"notoin\" (did you mean \"notion\"?)"));
    CHECK(world.pfar({"allow", "a"}).status == 64);
    world.home.write("mcp/a.toml", "name = 1\n");
    CHECK(has(world.pfar({"allow", "a", "x.example.com"}).err, "has mistakes; pfar check a tells which"));
}

TEST_CASE("a wildcard over a whole ending is allowed with a warning") {
    World const world;
    auto const wide = world.pfar({"allow", "a", "*.com"});
    CHECK(wide.status == 0);
    CHECK(has(wide.err, "*.com is every name that ends in .com"));
    CHECK(world.pfar({"allow", "a", "*.example.org"}).err.empty());
}

TEST_CASE("mode and link of the file are kept") {
    World const world;
    auto const real = world.project.write("dotfiles/b.toml", "name = \"b\"\n[server]\ncommand = \"sh\"\n");
    ::chmod(real.c_str(), 0640);
    std::filesystem::create_symlink(real, world.home / "mcp/b.toml");
    CHECK(world.pfar({"allow", "b", "x.example.com"}).status == 0);
    CHECK(std::filesystem::is_symlink(world.home / "mcp/b.toml"));
    CHECK(test::read(real) == "name = \"b\"\nallowed_domains = [\"x.example.com\"]\n[server]\ncommand = \"sh\"\n");
    CHECK((status_of(real).st_mode & 07777U) == 0640);
}

TEST_CASE("a file that may not be written is not replaced") {
    if (::geteuid() != 0) SKIP("needs root to become somebody else");
    World const world;
    auto const give = [](std::filesystem::path const& path) { CHECK(::lchown(path.c_str(), 61000, 61000) == 0); };
    give(world.home.path());
    give(world.home / "mcp");
    give(world.home / "mcp/a.toml");
    ::chmod((world.home / "mcp/a.toml").c_str(), 0400);
    auto const refused = test::run(
        {{PFAR_PROGRAM, "allow", "a", "x.example.com"}, {{"PFAR_HOME", world.home.path().native()}}, "/", {}, 61000});
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "may not be written"));
    CHECK(world.text() == file);
}

TEST_CASE("root's change leaves a file with its owner") {
    if (::geteuid() != 0) SKIP("needs root");
    World const world;
    world.project.write(".pfar/mcp/p.toml", "name = \"p\"\n[server]\ncommand = \"sh\"\n");
    REQUIRE(world.pfar({"trust", "--yes"}).status == 0);
    auto const path = world.project / ".pfar/mcp/p.toml";
    REQUIRE(::lchown(path.c_str(), 61000, 61001) == 0);
    CHECK(world.pfar({"allow", "p", "x.example.com"}).status == 0);
    CHECK(status_of(path).st_uid == 61000);
    CHECK(status_of(path).st_gid == 61001);
}

TEST_CASE("a trusted project's file stays trusted with this change, and one that is not trusted is not changed") {
    World const world;
    auto const path = world.project.write(".pfar/mcp/p.toml", "name = \"p\"\n[server]\ncommand = \"sh\"\n");
    auto const refused = world.pfar({"allow", "p", "x.example.com"});
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "run pfar trust"));
    CHECK_FALSE(has(test::read(path), "allowed_domains"));

    REQUIRE(world.pfar({"trust", "--yes"}).status == 0);
    CHECK(world.pfar({"allow", "p", "x.example.com"}).status == 0);
    CHECK(has(world.pfar({"check", "p"}).out, "ok       project"));

    world.project.write(".pfar/mcp/p.toml", test::read(path) + "#\n"); // somebody else's change is not taken along
    CHECK(world.pfar({"allow", "p", "y.example.com"}).status == 77);
    CHECK(has(world.pfar({"check", "p"}).out, "waits    project"));
}

TEST_CASE("many at once lose nothing") {
    World const world;
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        auto const child = ::fork();
        if (child == 0) ::_exit(world.pfar({"allow", "a", "x" + std::to_string(i) + ".example.com"}).status);
        children.push_back(child);
    }
    for (auto const child : children) CHECK(test::ended(child) == 0);
    for (int i = 0; i < 8; ++i) CHECK(has(world.text(), "\"x" + std::to_string(i) + ".example.com\""));
}
