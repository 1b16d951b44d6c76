// The operations on entries. A damaged entry is an error that names it; the others stay usable. Those on the key are in
// vault_key.cpp.
#include "file_vault.hpp"

#include "use_times.hpp"

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

Result<Entry> read_entry(Contents const& contents, std::string const& name) {
    auto const* const slot = contents.slot(name);
    if (slot == nullptr) return not_there(name);
    auto entry = contents.read(*slot);
    if (entry) return entry;
    return fail(Errc::io, "the vault entry " + name + " is damaged: it " + entry.error().what +
                              "; set it anew: pfar vault set " + name);
}

/// The host sees by the time that a value has changed, so it never stays or goes back.
Time later_than(Slot const* old) {
    auto const now = std::chrono::system_clock::now();
    return old == nullptr ? now : std::max(now, old->set_at + std::chrono::nanoseconds(1));
}

void forget_use(OpenVault const& vault, std::string const& name) {
    auto uses = read_uses(vault.dir, vault.contents);
    if (uses.erase(name) != 0) write_uses(vault.dir, vault.contents, uses);
}

void move_use(OpenVault const& vault, std::string const& from, std::string const& to) {
    auto uses = read_uses(vault.dir, vault.contents);
    auto const used = uses.extract(from);
    if (uses.erase(to) == 0 && !used) return;
    if (used) uses[to] = used.mapped();
    write_uses(vault.dir, vault.contents, uses);
}

} // namespace

Result<void> FileVault::configure(PluginContext const& context) {
    PFAR_TRY(options, options_from(context));
    keys_.configure(std::move(options));
    log_ = context.log;
    return {};
}

Result<void> FileVault::keep(std::string const& name, Secret value) {
    PFAR_CHECK(check_name(name));
    if (value.size() > max_value) return fail(Errc::invalid, "a vault entry holds at most 1 MiB: " + name);
    PFAR_TRY(vault, open_or_begin(keys_));
    auto const* const old = vault.contents.slot(name);
    bool const is_new = old == nullptr;
    vault.contents.put(Entry{name, later_than(old), std::move(value)});
    PFAR_CHECK(save(vault));
    if (is_new) forget_use(vault, name); // of an entry that once had its name
    return {};
}

Result<Secret> FileVault::find(std::string const& name) {
    PFAR_CHECK(check_name(name));
    PFAR_TRY(vault, open_to_read(keys_));
    if (!vault) return not_there(name);
    PFAR_TRY(entry, read_entry(vault->contents, name));
    note_use(vault->dir, vault->contents, name);
    return std::move(entry.value);
}

Result<std::vector<Credential>> FileVault::list() {
    std::vector<Credential> found;
    PFAR_TRY(vault, open_to_read(keys_));
    if (!vault) return found;
    auto const uses = read_uses(vault->dir, vault->contents);
    for (auto const& slot : vault->contents.slots()) {
        Credential entry{slot.name, slot.set_at, std::nullopt};
        if (auto const used = uses.find(slot.name); used != uses.end()) entry.used_at = used->second;
        if (auto const read = vault->contents.read(slot); !read) entry.trouble = read.error().what;
        found.push_back(std::move(entry));
    }
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    return found;
}

Result<void> FileVault::remove(std::string const& name) {
    PFAR_CHECK(check_name(name));
    PFAR_TRY(vault, open_to_write(keys_));
    if (!vault || vault->contents.slot(name) == nullptr) return not_there(name);
    vault->contents.erase(name);
    PFAR_CHECK(save(*vault));
    forget_use(*vault, name);
    return {};
}

Result<void> FileVault::rename(std::string const& from, std::string const& to) {
    PFAR_CHECK(check_name(from));
    PFAR_CHECK(check_name(to));
    PFAR_TRY(vault, open_to_write(keys_));
    if (!vault) return not_there(from);
    PFAR_TRY(entry, read_entry(vault->contents, from));
    if (vault->contents.slot(to) != nullptr)
        return fail(Errc::conflict, "the vault has an entry " + to + " already; remove it first");
    vault->contents.erase(from);
    vault->contents.put(Entry{to, entry.set_at, std::move(entry.value)});
    PFAR_CHECK(save(*vault));
    move_use(*vault, from, to);
    return {};
}

} // namespace pfar::vault_file
