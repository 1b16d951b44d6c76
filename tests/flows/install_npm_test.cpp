// What real npm does with packages of the test's own, and what it is not let do.
#include "flows/install_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <csignal>

using test::has;
using test::InstallStage;
using test::text;
namespace fs = std::filesystem;

namespace {

constexpr auto token = "npm_T0kenThatNobodyMayFind";
// As in pfar::Errc.
constexpr auto invalid = "0", not_found = "1", refused = "2", unsupported = "3", unavailable = "4";

} // namespace

TEST_CASE("a package comes from the registry that npm is set to, pinned, and starts from its file") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.npmrc();
    auto const made = stage.install({"greeter", "npm", "hello", "1.0.0"});
    CHECK(text(made, "error").empty());
    CHECK(text(made, "version") == "1.0.0");
    CHECK(text(made, "integrity").starts_with("sha512-"));
    CHECK(text(made, "command") == "/usr/bin/node");
    CHECK(text(made, "args") == "[\"${PFAR_HOME}/mcp-servers/greeter/node_modules/hello/cli.js\"]");
    auto const place = stage.place("greeter");
    CHECK(has(stage.bare("/usr/bin/node " + (place / "node_modules/hello/cli.js").native()).out, "hello from"));
    CHECK(has(test::read(place / "package.json"), "\"hello\": \"1.0.0\""));
    CHECK(has(test::read(place / "pfar-package.json"), text(made, "integrity")));
    CHECK(fs::exists(place / "package-lock.json"));
    CHECK_FALSE(fs::exists(place / ".cache"));
    CHECK(stage.stagings() == 0);
}

TEST_CASE("an installed package runs as a server, in its sandbox") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.npmrc();
    stage.write("home/.pfar/pfar.toml", "[sandbox]\nbackend = \"" + stage.setting().backend + "\"\n");
    for (auto const* const package : {"hello", "script"}) {
        auto const made = stage.install({package, "npm", package, ""});
        REQUIRE(text(made, "error").empty());
        stage.write(std::string("home/.pfar/mcp/") + package + ".toml",
                    std::string("name = \"") + package + "\"\n[server]\ncommand = \"" + text(made, "command") +
                        "\"\nargs = " + text(made, "args") + "\n[sandbox]\nbackend = \"" + stage.setting().backend +
                        "\"\n");
    }
    auto const hello = stage.pfar({"exec", "--server", "hello"});
    INFO(hello.err);
    CHECK(has(hello.out, "hello from"));
    auto const script = stage.pfar({"exec", "--server", "script"});
    INFO(script.err);
    CHECK(script.out == "plain\n");
}

TEST_CASE("install scripts do not run, are listed, and run on request without network and files") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.npmrc();
    auto const result = fs::path("node_modules/evil/result.json");
    { // the control: plain npm runs it, and it gets both
        auto const bare = stage.make("bare");
        auto const ran = stage.bare("cd " + bare.native() + " && HOME=" + stage.home().native() +
                                    " npm install evil --cache " + (bare / "cache").native());
        INFO(ran.err);
        REQUIRE(has(test::read(bare / result), "the owner's secret"));
        REQUIRE(has(test::read(bare / result), "connected"));
    }
    auto const off = stage.install({"evil", "npm", "evil", "1.0.0"});
    CHECK(text(off, "scripts") == "[\"evil@1.0.0: postinstall\"]");
    CHECK_FALSE(fs::exists(stage.place("evil") / result));
    auto const on = stage.install({"evil", "npm", "evil", "1.0.0", "scripts"});
    CHECK(text(on, "error").empty());
    CHECK(text(on, "scripts") == "[]");
    auto const got = test::read(stage.place("evil") / result);
    CAPTURE(got);
    CHECK(has(got, "\"file\":\"ENOENT\""));
    CHECK_FALSE(has(got, "connected"));
    CHECK(has(got, "\"net\""));
}

TEST_CASE("the question about install scripts is one like all: it can be cancelled, and wants yes or no") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.npmrc();
    auto const talk = [&](std::string const& answers) {
        test::Invocation call;
        call.argv = stage.words({"connect", "npm:evil@1.0.0"});
        call.directory = "/", call.input = "\n\n" + answers;
        call.uid = stage.setting().uid;
        return test::run(call);
    };
    auto const cancelled = talk("cancel\n");
    INFO(cancelled.out << cancelled.err);
    CHECK(has(cancelled.out, "Run them now"));
    CHECK(cancelled.status == 77);
    CHECK_FALSE(fs::exists(stage.place("evil")));
    CHECK_FALSE(fs::exists(stage.pfar_home() / "mcp/evil.toml"));
    auto const slip = talk("banana\nyes\n");
    INFO(slip.out << slip.err);
    CHECK(has(slip.out, "yes or no."));
    CHECK(has(slip.out, "They have run."));
    CHECK(stage.pfar({"host", "stop"}).status == 0);
}

