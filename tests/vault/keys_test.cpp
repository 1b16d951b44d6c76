// Where the key comes from: a file, a passphrase that is typed, a command.
#include "vault/vault_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <termios.h>

#include <csignal>

using test::has;
using test::Live;
using test::VaultStage;

namespace {

constexpr auto by_passphrase = "[plugins.vault-file]\nkey_from = \"passphrase\"\n";

Live typed(VaultStage const& stage, std::vector<std::string> words) {
    words.insert(words.begin(), "vault");
    return {stage, stage.words(std::move(words)), Live::On::terminal};
}

/// Makes a vault with this passphrase and one entry.
void begin(VaultStage const& stage, std::string const& passphrase) {
    stage.settings_file(by_passphrase);
    auto live = typed(stage, {"set", "token"});
    REQUIRE(live.says("Value of token (not shown): "));
    live.type("tok-0123456789\r");
    REQUIRE(live.says("New passphrase for the vault: "));
    live.type(passphrase + "\r");
    REQUIRE(live.says("The same again: "));
    live.type(passphrase + "\r");
    REQUIRE(live.end() == 0);
    CHECK_FALSE(has(live.heard(), "tok-0123"));
    CHECK_FALSE(has(live.heard(), passphrase));
}

void lock(VaultStage const& stage) {
    REQUIRE(stage.vault({"lock"}).status == 0);
}

} // namespace

TEST_CASE("a typed value is not shown, and the terminal is as it was") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    stage.server("a", "printf %s \"$T\"", "[auth]\nT = \"vault:token\"\n");
    auto live = typed(stage, {"set", "token"});
    REQUIRE(live.says("Value of token (not shown): "));
    CHECK((live.modes().c_lflag & ECHO) == 0);
    live.type("tok-012345678X\x7f"
              "9\r");
    CHECK(live.end() == 0);
    CHECK((live.modes().c_lflag & ECHO) != 0);
    CHECK_FALSE(has(live.heard(), "tok-0"));
    CHECK(stage.run_server("a").out == "tok-0123456789");
}

TEST_CASE("a value longer than a line of the terminal, and one given up") {
    VaultStage const stage(test::people().front());
    stage.server("a", "printf %s \"$T\" | wc -c", "[auth]\nT = \"vault:token\"\n");
    auto live = typed(stage, {"set", "token"});
    REQUIRE(live.says("(not shown): "));
    live.type(std::string(9000, 'k') + "\r");
    CHECK(live.end() == 0);
    CHECK(has(stage.run_server("a").out, "9000"));

    auto given_up = typed(stage, {"set", "other"});
    REQUIRE(given_up.says("(not shown): "));
    given_up.type("half\x03");
    CHECK(given_up.end() == 77);
    CHECK((given_up.modes().c_lflag & ECHO) != 0);
    CHECK_FALSE(has(stage.vault({"list"}).out, "other"));
}

TEST_CASE("several lines pasted into the prompt are refused, and the shell does not get the rest") {
    VaultStage const stage(test::people().front());
    auto live = typed(stage, {"set", "token"});
    REQUIRE(live.says("(not shown): "));
    live.type("-----BEGIN KEY-----\rtouch /tmp/should-not-run\r");
    CHECK(live.end() == 78);
    CHECK(has(live.heard(), "more than one line"));
    CHECK_FALSE(has(live.heard(), "should-not-run"));
}

TEST_CASE("the rest of a paste that is refused does not reach the shell") {
    VaultStage const stage(test::people().front());
    for (auto const& keys : {std::string("part-one\x1b[Atouch PWNED\r"), std::string(70000, 'k') + "\recho PWNED\r"}) {
        Live shell(
            stage,
            {"/bin/sh", "-c", "\"$@\"; echo done; read x; echo \"<$x>\"", "sh", PFAR_PROGRAM, "vault", "set", "t"},
            Live::On::terminal);
        REQUIRE(shell.says("(not shown): "));
        shell.type(keys);
        REQUIRE(shell.says("done"));
        shell.type("mine\r");
        CHECK(shell.says("<mine>"));
        CHECK_FALSE(has(shell.heard(), "PWNED"));
    }
}

TEST_CASE("a signal at the prompt leaves the terminal as it was") {
    VaultStage const stage(test::people().front());
    for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        auto live = typed(stage, {"set", "token"});
        REQUIRE(live.says("(not shown): "));
        live.signal(signal);
        CHECK(live.end() == 128 + signal);
        CHECK((live.modes().c_lflag & (ECHO | ICANON | ISIG)) == (ECHO | ICANON | ISIG));
    }
    auto stopped = typed(stage, {"set", "token"});
    REQUIRE(stopped.says("(not shown): "));
    stopped.signal(SIGTSTP);
    stopped.signal(SIGCONT); // the kernel stops no orphaned group; going on is all that can be seen
    stopped.type("tok-0123456789\r");
    CHECK(stopped.end() == 0);
}

