// Opening: directory, lock, rename journal, key. In this order, because each is only safe to look at after the one before.
#include "open_vault.hpp"

#include "key_file.hpp"
#include "rename_journal.hpp"

#include <algorithm>

namespace pfar::vault_file {

namespace {

Error key_is_missing(Places const& places) {
    return fail(Errc::io, places.key_file.string() + " is missing, and the entries in " + places.root.string() +
                              " cannot be read without it; put the key back, or remove the entries");
}

// Also for readers: between the two steps of a rename the vault is nobody's to look at.
Result<Fd> settle(Dir const& dir, Dir const& entries, Use use) {
    if (use == Use::read && !rename_pending(dir)) return Fd();
    PFAR_TRY(lock, lock_dir(dir));
    PFAR_CHECK(finish_rename(dir, entries));
    return lock;
}

} // namespace

Result<std::optional<OpenVault>> open_vault(Places const& places, Use use) {
    auto dir = open_private_dir(places.root);
    auto entries = dir ? open_private_dir(places.root / "entries") : dir.error();
    if (!entries && entries.error().code == Errc::not_found) return std::optional<OpenVault>();
    if (!entries) return std::move(entries).error();
    PFAR_TRY(lock, settle(*dir, *entries, use));

    PFAR_TRY(master, load_key(places.key_file));
    PFAR_TRY(files, entry_files(*entries));
    if (!master && !files.empty()) return key_is_missing(places);
    if (!master) return std::optional<OpenVault>();
    PFAR_TRY(keys, derive_keys(*master));
    return std::optional<OpenVault>(OpenVault{std::move(lock), std::move(*dir), std::move(*entries), std::move(keys)});
}

Result<OpenVault> make_vault(Places const& places) {
    PFAR_TRY(dir, make_private_dir(places.root));
    PFAR_TRY(entries, make_private_dir(places.root / "entries"));
    PFAR_TRY(lock, settle(dir, entries, Use::write));

    PFAR_TRY(master, load_key(places.key_file));
    if (!master) {
        PFAR_TRY(files, entry_files(entries));
        if (!files.empty()) return key_is_missing(places);
        PFAR_TRY(made, make_key(places.key_file));
        master = std::move(made);
    }
    PFAR_TRY(keys, derive_keys(*master));
    return OpenVault{std::move(lock), std::move(dir), std::move(entries), std::move(keys)};
}

Result<std::vector<std::string>> entry_files(Dir const& entries) {
    PFAR_TRY(names, names_in(entries));
    std::erase_if(names, [](std::string const& name) { return !is_entry_file(name); });
    std::sort(names.begin(), names.end());
    return names;
}

Result<void> check_key(OpenVault const& vault) {
    PFAR_TRY(files, entry_files(vault.entries));
    for (auto const& file : files) {
        auto const sealed = read_file(vault.entries, file, max_sealed());
        if (sealed && claims_key(vault.keys, *sealed)) return {};
    }
    if (files.empty()) return {};
    return fail(Errc::io, "no entry in " + vault.entries.path.string() +
                              " was sealed with the present key; put the right key back, or remove the entries");
}

} // namespace pfar::vault_file
