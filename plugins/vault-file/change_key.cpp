#include "change_key.hpp"

#include "key_file.hpp"
#include "keyring.hpp"
#include "use_times.hpp"

namespace pfar::vault_file {

namespace {

Result<Contents> sealed_anew(Contents const& old, NewKey const& key) {
    Contents fresh(key.header, key.data_key);
    for (auto const& slot : old.slots()) {
        auto const entry = old.read(slot);
        if (!entry)
            return fail(Errc::io, "the key stays as it is, because the vault entry " + slot.name + " " +
                                      entry.error().what + "; first run: pfar vault set " + slot.name +
                                      ", or: pfar vault remove " + slot.name);
        fresh.put(*entry);
    }
    return fresh;
}

/// The new key has to be where others find it before the vault needs it.
Result<void> lay_down(KeyHolder& keys, OpenVault const& vault, NewKey const& key) {
    auto const& path = keys.options().key_file;
    if (key.header.kind != KeyKind::file) {
        keys.offer(key.header, key.key);
        return {};
    }
    if (vault.by_next)
        return fail(Errc::io, next_key_of(path).string() + " is the vault's key and cannot take the place of " +
                                  path.string() + "; make that directory writable first");
    return stage_key(path, key.key_file);
}

/// Only if the vault on disk is the old one for certain: after a failed sync either may be.
void take_back(KeyHolder const& keys, Header const& old, NewKey const& key) {
    auto const found = find_vault(keys.options());
    if (!found || !*found || (*found)->header().vault_id != old.vault_id) return;
    if (key.header.kind == KeyKind::file) drop_next_key(keys.options().key_file);
    static_cast<void>(drop_from_keyring(key.header.vault_id));
}

Remark let_old_go(KeyHolder& keys, Header const& old, NewKey const& key) {
    auto const& path = keys.options().key_file;
    auto const forgotten = keys.forget(old);
    if (key.header.kind == KeyKind::file) {
        auto const settled = settle_key(path);
        return settled ? ""
                       : "the vault's new key stays in " + next_key_of(path).string() + ": " + settled.error().what;
    }
    if (old.kind != KeyKind::file) return forgotten ? "" : forgotten.error().what;
    drop_next_key(path);
    auto const removed = remove_key(path);
    return removed ? "" : "the vault's old key file is not needed any more; remove it: " + path.string();
}

} // namespace

Result<Remark> change_key(KeyHolder& keys, OpenVault vault, NewKey key) {
    auto const old = vault.contents.header();
    PFAR_TRY(fresh, sealed_anew(vault.contents, key));
    auto const uses = read_uses(vault.dir, vault.contents);
    vault.contents = std::move(fresh);

    PFAR_CHECK(lay_down(keys, vault, key));
    if (auto saved = save(vault); !saved) {
        take_back(keys, old, key);
        return std::move(saved).error();
    }
    auto remark = let_old_go(keys, old, key);
    keys.hold(key.header, std::move(key.key));
    write_uses(vault.dir, vault.contents, uses);
    return remark;
}

} // namespace pfar::vault_file
