// A real server from the real registry, and PyPI packages.
#include "flows/install_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using test::has;
using test::InstallStage;
using test::text;
namespace fs = std::filesystem;

namespace {

constexpr auto initialize =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}\n";

bool has_pip() {
    return test::run({{"/usr/bin/python3", "-m", "pip", "--version"}, {}, "/", {}}).status == 0;
}

void write_server(InstallStage const& stage, std::string const& name, boost::json::object const& made) {
    stage.write("home/.pfar/mcp/" + name + ".toml", "name = \"" + name + "\"\n[server]\ncommand = \"" +
                                                        text(made, "command") + "\"\nargs = " + text(made, "args") +
                                                        "\n[sandbox]\nbackend = \"" + stage.setting().backend + "\"\n");
}

} // namespace

TEST_CASE("server-everything is installed from npm and answers in its sandbox") {
    NEEDS_NPM();
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    auto const made = stage.install({"everything", "npm", "@modelcontextprotocol/server-everything", "2026.8.31"});
    if (text(made, "code") == "4") SKIP("npm's registry cannot be reached");
    REQUIRE(text(made, "error").empty());
    CHECK(text(made, "command") == "/usr/bin/node");
    write_server(stage, "everything", made);
    auto const answer =
        test::run({stage.words({"exec", "--server", "everything"}), {}, "/", initialize, stage.setting().uid});
    INFO(answer.err);
    CHECK(has(answer.out, "\"serverInfo\""));
}

TEST_CASE("a PyPI package is installed as wheels and runs as a server, wherever it was put together") {
    if (!has_pip()) SKIP("/usr/bin/python3 has no pip");
    InstallStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.write("home/.config/pip/pip.conf", "[global]\nindex-url = " + stage.url("/simple/") + "\n");
    auto const made = stage.install({"greeter", "pypi", "hello-py", "1.0.0"});
    REQUIRE(text(made, "error").empty());
    CHECK(text(made, "version") == "1.0.0");
    CHECK(text(made, "integrity").starts_with("sha256:"));
    CHECK(fs::exists(stage.place("greeter") / "site/needed_py/__init__.py"));
    CHECK_FALSE(fs::exists(stage.place("greeter") / ".cache"));
    write_server(stage, "greeter", made);
    auto const ran = stage.pfar({"exec", "--server", "greeter"});
    INFO(ran.err);
    CHECK(ran.out == "hello from python hello-py\n");
}

TEST_CASE("an index that wants a login gets it, and it is nowhere on disk") {
    if (!has_pip()) SKIP("/usr/bin/python3 has no pip");
    InstallStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    auto const index = "http://me:pip-Passw0rd@127.0.0.1:" + std::to_string(stage.port) + "/private/simple/";
    stage.write("home/.config/pip/pip.conf", "[global]\nindex-url = " + index + "\n", 0600);
    CHECK(text(stage.install({"greeter", "pypi", "hello-py", "1.0.0"}), "error").empty());
    CHECK(stage.files_with("pip-Passw0rd").empty());
}

TEST_CASE("a PyPI package or version that is not there is told as such") {
    if (!has_pip()) SKIP("/usr/bin/python3 has no pip");
    InstallStage const stage(test::people().back());
    stage.write("home/.config/pip/pip.conf", "[global]\nindex-url = " + stage.url("/simple/") + "\n");
    for (auto const* const version : {"9.9.9", ""}) {
        auto const failed = stage.install({"x", "pypi", *version != 0 ? "hello-py" : "nosuch-py", version});
        CHECK(text(failed, "code") == "1");
    }
    CHECK(stage.stagings() == 0);
    CHECK(stage.drive({"newest", "pypi", "hello-py"}).out == "1.0.0\n");
}
