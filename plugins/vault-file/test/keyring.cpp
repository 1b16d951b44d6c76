// The kernel keyring between processes: what one unlocks, another finds.
#include "keyring.hpp"

#include "child.hpp"
#include "sealing.hpp"
#include "temp_home.hpp"

#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace pfar::vault_file {

namespace {

constexpr char words[] = "a passphrase";

void need_keyring() {
    REQUIRE(start_sodium());
    auto const id = random_bytes(16);
    auto const put = put_in_keyring(id, random_key(), std::chrono::minutes(1));
    if (!put) SKIP(put.error().what);
    REQUIRE(drop_from_keyring(id));
}

/// Locks again at the end: the keyring is the user's.
struct Unlocked {
    explicit Unlocked(std::int64_t minutes) : settings(unlocked_for(minutes, with("key_from", "passphrase"))) {
        REQUIRE(home.vault(settings)->unlock(Secret(words)));
        REQUIRE(home.vault(settings)->keep("a", Secret("12345678")));
    }
    ~Unlocked() { static_cast<void>(home.vault(settings)->lock()); }

    TempHome home;
    Settings settings;
};

/// As in a container that forbids keyrings.
bool forbid_keyrings() {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_add_key, 1, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog const program{std::size(code), code};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace

TEST_CASE("where there is no keyring, a vault is unlocked for one process and says so") {
    TempHome home;
    check_well(in_child([&]() -> std::string {
        if (!forbid_keyrings()) return "skip: system calls cannot be filtered here";
        auto const settings = with("key_from", "passphrase");
        auto const vault = home.vault(settings);
        if (auto const unlocked = vault->unlock(Secret(words)); !unlocked) return unlocked.error().what;
        if (auto const kept = vault->keep("a", Secret("12345678")); !kept) return kept.error().what;
        auto const how = vault->status().value().how;
        if (!how.starts_with("passphrase, unlocked for this process only (the kernel keyring cannot be used: "))
            return how;
        if (text_of(vault->find("a")) != "12345678") return text_of(vault->find("a"));
        if (!home.vault(settings)->status().value().locked) return "another process has it too";
        if (auto const locked = vault->lock(); !locked) return locked.error().what;
        return vault->find("a").error().code == Errc::locked ? "" : "it stayed open";
    }));
}

TEST_CASE("a key waits in the keyring for as long as it may, and is gone when it is dropped") {
    need_keyring();
    auto const id = random_bytes(16);
    auto const key = random_key();
    CHECK_FALSE(find_in_keyring(id));
    REQUIRE(put_in_keyring(id, random_key(), std::chrono::minutes(1)));
    REQUIRE(put_in_keyring(id, key, std::chrono::minutes(5))); // replaces
    auto const found = find_in_keyring(id);
    REQUIRE(found);
    CHECK(found->key.same_as(key));
    auto const left = found->until - std::chrono::system_clock::now();
    CHECK((left > std::chrono::minutes(4) && left <= std::chrono::minutes(5)));
    REQUIRE(drop_from_keyring(id));
    CHECK_FALSE(find_in_keyring(id));
    CHECK(drop_from_keyring(id)); // it need not be there
}

TEST_CASE("what one instance unlocks another finds, until somebody locks it") {
    need_keyring();
    Unlocked const state(480);
    auto const other = state.home.vault(state.settings);
    auto const status = other->status().value();
    CHECK_FALSE(status.locked);
    CHECK(status.how == "passphrase, unlocked for 8 h");
    CHECK(text_of(other->find("a")) == "12345678");
    REQUIRE(state.home.vault(state.settings)->lock());
    CHECK(other->find("a").error().code == Errc::locked);
    CHECK(other->status().value().locked);
}

TEST_CASE("the key is found in a session that is not linked to the user's keyring") {
    need_keyring();
    Unlocked const state(5);
    check_well(in_child([&]() -> std::string {
        if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0)
            return "skip: no session keyring to be had";
        auto const found = text_of(state.home.vault(state.settings)->find("a"));
        return found == "12345678" ? "" : found;
    }));
}

TEST_CASE("a new passphrase takes the old one's place in the keyring") {
    need_keyring();
    Unlocked const state(5);
    auto const id = find_vault(options_from(state.home.context()).value()).value()->header().vault_id;
    REQUIRE(find_in_keyring(id));
    REQUIRE(state.home.vault(state.settings)->change_key(Secret("another one")));
    CHECK_FALSE(find_in_keyring(id));
    CHECK(text_of(state.home.vault(state.settings)->find("a")) == "12345678");
    REQUIRE(state.home.vault(state.settings)->lock());
    CHECK(state.home.vault(state.settings)->unlock(Secret(words)).error().code == Errc::refused);
    CHECK(state.home.vault(state.settings)->unlock(Secret("another one")));
}

TEST_CASE("a host that was unlocked by the keyring is not disturbed by changes of the passphrase") {
    need_keyring();
    Unlocked const state(5);
    auto const host = start_child([&](int) -> std::string {
        auto const vault = state.home.vault(state.settings);
        for (int i = 0; i < 600 || vault->list().value().size() < 2; ++i)
            if (auto const found = vault->find("a"); text_of(found) != "12345678") return text_of(found);
        return "";
    });
    auto const vault = state.home.vault(state.settings);
    for (int i = 0; i < 8; ++i) CHECK(vault->change_key(Secret("passphrase " + std::to_string(i))));
    CHECK(vault->keep("done", Secret("x")));
    CHECK(end_of(host) == "");
}

TEST_CASE("a change to another kind of key leaves nothing in the keyring") {
    need_keyring();
    Unlocked const state(5);
    auto const id = find_vault(options_from(state.home.context()).value()).value()->header().vault_id;
    REQUIRE(state.home.vault()->change_key({})); // opened by the keyring alone
    CHECK_FALSE(find_in_keyring(id));
    CHECK(text_of(state.home.vault()->find("a")) == "12345678");
}

} // namespace pfar::vault_file
