// What FileVault does with its key: tells how it is had, unlocks, locks and changes it.
#include "change_key.hpp"
#include "file_vault.hpp"
#include "key_file.hpp"

namespace pfar::vault_file {

namespace {

Error nothing_to(char const* what, KeyKind kind) {
    return fail(Errc::unsupported,
                std::string("the vault opens with ") + name_of(kind) + "; there is nothing to " + what);
}

std::string advice_for(Found const& found, Options const& options) {
    auto const kind = found.header().kind;
    if (kind == KeyKind::command && options.key_command.empty())
        return "the vault opens with key_command, and pfar.toml has none; set it in [plugins.vault-file]";
    if (kind != options.key_from)
        return std::string("pfar.toml asks for ") + name_of(options.key_from) + ", and the vault still opens with " +
               name_of(kind) + "; run: pfar vault change-key";
    std::error_code ignored;
    if (kind != KeyKind::file && std::filesystem::exists(options.key_file, ignored))
        return options.key_file.string() + " opens only older copies of the vault; remove it if you need none of them";
    if (!found.outside.copies_agree)
        return (options.root / "secrets").string() +
               " is damaged where it has a second copy; the next change mends that";
    return "";
}

Result<StoreStatus> status_unused(Options const& options) {
    StoreStatus status;
    status.new_passphrase = options.key_from == KeyKind::passphrase;
    if (options.key_from == KeyKind::file) PFAR_CHECK(load_key(options.key_file)); // for its permissions
    status.how = options.key_from == KeyKind::file
                     ? "key file " + options.key_file.string() + ", made with the first entry"
                 : options.key_from == KeyKind::command ? "output of key_command"
                                                        : "passphrase, not chosen yet";
    return status;
}

Result<StoreStatus> status_of(Found const& found, KeyHolder const& keys) {
    StoreStatus status;
    auto const& options = keys.options();
    auto const& header = found.header();
    status.read_only = ::access(options.root.c_str(), W_OK) != 0;
    status.advice = status.read_only
                        ? options.root.string() + " is read-only; run: chmod u+w, or mount its file system writable"
                        : advice_for(found, options);
    if (header.kind == KeyKind::file) {
        PFAR_CHECK(load_key(options.key_file)); // for its permissions
        status.how = "key file " + options.key_file.string();
    } else if (header.kind == KeyKind::command) {
        status.how = "output of key_command";
        status.may_ask = !keys.holds(header);
    } else {
        status.locked = !keys.has_key_of(header);
        status.how = "passphrase, " + (status.locked ? "locked" : keys.held_text(header));
    }
    return status;
}

/// The two headers differ only if somebody wrote one of them.
Result<void> unlock_any(KeyHolder& keys, Found const& found, Secret const& passphrase) {
    Result<void> opened = nothing_to("unlock", found.header().kind);
    for (auto const& header : found.outside.headers)
        if (header.kind == KeyKind::passphrase && !opened) opened = keys.unlock(header, passphrase);
    return opened;
}

} // namespace

Result<StoreStatus> FileVault::status() {
    PFAR_TRY(found, find_vault(keys_.options()));
    PFAR_TRY(status, found ? status_of(*found, keys_) : status_unused(keys_.options()));
    status.changes_to_one = keys_.options().key_from == KeyKind::passphrase;
    return status;
}

Result<void> FileVault::begin(NewKey key) {
    PFAR_TRY(vault, begin_with(keys_, key));
    PFAR_CHECK(save(vault));
    keys_.offer(key.header, key.key);
    keys_.hold(key.header, std::move(key.key));
    return {};
}

Result<void> FileVault::unlock(Secret passphrase) {
    PFAR_TRY(found, find_vault(keys_.options()));
    if (!found && keys_.options().key_from != KeyKind::passphrase)
        return nothing_to("unlock", keys_.options().key_from);
    if (!found) {
        PFAR_TRY(key, keys_.new_key(passphrase));
        return begin(std::move(key));
    }
    auto opened = unlock_any(keys_, *found, passphrase);
    if (opened || opened.error().code != Errc::refused) return opened;
    PFAR_TRY(now, find_vault(keys_.options())); // somebody else may have changed it meanwhile
    if (!now || now->outside.headers == found->outside.headers) return opened;
    return unlock_any(keys_, *now, passphrase);
}

Result<void> FileVault::lock() {
    keys_.forget_memory();
    PFAR_TRY(found, find_vault(keys_.options()));
    auto const opens_with = found ? found->header().kind : keys_.options().key_from;
    if (opens_with != KeyKind::passphrase) return nothing_to("lock", opens_with);
    return found ? keys_.forget(found->header()) : Result<void>();
}

Result<void> FileVault::change_key(Secret passphrase) {
    PFAR_TRY(before, open_to_read(keys_)); // the old key first: it may be locked
    if (!before && keys_.options().key_from == KeyKind::file) {
        PFAR_TRY(begun, open_or_begin(keys_));
        return save(begun);
    }
    PFAR_TRY(key, keys_.new_key(passphrase));
    if (!before) return begin(std::move(key));
    PFAR_TRY(vault, open_to_write(keys_));
    if (!vault) return fail(Errc::conflict, "the vault was moved away meanwhile; try again");
    PFAR_TRY(remark, vault_file::change_key(keys_, std::move(*vault), std::move(key)));
    if (!remark.empty() && log_) log_(LogLevel::warning, remark);
    return {};
}

} // namespace pfar::vault_file
