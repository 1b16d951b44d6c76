// What must not be shown, whatever marks, links and files somebody has laid out.
#include "unit/servers/code_layout.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/stat.h>

#include <chrono>

using namespace pfar;
using servers::ArgRule;
using servers::find_code;
using test::CodeLayout;
using test::paths;
namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

namespace {

std::string refusal(servers::CodeQuery const& query, Errc code = Errc::refused) {
    auto const result = find_code(query);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == code);
    return result.error().what;
}

} // namespace

TEST_CASE("a package.json in the home directory does not expose the home directory") {
    CodeLayout const layout;
    auto const description = layout.write("package.json", "{}");
    auto const modules = layout.write("node_modules/dep/index.js").parent_path().parent_path();
    layout.write(".ssh/id_rsa", "secret");
    auto const file = layout.write("server.js");
    auto const deeper = layout.write("scripts/tool.js");
    CHECK(paths(find_code(layout.query("node", {file.native()})).value()) == Paths{modules, description, file});
    CHECK(paths(find_code(layout.query("node", {deeper.native()})).value()) == Paths{modules, description, deeper});
}

TEST_CASE("no mark makes a tree of a well-known directory or of one that holds the home directory") {
    CodeLayout const layout;
    auto const mark = GENERATE(as<std::string>{}, "package.json", "pyproject.toml", "pyvenv.cfg");
    auto const place = GENERATE(as<std::string>{}, ".", "..", "../..", ".local", ".local/share", ".config", ".cache",
                                ".ssh", "Documents");
    auto const directory = (layout.home() / place).lexically_normal();
    layout.write(place + "/" + mark, "home = /usr/bin\n");
    auto const file = layout.write(place + "/run/server.py");
    auto const code = find_code(layout.query("python3", {file.native()}));
    INFO(directory << " " << mark);
    REQUIRE(code);
    for (auto const& root : code->roots) {
        INFO(root.path);
        CHECK(fs::is_regular_file(root.path));
    }
    CHECK(code->roots.size() >= 1);
}

TEST_CASE("a runtime's marks do not make a prefix of the home directory or ~/.local") {
    CodeLayout const layout;
    auto const place = GENERATE(as<std::string>{}, "", ".local/");
    auto const program = layout.program(place + "bin/tool", "\x7f"
                                                            "ELF");
    auto const library = layout.write(place + "lib/node_modules/x/package.json").parent_path().parent_path();
    auto const code = find_code(layout.query(program.native()));
    REQUIRE(code);
    CHECK(paths(*code) == Paths{program, library});
}

TEST_CASE("an argument that is clearly no code is not shown where a command was typed") {
    CodeLayout const layout;
    auto const key = layout.write(".ssh/id_rsa", "secret");
    fs::permissions(key, fs::perms::owner_all); // even so
    auto const notes = layout.write("notes.txt");
    auto const script = layout.write("tools/run.py");
    auto const link = layout.link("looks.js", notes);
    auto query = layout.query("cat", {key.native(), notes.native(), script.native(), link.native()});
    query.rule = ArgRule::scripts_only;
    auto const code = find_code(query);
    REQUIRE(code);
    CHECK(paths(*code) == Paths{script});
    CHECK(code->args == query.args);
    query.args = {key.native()};
    CHECK(find_code(query)->roots.empty());
    query.rule = ArgRule::every_file;
    CHECK(paths(find_code(query).value()) ==
          Paths{key}); // the owner wrote it into a server file: itself, nothing beside it
}

TEST_CASE("nothing of pfar's home is shown but what is installed in it") {
    CodeLayout const layout;
    auto const vault = layout.write(".pfar/vault.json", "secret");
    auto const installed = layout.write(".pfar/mcp-servers/one/server.js");
    layout.write(".pfar/package.json");
    layout.write(".pfar/mcp-servers/package.json");
    layout.write(".pfar/mcp-servers/two/secret.js");
    CHECK(test::has(refusal(layout.query("cat", {vault.native()})), "no server may look"));
    auto const program = layout.program(".pfar/bin/tool", "#!/bin/sh\n");
    refusal(layout.query(program.native()));
    auto const found = paths(find_code(layout.query("node", {installed.native()})).value());
    CHECK(std::find(found.begin(), found.end(), installed) != found.end());
    for (auto const& path : found) CHECK(fs::is_regular_file(path));
    auto query = layout.query("cat");
    for (auto const& path :
         {layout.pfar_home(), layout.pfar_home() / "mcp-servers", vault, layout.home(), fs::path("/"), layout.outside(),
          fs::path("/etc"), fs::path("/proc/self"), fs::path("/dev/shm")}) {
        query.extra = {path};
        INFO(path);
        CHECK(test::has(refusal(query), "no server may see"));
    }
    query.extra = {layout.pfar_home() / "mcp-servers/one"};
    CHECK(find_code(query));
}

