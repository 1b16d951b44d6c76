// The operations. A damaged entry is an error that names it; the others stay usable.
#include "file_vault.hpp"

#include "key_file.hpp"
#include "rename_journal.hpp"

#include <algorithm>

namespace pfar::vault_file {

namespace {

Error not_there(std::string const& name) {
    return fail(Errc::not_found, "the vault has no entry " + name + "; run: pfar vault set " + name);
}

// A name becomes part of messages and of the sealed bytes; the host has checked it, and this costs nothing.
Result<void> check_name(std::string const& name) {
    constexpr auto allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    if (!name.empty() && name.size() <= max_name && name.find_first_not_of(allowed) == std::string::npos) return {};
    return fail(Errc::invalid, "a vault entry's name has 1 to 64 characters, letters, digits, _ . and - only");
}

// An absent file is only then an absent entry when the key is the right one.
Result<Entry> read_entry(OpenVault const& vault, std::string const& name) {
    auto const file = file_name_of(vault.keys, name);
    auto sealed = read_file(vault.entries, file, max_sealed());
    if (!sealed && sealed.error().code == Errc::not_found) {
        PFAR_CHECK(check_key(vault));
        return not_there(name);
    }
    auto entry = sealed ? unseal(vault.keys, file, *sealed) : Result<Entry>(std::move(sealed).error());
    if (entry) return entry;
    return fail(Errc::io, "the vault entry " + name + " is damaged: " + (vault.entries.path / file).string() + " " +
                              entry.error().what + "; run: pfar vault set " + name);
}

Result<OpenVault> open_existing(Places const& places, Use use, std::string const& name) {
    PFAR_CHECK(check_name(name));
    PFAR_TRY(vault, open_vault(places, use));
    if (!vault) return not_there(name);
    return std::move(*vault);
}

} // namespace

Result<void> FileVault::configure(PluginContext const& context) {
    PFAR_CHECK(only(context.settings, {"key_file"}));
    PFAR_TRY(key_file, setting<std::string>(context.settings, "key_file", "vault/key"));
    if (key_file.empty() || key_file.front() == '~' || key_file.back() == '/')
        return fail(Errc::invalid, "key_file names a file, absolute or relative to $PFAR_HOME, without ~");
    places_ = Places{context.home / "vault", context.home / key_file};
    log_ = context.log;
    return {};
}

Result<void> FileVault::keep(std::string const& name, Secret value) {
    PFAR_CHECK(check_name(name));
    if (value.size() > max_value) return fail(Errc::invalid, "a vault entry holds at most 1 MiB: " + name);
    PFAR_TRY(vault, make_vault(places_));
    auto const file = file_name_of(vault.keys, name);
    if (!has_file(vault.entries, file)) PFAR_CHECK(check_key(vault));
    Entry const entry{name, std::chrono::system_clock::now(), std::move(value)};
    return replace_file(vault.entries, file, seal(vault.keys, entry));
}

Result<Secret> FileVault::find(std::string const& name) {
    PFAR_TRY(vault, open_existing(places_, Use::read, name));
    PFAR_TRY(entry, read_entry(vault, name));
    return std::move(entry.value);
}

Result<std::vector<Credential>> FileVault::list() {
    std::vector<Credential> found;
    PFAR_TRY(vault, open_vault(places_, Use::read));
    if (!vault) return found;
    PFAR_TRY(files, entry_files(vault->entries));
    for (auto const& file : files) {
        auto sealed = read_file(vault->entries, file, max_sealed());
        if (!sealed && sealed.error().code == Errc::not_found) continue; // removed meanwhile
        auto entry = sealed ? unseal(vault->keys, file, *sealed) : Result<Entry>(std::move(sealed).error());
        if (entry) {
            found.push_back(Credential{entry->name, entry->set_at, std::nullopt});
        } else if (log_) {
            auto const path = (vault->entries.path / file).string();
            log_(LogLevel::warning, "a vault entry is left out: " + path + " " + entry.error().what);
        }
    }
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    return found;
}

Result<void> FileVault::remove(std::string const& name) {
    PFAR_TRY(vault, open_existing(places_, Use::write, name));
    auto removed = remove_file(vault.entries, file_name_of(vault.keys, name)); // also a damaged one
    if (removed || removed.error().code != Errc::not_found) return removed;
    PFAR_CHECK(check_key(vault));
    return not_there(name);
}

Result<void> FileVault::rename(std::string const& from, std::string const& to) {
    PFAR_CHECK(check_name(to));
    PFAR_TRY(vault, open_existing(places_, Use::write, from));
    PFAR_TRY(entry, read_entry(vault, from));
    Renaming const renaming{file_name_of(vault.keys, from), file_name_of(vault.keys, to)};
    if (has_file(vault.entries, renaming.to))
        return fail(Errc::conflict, "the vault has an entry " + to + " already; remove it first");
    entry.name = to;
    PFAR_CHECK(begin_rename(vault.dir, vault.entries, renaming, seal(vault.keys, entry)));
    return finish_rename(vault.dir, vault.entries);
}

Result<StoreStatus> FileVault::status() {
    StoreStatus status;
    auto const dir = open_private_dir(places_.root);
    if (!dir && dir.error().code != Errc::not_found) return dir.error();
    PFAR_TRY(key, load_key(places_.key_file)); // for its permissions; it is forgotten at once
    status.read_only = dir && ::access(places_.root.c_str(), W_OK) != 0;
    status.how = "key file " + places_.key_file.string() + (key ? "" : ", made with the first entry");
    return status;
}

} // namespace pfar::vault_file
