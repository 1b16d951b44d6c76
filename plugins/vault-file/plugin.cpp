// The plugin's entry and nothing else.
#include "file_vault.hpp"

PFAR_PLUGIN(pfar::vault_file::FileVault, "vault-file", "0.1.0");
