// key_command, by commands that behave and that do not.
#include "key_command.hpp"

#include "temp_home.hpp"

#include <sys/wait.h>

#include <csignal>

namespace pfar::vault_file {

namespace {

Result<Secret> run(std::string const& command, int milliseconds = 60000) {
    return run_key_command(command, std::chrono::milliseconds(milliseconds));
}

} // namespace

TEST_CASE("what a command prints is taken without its last line breaks, up to 4 KiB") {
    CHECK(text_of(run("printf 'key\\r\\n\\n'")) == "key");
    CHECK(text_of(run("printf ' two\\nlines \\n'")) == " two\nlines ");
    CHECK(run("head -c 4096 /dev/zero | tr '\\0' x").value().size() == 4096);
    CHECK(mentions(run("head -c 4097 /dev/zero | tr '\\0' x").error().what, "more than 4096 bytes"));
    CHECK(mentions(run("yes").error().what, "more than 4096 bytes"));
}

TEST_CASE("a command that fails, prints nothing or is not there is told by how it ended and never by what it printed") {
    CHECK(mentions(run("echo hush; exit 3").error().what, "failed with exit status 3"));
    CHECK_FALSE(mentions(run("echo hush; exit 3").error().what, "hush"));
    CHECK(mentions(run("kill -9 $$").error().what, "was ended by signal 9"));
    CHECK(mentions(run("true").error().what, "printed nothing"));
    CHECK(mentions(run("echo; echo").error().what, "printed nothing"));
    CHECK(mentions(run("/no/such/program 2>&-").error().what, "failed with exit status 127"));
    CHECK(run("true").error().code == Errc::refused);
}

TEST_CASE("a command that does not end is killed") {
    CHECK(run("exec sleep 1000", 50).error().code == Errc::timeout);
    CHECK(run("echo key; exec sleep 1000 >&-", 50).error().code == Errc::timeout);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1); // none is left
}

TEST_CASE("a command gets no input, no descriptors and no blocked or ignored signals of the host's") {
    Fd const stray(::dup(STDERR_FILENO)); // not closed by exec
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    auto const previous = std::signal(SIGPIPE, SIG_IGN);
    auto const seen =
        run("cat; ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/$$/status | cut -f2 | tr '\\n' ' '");
    std::signal(SIGPIPE, previous);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    // 0, 1, 2 and the listed directory; glibc itself ignores two signals of its own in what it spawns.
    CHECK(text_of(seen) == "4\n0000000000000000 0000000180000000 ");
    CHECK(text_of(run("ps -o pgid= -p $$ | tr -d ' '")) == std::to_string(::getpgrp()));
}

TEST_CASE("a vault runs its command once") {
    TempHome home;
    auto const count = (home.path / "count").string();
    auto const settings = with("key_command", "echo x >> " + count + "; echo the key");
    REQUIRE(home.vault(settings)->keep("a", Secret("12345678")));
    std::filesystem::remove(count);
    auto const vault = home.vault(settings);
    CHECK_FALSE(vault->status().value().locked);
    CHECK(vault->status().value().how == "output of key_command");
    CHECK_FALSE(std::filesystem::exists(count));
    for (int i = 0; i < 3; ++i) {
        CHECK(text_of(vault->find("a")) == "12345678");
        REQUIRE(vault->keep("b", Secret("12345678")));
    }
    CHECK(content_of(count) == "x\n");
}

TEST_CASE("a command that prints something else, fails or is not set does not open the vault and is run once") {
    TempHome home;
    REQUIRE(home.vault(with("key_command", "echo the key"))->keep("a", Secret("12345678")));
    auto const count = (home.path / "count").string();
    auto const other = home.vault(with("key_command", "echo x >> " + count + "; echo another key"));
    CHECK(other->find("a").error().code == Errc::refused);
    CHECK(mentions(other->keep("a", Secret("x")).error().what, "is not the vault's key"));
    CHECK(content_of(count) == "x\nx\n"); // once for each
    CHECK(home.vault(with("key_command", "exit 2"))->list().error().code == Errc::refused);

    auto const without = home.vault();
    CHECK(without->find("a").error().code == Errc::invalid);
    CHECK(mentions(without->find("a").error().what, "set key_command in [plugins.vault-file]"));
    CHECK(mentions(without->status().value().advice, "set it in [plugins.vault-file]"));
    CHECK(text_of(home.vault(with("key_command", "echo the key"))->find("a")) == "12345678");
}

} // namespace pfar::vault_file
