// FlowJournal: what a conversation has changed so far, on disk before it is changed, so that it can be undone: by itself, or by the next one if this
// process is killed.
//
// A directory run/flows/ID that its process holds locked, the steps one a line, and the texts of files as they were.
#pragma once

#include "house/flow_claim.hpp"
#include "house/house.hpp"
#include "house/vault.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace pfar::house {

/// The vault, when it is needed.
using OpenVault = std::function<Result<Vault*>()>;

class FlowJournal {
public:
    /// `about`: what the conversation is, for people. [main thread, may block, as all of it]
    static Result<FlowJournal> open(House const& house, std::string const& about);
    FlowJournal(FlowJournal&&) noexcept = default;
    FlowJournal& operator=(FlowJournal&&) noexcept = default;

    /// Nobody else sets this server up as long as this conversation goes on. Errc::conflict if somebody does, or if what an earlier one has left
    /// of it is not cleared away.
    Result<void> claim(std::string const& server);

    // Each is told before it is done. `path`: below the home directory.
    /// `next`: what it will be. A file that is something else when it comes to undoing is somebody else's work, and stays.
    Result<void> changes_file(std::filesystem::path const& path, std::optional<std::string_view> next = {});
    Result<void> changes_package(std::string const& server);
    /// What is there under this entry is kept under another name meanwhile.
    Result<void> changes_entry(std::string const& entry, Vault& vault);
    /// One that is there already stays as it is.
    Result<void> makes_entry(std::string const& entry, Vault& vault);
    /// Told after it is done: what somebody sets later is not this conversation's to undo.
    Result<void> has_set(std::string const& entry, Vault& vault);
    /// Files and directories that a running server makes; those that are there already stay.
    Result<void> may_make(std::vector<std::filesystem::path> const& paths);
    /// Done here, too: where it is from now on.
    Result<std::filesystem::path> moves_aside(std::filesystem::path const& path);

    /// It did not run, because its owner or its crashes had it so: afterwards it does not again.
    Result<void> was_disabled(std::string const& server);
    [[nodiscard]] std::vector<std::string> disabled() const;

    /// Done when all is well, and only then.
    Result<void> when_done_remove(std::filesystem::path const& path);
    Result<void> when_done_forget(std::string const& entry, Vault& vault);

    [[nodiscard]] std::vector<std::string> new_entries() const, forgotten() const; // of the vault
    [[nodiscard]] bool empty() const;                                              // it has changed nothing

    /// All is well: from now on nothing is undone. Takes no room on the disk.
    Result<void> commit();
    /// After that: what was kept for undoing goes, and what was put off is done. What cannot be done now, recover() does.
    Result<void> clear(OpenVault const& vault);
    /// Everything is as it was; `keep_entries`: but for new entries of the vault. `settle` is called between: when files are as they were, and what
    /// servers have made is still there. What could not be undone is in the error.
    Result<void> undo(OpenVault const& vault, std::function<void()> const& settle, bool keep_entries = false);

    struct Left {
        std::string about;
        Result<void> undone;
        bool was_done = false; // all was well, but for clearing up
    };
    /// Whether killed conversations have left something. [may block]
    static bool any_left(std::filesystem::path const& home);
    /// What they have left is undone, step by step: one that cannot be, because the vault is locked, stays for the next time, the others are not
    /// done again. Not what is about a server that a conversation is about just now. One process at a time: waits a while for another.
    /// `disable` is told each of disabled(), before anything is undone and once more behind it: its file may be gone, or come back.
    static std::vector<Left> recover(House const& house, OpenVault const& vault, std::function<void()> const& settle,
                                     std::function<void(std::string const&)> const& disable);

private:
    FlowJournal(std::filesystem::path home, std::filesystem::path directory, base::Fd lock)
        : home_(std::move(home)), directory_(std::move(directory)), lock_(std::move(lock)) {}
    Result<void> add(boost::json::object step);
    Result<void> write() const;
    Result<void> remove_itself();
    boost::json::object* step_of(std::string_view key, std::string_view value);
    static FlowJournal read_left(std::filesystem::path const& home, std::filesystem::path const& directory,
                                 base::Fd lock);
    Result<void> claim_again();
    Result<void> keep_only(std::vector<bool> const& over, std::string const& trouble);

    std::filesystem::path home_, directory_;
    base::Fd lock_;
    std::map<std::string, Claim> claims_;
    std::string about_;
    std::vector<boost::json::object> steps_;
    bool done_ = false; // committed: nothing is undone any more
};

} // namespace pfar::house
