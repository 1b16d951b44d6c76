#include "house/vault.hpp"

#include "loader/select.hpp"

namespace pfar::house {
namespace {

constexpr int most_tries = 3;
constexpr char const* preferred = "vault-file";

} // namespace

Result<Vault> Vault::open(House const& house, Ask ask) {
    auto const& wanted = house.settings.credential_store;
    auto plugins = load_kind(house, CredentialStore::kind, wanted == "auto" ? preferred : wanted);
    auto const chosen = loader::choose<CredentialStore>(plugins, wanted, preferred);
    if (chosen) return Vault(std::move(plugins), *chosen->plugin, chosen->name, std::move(ask));
    return plugins.refused().empty() ? chosen.error() : fail(Errc::invalid, plugins.refused().front().why);
}

template <class Function> auto Vault::call(char const* what, Function const& function) -> decltype(function()) {
    return loader::guarded_call(name_, what, function);
}

/// A locked store is opened by asking, once, and then asked again.
template <class Function> auto Vault::unlocked(char const* what, Function const& function) -> decltype(function()) {
    auto result = call(what, function);
    if (result || result.error().code != Errc::locked || !ask_) return result;
    PFAR_CHECK(unlock());
    return call(what, function);
}

Result<void> Vault::unlock_as(StoreStatus const& status) {
    Error wrong{Errc::refused, ""};
    for (int tries = 0; tries < (status.new_passphrase ? 1 : most_tries); ++tries) {
        PFAR_TRY(passphrase, ask_(status, wrong.what));
        auto opened = call("unlock", [&] { return store_->unlock(passphrase.clone()); });
        if (opened || opened.error().code != Errc::refused) return opened;
        wrong = opened.error();
    }
    return wrong;
}

Result<void> Vault::unlock() {
    PFAR_TRY(now, status());
    if (!ask_) return fail(Errc::locked, "the vault is locked; run: pfar vault unlock");
    return unlock_as(now);
}

Result<void> Vault::keep(std::string const& name, Secret const& value) {
    return unlocked("keep", [&] { return store_->keep(name, value.clone()); });
}

Result<Secret> Vault::find(std::string const& name) {
    return unlocked("find", [&] { return store_->find(name); });
}

Result<std::vector<Credential>> Vault::list() {
    return unlocked("list", [&] { return store_->list(); });
}

Result<bool> Vault::has(std::string const& name) {
    return unlocked("has", [&] { return store_->has(name); });
}

Result<void> Vault::remove(std::string const& name) {
    return unlocked("remove", [&] { return store_->remove(name); });
}

Result<void> Vault::rename(std::string const& from, std::string const& to) {
    return unlocked("rename", [&] { return store_->rename(from, to); });
}

Result<StoreStatus> Vault::status() {
    return call("status", [&] { return store_->status(); });
}

Result<void> Vault::lock() {
    return call("lock", [&] { return store_->lock(); });
}

Result<void> Vault::change_key() {
    PFAR_TRY(now, status());
    if (now.locked && !now.new_passphrase) PFAR_CHECK(unlock());
    Secret passphrase;
    if (now.changes_to_one) {
        if (!ask_) return fail(Errc::locked, "there is nobody to ask for the new passphrase; run it in a terminal");
        now.new_passphrase = true;
        PFAR_TRY(chosen, ask_(now, ""));
        passphrase = std::move(chosen);
    }
    return unlocked("change_key", [&] { return store_->change_key(passphrase.clone()); });
}

} // namespace pfar::house
