// CredentialStore: keeps secrets by name. It keeps, finds, lists and removes; it never prints.
//
// Names are [A-Za-z0-9_.-], 1 to 64 characters; the host has checked them. A value goes in and out only as a Secret.
#pragma once

#include <pfar/plugin.hpp>
#include <pfar/secret.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace pfar {

struct Credential {
    std::string name;
    std::optional<std::chrono::system_clock::time_point> set_at, used_at; // none: never, or the store does not know
    std::string trouble{}; // a phrase if it is there and cannot be read: "was changed or cut"
};

struct StoreStatus {
    bool locked = false, read_only = false;
    std::string how;             // one phrase for `pfar vault status`: "key file", "passphrase, unlocked for 7 h"
    std::string advice{};        // a sentence if something should be done
    bool new_passphrase = false; // it has none yet, and unlock() chooses it: ask twice
    bool may_ask = false;        // opening it asks somebody, or takes long: not for what nobody waits for
    bool changes_to_one = false; // change_key() takes a new passphrase; otherwise it is given an empty Secret
};

/// Every function may find the store locked (Errc::locked, with the remedy) or its files damaged (Errc::io, naming the entry).
class PFAR_EXPORT CredentialStore : public Plugin {
public:
    static constexpr char kind[] = "credentials";

    /// Stores or replaces. When it returns without error, the value survives a power cut. [main thread, may block]
    virtual Result<void> keep(std::string const& name, Secret value) = 0;
    /// A copy for the caller, counted as a use. Errc::not_found if there is none. [main thread, may block]
    virtual Result<Secret> find(std::string const& name) = 0;
    /// Names and times, never values, sorted by name; damaged ones too. An untouched store is empty, not an error. [main thread, may block]
    virtual Result<std::vector<Credential>> list() = 0;
    /// Without using it. Only a store in which one entry has several spellings need say more than its list does. [main thread, may block]
    virtual Result<bool> has(std::string const& name) {
        PFAR_TRY(all, list());
        return std::any_of(all.begin(), all.end(), [&](Credential const& entry) { return entry.name == name; });
    }
    /// Errc::not_found if there is none. [main thread, may block]
    virtual Result<void> remove(std::string const& name) = 0;
    /// All or nothing. Errc::conflict if `to` exists. [main thread, may block]
    virtual Result<void> rename(std::string const& from, std::string const& to) = 0;
    /// Never asks and never unlocks. [main thread]
    virtual Result<StoreStatus> status() = 0;

    /// Opens a locked store, for this process and as long after it as the store's settings say. Errc::refused if it is the wrong one.
    /// [main thread, may block]
    virtual Result<void> unlock(Secret /*passphrase*/) { return no_key("unlock"); }
    /// Forgets what unlock() left behind. [main thread]
    virtual Result<void> lock() { return no_key("lock"); }
    /// Encrypts everything anew with a key from where the settings say; a crash at any point loses nothing. [main thread, may block]
    virtual Result<void> change_key(Secret /*passphrase*/) { return no_key("change the key"); }

private:
    static Error no_key(char const* what) {
        return fail(Errc::unsupported,
                    std::string("this credential store has no key of its own; there is nothing to ") + what);
    }
};

} // namespace pfar
