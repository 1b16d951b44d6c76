#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using test::has;

namespace {

constexpr auto file = "name = \"a\"\nallowed_domains = [\"api.example.com\"]\n[server]\ncommand = \"/bin/sh\"\nargs = "
                      "[\"-c\", \"echo hi\"]\n[auth]\nT = \"vault:t\"\n";

struct World {
    test::TempDir home, project;

    World() {
        project.write(".pfar/mcp/a.toml", file);
        std::filesystem::create_directories(project / "src/deep");
    }
    [[nodiscard]] test::Outcome pfar(std::vector<std::string> words) const {
        return test::pfar(home.path(), std::move(words), project / "src/deep");
    }
};

} // namespace

TEST_CASE("a project's file waits until it is trusted, and again when it has changed") {
    World const world;
    CHECK(has(world.pfar({"check"}).out, "waits    project"));
    auto const trusted = world.pfar({"trust", "--yes"});
    CHECK(trusted.status == 0);
    CHECK(has(trusted.err, "runs     /bin/sh -c echo hi")); // what is agreed to is shown
    CHECK(has(trusted.err, "reaches  api.example.com"));
    CHECK(has(trusted.err, "gets     T = ${vault:t}"));
    CHECK(has(world.pfar({"check"}).out, "ok       project"));
    CHECK(has(world.pfar({"trust", "--yes"}).out, "nothing to do"));

    world.project.write(".pfar/mcp/a.toml", std::string(file) + "#\n");
    CHECK(has(world.pfar({"check"}).out, "changed since it was trusted"));
    CHECK(has(world.pfar({"trust", "--list"}).out, "changed  "));
    CHECK(has(world.pfar({"trust", "--list", "--json"}).out, "\"standing\": \"changed\""));
}

TEST_CASE("without a terminal nothing is trusted unless --yes is said") {
    World const world;
    auto const refused = world.pfar({"trust"});
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "--yes"));
    CHECK_FALSE(std::filesystem::exists(world.home / "trust"));
}

TEST_CASE("on a terminal the owner is asked, and only a yes is a yes") {
    World const world;
    auto const answer = [&](std::string const& said) {
        auto const command = "printf '" + said + "\\n' | PFAR_HOME=" + world.home.path().native() + " script -qec '" +
                             PFAR_PROGRAM + " trust' /dev/null";
        return test::run({{"sh", "-c", command}, {}, world.project.path(), {}, 0});
    };
    CHECK(has(answer("").out, "Let these servers run? [y/N]"));
    CHECK_FALSE(std::filesystem::exists(world.home / "trust"));
    answer("n");
    answer("yep");
    CHECK_FALSE(std::filesystem::exists(world.home / "trust"));
    CHECK(has(answer("y").out, "trusted: 1 file"));
    CHECK(std::filesystem::exists(world.home / "trust"));
}

TEST_CASE("trust is taken back for the project as a whole") {
    World const world;
    world.project.write(".pfar/mcp/b.toml", "name = \"b\"\n[server]\ncommand = \"sh\"\n");
    CHECK(has(world.pfar({"trust", "--yes"}).out, "trusted: 2 files"));
    CHECK(has(world.pfar({"trust", "--remove"}).out, "no longer trusted: 2 files"));
    CHECK(has(world.pfar({"check"}).out, "waits    project"));
}

TEST_CASE("a file with mistakes is not trusted, the others are") {
    World const world;
    world.project.write(".pfar/mcp/b.toml", "name = \"b\"\n");
    auto const outcome = world.pfar({"trust", "--yes"});
    CHECK(outcome.status == 78);
    CHECK(has(outcome.err, "has mistakes and is not trusted"));
    CHECK(has(outcome.out, "trusted: 1 file"));
}

TEST_CASE("where there is no project, that is said") {
    test::TempDir const home, elsewhere;
    auto const outcome = test::pfar(home.path(), {"trust", "--yes"}, elsewhere.path());
    CHECK(outcome.status == 69);
    CHECK(has(outcome.err, "no project"));
}

TEST_CASE("a link that is turned to another file is not the file that was trusted") {
    World const world;
    world.project.write("one.toml", "name = \"c\"\n[server]\ncommand = \"sh\"\n");
    world.project.write("two.toml", "name = \"c\"\n[server]\ncommand = \"bash\"\n");
    auto const link = world.project / ".pfar/mcp/c.toml";
    std::filesystem::create_symlink(world.project / "one.toml", link);
    CHECK(world.pfar({"trust", "--yes"}).status == 0);
    std::filesystem::remove(link);
    std::filesystem::create_symlink(world.project / "two.toml", link);
    CHECK(has(world.pfar({"check", "c"}).out, "waits    project"));
}

TEST_CASE("a file that was trusted in one project is not trusted through a link from another") {
    World const world;
    CHECK(world.pfar({"trust", "--yes"}).status == 0);
    test::TempDir const other;
    std::filesystem::create_directories(other / ".pfar/mcp");
    std::filesystem::create_symlink(world.project / ".pfar/mcp/a.toml", other / ".pfar/mcp/a.toml");
    CHECK(has(test::pfar(world.home.path(), {"check", "a"}, other.path()).out, "waits    project"));
    test::TempDir const third;
    std::filesystem::create_directories(third / ".pfar");
    std::filesystem::create_directory_symlink(world.project / ".pfar/mcp", third / ".pfar/mcp");
    CHECK(has(test::pfar(world.home.path(), {"check", "a"}, third.path()).out, "waits    project"));
}

TEST_CASE("whatever could harm is shown before it is trusted") {
    World const world;
    world.project.write(".pfar/mcp/b.toml", R"(name = "b"
taint = "clean"
label = "public"
allowed_domains = ["tracker.corp"]
allow_private = ["tracker.corp"]
[server]
command = "sh"
code = ["/etc"]
cwd = "/srv"
[auth]
FOO = "vault:github_token"
[env]
pass = ["AWS_PROFILE"]
set = { LD_PRELOAD = "/x.so" }
[sandbox]
require = []
[tools.wipe]
semantics = "read"
approve = "never"
)");
    auto const shown = world.pfar({"trust"}).err;
    for (auto const* const part :
         {"FOO = ${vault:github_token}", "sees     /etc", "in       /srv", "AWS_PROFILE of your environment",
          "LD_PRELOAD=/x.so", "cannot keep more than: nothing", "tracker.corp even at a private address",
          "taint    clean", "label    public", "wipe counts as a read", "wipe asks you: never"})
        CHECK(has(shown, part));
}

TEST_CASE("the files of a project that is gone can be taken off the list") {
    World const world;
    CHECK(world.pfar({"trust", "--yes"}).status == 0);
    std::filesystem::remove_all(world.project / ".pfar");
    CHECK(has(test::pfar(world.home.path(), {"trust", "--remove", world.project.path().native()}).out,
              "no longer trusted: 1 file"));
}
