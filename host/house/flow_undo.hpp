// What the steps of a FlowJournal mean: undone, or finished.
#pragma once

#include "house/flow_journal.hpp"

namespace pfar::house {

inline constexpr std::size_t most_journal = std::size_t{4} << 20U;

struct UndoPlaces {
    std::filesystem::path home, journal; // journal: its directory, which has the texts of files as they were
};

/// Looks at what is there, not at how far the change got: it can be done twice, and after a kill at any moment. A step that leads out of the home is
/// refused. [main thread, may block]
Result<void> undo_step(boost::json::object const& step, UndoPlaces const& places, OpenVault const& vault,
                       bool keep_entries);
/// What was kept for undoing goes, and what was put off is done. [main thread, may block]
Result<void> finish_step(boost::json::object const& step, UndoPlaces const& places, OpenVault const& vault);

/// Of an entry, in nanoseconds; none if there is none, or the store does not know.
Result<std::optional<std::int64_t>> set_time(Vault& vault, std::string const& entry);

Result<void> remove_tree(std::filesystem::path const& path);
Result<void> rename_path(std::filesystem::path const& from, std::filesystem::path const& to);

} // namespace pfar::house
