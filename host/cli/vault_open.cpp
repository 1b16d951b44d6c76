#include "cli/vault_open.hpp"

#include "base/text.hpp"
#include "cli/secret_prompt.hpp"
#include "config/values.hpp"
#include "house/vault_bell.hpp"

#include <fmt/format.h>

namespace pfar::cli {

std::string OpenedVault::users_of(std::string const& entry) const {
    auto const found = users.find(entry);
    if (found == users.end()) return "";
    return base::listed({found->second.begin(), found->second.end()});
}

house::Vault::Ask ask_passphrase(Console& console) {
    return [&console](StoreStatus const& status, std::string const& wrong) -> Result<Secret> {
        if (!wrong.empty()) console.complain(wrong);
        auto typed = status.new_passphrase ? ask_hidden_twice("New passphrase for the vault")
                                           : ask_hidden("Passphrase of the vault");
        if (typed || typed.error().code != Errc::locked) return typed;
        return fail(Errc::locked, fmt::format("the vault is locked, and {}; run pfar vault unlock in a terminal, or "
                                              "let key_command in [plugins.vault-file] give the key",
                                              typed.error().what));
    };
}

std::unique_ptr<OpenedVault> open_vault(Console& console, int& code) {
    auto house = open_for_vault(console, code);
    if (!house) return nullptr;
    auto vault = house::Vault::open(*house, ask_passphrase(console));
    if (!vault) {
        code = failed(console, vault.error());
        return nullptr;
    }
    auto users = house::users_of_entries(*house);
    if (!users)
        console.complain(fmt::format("warning: it is not known which servers use what: {}", users.error().what));
    auto out = std::make_unique<OpenedVault>(std::move(*house), std::move(*vault));
    if (users) out->users = std::move(*users);
    return out;
}

bool is_entry_name(std::string const& name, Console& console) {
    if (config::parse_entry_name(name)) return true;
    console.complain("a credential's name has 1 to 64 letters, digits, _, . and -, such as notion_token");
    return false;
}

void ring(OpenedVault const& opened, Console& console) {
    if (auto const rung = house::ring_vault_bell(opened.house.places.home); !rung)
        console.complain(fmt::format("warning: {}; restart them yourself", rung.error().what));
}

} // namespace pfar::cli