TEST_CASE("a server's own state and the kernel's files are passed over") {
    CodeLayout const layout;
    auto const state = layout.write(".pfar/state/one/config.json");
    auto const query = layout.query("cat", {state.native(), "/proc/self/environ", "/proc/self/exe/"});
    auto const code = find_code(query);
    REQUIRE(code);
    CHECK(code->roots.empty());
    CHECK(code->links.empty());
    CHECK(code->args == query.args);
}

TEST_CASE("what an installer wrote cannot show more of the machine by links") {
    CodeLayout const layout;
    std::string const top = ".pfar/mcp-servers/evil/";
    layout.write(".ssh/id_rsa", "secret");
    layout.write("project/package.json", "{}");
    layout.write("project/index.js");
    layout.program("project/tool", "#!/bin/sh\n");
    layout.venv("project/.venv");
    layout.write(top + "package.json", "{}");
    auto const inside = layout.home() / top;
    SECTION("an argument") {
        auto const link = layout.link(top + "index.js", layout.home() / ".ssh/id_rsa");
        CHECK(test::has(refusal(layout.query("node", {link.native()})), "leads out of"));
    }
    SECTION("a directory above an argument") {
        layout.link(top + "dist", layout.home() / "project");
        refusal(layout.query("node", {(inside / "dist/index.js").native()}));
    }
    SECTION("the command") {
        refusal(layout.query(layout.link(top + "run", layout.home() / "project/tool").native()));
    }
    SECTION("a directory above the command") {
        layout.link(top + "bin", layout.home() / "project");
        refusal(layout.query((inside / "bin/tool").native()));
    }
    SECTION("a script's interpreter") {
        auto const script = layout.program(top + "run", "#!" + (layout.home() / "project/tool").native() + "\n");
        refusal(layout.query(script.native()));
    }
    SECTION("a script of the owner's, by its name on PATH") {
        auto query = layout.query(layout.program(top + "run", "#!/usr/bin/env tool\n").native());
        query.search_path = (layout.home() / "project").native();
        refusal(query);
    }
    SECTION("a runtime's prefix that is only passed by") {
        layout.write("project/lib/node_modules/x/package.json", "{}");
        layout.link("project/bin/true", "/usr/bin/true");
        auto const link = layout.link(top + "run", layout.home() / "project/bin/true");
        CHECK(find_code(layout.query(link.native()))->roots.empty());
    }
    SECTION("what the owner adds of it") {
        auto query = layout.query("node");
        query.extra = {layout.link(top + "lib", layout.home() / "project")};
        refusal(query);
    }
    SECTION("a dependency") {
        auto const file = layout.write(top + "index.js");
        layout.link(top + "node_modules/dep", layout.home() / "project");
        CHECK(paths(find_code(layout.query("node", {file.native()})).value()) ==
              Paths{layout.home() / ".pfar/mcp-servers/evil"});
    }
    SECTION("the base of a venv") {
        layout.write(top + "venv/pyvenv.cfg", "home = " + (layout.home() / "project/.venv/bin").native() + "\n");
        auto const python = layout.link(top + "venv/bin/python", "/usr/bin/python3");
        CHECK(paths(find_code(layout.query(python.native())).value()) == Paths{inside / "venv"});
    }
    SECTION("a venv of another's") {
        auto const python = layout.link(top + "python", layout.home() / "project/.venv/bin/python");
        CHECK(find_code(layout.query(python.native()))->roots.empty());
    }
}

