// EnvVault: a read-only store in the environment. The entry notion_token is the variable PFAR_SECRET_NOTION_TOKEN.
//
// Nothing is copied when it is made: the environment is asked each time, and is the state.
#pragma once

#include <pfar/credential_store.hpp>

namespace pfar::vault_env {

inline constexpr char prefix[] = "PFAR_SECRET_";

/// notion-token -> PFAR_SECRET_NOTION_TOKEN
std::string variable_of(std::string const& name);

class EnvVault final : public CredentialStore {
public:
    Result<void> configure(PluginContext const& context) override;

    Result<void> keep(std::string const& name, Secret value) override;
    Result<Secret> find(std::string const& name) override;
    /// In lower case, as entries are usually written.
    Result<std::vector<Credential>> list() override;
    Result<bool> has(std::string const& name) override;
    Result<void> remove(std::string const& name) override;
    Result<void> rename(std::string const& from, std::string const& to) override;
    Result<StoreStatus> status() override;
};

} // namespace pfar::vault_env
