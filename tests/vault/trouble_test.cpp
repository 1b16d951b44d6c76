// What can go wrong with the vault's files, seen from the command line: killed writers, damage, permissions, a full disk.
#include "support/child.hpp"
#include "vault/vault_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <random>

using test::has;
using test::Live;
using test::VaultStage;

namespace {

std::string value_of(VaultStage const& stage, std::string const& name) {
    stage.server("reader", "printf %s \"$T\"", "[auth]\nT = \"vault:" + name + "\"\n");
    auto const run = stage.run_server("reader");
    return run.status == 0 ? run.out : "error: " + run.err;
}

} // namespace

TEST_CASE("a killed writer or key change leaves a vault that opens with everything that was acknowledged") {
    VaultStage const stage(test::people().back());
    std::mt19937 random(std::random_device{}());
    REQUIRE(stage.keep("steady", "steady-value") == 0);
    std::string acknowledged;
    for (int round = 0; round < 30; ++round) {
        auto const value = "value-number-" + std::to_string(round);
        bool const changes_key = round % 3 == 2;
        Live live(stage, stage.words(changes_key ? std::vector<std::string>{"vault", "change-key"}
                                                 : std::vector<std::string>{"vault", "set", "moving"}));
        if (!changes_key) live.type(value + "\n");
        live.close_input();
        auto const moment = std::uniform_int_distribution<int>(0, 250'000)(random);
        ::usleep(static_cast<useconds_t>(moment)); // the moment of the kill, nothing is waited for
        live.signal(SIGKILL);
        bool const done = live.end() == 0;
        auto const now = stage.run_server("none").status; // any command: nothing hangs
        CHECK(now == 69);
        CHECK(value_of(stage, "steady") == "steady-value");
        auto const found = value_of(stage, "moving");
        CAPTURE(round, moment, changes_key, done, found);
        if (changes_key || done) {
            if (done && !changes_key) acknowledged = value;
            if (!acknowledged.empty()) CHECK(found == acknowledged);
        } else {
            CHECK((found == acknowledged || found == value || (acknowledged.empty() && has(found, "needs vault:"))));
            if (found == value) acknowledged = value;
        }
    }
}

TEST_CASE("many who set at once lose nothing") {
    VaultStage const stage(test::people().back());
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
        auto const child = ::fork();
        if (child == 0) ::_exit(stage.keep("entry" + std::to_string(i), "value-of-" + std::to_string(i)));
        children.push_back(child);
    }
    for (auto const child : children) CHECK(test::ended(child) == 0);
    for (int i = 0; i < 6; ++i) CHECK(value_of(stage, "entry" + std::to_string(i)) == "value-of-" + std::to_string(i));
}

TEST_CASE("a file that was changed or cut is told by the entry's name, and the others are usable") {
    VaultStage const stage(test::people().back());
    std::string const big(3000, 'x');
    REQUIRE(stage.keep("first", "a-" + big) == 0);
    REQUIRE(stage.keep("last", "z-" + big) == 0);
    auto const file = stage.pfar_home() / "vault/secrets";
    auto const whole = test::read(file);
    auto damaged = whole;
    damaged[whole.size() - 1500] ^= 1;
    for (auto const& content : {damaged, whole.substr(0, whole.size() - 1500)}) {
        static_cast<void>(stage.write("home/.pfar/vault/secrets", content, 0600));
        CHECK(value_of(stage, "first") == "a-" + big);
        auto const lost = value_of(stage, "last");
        CHECK(has(lost, "last"));
        CHECK(has(lost, "pfar vault set last"));
        auto const listed = stage.vault({"list"});
        CHECK(listed.status == 0);
        CHECK(has(listed.out, "damaged"));
    }
    CHECK(stage.keep("last", "mended-value") == 0);
    CHECK(value_of(stage, "last") == "mended-value");
    CHECK(value_of(stage, "first") == "a-" + big);
}

TEST_CASE("what others can read is refused with the command that mends it") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);
    for (auto const* const name : {"vault", "vault/secrets", "vault/key"}) {
        auto const path = stage.pfar_home() / name;
        struct stat before {};
        REQUIRE(::stat(path.c_str(), &before) == 0);
        REQUIRE(::chmod(path.c_str(), before.st_mode | 044) == 0);
        for (auto const& refused : {stage.vault({"list"}), stage.vault({"set", "x"}, "12345678")}) {
            CAPTURE(name, refused.err);
            CHECK(refused.status == 77);
            CHECK(has(refused.err, "chmod "));
        }
        REQUIRE(::chmod(path.c_str(), before.st_mode) == 0);
    }
    CHECK(value_of(stage, "token") == "tok-0123456789");
}

TEST_CASE("a full disk and a read-only one are told, and lose nothing") {
    if (::geteuid() != 0) SKIP("needs root to mount a small file system");
    VaultStage const stage(GENERATE(from_range(test::people())));
    test::Mounted const small(stage, "size=64k");
    if (!small.ok()) SKIP("a file system cannot be mounted here");
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);
    auto const full = stage.vault({"set", "large"}, std::string(60000, 'x'));
    CHECK(full.status == 74);
    CHECK(has(full.err, "full"));
    CHECK(stage.vault({"change-key"}).status == 0);
    CHECK(value_of(stage, "token") == "tok-0123456789");

    small.read_only(true);
    auto const refused = stage.vault({"set", "other"}, "12345678");
    CAPTURE(refused.err);
    CHECK(refused.status != 0);
    CHECK(has(refused.err, "read-only"));
    CHECK(stage.vault({"change-key"}).status != 0);
    CHECK(stage.run_server("reader").out == "tok-0123456789");
    small.read_only(false);
    CHECK(stage.keep("other", "12345678") == 0);
}

TEST_CASE("a FIFO in place of a file is told, and nobody waits for it") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);
    auto const bell = stage.pfar_home() / "run/vault-changed", lock = stage.pfar_home() / "vault/lock";
    std::filesystem::remove(bell);
    REQUIRE(::mkfifo(bell.c_str(), 0600) == 0);
    stage.own();
    auto const silent = stage.vault({"set", "token"}, "tok-second-value");
    CHECK(silent.status == 0);
    CHECK(has(silent.err, "cannot be used to tell running servers"));
    std::filesystem::remove(lock);
    REQUIRE(::mkfifo(lock.c_str(), 0600) == 0);
    stage.own();
    auto const refused = stage.vault({"set", "token"}, "tok-third-value");
    CHECK(refused.status == 74);
    CHECK(has(refused.err, "vault/lock is not a file; remove it"));
    CHECK(value_of(stage, "token") == "tok-second-value");
}
