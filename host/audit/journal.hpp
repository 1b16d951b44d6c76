// Journal: appends groups of lines to the record, together with any number of other processes that do the same.
//
// A group is one write and one fdatasync under the lock, then the head. Whoever comes next reads the head, so the chain is one
// for all. If the last writer was this one, nothing has to be opened or looked for.
#pragma once

#include "audit/entries.hpp"
#include "audit/event.hpp"
#include "audit/head.hpp"
#include "audit/limits.hpp"
#include "base/fd.hpp"

#include <string>

namespace pfar::audit {

class Journal {
public:
    Journal(std::filesystem::path directory, Key key, Limits const& limits)
        : directory_(std::move(directory)), key_(std::move(key)), limits_(limits) {}

    /// All of them or none, as append_entry gives them. On an error the files are as they were. [one thread, may block]
    Result<void> append(Entries const& entries);

private:
    Result<std::optional<Event>> catch_up();
    [[nodiscard]] bool is_current() const;
    Result<void> begin_file();
    Result<void> open_files();
    Result<void> write(Head const& next);
    void write_head();

    std::filesystem::path directory_;
    Key key_;
    Limits limits_;
    Head head_;
    std::string head_text_; // as it was last written by us
    std::string text_;      // the lines that are being written; kept for its memory
    base::Fd lines_, head_file_;
};

} // namespace pfar::audit
