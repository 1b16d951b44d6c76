// Vault: the credential store that pfar.toml names, as commands and spawns use it: every call guarded, a locked one opened by asking.
#pragma once

#include "house/house.hpp"

#include <pfar/credential_store.hpp>

#include <functional>

namespace pfar::house {

class Vault {
public:
    /// Gets a passphrase from a person. `wrong`: why the last one was not taken; empty at first. Errc::locked if nobody can be asked.
    using Ask = std::function<Result<Secret>(StoreStatus const& status, std::string const& wrong)>;

    /// Without `ask` a locked store stays locked. [main thread, may block]
    static Result<Vault> open(House const& house, Ask ask = {});

    /// As CredentialStore. [main thread, may block]
    Result<void> keep(std::string const& name, Secret const& value);
    Result<Secret> find(std::string const& name);
    Result<std::vector<Credential>> list();
    Result<bool> has(std::string const& name);
    Result<void> remove(std::string const& name);
    Result<void> rename(std::string const& from, std::string const& to);
    Result<StoreStatus> status();
    Result<void> lock();
    /// Asks, whether something waits for it or not.
    Result<void> unlock();
    /// Asks for the new passphrase if the new key is one.
    Result<void> change_key();

    /// From now on a locked store stays locked.
    void ask_nobody() { ask_ = {}; }

    [[nodiscard]] std::string const& store() const { return name_; }

private:
    Vault(loader::PluginSet plugins, CredentialStore& store, std::string name, Ask ask)
        : plugins_(std::move(plugins)), store_(&store), name_(std::move(name)), ask_(std::move(ask)) {}

    template <class Function> auto call(char const* what, Function const& function) -> decltype(function());
    template <class Function> auto unlocked(char const* what, Function const& function) -> decltype(function());
    Result<void> unlock_as(StoreStatus const& status);

    loader::PluginSet plugins_;
    CredentialStore* store_; // the set's
    std::string name_;
    Ask ask_;
};

} // namespace pfar::house
