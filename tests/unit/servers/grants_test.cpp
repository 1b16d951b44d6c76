#include "servers/grants.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace pfar;
using namespace pfar::servers;

namespace fs = std::filesystem;

namespace {

constexpr Rights look{.read = true};

struct World {
    test::TempDir dir;
    OwnerFacts owner;

    World() {
        for (auto const* const name : {"home/.pfar/vault", "home/notes/inbox", "home/project/.pfar", "other"})
            fs::create_directories(dir / name);
        owner.user_home = dir / "home";
        owner.pfar_home = dir / "home/.pfar";
    }
    [[nodiscard]] fs::path link(std::string_view name, fs::path const& target) const {
        fs::create_symlink(target, dir / name);
        return dir / name;
    }
    [[nodiscard]] Result<ResolvedGrants> resolve(std::vector<WishedGrant> grants,
                                                 std::vector<fs::path> hidden = {}) const {
        Wish wish;
        wish.grants = std::move(grants);
        wish.hidden = std::move(hidden);
        return resolve_grants(wish, owner);
    }
};

} // namespace

TEST_CASE("a grant is shown under its real path, with the rights and the reason it was given") {
    World const world;
    auto const granted = world.resolve({{world.dir / "home/notes", look, "[access] of notes"}});
    REQUIRE(granted);
    REQUIRE(granted->grants.size() == 1);
    auto const& grant = granted->grants[0];
    CHECK(grant.host == world.dir / "home/notes");
    CHECK(grant.inside == grant.host);
    CHECK(grant.rights.read);
    CHECK_FALSE(grant.rights.writes());
    CHECK(grant.why == "[access] of notes");
    CHECK(granted->links.empty());
    CHECK(granted->masked.empty());
}

TEST_CASE("a grant through a link shows where it leads, and the link itself is there inside too") {
    World const world;
    auto const link = world.link("home/short", "notes");
    auto const granted = world.resolve({{link / "inbox", everything, "grant"}});
    REQUIRE(granted);
    CHECK(granted->grants[0].inside == world.dir / "home/notes/inbox");
    CHECK(granted->links == std::vector<Link>{{link, "notes"}});
}

TEST_CASE("a link that lies in a grant anyway is not made a second time") {
    World const world;
    auto const link = world.link("home/notes/here", "inbox");
    auto const granted = world.resolve({{world.dir / "home/notes", look, "all"}, {link, look, "link"}});
    REQUIRE(granted);
    CHECK(granted->grants.size() == 2);
    CHECK(granted->links.empty());
}

TEST_CASE("two names of one path are one grant with the rights of both") {
    World const world;
    auto const link = world.link("home/short", "notes");
    auto const granted =
        world.resolve({{link, {.read = true}, "one"}, {world.dir / "home/notes", {.create = true}, "two"}});
    REQUIRE(granted);
    REQUIRE(granted->grants.size() == 1);
    CHECK(granted->grants[0].rights.read);
    CHECK(granted->grants[0].rights.create);
    CHECK_FALSE(granted->grants[0].rights.remove);
}

TEST_CASE("a grant through a link that the sandbox itself could turn elsewhere is refused with the real path") {
    World const world;
    auto const link = world.link("home/notes/out", world.dir / "other");
    auto const refused = world.resolve({{world.dir / "home/notes", everything, "notes"}, {link, look, "out"}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::refused);
    CHECK(refused.error().what.find("grant " + (world.dir / "other").native() + " by its real path") !=
          std::string::npos);
    CHECK(world.resolve(
        {{world.dir / "home/notes", look, "notes"}, {link, look, "out"}})); // it cannot, if it cannot write
}

TEST_CASE("the order in which grants are written does not hide a link that can be turned") {
    World const world;
    auto const link = world.link("home/notes/out", world.dir / "other");
    CHECK_FALSE(world.resolve({{link, look, "out"}, {world.dir / "home/notes", {.update = true}, "notes"}}));
    auto const round = world.link("home/project/up", "../project");
    CHECK_FALSE(world.resolve({{round, everything, "by its own link"}}));
}

TEST_CASE("a grant that is not there is told with its reason and the remedy") {
    World const world;
    auto const missing = world.resolve({{world.dir / "home/nothing", look, "[access] of notes"}});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Errc::not_found);
    CHECK(missing.error().what ==
          (world.dir / "home/nothing").native() + " ([access] of notes) is not there; make it, or remove the grant");
}

TEST_CASE("links in a circle are an error, not a wait") {
    World const world;
    auto const link = world.link("home/a", "b");
    (void)world.link("home/b", "a");
    CHECK_FALSE(world.resolve({{link, look, "circle"}}));
}

TEST_CASE("nothing in pfar's own directory can be granted, by whatever name") {
    World const world;
    auto const link = world.link("home/innocent", ".pfar/vault");
    for (auto const& path :
         {world.owner.pfar_home, world.dir / "home/.pfar/vault", link, world.dir / "home/notes/../.pfar/vault"}) {
        auto const refused = world.resolve({{path, look, "grant"}});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::refused);
    }
}

TEST_CASE("a grant that holds pfar's own directory shows it empty") {
    World const world;
    auto const granted = world.resolve({{world.dir / "home", everything, "home"}});
    REQUIRE(granted);
    CHECK(granted->masked == std::vector<fs::path>{world.dir / "home/.pfar"});
}

TEST_CASE("what is hidden is masked below a grant and nowhere else") {
    World const world;
    auto const hidden = world.dir / "home/project/.pfar";
    CHECK(world.resolve({{world.dir / "home/project", everything, "the project"}}, {hidden})->masked ==
          std::vector{hidden});
    CHECK(world.resolve({{world.dir / "home/notes", everything, "notes"}}, {hidden})->masked.empty());
    CHECK(world.resolve({{world.dir / "home/project", everything, "the project"}}, {world.dir / "home/project/none"})
              ->masked.empty());
}

TEST_CASE("the whole machine and the kernel's own directories cannot be granted") {
    World const world;
    auto const root = world.link("root", "/");
    for (fs::path const& path : {fs::path("/"), fs::path("/usr/.."), root, fs::path("/proc"), fs::path("/proc/self"),
                                 fs::path("/sys"), fs::path("/dev"), fs::path("/dev/null"), fs::path("/run")}) {
        auto const refused = world.resolve({{path, look, "grant"}});
        INFO(path);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::refused);
    }
}
