// pfar edit
#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sys/stat.h>
#include <unistd.h>

using test::has;

namespace {

constexpr auto before = "# mine\nname = \"a\"\n[server]\ncommand = \"/bin/sh\"\n";

struct World : test::Stage {
    explicit World(test::Setting setting = test::people().front()) : Stage(std::move(setting)) { put(before); }

    void put(std::string const& text) const { static_cast<void>(write("home/.pfar/mcp/a.toml", text, 0640)); }
    [[nodiscard]] std::string text() const { return test::read(pfar_home() / "mcp/a.toml"); }
    /// An editor that does this to "$1".
    [[nodiscard]] std::string editor(std::string const& script) const {
        return write("home/my editor.sh", "#!/bin/sh\n" + script + "\n", 0755).native();
    }
    [[nodiscard]] test::Outcome edit(std::string const& script, std::string const& name = "a",
                                     std::filesystem::path const& directory = "/") {
        environment = {"EDITOR='" + editor(script) + "'"};
        return pfar({"edit", name}, directory);
    }
    [[nodiscard]] std::size_t copies() const {
        std::error_code error;
        std::size_t found = 0;
        for (auto const& entry : std::filesystem::directory_iterator(pfar_home() / "run", error))
            found += entry.path().filename().native().starts_with("edit-") ? 1 : 0;
        return found;
    }
};

} // namespace

