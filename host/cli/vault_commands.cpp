// The part of the table that is about the vault.
#include "cli/vault_commands.hpp"
#include "cli/candidates.hpp"

namespace pfar::cli {
namespace {

constexpr Option no_restart{"no-restart", "", "leave servers that run, or wait, as they are until their next start"};
constexpr Option short_values{"short", "", "take values under 8 bytes too; they are redacted badly or not at all"};
constexpr Option yes{"yes", "", "do not ask (needed where there is no terminal)"};

Command set_command() {
    return {"vault set",
            "keep a credential",
            "Asks for the value on the terminal, without showing it; where there is none, reads it from stdin. It is "
            "never taken from the command\n"
            "line, where everybody could see it. Of a single line the line break at its end is left out. Servers that "
            "use it are started anew; one that\n"
            "waited for it is started.\n\n"
            "  pfar vault set notion_token\n"
            "  pass show notion | pfar vault set notion_token\n"
            "  pfar vault set gcp < service-account.json",
            {{"NAME", true, false, entry_names}},
            {no_restart, short_values, json_option},
            run_vault_set,
            false,
            "a value never comes from the command line, where others can see it; if you typed one, it is known now, "
            "and should be changed"};
}

Command list_command() {
    return {"vault list",
            "list credentials: when set, when used, by which servers; never values",
            "Lists what the vault has, and what servers need and it does not have (missing).",
            {},
            {json_option},
            run_vault_list};
}

Command remove_command() {
    return {"vault remove",
            "forget a credential",
            "Says which servers need it, asks, and removes it. Running servers keep theirs until they end.",
            {{"NAME", true, false, kept_names}},
            {yes, json_option},
            run_vault_remove};
}

Command rename_command() {
    return {"vault rename",
            "give a credential another name",
            "Keeps the value. Server files that name the old one have to be changed; it says which.",
            {{"FROM", true, false, kept_names}, {"TO", true, false}},
            {json_option},
            run_vault_rename};
}

Command import_command() {
    return {"vault import",
            "keep the values of a .env file",
            "Reads NAME=value lines (with export, quotes and comments) and keeps each under its name in lower case: "
            "GITHUB_TOKEN becomes\n"
            "github_token. Entries that exist are left as they are unless you say --replace. When everything is kept "
            "it offers to overwrite and remove\n"
            "the file.\n\n"
            "  pfar vault import .env\n"
            "  pfar vault import .env --only GITHUB_TOKEN,NOTION_TOKEN\n"
            "  pfar vault import .env --shred\n"
            "  pfar vault import <(sops -d secrets.env)",
            {{"FILE", true, false, nullptr, true}},
            {{"only", "NAME,NAME", "of all variables only these"},
             {"replace", "", "replace entries that exist"},
             {"shred", "", "overwrite and remove the file afterwards, without asking"},
             {"keep", "", "leave the file as it is, without asking"},
             no_restart,
             short_values,
             json_option},
            run_vault_import};
}

Command change_key_command() {
    return {"vault change-key",
            "encrypt everything anew, with another key",
            "Makes a new key of the kind that pfar.toml asks for (key_from of [plugins.vault-file]: file, passphrase "
            "or command) and seals every\n"
            "entry with it. Interrupted at any point, the vault opens with the old key or with the new one.",
            {},
            {json_option},
            run_vault_change_key};
}

} // namespace

std::vector<Command> vault_commands() {
    return {change_key_command(),
            import_command(),
            list_command(),
            {"vault lock",
             "forget the passphrase now",
             "Takes the key out of the kernel's keyring. Running servers keep what they have.",
             {},
             {},
             run_vault_lock},
            remove_command(),
            rename_command(),
            set_command(),
            {"vault status",
             "tell how credentials are kept, and whether they can be had",
             "Never asks and never unlocks.",
             {},
             {json_option},
             run_vault_status},
            {"vault unlock",
             "give the passphrase, so that servers can start unattended",
             "Asks on the terminal and leaves the key in the kernel's keyring for unlock_minutes (default 480).",
             {},
             {},
             run_vault_unlock}};
}

} // namespace pfar::cli
