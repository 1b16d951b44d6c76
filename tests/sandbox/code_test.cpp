// Runtimes and scripts under the home directory run, and nothing else of it is there.
#include "sandbox/stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <unistd.h>

using test::has;
using test::Stage;
namespace fs = std::filesystem;

namespace {

constexpr char const* node = "/usr/bin/node";

std::string is_there(fs::path const& path) {
    return "try { require('fs').statSync('" + path.native() +
           "'); console.log('SEEN') } catch (e) { console.log(e.code) }";
}

} // namespace

TEST_CASE("node under the home directory, as nvm puts it, runs alone") {
    if (::access(node, X_OK) != 0) SKIP("there is no /usr/bin/node");
    Stage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const prefix = stage.make("home/.nvm/versions/node/v20.0.0/bin").parent_path();
    fs::copy_file(node, prefix / "bin/node");
    static_cast<void>(stage.write("home/.nvm/versions/node/v20.0.0/lib/node_modules/tool/package.json",
                                  "{\"name\": \"tool\", \"main\": \"t.js\"}"));
    static_cast<void>(
        stage.write("home/.nvm/versions/node/v20.0.0/lib/node_modules/tool/t.js", "module.exports = 'the tool'"));
    static_cast<void>(stage.write("home/.nvm/versions/node/v20.0.0/lib/node_modules/tool/cli.js",
                                  "#!/usr/bin/env node\nconsole.log(require('tool'), process.execPath)", 0755));
    fs::create_symlink("../lib/node_modules/tool/cli.js", prefix / "bin/tool");
    static_cast<void>(stage.write("home/.nvm/versions/node/v18.0.0/canary", "x"));
    static_cast<void>(stage.write("home/.nvm/canary", "x"));
    auto const canary = stage.write("home/canary", "x");
    auto const bin = (prefix / "bin/node").native();

    for (auto const& hidden :
         {canary, stage.home() / ".nvm/canary", stage.home() / ".nvm/versions/node/v18.0.0/canary"})
        CHECK(stage.exec({}, {bin, "-e", is_there(hidden)}).out == "ENOENT\n");
    CHECK(stage.exec({}, {bin, "-p", "require('" + (prefix / "lib/node_modules/tool").native() + "')"}).out ==
          "the tool\n");
    stage.environment = {"PATH=" + (prefix / "bin").native() + ":/usr/bin:/bin"};
    CHECK(stage.exec({}, {"node", "-p", "process.execPath"}).out == bin + "\n");
    CHECK(has(stage.exec({}, {"tool"}).out, "the tool") |
          has(stage.exec({}, {"tool"}).err, "Cannot find module 'tool'"));
    CHECK(has(stage.exec({}, {"tool"}).out + stage.exec({}, {"tool"}).err, prefix.native()));
}

TEST_CASE("a Python venv under the home directory runs, with its packages and nothing beside it") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const venv = stage.home() / "work/venv";
    auto const made = test::run(
        {{"/usr/bin/python3", "-m", "venv", "--without-pip", venv.native()}, {}, {}, {}, stage.setting().uid});
    if (made.status != 0) SKIP("python3 -m venv does not work here: " + made.err);
    static_cast<void>(
        stage.write("home/work/venv/lib/python3.11/site-packages/greeting.py", "text = 'from the venv'\n"));
    auto const canary = stage.write("home/work/canary", "x").native();
    auto const python = (venv / "bin/python").native();
    CHECK(stage.exec({}, {python, "-c", "import sys; print(sys.prefix)"}).out == venv.native() + "\n");
    auto const version = test::run({{python, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"},
                                    {},
                                    {},
                                    {},
                                    stage.setting().uid})
                             .out;
    if (version == "python3.11\n")
        CHECK(stage.exec({}, {python, "-c", "import greeting; print(greeting.text)"}).out == "from the venv\n");
    CHECK(stage.exec({}, {python, "-c", "import os; print(os.path.exists('" + canary + "'))"}).out == "False\n");
    auto const script =
        stage.write("home/work/venv/bin/serve", "#!" + python + "\nimport sys; print('served by', sys.prefix)\n", 0755);
    CHECK(stage.exec({}, {script.native()}).out == "served by " + venv.native() + "\n");
}

TEST_CASE("a script whose package lies elsewhere runs, with the packages around it") {
    if (::access(node, X_OK) != 0) SKIP("there is no /usr/bin/node");
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const script = stage.write("home/app/node_modules/tool/dist/x.js",
                                    "#!/usr/bin/env node\nconsole.log(require('../lib/a'), require('other'));" +
                                        is_there(stage.home() / "app/.env") + ";" + is_there(stage.home() / "canary"),
                                    0755);
    static_cast<void>(stage.write("home/app/node_modules/tool/package.json", "{\"name\": \"tool\"}"));
    static_cast<void>(stage.write("home/app/node_modules/tool/lib/a.js", "module.exports = 'a'"));
    static_cast<void>(stage.write("home/app/node_modules/other/index.js", "module.exports = 'b'"));
    static_cast<void>(stage.write("home/app/.env", "SECRET=1"));
    static_cast<void>(stage.write("home/canary", "x"));
    static_cast<void>(stage.make("home/app/node_modules/.bin"));
    auto const link = stage.home() / "app/node_modules/.bin/x";
    fs::create_symlink("../tool/dist/x.js", link);
    for (auto const& command :
         std::vector<std::vector<std::string>>{{link.native()}, {"node", link.native()}, {"node", script.native()}}) {
        auto const outcome = stage.exec({}, command);
        CHECK(outcome.out == "a b\nENOENT\nENOENT\n");
        CHECK(outcome.err.empty());
    }
    CHECK(has(test::run({{link.native()}, {}, {}, {}, stage.setting().uid}).out, "a b\nSEEN\nSEEN\n")); // the control
}