TEST_CASE("a change that is valid takes the file's place, and keeps its mode and link") {
    World world(GENERATE(from_range(test::people())));
    auto const changed = world.edit("sed -i 's/^name/label = \"public\"\\nname/' \"$1\"");
    INFO(changed.err);
    CHECK(changed.status == 0);
    CHECK(has(changed.out, "a is changed"));
    CHECK(world.text() == "# mine\nlabel = \"public\"\nname = \"a\"\n[server]\ncommand = \"/bin/sh\"\n");
    struct stat status {};
    REQUIRE(::stat((world.pfar_home() / "mcp/a.toml").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == 0640);
    CHECK(world.copies() == 0);

    auto const real = world.write("home/dotfiles/b.toml", "name = \"b\"\n[server]\ncommand = \"/bin/sh\"\n");
    std::filesystem::create_symlink(real, world.pfar_home() / "mcp/b.toml");
    CHECK(world.edit("echo '# more' >> \"$1\"", "b").status == 0);
    CHECK(std::filesystem::is_symlink(world.pfar_home() / "mcp/b.toml"));
    CHECK(has(test::read(real), "# more"));
}

TEST_CASE("the copy is private, and the editor's command may have arguments") {
    World world;
    world.environment = {"EDITOR='" +
                         world.editor("stat -c %a \"$2\" > \"$HOME/mode\"; stat -c %a \"$(dirname \"$2\")\" >> "
                                      "\"$HOME/mode\"; echo \"$1\" >> \"$HOME/mode\"") +
                         "' --wait"};
    CHECK(has(world.pfar({"edit", "a"}).out, "a is unchanged"));
    CHECK(test::read(world.home() / "mode") == "600\n700\n--wait\n");
    world.environment = {"TERM=xterm", "EDITOR=false", "VISUAL=true"};
    CHECK(has(world.pfar({"edit", "a"}).out, "a is unchanged"));
    world.environment = {};
    CHECK(has(world.pfar({"edit", "a"}).err, "set EDITOR"));
}

TEST_CASE("a command without a path is written with it") {
    World world;
    auto const changed = world.edit("sed -i 's/^command.*/command = \"sh\" # the shell/' \"$1\"");
    CHECK(changed.status == 0);
    CHECK(has(changed.out, "sh is written as /usr/bin/sh"));
    CHECK(has(world.text(), "command = \"/usr/bin/sh\" # the shell\n"));
    auto const unknown = world.edit("sed -i 's/^command.*/command = \"no-such\"/' \"$1\"");
    CHECK(unknown.status == 0);
    CHECK(has(unknown.err, "no-such is not on the PATH"));
}

TEST_CASE("mistakes never reach the file; without a terminal the copy is kept") {
    World world;
    for (auto const* const script : {"echo 'lable = 1' >> \"$1\"", ": > \"$1\"", "printf 'name = \"b\"\\n' > \"$1\"",
                                     "head -c 3000000 /dev/zero > \"$1\"", "printf '\\377\\000' > \"$1\"", "rm \"$1\"",
                                     "rm \"$1\"; mkdir \"$1\"", "rm \"$1\"; mkfifo \"$1\"", "exit 3", "kill -9 $$"}) {
        auto const outcome = world.edit(script);
        CAPTURE(script);
        CHECK(outcome.status >= 69);
        CHECK(has(outcome.err, "is as it was"));
        CHECK(world.text() == before);
    }
    auto const wrong = world.edit("printf 'name = \"a\"\\nlabel = \"x\"\\n' > \"$1\"");
    CHECK(wrong.status == 78);
    CHECK(has(wrong.err, "a.toml:2:9: error: label: \"x\" is not one of the words"));
    auto const at = wrong.err.find("what you wrote is in ");
    REQUIRE(at != std::string::npos);
    auto const copy = wrong.err.substr(at + 21, wrong.err.find('\n', at) - at - 21);
    CHECK(has(test::read(copy), "label = \"x\""));
}

TEST_CASE("a file that somebody else changed meanwhile is left to them") {
    World world;
    auto const conflict = world.edit("echo '# theirs' >> \"$PFAR_HOME/mcp/a.toml\"; echo '# ours' >> \"$1\"");
    CHECK(conflict.status == 69);
    CHECK(has(conflict.err, "was changed by somebody else meanwhile"));
    CHECK(has(conflict.err, "what you wrote is in "));
    CHECK(world.text() == std::string(before) + "# theirs\n");
    CHECK(world.copies() == 1);
}

TEST_CASE("one that is not there is told with the nearest, and one with mistakes can be mended") {
    World world;
    static_cast<void>(world.write("home/.pfar/mcp/notion.toml", "name = 1\n"));
    auto const unknown = world.edit("exit 0", "notoin");
    CHECK(unknown.status == 69);
    CHECK(has(unknown.err, "there is no server \"notoin\" (did you mean \"notion\"?); pfar add makes one"));
    CHECK(world.edit("printf 'name = \"notion\"\\n[server]\\ncommand = \"/bin/sh\"\\n' > \"$1\"", "notion").status ==
          0);
    CHECK(has(world.pfar({"check", "notion"}).out, "ok"));
    CHECK(world.edit("exit 0", "../a").status == 69);
}

TEST_CASE("a project's file that was trusted stays trusted, and one that was not is not") {
    World world;
    static_cast<void>(world.write("home/p/.pfar/mcp/p.toml", "name = \"p\"\n[server]\ncommand = \"/bin/sh\"\n"));
    auto const project = world.home() / "p";
    CHECK(has(world.edit("echo '#' >> \"$1\"", "p", project).out, "it is not trusted yet: pfar trust"));
    CHECK(has(world.pfar({"check", "p"}, project).out, "waits"));
    REQUIRE(world.pfar({"trust", "--yes"}, project).status == 0);
    CHECK(has(world.edit("echo '#' >> \"$1\"", "p", project).out, "it was trusted and still is"));
    CHECK(has(world.pfar({"check", "p"}, project).out, "ok       project"));
}

TEST_CASE("on a terminal mistakes are edited again or discarded") {
    World world;
    auto const editor =
        world.editor("n=$(cat \"$HOME/n\" 2>/dev/null); echo x$n > \"$HOME/n\"\nif [ \"$n\" = x ]; then printf 'name = "
                     "\"a\"\\n[server]\\ncommand = \"/bin/cat\"\\n' > \"$1\"; else echo 'lable = 1' >> \"$1\"; fi");
    world.environment = {"TERM=xterm", "EDITOR='" + editor + "'"};
    test::Live live(world, world.words({"edit", "a"}), test::Live::On::terminal);
    REQUIRE(live.says("[e]dit again or [d]iscard?"));
    CHECK(has(live.heard(), "unknown key \"lable\""));
    live.forget();
    live.type("what\n");
    REQUIRE(live.says("[e]dit again or [d]iscard?"));
    live.type("e\n");
    CHECK(live.says("a is changed"));
    CHECK(live.end() == 0);
    CHECK(has(world.text(), "/bin/cat"));

    auto const kept = world.text();
    test::Live discarded(world, world.words({"edit", "a"}), test::Live::On::terminal);
    REQUIRE(discarded.says("[e]dit again or [d]iscard?"));
    discarded.type("d\n");
    CHECK(discarded.end() == 78);
    CHECK(world.text() == kept);
    CHECK(world.copies() == 0);
}
