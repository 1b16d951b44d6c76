// pfar vault import FILE.env
#include "vault/vault_stage.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>
#include <unistd.h>

using test::has;
using test::VaultStage;

namespace {

constexpr auto sample = "# mine\nexport GITHUB_TOKEN=\"ghp_with \\\"quotes\\\" and $\"\nEMPTY=\n"
                        "NOTION_TOKEN='ntn_0123456789' # comment\nPIN=1234\n";
constexpr auto whole = "A_TOKEN=aaaaaaaa1\nB_TOKEN=bbbbbbbb2\n";

} // namespace

TEST_CASE("a file of values becomes entries under their names in lower case") {
    VaultStage const stage(test::people().back());
    stage.server("a", "printf '%s|%s' \"$G\" \"$N\"",
                 "[auth]\nG = \"vault:github_token\"\nN = \"vault:notion_token\"\n");
    auto const file = stage.write("home/x.env", sample, 0600);
    auto const imported = stage.vault({"import", file.native()});
    CHECK(imported.status == 0);
    CHECK(has(imported.out, "GITHUB_TOKEN is kept as github_token"));
    CHECK(has(imported.out, "EMPTY is left out: empty"));
    CHECK(has(imported.out, "PIN is left out: under 8 bytes"));
    CHECK(stage.run_server("a").out == "ghp_with \"quotes\" and $|ntn_0123456789");
    CHECK(std::filesystem::exists(file));
}

TEST_CASE("entries that exist are replaced only when asked, and a list names those wanted") {
    VaultStage const stage(test::people().front());
    stage.server("a", "printf %s \"$T\"", "[auth]\nT = \"vault:a_token\"\n");
    REQUIRE(stage.keep("a_token", "the-first-one") == 0);
    auto const file = stage.write("home/x.env", whole);
    CHECK(has(stage.vault({"import", file.native(), "--only", "A_TOKEN"}).out, "--replace replaces it"));
    CHECK(stage.run_server("a").out == "the-first-one");
    auto const replaced = stage.vault({"import", file.native(), "--only", "A_TOKEN", "--replace"});
    CHECK(has(replaced.out, "B_TOKEN is left out: not asked for"));
    CHECK(stage.run_server("a").out == "aaaaaaaa1");
    CHECK_FALSE(has(stage.vault({"list"}).out, "b_token"));
}

TEST_CASE("the file is shredded only when everything in it is kept") {
    VaultStage const stage(test::people().back());
    auto const file = stage.write("home/x.env", sample);
    auto const not_all = stage.vault({"import", file.native(), "--shred"});
    CHECK(not_all.status == 77);
    CHECK(test::read(file) == sample);

    auto const all = stage.write("home/y.env", whole);
    auto const other_name = stage.path() / "home/y2.env";
    std::filesystem::create_hard_link(all, other_name);
    CHECK(has(stage.vault({"import", all.native(), "--shred", "--replace"}).err, "not a plain file with one name"));
    std::filesystem::remove(other_name);
    CHECK(stage.vault({"import", all.native(), "--shred", "--replace"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(all));
}

TEST_CASE("on a terminal it offers to shred, and no is no") {
    VaultStage const stage(test::people().front());
    auto const file = stage.write("home/x.env", whole);
    for (auto const* const answer : {"n\n", "y\n"}) {
        test::Live live(stage, stage.words({"vault", "import", file.native(), "--replace"}), test::Live::On::terminal);
        REQUIRE(live.says("Overwrite and remove"));
        live.type(answer);
        CHECK(live.end() == 0);
        CHECK(std::filesystem::exists(file) == (*answer == 'n'));
    }
}

TEST_CASE("what is no such file is told, and changes nothing") {
    VaultStage const stage(test::people().front());
    auto const pipe = stage.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0); // nobody writes to it, and nobody waits
    CHECK(stage.vault({"import", (stage.path() / "none").native()}).status == 69);
    CHECK(stage.vault({"import", pipe.native()}).status == 78);
    CHECK(has(stage.vault({"import", "/dev/null"}).err, "is not a file"));
    CHECK(has(stage.vault({"import", stage.write("home/n.env", whole).native(), "--only", "NOPE"}).err,
              "there is no NOPE in that file"));
    CHECK(stage.vault({"import", stage.path().native()}).status == 78);
    CHECK(stage.vault({"import", stage.write("home/e.env", "# nothing\n").native()}).status == 78);
    auto const garbage = stage.vault({"import", stage.write("home/g.env", "A_TOKEN=aaaaaaaa1\n?? no\n").native()});
    CHECK(garbage.status == 0);
    CHECK(has(garbage.err, "line 2 was not understood"));
    auto const big = stage.vault({"import", stage.write("home/b.env", "A=" + std::string(2U << 20U, 'x')).native()});
    CHECK(big.status == 78);
    CHECK(has(big.err, "longer than"));
}

TEST_CASE("what a pipe brings is kept, and nothing is shredded") {
    VaultStage const stage(test::people().front());
    auto const piped = test::run({stage.shell("printf 'A_TOKEN=aaaaaaaa1\nB_TOKEN=bbbbbbbb2\n' | \"$0\" vault import "
                                              "/dev/stdin --shred"),
                                  {},
                                  "/",
                                  {},
                                  stage.setting().uid});
    CHECK(piped.status == 0);
    CHECK(has(stage.vault({"list"}).out, "b_token"));
}

TEST_CASE("a value that is not certain is no reason to shred the file") {
    VaultStage const stage(test::people().front());
    for (auto const* const text : {"A_TOKEN=first-one\nA_TOKEN=second-one\n", "A_TOKEN=with-${OTHER}-in-it\n",
                                   "A_TOKEN=\"with $OTHER in it\"\n"}) {
        auto const file = stage.write("home/x.env", text);
        CHECK(stage.vault({"import", file.native(), "--shred", "--replace"}).status == 77);
        CHECK(test::read(file) == text);
    }
    CHECK(stage.vault({"import", stage.write("home/y.env", "A_TOKEN='with $OTHER'\n").native(), "--shred", "--replace"})
              .status == 0);
}

TEST_CASE("a file that changed while it was asked about is left as it is") {
    VaultStage const stage(test::people().front());
    auto const file = stage.write("home/x.env", whole);
    test::Live live(stage, stage.words({"vault", "import", file.native()}), test::Live::On::terminal);
    REQUIRE(live.says("Overwrite and remove"));
    static_cast<void>(stage.write("home/x.env", "A_TOKEN=aaaaaaaa1\nNEW_TOKEN=not-kept-1\n"));
    live.type("y\n");
    CHECK(live.end() == 77);
    CHECK(has(test::read(file), "not-kept-1"));
}

TEST_CASE("an import that stops half-way says what it kept") {
    if (::geteuid() != 0) SKIP("needs root to mount a small file system");
    VaultStage const stage(test::people().front());
    test::Mounted const small(stage, "size=64k");
    if (!small.ok()) SKIP("a file system cannot be mounted here");
    auto const file = stage.write("home/x.env", "A_TOKEN=aaaaaaaa1\nBIG=" + std::string(60000, 'x') + "\n");
    auto const stopped = stage.vault({"import", file.native(), "--shred"});
    CHECK(stopped.status == 74);
    CHECK(has(stopped.out, "A_TOKEN is kept as a_token"));
    CHECK(has(stopped.err, "BIG: "));
    CHECK(std::filesystem::exists(file));
}
