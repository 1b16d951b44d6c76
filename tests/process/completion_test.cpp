#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using test::has;

namespace {

std::string complete(std::filesystem::path const& home, std::vector<std::string> words) {
    words.insert(words.begin(), "__complete");
    return test::pfar(home, std::move(words)).out;
}

bool is_installed(char const* program) {
    return test::run({{"sh", "-c", std::string("command -v ") + program}, {}, {}, {}, 0}).status == 0;
}

} // namespace

TEST_CASE("commands, options, values and server names are completed") {
    test::TempDir const home;
    home.write("mcp/notion.toml", "");
    CHECK(has(complete(home.path(), {""}), "plugins\tlist the plugins"));
    CHECK(complete(home.path(), {"che"}) == "check\tfind mistakes in server files and pfar.toml\n");
    CHECK(has(complete(home.path(), {"plugins", "--"}), "--json"));
    CHECK(complete(home.path(), {"plugins", "--log", "de"}) == "debug\n");
    CHECK(complete(home.path(), {"plugins", "--log", "=", "de"}) == "debug\n");
    CHECK(complete(home.path(), {"completion", ""}) == "bash\nzsh\nfish\n");
    CHECK(complete(home.path(), {"completion", "bash", ""}).empty());
    CHECK(complete(home.path(), {"allow", "no"}) == "notion\n");
    CHECK(complete(home.path(), {"allow", "notion", ""}).empty());
    CHECK(complete(home.path(), {"check", "no"}) == "notion\n:files\n");
    CHECK(complete(home.path(), {"frobnicate", ""}).empty());
    CHECK(complete(home.path(), {"--log", "debug", "ch"}).starts_with("check"));
    CHECK(complete(home.path(), {"check", "--log=d"}) == "debug\n");
    home.write("mcp/$(touch x).toml", "");
    CHECK_FALSE(has(complete(home.path(), {"check", ""}), "touch"));
}

TEST_CASE("bash completes with the script") {
    test::TempDir const home;
    auto const script = test::pfar(home.path(), {"completion", "bash"}).out;
    home.write("completion.bash", script + R"(
COMP_WORDS=("$PFAR" plu) COMP_CWORD=1; _pfar; echo "${COMPREPLY[*]}"
COMP_WORDS=("$PFAR" plugins --log = inf) COMP_CWORD=4; _pfar; echo "${COMPREPLY[*]}"
COMP_WORDS=("$PFAR" check ./compl) COMP_CWORD=2; _pfar; echo "${COMPREPLY[*]}"
complete -p pfar
)");
    auto const outcome = test::run({{"bash", "completion.bash"},
                                    {{"PFAR", PFAR_PROGRAM}, {"PFAR_HOME", home.path().native()}},
                                    home.path(),
                                    {},
                                    0});
    CHECK(outcome.out == "plugins\ninfo\n./completion.bash\ncomplete -F _pfar pfar\n");
    CHECK(outcome.err.empty());
}

TEST_CASE("zsh and fish accept their scripts, and fish completes with it") {
    test::TempDir const home;
    if (!is_installed("zsh") || !is_installed("fish")) SKIP("zsh and fish are not installed");
    home.write("_pfar", test::pfar(home.path(), {"completion", "zsh"}).out);
    CHECK(test::run({{"zsh", "-n", (home / "_pfar").native()}, {}, {}, {}, 0}).status == 0);
    home.write("pfar.fish", test::pfar(home.path(), {"completion", "fish"}).out);
    auto const directory = std::filesystem::path(PFAR_PROGRAM).parent_path().native();
    auto const fish = test::run(
        {{"fish", "--no-config", "-c", "set PATH " + directory + " $PATH; source pfar.fish; complete -C 'pfar plu'"},
         {{"PFAR_HOME", home.path().native()}, {"HOME", home.path().native()}},
         home.path(),
         {},
         0});
    CHECK(has(fish.out, "plugins\tlist the plugins"));
}

TEST_CASE("zsh offers the commands") {
    test::TempDir const home;
    if (!is_installed("zsh")) SKIP("zsh is not installed");
    home.write("_pfar", test::pfar(home.path(), {"completion", "zsh"}).out);
    // The completion system needs a terminal; here its two ends are replaced, and the function between them is the real one.
    auto const script =
        "_describe() { print -l -- \"${(@P)2}\" }; compdef() { }; source ./_pfar; words=($PFAR plu); CURRENT=2; _pfar";
    auto const outcome = test::run({{"zsh", "-f", "-c", script},
                                    {{"PFAR", PFAR_PROGRAM}, {"PFAR_HOME", home.path().native()}},
                                    home.path(),
                                    {},
                                    0});
    CHECK(has(outcome.out, "plugins:list the plugins"));
}
