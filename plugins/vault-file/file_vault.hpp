// FileVault: all credentials in one encrypted file, $PFAR_HOME/vault/secrets, which every change replaces as a whole.
#pragma once

#include "open_vault.hpp"

#include <pfar/credential_store.hpp>

namespace pfar::vault_file {

class FileVault final : public CredentialStore {
public:
    /// Settings: see options.hpp.
    Result<void> configure(PluginContext const& context) override;

    Result<void> keep(std::string const& name, Secret value) override;
    Result<Secret> find(std::string const& name) override;
    Result<std::vector<Credential>> list() override;
    Result<void> remove(std::string const& name) override;
    Result<void> rename(std::string const& from, std::string const& to) override;
    Result<StoreStatus> status() override;

    /// Begins a vault that was never used, if it is to have a passphrase. Errc::unsupported for other keys.
    Result<void> unlock(Secret passphrase) override;
    Result<void> lock() override;
    Result<void> change_key(Secret passphrase) override;

private:
    Result<void> begin(NewKey key);

    KeyHolder keys_;
    std::function<void(LogLevel, std::string_view)> log_;
};

} // namespace pfar::vault_file
