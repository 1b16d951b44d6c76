// The plugin's entry and nothing else.
#include "env_vault.hpp"

PFAR_PLUGIN(pfar::vault_env::EnvVault, "vault-env", "0.1.0");