TEST_CASE("a venv that an installer made may have its base interpreter outside, and the owner may link a server in") {
    CodeLayout const layout;
    layout.program(".pyenv/versions/3.12/bin/python3", "#!/bin/sh\n");
    layout.write(".pyenv/versions/3.12/lib/python3.12/os.py");
    auto const base = layout.home() / ".pyenv/versions/3.12";
    auto const python = layout.venv(".pfar/mcp-servers/good/.venv", base / "bin");
    CHECK(paths(find_code(layout.query(python.native())).value()) ==
          Paths{layout.home() / ".pfar/mcp-servers/good/.venv", base});

    auto const bun = layout.home() / ".bun/bin/bun";
    fs::create_directories(bun.parent_path());
    fs::copy_file("/usr/bin/true", bun);
    auto const script = layout.program(".pfar/mcp-servers/fast/run", "#!/usr/bin/env bun\n");
    auto query = layout.query(script.native());
    query.search_path = bun.parent_path().native();
    CHECK(paths(find_code(query).value()) == Paths{bun, script});

    layout.write("src/own/package.json", "{}");
    auto const file = layout.write("src/own/index.js");
    auto const link = layout.link(".pfar/mcp-servers/own", layout.home() / "src/own");
    auto const code = find_code(layout.query("node", {(link / "index.js").native()}));
    REQUIRE(code);
    CHECK(paths(*code) == Paths{layout.home() / "src/own"});
    CHECK(code->args == std::vector<std::string>{file.native()});
}

TEST_CASE("odd files are passed over or told, and nothing waits for them") {
    CodeLayout const layout;
    auto const fifo = layout.home() / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0700) == 0);
    auto const loop = layout.link("loop", "loop");
    auto const huge = layout.program("huge", "#!/bin/sh\n");
    fs::resize_file(huge, 1ULL << 40U);
    auto const code = find_code(layout.query("cat", {fifo.native(), loop.native(), "/" + std::string(100000, 'x'),
                                                     std::string("/etc/passwd\0x", 13), "", "/"}));
    REQUIRE(code);
    CHECK(code->roots.empty());
    CHECK(paths(find_code(layout.query(huge.native(), {huge.native()})).value()) == Paths{huge});
    refusal(layout.query(layout.program("garbage", std::string("#!\xff\0\x01", 5)).native()), Errc::invalid);
    refusal(layout.query(layout.program("missing", "#!/no/such/interpreter\n").native()), Errc::not_found);
    refusal(layout.query(layout.program("env", "#!/usr/bin/env no-such-name\n").native()), Errc::not_found);
    auto const self = layout.home() / "self";
    refusal(layout.query(layout.program("self", "#!" + self.native() + "\n").native()), Errc::invalid);
    auto const made = layout.program("plain", "no line at all");
    CHECK(paths(find_code(layout.query(made.native())).value()) == Paths{made});
}

TEST_CASE("a pyvenv.cfg of garbage is a venv without a base") {
    CodeLayout const layout;
    auto const text =
        GENERATE(as<std::string>{}, "", "home", "home =", "home = relative", "=\n=\nhome=\n", "home = /no/such");
    auto const python = layout.program("venv/bin/python", "\x7f"
                                                          "ELF");
    layout.write("venv/pyvenv.cfg", text);
    CHECK(paths(find_code(layout.query(python.native())).value()) == Paths{layout.home() / "venv"});
}

TEST_CASE("a venv whose base is itself or another one comes to an end") {
    CodeLayout const layout;
    layout.program("a/bin/python3", "\x7f"
                                    "ELF");
    layout.program("b/bin/python3", "\x7f"
                                    "ELF");
    layout.write("a/pyvenv.cfg", "home = " + (layout.home() / "b/bin").native());
    layout.write("b/pyvenv.cfg", "home = " + (layout.home() / "a/bin").native());
    auto const code = find_code(layout.query((layout.home() / "a/bin/python3").native()));
    CHECK(paths(code.value()) == Paths{layout.home() / "a", layout.home() / "b"});
}

TEST_CASE("ten thousand arguments take no time, and too many places are refused") {
    CodeLayout const layout;
    auto const file = layout.write("package/file.js");
    layout.write("package/package.json", "{}");
    auto const start = std::chrono::steady_clock::now();
    auto query = layout.query("echo", std::vector<std::string>(10000, file.native()));
    CHECK(paths(find_code(query).value()) == Paths{layout.home() / "package"});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(120));
    for (int i = 0; i < 300; ++i)
        query.args[static_cast<std::size_t>(i)] = layout.write("many/" + std::to_string(i)).native();
    CHECK(test::has(refusal(query, Errc::invalid), "more than 256"));
}

TEST_CASE("without a home directory to protect the rest still holds") {
    CodeLayout const layout;
    auto const file = layout.write("package/file.js");
    layout.write("package/package.json", "{}");
    auto query = layout.query("node", {file.native()});
    auto const home = GENERATE(as<std::string>{}, "", "/");
    query.user_home = home;
    query.pfar_home = home == "/" ? "/.pfar" : "";
    CHECK(paths(find_code(query).value()) == Paths{layout.home() / "package"});
}
