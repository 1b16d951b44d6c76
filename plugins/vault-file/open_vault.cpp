#include "open_vault.hpp"

#include "key_file.hpp"

namespace pfar::vault_file {

namespace {

constexpr char file_name[] = "secrets";
constexpr std::chrono::seconds patience{10};

Result<OpenVault> open_found(Found found, KeyHolder& keys) {
    std::optional<Error> first;
    for (auto const& header : found.outside.headers) {
        auto key = keys.data_key(header);
        auto contents = key ? Contents::open(found.bytes, header, key->key) : key.error();
        if (contents) return OpenVault{std::move(found.dir), std::move(*contents), key->by_next};
        if (first) continue;
        first = contents.error();
        if (key)
            first->what = (found.dir.path / file_name).string() + " " + first->what +
                          "; put a backup back, or move the file away to start anew";
    }
    return *first;
}

/// Under the lock, a KEYFILE.new is either what opens the vault or what a crash left behind. A read-only place is no
/// reason not to open. The vault that the new key opens has to be on the disk before the old key goes.
void tidy_keys(OpenVault& vault, Options const& options) {
    if (vault.by_next)
        vault.by_next = !(sync_dir(vault.dir) && settle_key(options.key_file));
    else
        drop_next_key(options.key_file);
}

Result<OpenVault> open_locked(KeyHolder& keys, Found found, Fd lock) {
    PFAR_TRY(vault, open_found(std::move(found), keys));
    vault.lock = std::move(lock);
    tidy_keys(vault, keys.options());
    return vault;
}

/// The second look of a reader whose key did not fit, or was KEYFILE.new.
Result<std::optional<OpenVault>> look_again(KeyHolder& keys, Header const& before, Result<OpenVault> first) {
    PFAR_TRY(dir, open_private_dir(keys.options().root));
    auto const waits = first ? std::chrono::milliseconds(0) : patience;
    auto const lock = lock_dir(dir, waits); // without it, what is there now has to do
    if (first && !lock) return std::optional(std::move(*first));
    PFAR_TRY(found, find_vault(keys.options()));
    if (!found) return std::optional<OpenVault>();
    if (!first && found->header() == before && before.kind != KeyKind::file) return first.error();
    PFAR_TRY(vault, open_found(std::move(*found), keys));
    if (lock) tidy_keys(vault, keys.options());
    return std::optional(std::move(vault));
}

Result<OpenVault> begin(KeyHolder& keys, Dir dir, Fd lock) {
    PFAR_TRY(key, keys.first_file_key());
    return OpenVault{std::move(dir), Contents(key.header, key.data_key), false, std::move(lock)};
}

} // namespace

Result<std::optional<Found>> find_vault(Options const& options) {
    PFAR_CHECK(start_sodium());
    auto dir = open_private_dir(options.root);
    auto bytes = dir ? read_private_file(*dir, file_name, max_file) : dir.error();
    if (!bytes && bytes.error().code == Errc::not_found) return std::optional<Found>();
    if (!bytes) return std::move(bytes).error();
    auto outside = look_at(*bytes);
    auto const path = (options.root / file_name).string();
    if (!outside.headers.empty()) return std::optional(Found{std::move(*dir), std::move(*bytes), std::move(outside)});
    if (is_other_version(*bytes))
        return fail(Errc::unsupported, path + " has a format that this version does not know; use a newer pfar");
    return fail(Errc::io, path +
                              " is damaged in both copies of its header; put a backup back, or move the file away to "
                              "start anew");
}

Result<std::optional<OpenVault>> open_to_read(KeyHolder& keys) {
    PFAR_TRY(found, find_vault(keys.options()));
    if (!found) return std::optional<OpenVault>();
    auto const before = found->header();
    auto vault = open_found(std::move(*found), keys);
    if (vault && !vault->by_next) return std::optional(std::move(*vault));
    return look_again(keys, before, std::move(vault));
}

Result<std::optional<OpenVault>> open_to_write(KeyHolder& keys) {
    PFAR_TRY(before, find_vault(keys.options()));
    if (!before) return std::optional<OpenVault>();
    auto const kind = before->header().kind;
    if (kind == KeyKind::command)
        PFAR_CHECK(open_found(std::move(*before), keys)); // it may ask a person: not under the lock
    PFAR_TRY(dir, open_private_dir(keys.options().root));
    PFAR_TRY(lock, lock_dir(dir, patience));
    PFAR_TRY(found, find_vault(keys.options()));
    if (!found) return std::optional<OpenVault>();
    PFAR_TRY(vault, open_locked(keys, std::move(*found), std::move(lock)));
    return std::optional(std::move(vault));
}

Result<OpenVault> begin_with(KeyHolder& keys, NewKey const& key) {
    PFAR_TRY(dir, make_private_dir(keys.options().root));
    PFAR_TRY(lock, lock_dir(dir, patience));
    PFAR_TRY(found, find_vault(keys.options()));
    if (found) return fail(Errc::conflict, "somebody else has just begun the vault; try again");
    return OpenVault{std::move(dir), Contents(key.header, key.data_key), false, std::move(lock)};
}

namespace {

Result<OpenVault> begin_by_command(KeyHolder& keys) {
    PFAR_TRY(key, keys.new_key({})); // it may ask a person: not under the lock
    auto begun = begin_with(keys, key);
    if (begun) keys.hold(key.header, std::move(key.key));
    if (begun || begun.error().code != Errc::conflict) return begun;
    PFAR_TRY(theirs, open_to_write(keys));
    if (!theirs) return begun;
    return std::move(*theirs);
}

} // namespace

Result<OpenVault> open_or_begin(KeyHolder& keys) {
    PFAR_TRY(vault, open_to_write(keys));
    if (vault) return std::move(*vault);
    auto const kind = keys.options().key_from;
    if (kind == KeyKind::passphrase)
        return fail(Errc::locked, "the vault has no passphrase yet; run: pfar vault unlock");
    if (kind == KeyKind::command) return begin_by_command(keys);
    PFAR_TRY(dir, make_private_dir(keys.options().root));
    PFAR_TRY(lock, lock_dir(dir, patience));
    PFAR_TRY(found, find_vault(keys.options()));
    return found ? open_locked(keys, std::move(*found), std::move(lock)) : begin(keys, std::move(dir), std::move(lock));
}

Result<void> save(OpenVault const& vault) {
    auto const bytes = vault.contents.bytes();
    if (bytes.size() <= max_file && vault.contents.slots().size() <= max_entries)
        return replace_file(vault.dir, file_name, bytes, Survives::power_cut);
    return fail(Errc::invalid, "the vault would have more than 64 MiB or 4096 entries; remove some first");
}

} // namespace pfar::vault_file
