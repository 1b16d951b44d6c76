#include "loader/plugin_set.hpp"
#include "support/temp_dir.hpp"

#include <pfar/sandbox_backend.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using namespace pfar;
namespace fs = std::filesystem;

namespace {

struct World {
    test::TempDir dir;
    config::HostSettings settings;

    World() {
        fs::create_directories(dir / "shipped");
        fs::create_directories(dir / "home/plugins");
    }
    void put(char const* fixture, char const* where) const {
        fs::copy_file(fs::path(PFAR_FIXTURES) / (std::string(fixture) + ".so"), dir / where);
        ::chmod((dir / where).c_str(), 0700);
    }
    loader::PluginSet load() const {
        return loader::PluginSet::load({dir / "shipped", dir / "home", dir / "share", dir / "shim", &settings});
    }
};

} // namespace

TEST_CASE("refused plugins are told one by one and the others are used") {
    World world;
    for (auto const* const fixture : {"greeter", "other-abi", "other-api", "throwing-configure", "throwing-int",
                                      "null-instance", "unresolved", "library"})
        world.put(fixture, (std::string("home/plugins/") + fixture + ".so").c_str());
    world.dir.write("home/plugins/text.so", "not a library");
    auto const set = world.load();
    REQUIRE(set.all().size() == 1);
    CHECK(set.all()[0].identity.name == "greeter");
    CHECK(set.refused().size() == 8);
    for (auto const& refusal : set.refused()) {
        INFO(refusal.why);
        CHECK(refusal.why.find(refusal.path.filename().native()) != std::string::npos);
        if (refusal.name == "throwing-configure")
            CHECK(refusal.why.find("configure was asked too much") != std::string::npos);
        if (refusal.name == "throwing-int") CHECK(refusal.why.find("unknown type") != std::string::npos);
    }
}

TEST_CASE("the owner's plugin overrides the shipped one of the same kind and name") {
    World world;
    world.put("greeter", "shipped/greeter.so");
    world.put("greeter", "home/plugins/mine.so");
    auto const set = world.load();
    REQUIRE(set.all().size() == 1);
    CHECK(set.all()[0].path == world.dir / "home/plugins/mine.so");
    REQUIRE(set.refused().size() == 1);
    CHECK(set.refused()[0].why.find("is a second sandbox plugin named \"greeter\"") != std::string::npos);
}

TEST_CASE("two plugins of one kind and name in one place: the second is refused") {
    World world;
    world.put("greeter", "home/plugins/a.so");
    world.put("greeter", "home/plugins/b.so");
    auto const set = world.load();
    CHECK(set.all().size() == 1);
    REQUIRE(set.refused().size() == 1);
    CHECK(set.refused()[0].path.filename() == "b.so");
}

TEST_CASE("paths in pfar.toml name files or directories, and one file named twice is one plugin") {
    World world;
    world.put("greeter", "greeter.so");
    world.settings.plugin_paths = {world.dir / "greeter.so", world.dir.path()};
    auto set = world.load();
    CHECK(set.all().size() == 1);
    CHECK(set.refused().empty());
    world.settings.plugin_paths = {world.dir / "no-such.so"};
    set = world.load();
    CHECK(set.refused().size() == 1);
}

TEST_CASE("nothing is taken from a directory that others can write") {
    World world;
    world.put("greeter", "home/plugins/greeter.so");
    ::chmod((world.dir / "home/plugins").c_str(), 0777);
    auto const set = world.load();
    CHECK(set.all().empty());
    REQUIRE(set.refused().size() == 1);
    CHECK(set.refused()[0].why.find("no plugin is taken from there") != std::string::npos);
}

TEST_CASE("the settings of [plugins.NAME] reach the plugin, and what it does not know refuses it") {
    World world;
    world.put("greeter", "home/plugins/greeter.so");
    world.settings.plugins["greeter"].settings = {{"times", {std::int64_t{0}}}};
    CHECK(world.load().all().size() == 1);
    world.settings.plugins["greeter"].settings = {{"greting", {std::string("hi")}}};
    auto const set = world.load();
    CHECK(set.all().empty());
    CHECK(set.refused()[0].why.find("unknown setting greting; it knows greeting, times") != std::string::npos);
}

TEST_CASE("asking for a plugin that is not there names the ones that are") {
    World world;
    world.put("greeter", "home/plugins/greeter.so");
    auto const set = world.load();
    CHECK(set.get<SandboxBackend>("greeter"));
    auto const missing = set.get<SandboxBackend>("greter");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().what ==
          "there is no sandbox plugin \"greter\" (did you mean \"greeter\"?); there is greeter");
}
