#include "config/places.hpp"
#include "config/survey.hpp"
#include "support/temp_dir.hpp"

#include "base/digest.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using namespace pfar;
using config::SurveyedFile;

namespace {

constexpr auto server = "name = \"a\"\n[server]\ncommand = \"/bin/true\"\n";

struct World {
    test::TempDir dir;
    config::Places places;

    World() {
        places.home = dir / "me/.pfar";
        places.user_home = dir / "me";
        places.system = dir / "etc/pfar";
        places.directory = dir / "me/project/deep/down";
        std::filesystem::create_directories(places.directory);
        std::filesystem::create_directories(places.home / "mcp");
    }
};

SurveyedFile const& only(std::vector<SurveyedFile> const& files, config::Origin origin) {
    for (auto const& file : files)
        if (file.found.origin == origin) return file;
    throw std::runtime_error("no such file");
}

} // namespace

TEST_CASE("a project is found from below, and the owner's own directory is none") {
    World world;
    CHECK_FALSE(config::project_root(world.places));
    world.dir.write("me/project/.pfar/mcp/a.toml", server);
    CHECK(config::project_root(world.places) == world.dir / "me/project");
    world.places.home = world.dir / "elsewhere"; // ~/.pfar is still no project
    std::filesystem::remove_all(world.dir / "me/project/.pfar");
    CHECK_FALSE(config::project_root(world.places));
}

TEST_CASE("the project comes before the home, the home before the system, once it is trusted") {
    World world;
    auto const project = world.dir.write("me/project/.pfar/mcp/a.toml", server);
    world.dir.write("me/.pfar/mcp/a.toml", server);
    world.dir.write("etc/pfar/mcp/a.toml", server);
    config::TrustList trust;
    auto files = config::survey(world.places, trust);
    REQUIRE(files.size() == 3);
    CHECK(only(files, config::Origin::project).role == SurveyedFile::Role::waits);
    CHECK(only(files, config::Origin::user).role == SurveyedFile::Role::used); // an untrusted file shadows nothing
    CHECK(only(files, config::Origin::system).role == SurveyedFile::Role::shadowed);

    trust.trust(project, base::sha256(server));
    files = config::survey(world.places, trust);
    CHECK(only(files, config::Origin::project).role == SurveyedFile::Role::used);
    CHECK(only(files, config::Origin::user).role == SurveyedFile::Role::shadowed);

    world.dir.write("me/project/.pfar/mcp/a.toml", std::string(server) + "# changed\n");
    files = config::survey(world.places, trust);
    CHECK(only(files, config::Origin::project).role == SurveyedFile::Role::waits);
    CHECK(only(files, config::Origin::project).standing == config::Standing::changed);
}

TEST_CASE("relative paths of a project's file begin at the project's root") {
    World world;
    world.dir.write("me/project/.pfar/mcp/a.toml", "name = \"a\"\n[server]\ncommand = \"tools/run\"\ncwd = \"data\"\n");
    auto const files = config::survey(world.places, {});
    REQUIRE(files.size() == 1);
    REQUIRE(files[0].spec);
    CHECK(files[0].spec->server.command == world.dir / "me/project/tools/run");
    CHECK(files[0].spec->server.cwd == world.dir / "me/project/data");
}

TEST_CASE("what editors leave behind is no server, and a directory or pipe of that name is a mistake") {
    World world;
    world.dir.write("me/.pfar/mcp/.#a.toml", server);
    world.dir.write("me/.pfar/mcp/a.toml~", server);
    world.dir.write("me/.pfar/mcp/a.txt", server);
    CHECK(config::survey(world.places, {}).empty());
    std::filesystem::create_directory(world.places.home / "mcp/d.toml");
    REQUIRE(::mkfifo((world.places.home / "mcp/p.toml").c_str(), 0600) == 0);
    auto const files = config::survey(world.places, {});
    REQUIRE(files.size() == 2);
    for (auto const& file : files) CHECK(file.mistakes.size() == 1);
}

TEST_CASE("a server file that others can write is not used") {
    World world;
    auto const file = world.dir.write("me/.pfar/mcp/a.toml", server);
    REQUIRE(::chmod(file.c_str(), 0666) == 0);
    auto const files = config::survey(world.places, {});
    REQUIRE(files.size() == 1);
    CHECK_FALSE(files[0].spec);
}
