// Layouts as the installers make them: what is found is enough to run, and is no more than that.
#include "unit/servers/code_layout.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

using namespace pfar;
using servers::find_code;
using test::CodeLayout;
using test::paths;
using test::sorted;
namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

namespace {

/// Runs what was found; `said` is what it has to print.
void check_runs(servers::Code const& code, std::string const& said) {
    static bool const works = test::bwrap_works();
    if (!works) SKIP("bwrap does not work on this machine");
    auto const outcome = test::run_inside(code);
    INFO(outcome.err);
    CHECK(outcome.out == said);
}

} // namespace

TEST_CASE("a program of the system needs nothing more") {
    CodeLayout const layout;
    auto const code = find_code(layout.query("echo", {"hello", "/etc", "/usr/bin/env", "--flag=/etc/passwd"}));
    REQUIRE(code);
    CHECK(code->program == "/usr/bin/echo");
    CHECK(code->roots.empty());
    CHECK(code->links.empty());
    CHECK(code->bin_dirs.empty());
    check_runs(*code, "hello /etc /usr/bin/env --flag=/etc/passwd\n");
}

TEST_CASE("an npm server is shown by the node_modules it lies in, not by the directory around it") {
    CodeLayout const layout;
    std::string const top = ".pfar/mcp-servers/notion/";
    layout.write(top + "package.json", "{}");
    layout.write(top + "node_modules/server/package.json", "{}");
    layout.write(top + "node_modules/dep/index.js", "module.exports = 'dep found'");
    layout.program(top + "node_modules/server/dist/index.js", "#!/usr/bin/env node\nconsole.log(require('dep'))");
    auto const bin = layout.link(top + "node_modules/.bin/server", "../server/dist/index.js");
    auto const modules = layout.home() / (top + "node_modules");
    SECTION("as an argument") {
        auto const code = find_code(layout.query("node", {bin.native()}));
        REQUIRE(code);
        CHECK(paths(*code) == Paths{modules});
        CHECK(code->args == std::vector<std::string>{bin.native()});
        check_runs(*code, "dep found\n");
    }
    SECTION("as the command") {
        auto const code = find_code(layout.query(bin.native()));
        REQUIRE(code);
        CHECK(paths(*code) == Paths{modules});
        CHECK(code->program == bin);
        check_runs(*code, "dep found\n");
    }
}

TEST_CASE("a file of a package brings the package, and one of none itself alone") {
    CodeLayout const layout;
    layout.write("project/package.json", "{}");
    layout.write("project/lib/part.js", "module.exports = 'part'");
    auto const file = layout.write("project/dist/server.js", "console.log(require('../lib/part.js'))");
    auto const lone = layout.write("notes/lone.js", "");
    layout.write("notes/secret", "");
    auto const code = find_code(layout.query("node", {file.native(), lone.native(), "lone.js"}));
    REQUIRE(code);
    CHECK(paths(*code) == Paths{lone, layout.home() / "project"});
    CHECK(code->roots[1].why == "package of server.js");
    check_runs(*code, "part\n");
}

TEST_CASE(
    "a package linked from elsewhere is shown only if the owner names it: anybody's package could bring such a link") {
    CodeLayout const layout;
    layout.write("app/package.json", "{}");
    auto const file = layout.write("app/index.js", "console.log(require('linked'), require('@scope/other'))");
    layout.write("work/linked/package.json", "{}");
    layout.write("work/linked/index.js", "module.exports = require('deeper')");
    layout.write("work/deeper/package.json", "{}");
    layout.write("work/deeper/index.js", "module.exports = 'deep'");
    layout.write("work/other/package.json", "{}");
    layout.write("work/other/index.js", "module.exports = 'other'");
    layout.write("private/diary", "");
    layout.link("app/node_modules/linked", "../../work/linked");
    layout.link("app/node_modules/@scope/other", layout.home() / "work/other");
    layout.link("work/linked/node_modules/deeper", "../../deeper");
    layout.link("app/node_modules/no-package", "../../private");
    layout.link("app/node_modules/loop", "loop");
    auto query = layout.query("node", {file.native()});
    auto const alone = find_code(query);
    REQUIRE(alone);
    CHECK(paths(*alone) == Paths{layout.home() / "app"});
    query.extra = {layout.home() / "work/deeper", layout.home() / "work/linked", layout.home() / "work/other"};
    auto const code = find_code(query);
    REQUIRE(code);
    check_runs(*code, "deep other\n");
}

TEST_CASE("a package of a workspace finds what the workspace shares") {
    CodeLayout const layout;
    layout.write("space/package.json", "{\"workspaces\": [\"packages/*\"]}");
    layout.write("space/.env", "SECRET=1");
    layout.write("space/node_modules/hoisted/index.js", "module.exports = 'hoisted'");
    layout.write("space/packages/b/package.json", "{}");
    layout.write("space/packages/b/index.js", "module.exports = 'b'");
    layout.link("space/node_modules/b", "../packages/b");
    layout.write("space/packages/a/package.json", "{}");
    auto const file = layout.write("space/packages/a/index.js", "console.log(require('hoisted'), require('b'))");
    auto const code = find_code(layout.query("node", {file.native()}));
    REQUIRE(code);
    auto const space = layout.home() / "space";
    CHECK(paths(*code) == Paths{space / "node_modules", space / "packages/a", space / "packages/b"});
    check_runs(*code, "hoisted b\n");
}

