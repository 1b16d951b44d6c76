// pfar add, by its options.
#include "vault/vault_stage.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using test::has;
using test::VaultStage;
namespace json = boost::json;

namespace {

constexpr auto token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4";

struct World : VaultStage {
    explicit World(test::Setting setting = test::people().front()) : VaultStage(std::move(setting)) {}

    [[nodiscard]] test::Outcome add(std::vector<std::string> words, std::string input = "",
                                    std::filesystem::path const& directory = "/") const {
        words.insert(words.begin(), "add");
        return test::run({this->words(std::move(words)), {}, directory, std::move(input), setting().uid});
    }
    [[nodiscard]] std::filesystem::path file(std::string const& name) const {
        return pfar_home() / "mcp" / (name + ".toml");
    }
    [[nodiscard]] std::string text(std::string const& name) const { return test::read(file(name)); }
    [[nodiscard]] std::string entries() const { return vault({"list"}).out; }
};

unsigned mode_of(std::filesystem::path const& path) {
    struct stat status {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

} // namespace

TEST_CASE("a server is added with what its options say, and runs") {
    World const world(GENERATE(from_range(test::people())));
    auto const directory = world.make("home/notes");
    auto const added = world.add({"notes",
                                  "--domain",
                                  "API.example.com",
                                  "--write",
                                  directory.native(),
                                  "--env",
                                  "LOG=warn",
                                  "--memory",
                                  "512m",
                                  "--label",
                                  "sensitive",
                                  "--taint",
                                  "clean",
                                  "--no-autostart",
                                  "--session",
                                  "--description",
                                  "my \"notes\"",
                                  "--",
                                  "sh",
                                  "-c",
                                  "printf %s \"$LOG\" --help"});
    INFO(added.err);
    CHECK(added.status == 0);
    CHECK(has(added.out, "notes is added"));
    CHECK(has(added.out, "reaches  api.example.com"));
    CHECK(has(added.out, "writes   ~/notes"));
    CHECK(has(added.out, "next: pfar status notes"));
    auto const text = world.text("notes");
    for (auto const* const part :
         {"name = \"notes\"", "description = \"my \\\"notes\\\"\"", "label = \"sensitive\"",
          "allowed_domains = [\"api.example.com\"]", "share = \"session\"", "autostart = false", "taint = \"clean\"",
          "bin/sh\"", "LOG = \"warn\"", "memory_limit = \"512m\"", "read = true, write = true"})
        CHECK(has(text, part));
    CHECK(mode_of(world.file("notes")) == 0600);
    CHECK(mode_of(world.pfar_home() / "mcp") == 0700);
    CHECK(has(world.pfar({"check", "notes"}).out, "ok       user"));
    CHECK(world.run_server("notes").out == "warn--help");
}

TEST_CASE("the command is written with its full path, and so are files beside whoever adds it") {
    World const world;
    static_cast<void>(world.write("home/src/server.js", ""));
    auto const added =
        world.add({"a", "--", "sh", "server.js", "./server.js", "--x=server.js", "none.js"}, "", world.home() / "src");
    CHECK(added.status == 0);
    auto const full = (world.home() / "src/server.js").native();
    CHECK(has(world.text("a"),
              "    \"" + full + "\",\n    \"" + full + "\",\n    \"--x=server.js\",\n    \"none.js\",\n"));
    CHECK(has(added.err, "server.js is written as " + full));
    CHECK(world.add({"b", "--", "./tool"}, "", world.home()).status == 69);
    static_cast<void>(world.write("home/tool", "#!/bin/sh\n", 0755));
    CHECK(world.add({"b", "--", "./tool"}, "", world.home()).status == 0);
    CHECK(has(world.text("b"), "command = \"" + (world.home() / "tool").native() + "\""));
    auto const missing = world.add({"c", "--", "no-such-program"});
    CHECK(missing.status == 69);
    CHECK(has(missing.err, "c: there is no program no-such-program on PATH; install it"));
    CHECK_FALSE(std::filesystem::exists(world.file("c")));
}

TEST_CASE("a credential comes from stdin, goes to the vault, and is nowhere else") {
    World const world(GENERATE(from_range(test::people())));
    auto const added = world.add({"gh", "--secret", "GITHUB_TOKEN", "--secret", "OTHER=shared_one", "--", "sh", "-c",
                                  "printf '%s|%s' \"$GITHUB_TOKEN\" \"$OTHER\""},
                                 std::string(token) + "\r\nsecond-value\n");
    INFO(added.err);
    CHECK(added.status == 0);
    CHECK(has(world.text("gh"), "GITHUB_TOKEN = \"vault:gh_github_token\"\nOTHER = \"vault:shared_one\""));
    CHECK(has(added.out, "GITHUB_TOKEN from vault:gh_github_token (kept in the vault just now)"));
    CHECK(has(added.out, "though it gets a credential; pfar allow gh DOMAIN"));
    CHECK(world.run_server("gh").out == std::string(token) + "|second-value");
    CHECK(has(world.audit(), "gh_github_token"));
    for (auto const& [path, text] : test::files_below(world.path())) {
        CAPTURE(path);
        CHECK(text.find(token) == std::string::npos);
    }
    // What is there is used and not asked for, until somebody says otherwise.
    CHECK(has(world.add({"again", "--secret", "T=shared_one", "--", "sh"}).out, "in the vault already"));
    CHECK(world.add({"third", "--secret", "T=shared_one", "--replace", "--", "sh"}, "third-value\n").status == 0);
    CHECK(has(world.run_server("gh").out, "|third-value"));
}

TEST_CASE("a credential on the command line is refused and not repeated") {
    World const world;
    auto const value = std::string(token);
    std::vector<std::vector<std::string>> const attempts{
        {"a", "--env", "GITHUB_TOKEN=" + value, "--", "sh"},
        {"a", "--env", "DB=postgres://u:" + value + "@h/x", "--", "sh"},
        {"a", "--secret", "T=" + value, "--", "sh"},
        {"a", "--token=" + value, "--", "sh"},
        {"a", "--env", value, "--", "sh"},
        {"a", "--secret", value + "!", "--", "sh"},
        {"a", "--", "sh", "--api-key", value},
        {"a", "--", "sh", "--token=" + value},
        {"a", "--", "sh", value}};
    for (auto const& words : attempts) {
        auto const refused = world.add(words);
        CAPTURE(words);
        CHECK((refused.status == 64 || refused.status == 77));
        CHECK_FALSE(has(refused.err + refused.out, value.substr(4)));
    }
    CHECK(has(world.add(attempts[0]).err, "secrets are never taken from the command line; say --secret GITHUB_TOKEN"));
    CHECK(has(world.add(attempts[6]).err, "argument 2 looks like a credential"));
    CHECK_FALSE(std::filesystem::exists(world.file("a")));
    CHECK_FALSE(has(world.entries(), "a_"));
}

TEST_CASE("values and lines have to fit") {
    World const world;
    auto const add = [&](std::string const& input) {
        return world.add({"a", "--secret", "A", "--secret", "B", "--", "sh"}, input);
    };
    CHECK(has(add("only-one-line\n").err, "fewer lines"));
    CHECK(has(add("one-one-one\ntwo-two-two\nthree\n").err, "more lines"));
    CHECK(has(add("one-one-one\nshort\n").err, "less than 8 bytes"));
    CHECK(has(add("").err, "fewer lines"));
    CHECK(add("one-one-one\n\n").status == 78);
    CHECK(world.vault({"list", "--json"}).out == "[]\n");
    CHECK(world.add({"a", "--secret", "PIN", "--short", "--", "sh"}, "1234").status == 0);
}

TEST_CASE("a name that is taken is told, and --force keeps what was there") {
    World const world;
    REQUIRE(world.add({"a", "--", "sh", "-c", "first"}).status == 0);
    auto const taken = world.add({"a", "--", "sh"});
    CHECK(taken.status == 69);
    CHECK(has(taken.err, "there is a server a already"));
    CHECK(has(taken.err, "pfar edit a"));
    CHECK(has(world.text("a"), "first"));
    auto const forced = world.add({"a", "--force", "--", "sh", "-c", "second"});
    CHECK(forced.status == 0);
    CHECK(has(forced.out, "a is replaced"));
    CHECK(has(world.text("a"), "second"));
    CHECK(has(test::read(world.file("a").native() + ".bak"), "first"));
    CHECK(has(world.pfar({"check"}).out, "1 file: 0 errors"));
}

TEST_CASE("what is asked for wrongly is a usage error") {
    World const world;
    auto const check = [&](std::vector<std::string> const& words, char const* part) {
        auto const outcome = world.add(words);
        CAPTURE(words);
        CHECK(outcome.status == 64);
        CHECK(has(outcome.err, part));
    };
    check({"Bad_Name", "--", "sh"}, "such as \"bad-name\"");
    check({"../x", "--", "sh"}, "is not a server name");
    check({"a", "--domain", "https://x/", "--", "sh"}, "is a URL");
    check({"a", "--label", "secrt", "--", "sh"}, "did you mean");
    check({"a", "--memory", "lots", "--", "sh"}, "is not a size");
    check({"a", "--stateless", "--read", "/tmp", "--", "sh"}, "[tools.NAME.access]");
    check({"a", "--stateless", "--session", "--", "sh"}, "leave --session out");
    check({"a", "--env", "X", "--", "sh"}, "NAME=VALUE");
    CHECK(world.add({"a", "--read", world.pfar_home().native(), "--", "sh"}).status == 78); // no server sees that
    CHECK(world.add({"a", "--", "sh", "\xff"}).status == 78);
    CHECK_FALSE(std::filesystem::exists(world.file("a")));
}

TEST_CASE("a dry run shows the file and changes nothing, and scripts get JSON") {
    World const world;
    auto const shown = world.add({"a", "--dry-run", "--secret", "API_KEY", "--", "sh"});
    CHECK(shown.status == 0);
    CHECK(has(shown.out, "API_KEY = \"vault:a_api_key\""));
    CHECK_FALSE(std::filesystem::exists(world.file("a")));
    auto const added =
        world.add({"a", "--json", "--secret", "API_KEY", "--read", "/usr/share", "--", "sh"}, "0123456789\n");
    REQUIRE(added.status == 0);
    auto const one = json::parse(added.out).as_object().at("servers").as_array().at(0).as_object();
    CHECK(one.at("name").as_string() == "a");
    CHECK(one.at("file").as_string() == world.file("a").native());
    CHECK(one.at("secrets").as_array().at(0).as_object().at("state").as_string() == "kept");
    CHECK(one.at("files").as_array().at(0).as_object().at("write").as_bool() == false);
}

TEST_CASE("a project's server is written there and trusted, and a home is no project") {
    World const world(GENERATE(from_range(test::people())));
    auto const project = world.make("home/project");
    auto const added = world.add({"p", "--project", "--", "sh"}, "", project);
    INFO(added.err);
    CHECK(added.status == 0);
    CHECK(has(added.out, "writes   ~/project (the project, without .pfar)"));
    CHECK(std::filesystem::exists(project / ".pfar/mcp/p.toml"));
    CHECK(has(world.pfar({"check", "p"}, project).out, "ok       project"));
    CHECK(world.add({"h", "--project", "--", "sh"}, "", world.home()).status == 77);
    auto const hidden = world.add({"p", "--", "sh"}, "", project);
    CHECK(has(hidden.out, "comes first in this project"));
}

TEST_CASE("on a terminal a credential is asked for and not shown") {
    World world;
    world.environment = {"TERM=xterm"};
    test::Live live(world, world.words({"add", "a", "--secret", "API_KEY", "--", "sh"}), test::Live::On::terminal);
    REQUIRE(live.says("Value of API_KEY (not shown)"));
    live.type(std::string(token) + "\r");
    CHECK(live.says("kept in the vault just now"));
    CHECK(live.end() == 0);
    CHECK_FALSE(has(live.heard(), token));

    test::Live given_up(world, world.words({"add", "b", "--secret", "API_KEY", "--", "sh"}), test::Live::On::terminal);
    REQUIRE(given_up.says("Value of API_KEY"));
    given_up.type("\x03");
    CHECK(given_up.end() == 77);
    CHECK_FALSE(std::filesystem::exists(world.file("b")));
    test::Live nothing(world, world.words({"add", "b"}), test::Live::On::terminal);
    CHECK(nothing.says("what is to be run?"));
    CHECK(nothing.end() == 64);
}

TEST_CASE("many at once: every name is there, and one of each is not replaced") {
    World const world;
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
        auto const child = ::fork();
        if (child == 0)
            ::_exit(world
                        .add({"a" + std::to_string(i / 2), "--secret", "T=t" + std::to_string(i), "--", "sh"},
                             "value-" + std::to_string(i) + "-xxxx\n")
                        .status);
        children.push_back(child);
    }
    int good = 0;
    for (auto const child : children) {
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        good += WEXITSTATUS(status) == 0 ? 1 : 0;
    }
    CHECK(good == 3);
    CHECK(json::parse(world.vault({"list", "--json"}).out).as_array().size() == 3); // those who lost took theirs back
    CHECK(has(world.pfar({"check"}).out, "3 files: 0 errors, 0 warnings"));
}

TEST_CASE("a link that came with a project is replaced and not followed") {
    World const world;
    auto const precious = world.write("home/precious", "name = 1\n");
    auto const project = world.make("home/project/.pfar/mcp").parent_path().parent_path();
    std::filesystem::create_symlink(precious, project / ".pfar/mcp/a.toml");
    CHECK(world.add({"a", "--project", "--", "sh"}, "", project).status == 69);
    CHECK(world.add({"a", "--project", "--force", "--", "sh"}, "", project).status == 0);
    CHECK(test::read(precious) == "name = 1\n");
    CHECK_FALSE(std::filesystem::is_symlink(project / ".pfar/mcp/a.toml"));
}

TEST_CASE("a vault that is locked keeps a server with a new credential out, and one with a name alone in") {
    World const world;
    world.settings_file("[plugins.vault-file]\nkey_from = \"passphrase\"\n");
    auto const refused = world.add({"a", "--secret", "API_KEY", "--", "sh"}, "0123456789\n");
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "pfar vault unlock"));
    CHECK_FALSE(std::filesystem::exists(world.file("a")));
    auto const named = world.add({"b", "--env", "B_TOKEN=<TOKEN>", "--", "sh"});
    CHECK(named.status == 0);
    CHECK(has(named.out, "pfar vault set b_token"));
}
