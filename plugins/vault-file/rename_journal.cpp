// Each step may be repeated: a crash anywhere in finish_rename only means that it is done again.
#include "rename_journal.hpp"

#include "sealed_entry.hpp"

#include <cerrno>

namespace pfar::vault_file {

namespace {

constexpr char journal[] = "renaming", prepared[] = ".renamed";

Result<Renaming> read_journal(Dir const& vault) {
    PFAR_TRY(text, read_file(vault, journal, 256));
    auto const space = text.find(' ');
    if (space != std::string::npos) {
        Renaming renaming{text.substr(0, space), text.substr(space + 1)};
        if (is_entry_file(renaming.from) && is_entry_file(renaming.to)) return renaming;
    }
    return fail(Errc::io, (vault.path / journal).string() + " is damaged; remove it and look at: pfar vault list");
}

} // namespace

Result<void> begin_rename(Dir const& vault, Dir const& entries, Renaming const& renaming, std::string_view sealed) {
    PFAR_CHECK(write_file(entries, prepared, sealed));
    PFAR_CHECK(sync_dir(entries));
    return replace_file(vault, journal, renaming.from + " " + renaming.to);
}

Result<void> finish_rename(Dir const& vault, Dir const& entries) {
    if (!rename_pending(vault)) return {};
    PFAR_TRY(renaming, read_journal(vault));
    auto const at = entries.fd.number();
    auto const to = entries.path / renaming.to;
    if (::renameat(at, prepared, at, renaming.to.c_str()) != 0 && errno != ENOENT)
        return io_error(to, "cannot be replaced");
    if (!has_file(entries, renaming.to)) return fail(Errc::io, to.string() + " was lost while an entry was renamed");
    if (auto gone = remove_file(entries, renaming.from); !gone && gone.error().code != Errc::not_found)
        return std::move(gone).error();
    PFAR_CHECK(sync_dir(entries));
    return remove_file(vault, journal); // and synced: a journal that came back would remove a later entry
}

bool rename_pending(Dir const& vault) {
    return has_file(vault, journal);
}

} // namespace pfar::vault_file