TEST_CASE("a scoped registry gets its token, and the token is nowhere on disk") {
    NEEDS_NPM();
    InstallStage stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    auto const at_registry = "//127.0.0.1:" + std::to_string(stage.port) + "/corp/:_authToken=";
    stage.npmrc("@corp:registry=" + stage.url("/corp/") + "\n" + at_registry +
                "${CORP_TOKEN}\n//example.com/:_authToken=other\n");
    auto const without = stage.install({"tool", "npm", "@corp/tool", "1.0.0"});
    CHECK(text(without, "code") == refused);
    CHECK(has(text(without, "error"), "npm login --registry " + stage.url("/corp/")));
    stage.environment.push_back(std::string("CORP_TOKEN=") + token);
    auto const made = stage.install({"tool", "npm", "@corp/tool", "1.0.0"});
    CHECK(text(made, "error").empty());
    CHECK(text(made, "args") == "[\"${PFAR_HOME}/mcp-servers/tool/node_modules/@corp/tool/cli.js\"]");
    CHECK(has(stage.log(), std::string("/corp/@corp/tool Bearer ") + token));
    CHECK(has(stage.log(), "/hello -\n")); // the usual registry has none, and gets none
    CHECK(stage.files_with(token).empty());
}

TEST_CASE("a token in the user's own file reaches the usual registry, too") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.npmrc("//127.0.0.1:" + std::to_string(stage.port) + "/:_authToken = \"" + token + "\"\n");
    CHECK(text(stage.install({"greeter", "npm", "hello", "1.0.0"}), "error").empty());
    CHECK(has(stage.log(), std::string("/hello Bearer ") + token));
    CHECK(stage.files_with(token).empty());
}

TEST_CASE("the settings of the directory that somebody stands in do not count") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.npmrc();
    auto const cloned = stage.write("cloned/.npmrc", "registry=http://" + stage.other() + "/\n").parent_path();
    stage.write("cloned/package.json", "{}");
    auto const outcome =
        test::run({stage.driver({"greeter", "npm", "hello", "1.0.0"}), {}, cloned, {}, stage.setting().uid});
    CHECK(has(outcome.out, "\"version\":\"1.0.0\""));
}

TEST_CASE("a tarball at another host stops with that host, and comes from there once its owner says so") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.npmrc();
    for (auto const* const package : {"moved", "elsewhere"}) {
        CAPTURE(package);
        auto const stopped = stage.install({package, "npm", package, "1.0.0"});
        CHECK(text(stopped, "code") == refused);
        CHECK(text(stopped, "blocked") == stage.other());
        CHECK_FALSE(fs::exists(stage.place(package)));
        auto const made = stage.install({package, "npm", package, "1.0.0", "host=" + stage.other()});
        CHECK(text(made, "error").empty());
        CHECK(text(made, "blocked").empty());
    }
}

TEST_CASE("what fails says why and changes nothing") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.npmrc();
    REQUIRE(text(stage.install({"x", "npm", "hello", "1.0.0"}), "error").empty());
    auto const before = test::read(stage.place("x") / "pfar-package.json");
    struct Failing {
        std::vector<std::string> words;
        std::string code, says;
    };
    for (Failing const& one :
         {Failing{{"x", "npm", "nosuch", "1.0.0"}, not_found, "has no package nosuch@1.0.0"},
          Failing{{"x", "npm", "hello", "9.9.9"}, not_found, "hello@9.9.9 does not exist"},
          Failing{{"x", "npm", "needy", "1.0.0"}, not_found, "needy@1.0.0 needs hello@^7.0.0, which does not exist"},
          Failing{{"x", "npm", "broken", "1.0.0"}, refused, "is not what it promised"},
          Failing{{"x", "npm", "huge", "1.0.0", "bytes=10000000"}, refused, "became larger than"},
          Failing{{"x", "npm", "slow", "1.0.0", "seconds=2"}, "7", "not done after"},
          Failing{{"x", "npm", "two", "1.0.0"}, invalid, "two has first and second; name one of them"},
          Failing{{"x", "npm", "two", "1.0.0", "entry=third"}, invalid, "and no third"},
          Failing{{"x", "npm", "outside", "1.0.0"}, invalid, "no file of its own"},
          Failing{{"x", "npm", "greedy", "1.0.0"}, unsupported, "may give node only flags such as --no-warnings"},
          Failing{{"x", "npm", "library", "1.0.0"}, invalid, "no program in it"},
          Failing{{"x", "npm", "../hello", "1.0.0"}, invalid, "not the name of a package"},
          Failing{{"x", "npm", "--global", "1.0.0"}, invalid, "not the name of a package"},
          Failing{{"x", "npm", "hello", "^1.0.0"}, invalid, "not one version"},
          Failing{{"../x", "npm", "hello", "1.0.0"}, invalid, ""}}) {
        auto const failed = stage.install(one.words);
        CAPTURE(one.says, text(failed, "error"));
        CHECK(text(failed, "code") == one.code);
        CHECK(has(text(failed, "error"), one.says));
    }
    CHECK(test::read(stage.place("x") / "pfar-package.json") == before);
    CHECK(stage.stagings() == 0);
}

