// kill -9 at every step there is: the vault opens afterwards, and has the old state or the new one.
#include "temp_home.hpp"
#include "traced.hpp"

#include "change_key.hpp"
#include "keyring.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <map>

namespace pfar::vault_file {

namespace {

using State = std::map<std::string, std::string>;
constexpr std::size_t never = 100000;

State all_in(FileVault& vault) {
    State state;
    auto const list = vault.list();
    if (!list) return {{"error", list.error().what}};
    for (auto const& entry : *list) state[entry.name] = text_of(vault.find(entry.name));
    return state;
}

/// Puts the vault's directory back to what it was.
struct Snapshot {
    explicit Snapshot(TempHome const& home) : home_(home), was_there_(std::filesystem::exists(home.path / "vault")) {
        if (was_there_) std::filesystem::copy(home.path / "vault", copy_.path / "vault", all);
    }
    void put_back() const {
        std::filesystem::remove_all(home_.path / "vault");
        if (was_there_) std::filesystem::copy(copy_.path / "vault", home_.path / "vault", all);
    }

    static constexpr auto all = std::filesystem::copy_options::recursive;
    TempHome const& home_;
    TempHome copy_;
    bool was_there_;
};

/// Nothing lies about after the next write, but for what the next use takes.
void check_tidy(TempHome const& home) {
    std::set<std::string> const tidy{"key", "lock", "secrets", "used", ".used.new"};
    for (auto const& name : home.files()) CHECK(tidy.contains(name));
}

struct Operation {
    char const* name;
    std::function<Result<void>(FileVault&)> run;
    State after;
};

std::vector<Operation> operations() {
    return {{"keep", [](FileVault& v) { return v.keep("c", Secret("new")); }, {{"a", "1"}, {"b", "2"}, {"c", "new"}}},
            {"replace", [](FileVault& v) { return v.keep("a", Secret("new")); }, {{"a", "new"}, {"b", "2"}}},
            {"remove", [](FileVault& v) { return v.remove("a"); }, {{"b", "2"}}},
            {"rename", [](FileVault& v) { return v.rename("a", "c"); }, {{"b", "2"}, {"c", "1"}}},
            {"change_key", [](FileVault& v) { return v.change_key({}); }, {{"a", "1"}, {"b", "2"}}}};
}

/// A key holder that knows one key of one vault, as somebody does who remembers the passphrase.
KeyHolder knowing(TempHome const& home, Settings settings, Header const& header, Secret key) {
    KeyHolder keys;
    keys.configure(options_from(home.context(std::move(settings))).value());
    keys.hold(header, std::move(key));
    return keys;
}

Settings wanted_settings(std::string const& kind) {
    return with("key_from", kind, with("key_command", "exit 1", unlocked_for(5)));
}

NewKey new_key(std::string const& kind) {
    NewKey key{
        new_header(kind == "passphrase" ? KeyKind::passphrase : KeyKind::command), random_key(), random_key(), {}};
    if (kind == "file") {
        key.key_file = random_key();
        key.header = new_header(KeyKind::file);
        key.key = derive_salted(key.key_file, key.header.salt);
    }
    wrap(key.header, key.key, key.data_key);
    return key;
}

State all_in(Result<std::optional<OpenVault>> const& vault) {
    State state;
    if (!vault || !*vault) return {{"error", vault ? "no vault" : vault.error().what}};
    for (auto const& slot : (*vault)->contents.slots()) {
        auto const entry = (*vault)->contents.read(slot);
        state[slot.name] = entry ? std::string(entry->value.reveal()) : entry.error().what;
    }
    return state;
}

/// A vault whose key, of whatever kind, was not worked out from anything: that takes long.
struct Keyed {
    Keyed(TempHome const& home, std::string const& kind) : key(new_key(kind)) {
        auto const options = options_from(home.context()).value();
        auto dir = make_private_dir(options.root).value();
        if (kind == "file") {
            overwrite(options.key_file, std::string(key.key_file.reveal()));
            std::filesystem::permissions(options.key_file, std::filesystem::perms(0600));
        }
        OpenVault vault{std::move(dir), Contents(key.header, key.data_key)};
        for (auto const* const name : {"a", "b"})
            vault.contents.put(Entry{name, {}, Secret(std::string("value of ") + name)});
        REQUIRE(save(vault));
    }
    NewKey key;
};

} // namespace

TEST_CASE("killed before any step of an operation, the vault has the old state or the new one") {
    TempHome home;
    REQUIRE(home.vault()->keep("a", Secret("1")));
    REQUIRE(home.vault()->keep("b", Secret("2")));
    State const before{{"a", "1"}, {"b", "2"}};
    REQUIRE(all_in(*home.vault()) == before);
    Snapshot const snapshot(home);
    auto const all = operations();
    auto const& operation = all[GENERATE(0U, 1U, 2U, 3U, 4U)];
    INFO(operation.name);
    for (std::size_t at = 0;; ++at) {
        snapshot.put_back();
        auto const traced = run_until(at, [&] {
            if (!operation.run(*home.vault())) ::_exit(1);
        });
        if (!traced.problem.empty()) SKIP(traced.problem);
        auto const state = all_in(*home.vault());
        INFO((traced.steps.empty() ? "" : traced.steps.back()));
        CHECK((state == before || state == operation.after));
        REQUIRE(home.vault()->keep("z", Secret("afterwards")));
        CHECK(all_in(*home.vault()).size() == state.size() + 1);
        check_tidy(home);
        if (traced.killed) continue;
        CHECK(traced.status == 0);
        CHECK(state == operation.after);
        CHECK(at >= 6);
        return;
    }
}

TEST_CASE("killed before any step of the first use, the vault is empty or has the entry") {
    TempHome home;
    Snapshot const snapshot(home);
    for (std::size_t at = 0;; ++at) {
        snapshot.put_back();
        auto const traced = run_until(at, [&] {
            if (!home.vault()->keep("a", Secret("1"))) ::_exit(1);
        });
        if (!traced.problem.empty()) SKIP(traced.problem);
        INFO((traced.steps.empty() ? "" : traced.steps.back()));
        auto const state = all_in(*home.vault());
        CHECK((state.empty() || state == State{{"a", "1"}}));
        REQUIRE(home.vault()->keep("b", Secret("2")));
        CHECK(all_in(*home.vault()).size() == state.size() + 1);
        check_tidy(home);
        if (traced.killed) continue;
        CHECK(traced.status == 0);
        CHECK(at >= 12);
        return;
    }
}

TEST_CASE("killed before any step of any change of key, the vault opens with the old key or the new one") {
    auto const from = GENERATE(as<std::string>(), "file", "passphrase", "command");
    auto const to = GENERATE(as<std::string>(), "file", "passphrase", "command");
    INFO(from << " to " << to);
    REQUIRE(start_sodium());
    TempHome home;
    auto old = Keyed(home, from).key;
    auto fresh = new_key(to);
    State const values{{"a", "value of a"}, {"b", "value of b"}};
    Snapshot const snapshot(home);
    int by_old = 0, by_new = 0;
    for (std::size_t at = 0;; ++at) {
        snapshot.put_back();
        auto const traced = run_until(at, [&] {
            auto keys = knowing(home, wanted_settings(to), old.header, old.key.clone());
            auto vault = open_to_write(keys);
            if (!vault || !change_key(keys, std::move(**vault), std::move(fresh))) ::_exit(1);
        });
        if (!traced.problem.empty()) SKIP(traced.problem);
        INFO((traced.steps.empty() ? "" : traced.steps.back()));

        auto old_keys = knowing(home, wanted_settings(to), old.header, old.key.clone());
        auto new_keys = knowing(home, wanted_settings(to), fresh.header, fresh.key.clone());
        auto const header = find_vault(old_keys.options()).value()->header();
        bool const is_new = header.vault_id == fresh.header.vault_id;
        auto& keys = is_new ? new_keys : old_keys;
        CHECK(all_in(open_to_read(keys)) == values);
        ++(is_new ? by_new : by_old);
        if (is_new && to == "passphrase" && find_in_keyring(header.vault_id)) {
            KeyHolder unattended; // the host starts servers while somebody changes the passphrase
            unattended.configure(old_keys.options());
            CHECK(all_in(open_to_read(unattended)) == values);
        }
        auto vault = open_to_write(keys);
        REQUIRE((vault && *vault && save(**vault)));
        check_tidy(home);
        CHECK(all_in(open_to_read(keys)) == values);
        for (auto const* const id : {&old.header.vault_id, &fresh.header.vault_id}) CHECK(drop_from_keyring(*id));
        if (traced.killed) continue;
        CHECK(traced.status == 0);
        CHECK(is_new);
        break;
    }
    CHECK(by_old >= 6);
    CHECK(by_new >= 2);
}

TEST_CASE("whatever is replaced is on the disk before, and the old key goes last") {
    TempHome home;
    REQUIRE(home.vault()->keep("a", Secret("1")));
    REQUIRE(home.vault()->find("a"));
    auto const traced = run_until(never, [&] { static_cast<void>(home.vault()->change_key({})); });
    if (!traced.problem.empty()) SKIP(traced.problem);
    CHECK(traced.steps == std::vector<std::string>{"openat lock",
                                                   "openat key.new",
                                                   "fchmod",
                                                   "write",
                                                   "fsync",
                                                   "fsync", // the new key, beside the old one
                                                   "unlinkat .secrets.new",
                                                   "openat .secrets.new",
                                                   "fchmod",
                                                   "write",
                                                   "fsync",
                                                   "renameat secrets",
                                                   "fsync", // the vault
                                                   "renameat key",
                                                   "fsync", // the old key
                                                   "unlinkat .used.new",
                                                   "openat .used.new",
                                                   "fchmod",
                                                   "write",
                                                   "renameat used"});
}

} // namespace pfar::vault_file