TEST_CASE("a node of nvm is shown by its version's prefix only") {
    CodeLayout const layout;
    auto const prefix = layout.node(".nvm/versions/node/v20.1.0");
    layout.node(".nvm/versions/node/v18.0.0");
    auto const code = find_code(layout.query((prefix / "bin/node").native(), {"hello"}));
    REQUIRE(code);
    CHECK(paths(*code) == Paths{prefix});
    CHECK(code->roots[0].why == "node's own prefix");
    CHECK(code->bin_dirs == Paths{prefix / "bin"});
    check_runs(*code, "own node hello\n");

    auto const npx = find_code(layout.query((prefix / "bin/npx").native()));
    REQUIRE(npx);
    CHECK(paths(*npx) == Paths{prefix});
    CHECK(npx->bin_dirs == Paths{prefix / "bin"}); // nvm's npx runs nvm's node, not the one of the system
    check_runs(*npx, "own node " + (prefix / "bin/npx").native() + "\n");
}

TEST_CASE("a venv stays a venv, and its base is shown with it") {
    CodeLayout const layout;
    auto const python = layout.venv("project/.venv");
    layout.write("project/secret", "");
    auto const code = find_code(layout.query(python.native(), {"-c", "import greeting; print(greeting.text)"}));
    REQUIRE(code);
    CHECK(code->program == python);
    CHECK(paths(*code) == Paths{layout.home() / "project/.venv"});
    CHECK(code->links.empty());
    if (fs::exists("/usr/lib/python3.11")) check_runs(*code, "from the venv\n");
}

TEST_CASE("a venv on a uv python through a linked directory has the python, the link and nothing beside") {
    CodeLayout const layout;
    std::string const uv = ".local/share/uv/python/";
    auto const prefix = layout.home() / (uv + "cpython-3.12.1");
    layout.program(uv + "cpython-3.12.1/bin/python3.12", "#!/bin/sh\necho uv python\n");
    layout.write(uv + "cpython-3.12.1/lib/python3.12/os.py");
    layout.link(uv + "cpython-3.12.1/bin/python3", "python3.12");
    layout.link(uv + "cpython-3.12", "cpython-3.12.1");
    auto const python = layout.venv("project/.venv", layout.home() / (uv + "cpython-3.12/bin"));
    auto const code = find_code(layout.query(python.native()));
    REQUIRE(code);
    CHECK(code->program == python);
    CHECK(paths(*code) == Paths{prefix, layout.home() / "project/.venv"});
    REQUIRE(code->links.size() == 1);
    CHECK(code->links[0] == pfar::Link{layout.home() / (uv + "cpython-3.12"), "cpython-3.12.1"});
    check_runs(*code, "uv python\n");
}

TEST_CASE("a tool of uv or pipx is run by its name in ~/.local/bin") {
    CodeLayout const layout;
    std::string const tool = ".local/share/uv/tools/greeter";
    layout.venv(tool);
    layout.write(".local/lib/python3.11/site-packages/unrelated.py");
    layout.program(tool + "/bin/greet",
                   "#!" + (layout.home() / tool / "bin/python").native() + "\nimport greeting; print(greeting.text)\n");
    auto const bin = layout.link(".local/bin/greet", layout.home() / tool / "bin/greet");
    auto const code = find_code(layout.query(bin.native()));
    REQUIRE(code);
    CHECK(code->program == bin);
    CHECK(paths(*code) == Paths{layout.home() / tool});
    CHECK(code->links == std::vector<pfar::Link>{{bin, (layout.home() / tool / "bin/greet").native()}});
    CHECK(code->environment.empty());
    if (fs::exists("/usr/lib/python3.11")) check_runs(*code, "from the venv\n");
}

TEST_CASE("a script of pip --user has its libraries without the rest of ~/.local") {
    CodeLayout const layout;
    auto const library = layout.home() / ".local/lib/python3.11";
    layout.write(".local/lib/python3.11/site-packages/greeting.py", "text = 'from the user'\n");
    layout.write(".local/share/keyrings/secret", "");
    auto const bin = layout.program(".local/bin/greet", "#!/usr/bin/python3\nimport greeting; print(greeting.text)\n");
    auto const code = find_code(layout.query(bin.native()));
    REQUIRE(code);
    CHECK(paths(*code) == Paths{bin, library});
    CHECK(code->environment ==
          std::vector<std::pair<std::string, std::string>>{{"PYTHONUSERBASE", (layout.home() / ".local").native()}});
    if (fs::exists("/usr/lib/python3.11")) check_runs(*code, "from the user\n");
}