TEST_CASE("a registry that is not there is told as such") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.write("home/.npmrc", "registry=http://127.0.0.1:1/\n");
    auto const failed = stage.install({"x", "npm", "hello", "1.0.0"});
    CHECK(text(failed, "code") == unavailable);
    CHECK(has(text(failed, "error"), "127.0.0.1:1, or another host that it needs, cannot be reached"));
}

TEST_CASE("a registry at a name with a private address is reached without being asked for") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.write("home/.npmrc", "registry=http://localhost:" + std::to_string(stage.port) + "/\n");
    CHECK(text(stage.install({"x", "npm", "hello", "1.0.0"}), "error").empty());
}

TEST_CASE("a registry behind a certificate of its own is believed if npm's cafile says so") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    if (!fs::exists(stage.certificate)) SKIP("there is no openssl");
    auto const registry = "registry=https://localhost:" + std::to_string(stage.tls_port) + "/\n";
    stage.write("home/.npmrc", registry);
    CHECK(has(text(stage.install({"x", "npm", "hello", "1.0.0"}), "error"), "self-signed certificate"));
    stage.write("home/.npmrc", registry + "cafile=" + stage.certificate.native() + "\n");
    CHECK(text(stage.install({"x", "npm", "hello", "1.0.0"}), "error").empty());
}

TEST_CASE("the proxy that npm is set to is gone through, with its login") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    auto const proxy = "proxy=http://me:proxy-Passw0rd@127.0.0.1:" + std::to_string(stage.port) + "/\n";
    stage.write("home/.npmrc", "registry=http://registry.invalid/\n" + proxy, 0600);
    CHECK(text(stage.install({"x", "npm", "hello", "1.0.0"}), "error").empty());
    CHECK(has(stage.log(), "registry.invalid"));
    CHECK(has(stage.log(), "Basic bWU6cHJveHktUGFzc3cwcmQ="));
    CHECK(stage.files_with("proxy-Passw0rd").empty());
    stage.write("home/.npmrc", "registry=http://registry.invalid/\nnoproxy=invalid\n" + proxy, 0600);
    CHECK(text(stage.install({"x", "npm", "hello", "1.0.0"}), "code") == unavailable);
}

TEST_CASE("the entry is the one that is asked for, and node's flags come along") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.npmrc();
    CHECK(has(text(stage.install({"x", "npm", "two", "", "entry=second"}), "args"), "/node_modules/two/cli.js"));
    CHECK(has(text(stage.install({"x", "npm", "flags", ""}), "args"), "[\"--no-warnings\",\"${PFAR_HOME}/"));
    CHECK(text(stage.install({"x", "npm", "script", ""}), "command") ==
          (stage.place("x") / "node_modules/script/run").native());
}

TEST_CASE("without a version the newest is installed, and can be asked for") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.npmrc();
    CHECK(text(stage.install({"x", "npm", "hello", ""}), "version") == "2.0.0");
    CHECK(stage.drive({"newest", "npm", "hello"}).out == "2.0.0\n");
    CHECK(has(stage.drive({"newest", "npm", "nosuch"}).out, "npm knows no package nosuch"));
}

TEST_CASE("installing over another version keeps that one for whoever has to undo it") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.npmrc();
    CHECK(text(stage.install({"x", "npm", "hello", "1.0.0"}), "before").empty());
    fs::path const before = text(stage.install({"x", "npm", "hello", "2.0.0"}), "before");
    CHECK(before.filename().native().starts_with(".x.before-"));
    CHECK(has(test::read(before / "pfar-package.json"), "1.0.0"));
    CHECK(has(test::read(stage.place("x") / "pfar-package.json"), "2.0.0"));
    CHECK(stage.drive({"clear"}).status == 0);
    CHECK(fs::exists(before)); // it is no staging directory
}

TEST_CASE("an install that is killed leaves a staging directory and nothing else, and the next one clears it") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.npmrc();
    REQUIRE(text(stage.install({"x", "npm", "hello", "1.0.0"}), "error").empty());
    test::Live killed(stage, stage.driver({"x", "npm", "slow", "1.0.0"}));
    REQUIRE(killed.says("MiB"));
    CHECK(stage.drive({"clear"}).status == 0);
    CHECK(stage.stagings() == 1); // somebody is at work there
    killed.signal(SIGKILL);
    CHECK(killed.end() == 128 + SIGKILL);
    CHECK(stage.stagings() == 1);
    CHECK(has(test::read(stage.place("x") / "pfar-package.json"), "\"hello\""));
    CHECK(stage.drive({"clear"}).status == 0);
    CHECK(stage.stagings() == 0);
}

TEST_CASE("an install that is interrupted leaves nothing") {
    NEEDS_NPM();
    InstallStage const stage(test::people().back());
    stage.npmrc();
    test::Live interrupted(stage, stage.driver({"x", "npm", "slow", "1.0.0"}));
    REQUIRE(interrupted.says("MiB"));
    interrupted.signal(SIGINT);
    CHECK(interrupted.says("cancelled"));
    CHECK(interrupted.end() == 0);
    CHECK(stage.stagings() == 0);
}
