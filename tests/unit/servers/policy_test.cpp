#include "servers/policy.hpp"

#include "base/paths.hpp"
#include "unit/servers/code_layout.hpp"

#include <pfar/sandbox_layout.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>

using namespace pfar;
using namespace pfar::servers;

namespace fs = std::filesystem;

namespace {

constexpr Rights look{.read = true};

struct World {
    test::CodeLayout layout;
    OwnerFacts owner;
    Wish wish;

    World() {
        fs::create_directories(layout.home() / "notes");
        fs::create_directories(layout.pfar_home() / "state/notes");
        owner.user_home = layout.home();
        owner.pfar_home = layout.pfar_home();
        owner.identity = {1000, 1000, "me", {}};
        owner.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", layout.home()}};
        wish.name = "notes";
        wish.command = "sh";
    }
    [[nodiscard]] Confinement made() const { return make_policy(wish, owner).value(); }
};

Grant const* grant(SandboxPolicy const& policy, fs::path const& inside) {
    auto const found =
        std::find_if(policy.grants.begin(), policy.grants.end(), [&](auto const& one) { return one.inside == inside; });
    return found == policy.grants.end() ? nullptr : &*found;
}

std::optional<std::string> variable(Command const& command, std::string const& name) {
    for (auto const& [key, value] : command.environment)
        if (key == name) return value;
    return {};
}

} // namespace

TEST_CASE("a wish for nothing shows the system, read-only, and nothing of the owner's") {
    World const world;
    auto const [policy, command] = world.made();
    CHECK(command.program.filename() == "sh");
    for (auto const& one : policy.grants) {
        INFO(one.inside);
        CHECK_FALSE(one.rights.writes());
        CHECK((one.inside.native().starts_with("/usr") || one.inside.native().starts_with("/etc") ||
               one.inside.native().starts_with("/lib") || one.inside.native().starts_with("/bin") ||
               one.inside.native().starts_with("/sbin")));
    }
    CHECK_FALSE(policy.network.egress);
    CHECK_FALSE(policy.commands);
    CHECK(policy.read_only_root);
    CHECK(policy.private_tmp);
}

TEST_CASE("HOME is the server's own directory if it keeps something, and the private /tmp if not") {
    World world;
    auto const without = world.made();
    CHECK(variable(without.command, "HOME") == "/tmp");
    CHECK(without.command.cwd == "/tmp");
    CHECK(grant(without.policy, "/state") == nullptr);

    world.wish.state = world.layout.pfar_home() / "state/notes";
    auto const with = world.made();
    CHECK(variable(with.command, "HOME") == "/state");
    CHECK(with.command.cwd == "/state");
    auto const* const state = grant(with.policy, "/state");
    REQUIRE(state != nullptr);
    CHECK(state->host == *world.wish.state);
    CHECK(state->rights.writes());
    auto const passwd = std::find_if(with.policy.made_files.begin(), with.policy.made_files.end(),
                                     [](auto const& one) { return one.inside == "/etc/passwd"; });
    REQUIRE(passwd != with.policy.made_files.end());
    CHECK(passwd->content.starts_with("me:x:1000:1000::/state:"));
}

TEST_CASE("the environment has nothing of the owner's but what describes the language") {
    World world;
    world.owner.environment.insert({{"AWS_SECRET_ACCESS_KEY", "x"},
                                    {"SSH_AUTH_SOCK", "/run/agent"},
                                    {"LD_PRELOAD", "/x.so"},
                                    {"LC_TIME", "de_DE"},
                                    {"TZ", "UTC"},
                                    {"TERM", "xterm"},
                                    {"NODE_OPTIONS", "-r x"},
                                    {"PASSED", "yes"}});
    world.wish.env_pass = {"PASSED"};
    world.wish.env_set = {{"SET", "value"}};
    std::vector<std::string> names;
    for (auto const& [name, value] : world.made().command.environment) names.push_back(name);
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"HOME", "LANG", "LC_TIME", "LOGNAME", "PASSED", "PATH", "SET", "TMPDIR",
                                            "TZ", "USER", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
                                            "XDG_STATE_HOME"});
}

TEST_CASE("a cwd is used by its real path if it is to be seen inside") {
    World world;
    auto const link = world.layout.link("short", "notes");
    world.wish.grants = {{world.layout.home() / "notes", everything, "grant"}};
    world.wish.cwd = link;
    CHECK(world.made().command.cwd == world.layout.home() / "notes");
}

TEST_CASE("a cwd that is not granted, hidden or not there is an error with the remedy, unless it was only a wish") {
    World world;
    fs::create_directories(world.layout.home() / "project/.pfar");
    Errc expected = Errc::refused;
    SECTION("not granted") {
        world.wish.cwd = world.layout.home() / "notes";
    }
    SECTION("hidden") {
        world.wish.grants = {{world.layout.home() / "project", everything, "the project"}};
        world.wish.hidden = {world.layout.home() / "project/.pfar"};
        world.wish.cwd = world.layout.home() / "project/.pfar";
    }
    SECTION("not there") {
        world.wish.cwd = world.layout.home() / "nothing";
        expected = Errc::not_found;
    }
    auto const refused = make_policy(world.wish, world.owner);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == expected);
    CHECK(refused.error().what.find("remove cwd") != std::string::npos);
    world.wish.cwd_if_granted = true;
    CHECK(world.made().command.cwd == "/tmp");
}