TEST_CASE("a script's interpreter is found by its first line, and may be a script itself") {
    CodeLayout const layout;
    auto const inner = layout.program("tools/inner", "#!/bin/sh\necho inner \"$1\"\n");
    auto const outer = layout.program("project/outer", "#!" + inner.native() + "\n");
    auto const code = find_code(layout.query(outer.native()));
    REQUIRE(code);
    CHECK(paths(*code) == Paths{outer, inner});
    CHECK(code->bin_dirs == Paths{layout.home() / "tools", layout.home() / "project"});
    check_runs(*code, "inner " + outer.native() + "\n");

    auto query = layout.query(layout.program("project/by-env", "#!/usr/bin/env -S inner\n").native());
    query.search_path = (layout.home() / "tools").native();
    auto const by_env = find_code(query);
    REQUIRE(by_env);
    check_runs(*by_env, "inner " + query.command + "\n");
}

TEST_CASE("a stand-in of pyenv as interpreter becomes a link to the real one") {
    CodeLayout const layout;
    layout.program(".pyenv/versions/3.12/bin/python3", "#!/bin/sh\necho real \"$1\"\n");
    layout.write(".pyenv/versions/3.12/lib/python3.12/os.py");
    auto const real = layout.home() / ".pyenv/versions/3.12";
    auto const shim = layout.program(".pyenv/shims/python3", "#!/bin/sh\nexit 9\n");
    layout.program(".pyenv/bin/pyenv", "#!/bin/sh\necho " + (real / "bin/python3").native() + "\n");
    auto const script = layout.program("project/run", "#!" + shim.native() + "\n");
    auto const code = find_code(layout.query(script.native()));
    REQUIRE(code);
    CHECK(paths(*code) == sorted({real, script}));
    check_runs(*code, "real " + script.native() + "\n");
}

TEST_CASE("paths through linked directories are written as they are inside") {
    CodeLayout const layout;
    auto const file = layout.write("real/package/server.js", "console.log('found')");
    layout.write("real/package/package.json", "{}");
    layout.link("short", "real/package");
    auto const given = (layout.home() / "short/server.js").native();
    auto const code = find_code(layout.query("node", {given, "--name", (layout.home() / "short").native()}));
    REQUIRE(code);
    CHECK(code->args == std::vector<std::string>{file.native(), "--name", (layout.home() / "short").native()});
    CHECK(code->links.empty());
    check_runs(*code, "found\n");
}

TEST_CASE("a file that is a link out of its package is shown at both ends") {
    CodeLayout const layout;
    layout.write("a/package.json", "{}");
    layout.write("b/package.json", "{}");
    auto const end = layout.write("b/main.js", "console.log('main')");
    auto const link = layout.link("a/main.js", end);
    auto const lone = layout.link("c/lone.js", end);
    auto const code = find_code(layout.query("node", {link.native(), lone.native()}));
    REQUIRE(code);
    CHECK(paths(*code) == Paths{layout.home() / "a", layout.home() / "b"});
    CHECK(code->links == std::vector<pfar::Link>{{lone, end.native()}});
    check_runs(*code, "main\n");
}

TEST_CASE("what the owner adds is shown as it is") {
    CodeLayout const layout;
    auto query = layout.query("cat");
    auto const file = layout.write("data/words.txt", "words\n");
    layout.write("models/small/weights");
    layout.link("current", "models/small");
    query.args = {file.native()};
    query.extra = {layout.home() / "current", file, "/usr/share"};
    auto const code = find_code(query);
    REQUIRE(code);
    CHECK(paths(*code) == Paths{file, layout.home() / "models/small"});
    CHECK(code->links == std::vector<pfar::Link>{{layout.home() / "current", "models/small"}});
    check_runs(*code, "words\n");
    query.extra = {layout.home() / "no-such"};
    auto const missing = find_code(query);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Errc::not_found);
    CHECK(test::has(missing.error().what, "[server] code"));
}

TEST_CASE("the python of whoever runs this test runs in a root of what was found") {
    CodeLayout const layout;
    auto query = layout.query("python3", {"-c", "import json, ssl; print(json.dumps('runs'))"});
    query.search_path = std::getenv("PATH");
    query.user_home = std::getenv("HOME");
    auto const code = find_code(query);
    REQUIRE(code);
    for (auto const& root : code->roots) CHECK(root.path != query.user_home);
    check_runs(*code, "\"runs\"\n");
}

TEST_CASE("a venv made by python itself runs in a root of what was found") {
    CodeLayout const layout;
    auto const venv = layout.home() / "venv";
    auto const made = test::run({{"python3", "-m", "venv", "--without-pip", venv.native()}, {}, "/", "", 0});
    REQUIRE(made.status == 0);
    auto query = layout.query((venv / "bin/python3").native(), {"-c", "import sys; print(sys.prefix)"});
    query.user_home = std::getenv("HOME");
    auto const code = find_code(query);
    REQUIRE(code);
    check_runs(*code, venv.native() + "\n");
}
