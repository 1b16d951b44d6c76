#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using test::has;

namespace fs = std::filesystem;

namespace {

void put(test::TempDir const& home, std::string const& fixture) {
    fs::create_directories(home / "plugins");
    fs::copy_file(fs::path(PFAR_FIXTURES) / (fixture + ".so"), home / ("plugins/" + fixture + ".so"));
    ::chmod((home / ("plugins/" + fixture + ".so")).c_str(), 0700);
}

} // namespace

TEST_CASE("the six shipped plugins are listed with kind, version, api and path") {
    test::TempDir const home;
    auto const outcome = test::pfar(home.path(), {"plugins", "--json"});
    CHECK(outcome.status == 0);
    CHECK_FALSE(has(outcome.err, "refused"));
    for (auto const* const name : {"bwrap", "landlock", "proxy-connect", "known", "vault-env", "vault-file"})
        CHECK(has(outcome.out, std::string("\"name\": \"") + name + "\""));
    for (auto const* const kind : {"sandbox", "egress", "registry", "credentials"})
        CHECK(has(outcome.out, std::string("\"kind\": \"") + kind + "\""));
    CHECK(has(outcome.out, "\"api\": 5"));
    CHECK(has(outcome.out, "/lib/pfar/plugins/sandbox-bwrap.so\""));
}

TEST_CASE("a backend is chosen by trying, and the reason is told") {
    test::TempDir const home;
    auto const by_trying = test::pfar(home.path(), {"plugins"});
    if (has(by_trying.err, "no sandbox backend can be used"))
        SKIP("no backend works on this machine: " + by_trying.err);
    CHECK(has(by_trying.out, "sandbox: landlock (auto: tried first, and it works here)"));
    home.write("pfar.toml", "[sandbox]\nbackend = \"bwrap\"\n[plugins.bwrap]\nprogram = \"/no/such/bwrap\"\n");
    auto const without = test::pfar(home.path(), {"plugins"});
    CHECK(has(without.out + without.err,
              "/no/such/bwrap is not installed; on Debian and Ubuntu: apt install bubblewrap"));
}

TEST_CASE("plugins that are refused are told by name while everything else works") {
    test::TempDir const home;
    for (auto const* const fixture :
         {"other-abi", "other-api", "throwing-configure", "null-instance", "unresolved", "library", "throwing-probe"})
        put(home, fixture);
    auto const outcome = test::pfar(home.path(), {"plugins"});
    CHECK(outcome.status == 0);
    for (auto const* const fixture :
         {"other-abi", "other-api", "throwing-configure", "null-instance", "unresolved", "library"}) {
        CHECK(has(outcome.err, std::string(fixture) + ".so"));
        CHECK_FALSE(has(outcome.out, std::string(fixture) + ".so"));
    }
    CHECK(has(outcome.out, "vault-file"));
    CHECK(test::pfar(home.path(), {"check"}).status == 0);
}

TEST_CASE("settings in pfar.toml reach the plugin") {
    test::TempDir const home;
    put(home, "greeter");
    home.write("pfar.toml", "[plugins.greeter]\ngreeting = \"good morning\"\ntimes = 2\n");
    auto const outcome = test::pfar(home.path(), {"plugins", "--log", "warn"});
    CHECK(has(outcome.err, "[greeter] good morning"));
    CHECK(has(outcome.out, "greeter"));
}

TEST_CASE("an ordinary user is served as well as root, from a tree that belongs to root") {
    if (::geteuid() != 0) SKIP("only root can become somebody else");
    test::TempDir const dir;
    for (auto const* const part : {"bin", "lib", "libexec", "share"})
        if (fs::exists(fs::path(PFAR_BUILD) / part))
            fs::copy(fs::path(PFAR_BUILD) / part, dir / part, fs::copy_options::recursive);
    ::chmod(dir.path().c_str(), 0755);
    fs::create_directory(dir / "home");
    ::chmod((dir / "home").c_str(), 0700);
    REQUIRE(::chown((dir / "home").c_str(), 65533, 65533) == 0);
    auto const program = (dir / "bin/pfar").native();
    std::map<std::string, std::string> const environment{{"PFAR_HOME", (dir / "home").native()},
                                                         {"HOME", (dir / "home").native()}};
    auto const as_user = test::run({{program, "plugins"}, environment, "/", {}, 65533});
    CHECK(as_user.status == 0);
    CHECK(has(as_user.out, "vault-file"));
    if (has(as_user.err, "bwrap cannot make a sandbox here"))
        WARN("this machine refuses user namespaces: " << as_user.err);
    else
        CHECK(has(as_user.out, "sandbox: landlock"));
    auto const as_root = test::run({{program, "plugins"}, environment, "/", {}, 0});
    CHECK(as_root.status == 78); // somebody else's home could hold somebody else's plugins
    CHECK(has(as_root.err, "belongs to uid 65533"));
}
