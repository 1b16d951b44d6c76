// Five real servers from npm: all run, and what one was told it knows after a restart.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <unistd.h>

using test::has;
using test::HostStage;
using test::json::object;
namespace fs = std::filesystem;

namespace {

fs::path const modules = PFAR_BUILD "/npm/node_modules";

struct Package {
    char const *name, *npm, *script, *arguments;
};
constexpr Package packages[] = {
    {"everything", "@modelcontextprotocol/server-everything", "dist/index.js", ", \"stdio\""},
    {"filesystem", "@modelcontextprotocol/server-filesystem", "dist/index.js", ", \"FILES\""},
    {"memory", "@modelcontextprotocol/server-memory", "dist/index.js", ""},
    {"thinking", "@modelcontextprotocol/server-sequential-thinking", "dist/index.js", ""},
    {"context7", "@upstash/context7-mcp", "dist/index.js", ""}};

/// Installed once, below the build directory. False: the registry cannot be reached.
bool are_installed() {
    auto const cache = modules.parent_path();
    std::vector<std::string> install{"npm",      "install",     "--no-audit", "--no-fund", "--ignore-scripts",
                                     "--prefix", cache.native()};
    auto const words = install.size();
    for (auto const& package : packages)
        if (!fs::exists(modules / package.npm / package.script)) install.emplace_back(package.npm);
    if (install.size() == words) return true;
    fs::create_directories(cache);
    test::run({install, {}, cache, {}, 0, 300});
    for (auto const& package : packages)
        if (!fs::exists(modules / package.npm / package.script)) return false;
    return true;
}

void write_files(HostStage const& stage) {
    auto const files = stage.write("home/files/hello.txt", "hello from a file").parent_path().native();
    for (auto const& package : packages) {
        std::string arguments = package.arguments, tables;
        if (auto const at = arguments.find("FILES"); at != std::string::npos) {
            arguments.replace(at, 5, files);
            tables = "[access]\nfs = [{ path = \"" + files + "\", read = true }]\n";
        }
        if (std::string(package.name) == "memory")
            tables = "[env]\nset = { MEMORY_FILE_PATH = \"/state/memory.json\" }\n";
        stage.write(std::string("home/.pfar/mcp/") + package.name + ".toml",
                    std::string("name = \"") + package.name + "\"\n[server]\ncommand = \"/usr/bin/node\"\nargs = [\"" +
                        (modules / package.npm / package.script).native() + "\"" + arguments + "]\n" + tables);
    }
}

} // namespace

TEST_CASE("five servers from npm run together, and one remembers across a restart") {
    if (::access("/usr/bin/node", X_OK) != 0) SKIP("there is no /usr/bin/node");
    if (!are_installed()) SKIP("servers cannot be installed from npm: no npm, or no registry");
    HostStage stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    write_files(stage);
    auto const began = std::chrono::steady_clock::now();
    REQUIRE(stage.begin());
    for (auto const& package : packages) REQUIRE(stage.reaches(package.name, "running", 30));
    auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    CAPTURE(took);
    CHECK(took < 15); // ./dev bench servers holds it to 3 s
    for (auto const& package : packages) CHECK_FALSE(stage.tools(package.name).empty());
    CHECK(has(stage.call("everything", "echo", {{"message", "hello"}}).text, "hello"));
    CHECK(has(stage.call("filesystem", "read_text_file", {{"path", (stage.home() / "files/hello.txt").native()}}).text,
              "hello from a file"));
    object const entity{{"name", "pfar"}, {"entityType", "program"}, {"observations", {"kept"}}};
    CHECK(stage.call("memory", "create_entities", {{"entities", test::json::array{entity}}}).ok);
    stage.ask("restart", {{"server", "memory"}, {"wait", true}});
    REQUIRE(stage.reaches("memory", "running"));
    CHECK(has(stage.call("memory", "read_graph").text, "kept"));
}
