#include "servers/find_command.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/stat.h>

#include <cstdlib>

using namespace pfar;
using servers::find_command;
namespace fs = std::filesystem;

namespace {

fs::path program(test::TempDir const& dir, std::string_view name, std::string_view content = "#!/bin/sh\n") {
    auto const path = dir.write(name, content);
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

std::string refusal(Result<fs::path> const& result, Errc code) {
    REQUIRE_FALSE(result);
    CHECK(result.error().code == code);
    return result.error().what;
}

} // namespace

TEST_CASE("a bare name is looked up in the absolute directories of PATH, the first one first") {
    test::TempDir const dir;
    auto const first = program(dir, "a/tool");
    program(dir, "b/tool");
    auto const path =
        ".::relative:" + (dir / "none").native() + ":" + (dir / "a").native() + ":" + (dir / "b").native();
    CHECK(find_command("tool", path, dir.path()).value() == first);
    CHECK(find_command("sh", "/usr/bin:", dir.path()).value() == "/usr/bin/sh");
}

TEST_CASE("a command with a slash is that path") {
    test::TempDir const dir;
    auto const tool = program(dir, "tool");
    CHECK(find_command(tool.native(), "", dir.path()).value() == tool);
    CHECK(test::has(refusal(find_command("./tool", "", dir.path()), Errc::invalid), "absolute path"));
    refusal(find_command("", "/usr/bin", dir.path()), Errc::invalid);
    refusal(find_command(std::string("sh\0x", 4), "/usr/bin", dir.path()), Errc::invalid);
}

TEST_CASE("what cannot be run is told with the remedy") {
    test::TempDir const dir;
    fs::create_directories(dir / "bin/directory");
    dir.write("bin/plain", "x");
    fs::permissions(dir / "bin/plain", fs::perms::owner_read);
    REQUIRE(::mkfifo((dir / "bin/fifo").c_str(), 0700) == 0);
    fs::create_symlink("loop", dir / "bin/loop");
    auto const path = (dir / "bin").native();
    CHECK(test::has(refusal(find_command("no-such", path, dir.path()), Errc::not_found),
                    "install it, or write its absolute path"));
    CHECK(test::has(refusal(find_command(path + "/no-such", "", dir.path()), Errc::not_found), "install it"));
    CHECK(test::has(refusal(find_command("directory", path, dir.path()), Errc::invalid), "is a directory"));
    CHECK(test::has(refusal(find_command("plain", path, dir.path()), Errc::invalid), "chmod +x " + path + "/plain"));
    CHECK(test::has(refusal(find_command("fifo", path, dir.path()), Errc::invalid), "not a regular file"));
    refusal(find_command("loop", path, dir.path()), Errc::not_found);
}

TEST_CASE("one that cannot be executed does not hide another further on") {
    test::TempDir const dir;
    dir.write("a/tool", "x");
    auto const good = program(dir, "b/tool");
    CHECK(find_command("tool", (dir / "a").native() + ":" + (dir / "b").native(), dir.path()).value() == good);
}

TEST_CASE("a version manager's stand-in is asked for the real program") {
    test::TempDir const dir;
    auto const real = program(dir, "versions/tool");
    std::string const answer = "#!/bin/sh\n[ \"$1\" = which ] && [ \"$2\" = tool ] && [ -n \"$HOME\" ] || exit 1\n"
                               "echo a warning\necho " +
                               real.native() + "\necho another >&2\n";
    auto const [manager, shims] = GENERATE(table<std::string, std::string>({{"pyenv", ".pyenv/shims"},
                                                                            {"asdf", ".asdf/shims"},
                                                                            {"volta", ".volta/bin"},
                                                                            {"mise", ".local/share/mise/shims"}}));
    INFO(manager);
    auto const shim = program(dir, shims + "/tool", "#!/bin/sh\nexit 9\n");
    program(dir, "bin/" + manager, answer);
    auto const path = (dir / shims).native() + ":" + (dir / "bin").native();
    CHECK(find_command("tool", path, dir.path()).value() == real);
    CHECK(find_command(shim.native(), (dir / "bin").native(), dir.path()).value() == real);
    CHECK(find_command(manager, path, dir.path()).value() == dir / ("bin/" + manager));

    SECTION("and a manager that fails is quoted") {
        program(dir, "bin/" + manager, "#!/bin/sh\necho 'no version of tool is chosen' >&2\nexit 127\n");
        auto const what = refusal(find_command("tool", path, dir.path()), Errc::unavailable);
        CHECK(test::has(what, "no version of tool is chosen; choose a version with " + manager));
    }
    SECTION("and one that answers with a stand-in again is not believed") {
        program(dir, "bin/" + manager, "#!/bin/sh\necho " + shim.native() + "\n");
        CHECK(test::has(refusal(find_command("tool", path, dir.path()), Errc::unavailable), "another stand-in"));
    }
    SECTION("and one that answers with what is not there neither") {
        program(dir, "bin/" + manager, "#!/bin/sh\necho /no/such/tool\n");
        refusal(find_command("tool", path, dir.path()), Errc::not_found);
    }
}

TEST_CASE("a version manager that is not there is told") {
    test::TempDir const dir;
    program(dir, ".asdf/shims/tool");
    auto const what = refusal(find_command("tool", (dir / ".asdf/shims").native(), dir.path()), Errc::unavailable);
    CHECK(test::has(what, "asdf which tool"));
}

TEST_CASE("a version manager's root that was moved is known by its variable") {
    test::TempDir const dir;
    auto const real = program(dir, "real/tool");
    program(dir, "elsewhere/shims/tool");
    program(dir, "elsewhere/bin/pyenv", "#!/bin/sh\n[ \"$PYENV_ROOT\" ] && echo " + real.native() + "\n");
    auto const before = std::getenv("PYENV_ROOT") ? std::string(std::getenv("PYENV_ROOT")) : "";
    ::setenv("PYENV_ROOT", (dir / "elsewhere").c_str(), 1);
    auto const found = find_command("tool", (dir / "elsewhere/shims").native(), dir.path());
    before.empty() ? ::unsetenv("PYENV_ROOT") : ::setenv("PYENV_ROOT", before.c_str(), 1);
    CHECK(found.value() == real);
}