TEST_CASE("a passphrase is asked once, and then servers start unattended until it is locked") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    stage.server("a", "printf %s \"$T\"", "[auth]\nT = \"vault:token\"\n");
    begin(stage, "correct horse");
    auto const status = stage.vault({"status"});
    INFO(status.out);
    if (has(status.out, "this process only")) SKIP("this kernel has no keyring");
    CHECK(stage.run_server("a").out == "tok-0123456789");
    CHECK(stage.keep("second", "12345678") == 0);

    lock(stage);
    auto const locked = stage.run_server("a");
    CHECK(locked.status == 77);
    CHECK(has(locked.err, "pfar vault unlock"));
    CHECK(stage.vault({"list"}).status == 77);
    CHECK(has(stage.vault({"status"}).out, "pfar vault unlock"));
    CHECK(stage.vault({"set", "third"}, "12345678").status == 77);
    CHECK(stage.pfar({"check"}).status == 0);

    auto live = typed(stage, {"unlock"});
    REQUIRE(live.says("Passphrase of the vault: "));
    live.type("correct horse\r");
    CHECK(live.end() == 0);
    CHECK(stage.run_server("a").out == "tok-0123456789");
    lock(stage);
}

TEST_CASE("a wrong passphrase is told, three times, and loses nothing") {
    VaultStage const stage(test::people().front());
    begin(stage, "correct horse");
    lock(stage);
    auto wrong = typed(stage, {"unlock"});
    for (int i = 0; i < 3; ++i) {
        REQUIRE(wrong.says("Passphrase of the vault: "));
        wrong.forget();
        wrong.type("battery staple\r");
    }
    CHECK(wrong.end() == 77);
    CHECK(has(wrong.heard(), "not the vault's passphrase"));
    auto right = typed(stage, {"list"});
    REQUIRE(right.says("Passphrase of the vault: "));
    right.type("wrong at first\r");
    REQUIRE(right.says("not the vault's passphrase"));
    right.type("correct horse\r");
    CHECK(right.end() == 0);
    CHECK(has(right.heard(), "token"));
    lock(stage);
}

TEST_CASE("two passphrases that differ, or a short one, make no vault") {
    VaultStage const stage(test::people().front());
    stage.settings_file(by_passphrase);
    for (auto const& [first, second] : {std::pair{"correct horse", "correct house"}, std::pair{"short", "short"}}) {
        auto live = typed(stage, {"set", "token"});
        REQUIRE(live.says("(not shown): "));
        live.type("tok-0123456789\r");
        REQUIRE(live.says("New passphrase for the vault: "));
        live.type(std::string(first) + "\r");
        REQUIRE(live.says("The same again: "));
        live.type(std::string(second) + "\r");
        CHECK(live.end() == 78);
    }
    CHECK(stage.vault({"list", "--json"}).out == "[]\n");
}

TEST_CASE("the key goes from file to passphrase to command and back, and every entry stays") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    stage.server("a", "printf %s \"$T\"", "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);

    stage.settings_file(by_passphrase);
    CHECK(has(stage.vault({"status"}).out, "pfar vault change-key"));
    auto live = typed(stage, {"change-key"});
    REQUIRE(live.says("New passphrase for the vault: "));
    live.type("correct horse\r");
    REQUIRE(live.says("The same again: "));
    live.type("correct horse\r");
    CHECK(live.end() == 0);
    CHECK(has(live.heard(), "sealed anew: 1 credential"));
    CHECK_FALSE(std::filesystem::exists(stage.pfar_home() / "vault/key"));
    CHECK(stage.run_server("a").out == "tok-0123456789");

    static_cast<void>(stage.write("home/key.txt", "what a password manager prints\n", 0600));
    stage.settings_file("[plugins.vault-file]\nkey_command = \"cat '" + (stage.home() / "key.txt").native() + "'\"\n");
    CHECK(stage.vault({"change-key"}).status == 0);
    CHECK(stage.run_server("a").out == "tok-0123456789");

    stage.settings_file("");
    CHECK(has(stage.vault({"list"}).err, "key_command"));
    stage.settings_file("[plugins.vault-file]\nkey_from = \"file\"\nkey_command = \"cat '" +
                        (stage.home() / "key.txt").native() + "'\"\n");
    CHECK(stage.vault({"change-key"}).status == 0);
    stage.settings_file("");
    CHECK(stage.run_server("a").out == "tok-0123456789");
}

TEST_CASE("status, check and completion do not run the command") {
    VaultStage const stage(test::people().front());
    auto const ran = stage.path() / "ran";
    stage.settings_file("[plugins.vault-file]\nkey_command = \"echo x >> '" + ran.native() + "'; echo the-key\"\n");
    stage.server("a", "true", "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);
    auto const before = test::read(ran);
    REQUIRE_FALSE(before.empty());
    CHECK(has(stage.vault({"status"}).out, "may ask you"));
    CHECK(stage.pfar({"check"}).status == 0);
    CHECK(has(stage.pfar({"__complete", "vault", "set", "t"}).out, "token")); // from the server's file
    CHECK(test::read(ran) == before);
}

TEST_CASE("a command that fails, says nothing or something else is told, and its output never") {
    VaultStage const stage(test::people().front());
    auto const by = [&](std::string const& command) {
        stage.settings_file("[plugins.vault-file]\nkey_command = \"" + command + "\"\n");
    };
    by("echo canary-key-0123");
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);
    CHECK(stage.vault({"list"}).status == 0);
    for (auto const* const bad : {"echo canary-other", "echo canary-key-0123; exit 3", "true", "no-such-command",
                                  "head -c 100000 /dev/zero | tr '\\\\0' c"}) {
        by(bad);
        auto const failed = stage.vault({"list"});
        CAPTURE(bad, failed.err);
        CHECK(failed.status != 0);
        CHECK(has(failed.err, "key_command"));
        CHECK_FALSE(has(failed.err + failed.out, "canary-key"));
    }
    by("echo canary-key-0123");
    CHECK(has(stage.vault({"list"}).out, "token"));
}
