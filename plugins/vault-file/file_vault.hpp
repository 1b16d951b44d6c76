// FileVault: one encrypted file per credential below $PFAR_HOME/vault, the key in a file that only the owner can read.
//
// It keeps nothing open and nothing decrypted between calls: the files are the state.
#pragma once

#include "open_vault.hpp"

#include <pfar/credential_store.hpp>

namespace pfar::vault_file {

class FileVault final : public CredentialStore {
public:
    /// Settings: `key_file`, absolute or relative to $PFAR_HOME; default vault/key.
    Result<void> configure(PluginContext const& context) override;

    Result<void> keep(std::string const& name, Secret value) override;
    Result<Secret> find(std::string const& name) override;
    Result<std::vector<Credential>> list() override;
    Result<void> remove(std::string const& name) override;
    Result<void> rename(std::string const& from, std::string const& to) override;
    Result<StoreStatus> status() override;

private:
    Places places_;
    std::function<void(LogLevel, std::string_view)> log_;
};

} // namespace pfar::vault_file