TEST_CASE("code is shown read-only, and code that is granted too has the grant's rights and can still be executed") {
    World world;
    world.layout.write("app/package.json", "{}");
    auto const script = world.layout.program("app/run.sh", "#!/bin/sh\n");
    world.wish.command = script;
    auto const alone = world.made();
    auto const* code = grant(alone.policy, world.layout.home() / "app");
    REQUIRE(code != nullptr);
    CHECK(code->rights.read);
    CHECK(code->rights.execute);
    CHECK_FALSE(code->rights.writes());

    world.wish.grants = {{world.layout.home() / "app", {.create = true, .update = true, .remove = true}, "grant"}};
    auto const both = world.made();
    code = grant(both.policy, world.layout.home() / "app");
    REQUIRE(code != nullptr);
    CHECK(code->rights.writes());
    CHECK(code->rights.read);
    CHECK(code->rights.execute);
    CHECK(std::count_if(both.policy.grants.begin(), both.policy.grants.end(),
                        [&](auto const& one) { return one.host == world.layout.home() / "app"; }) == 1);
}

TEST_CASE("a grant of the home directory shows pfar's own directory empty") {
    World world;
    world.wish.grants = {{world.layout.home(), everything, "home"}};
    CHECK(world.made().policy.masked == std::vector<fs::path>{world.layout.pfar_home()});
}

TEST_CASE("a link is made once, and not where a grant is") {
    World world;
    auto const link = world.layout.link("short", "notes");
    world.wish.grants = {{link, look, "one"}, {link, look, "two"}};
    auto const policy = world.made().policy;
    CHECK(std::count_if(policy.links.begin(), policy.links.end(),
                        [&](auto const& one) { return one.inside == link; }) == 1);
}

TEST_CASE("limits, layers and promises are those of [sandbox]") {
    World world;
    world.wish.sandbox.memory_limit = 1U << 30U;
    world.wish.sandbox.pids_limit = 7;
    world.wish.sandbox.tmp_size = 1U << 20U;
    world.wish.sandbox.read_only_fs = world.wish.sandbox.allow_tmp = false;
    world.wish.sandbox.require = {Promise::limits};
    auto const policy = world.made().policy;
    CHECK(policy.limits.memory == 1U << 30U);
    CHECK(policy.limits.processes == 7);
    CHECK(policy.limits.descriptors > 0);
    CHECK(policy.limits.tmp_bytes == 1U << 20U);
    CHECK_FALSE(policy.read_only_root);
    CHECK_FALSE(policy.private_tmp);
    CHECK(policy.require == std::vector{Promise::limits});
}

TEST_CASE("a name server is named only where the shim answers") {
    World world;
    auto const resolv = [&] {
        for (auto const& file : world.made().policy.made_files)
            if (file.inside == "/etc/resolv.conf") return file.content;
        return std::string("none");
    };
    CHECK(resolv().find("nameserver") == std::string::npos);
    world.wish.domains = {{"api.example.com", false, false, {}}};
    CHECK(resolv() == "nameserver 127.0.0.1\n");
}

TEST_CASE("a command that is not there is an error") {
    World world;
    world.wish.command = "no-such-command-anywhere";
    auto const missing = make_policy(world.wish, world.owner);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Errc::not_found);
    CHECK(missing.error().what.find("no-such-command-anywhere") != std::string::npos);
}

TEST_CASE("what the sandbox can write does not become a way to what it cannot see, at the next start") {
    World world;
    auto const project = world.layout.home() / "project";
    auto const secret = world.layout.home() / ".ssh/id_rsa";
    fs::create_directories(project / "dist");
    fs::create_directories(secret.parent_path());
    std::ofstream(secret) << "key";
    std::ofstream(project / "package.json") << "{}";
    std::ofstream(project / "dist/index.js") << "";
    world.wish.command = "/bin/cat";
    world.wish.args = {project / "dist/index.js"};
    world.wish.grants = {{project, everything, "the project"}};
    CHECK(grant(world.made().policy, secret) == nullptr);

    SECTION("an argument turned into a link") {
        fs::remove(project / "dist/index.js");
        fs::create_symlink(secret, project / "dist/index.js");
    }
    SECTION("a directory on the way turned into a link") {
        fs::remove_all(project / "dist");
        fs::create_directory_symlink(world.layout.home() / ".ssh", project / "dist");
        world.wish.args = {project / "dist/id_rsa"};
    }
    SECTION("code that was named turned into a link") {
        world.wish.code = {project / "dist/index.js"};
        fs::remove(project / "dist/index.js");
        fs::create_symlink(secret, project / "dist/index.js");
    }
    auto const again = make_policy(world.wish, world.owner);
    if (again)
        for (auto const& one : again->policy.grants) CHECK_FALSE(base::lies_in(secret, one.host));
    else
        CHECK(again.error().code == Errc::refused);
}

TEST_CASE("a directory for data inside the server's package can be granted") {
    World world;
    auto const package = world.layout.home() / "package";
    fs::create_directories(package / "data");
    std::ofstream(package / "package.json") << "{}";
    std::ofstream(package / "index.js") << "";
    world.wish.command = "/bin/cat";
    world.wish.args = {package / "index.js"};
    world.wish.grants = {{package / "data", {true, true, true, true, false}, "[access]"}};
    auto const policy = world.made().policy;
    CHECK(check_rights(policy, true));
    REQUIRE(grant(policy, package / "data") != nullptr);
    CHECK(grant(policy, package / "data")->rights.execute); // as everything around it
}
