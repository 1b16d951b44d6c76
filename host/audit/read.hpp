// Reader: the lines of the record that somebody wants to see; whether they are whole is verify's to say.
//
// It knows where it is by file and byte and keeps nothing open in between: files are rotated, repaired and moved away meanwhile. It
// takes no lock, so no writer ever waits for it. Memory is bounded, however long the record is.
#pragma once

#include "audit/entry.hpp"
#include "audit/filter.hpp"

#include <pfar/result.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace pfar::audit {

class Reader {
public:
    /// Hears of each line, exactly as it is stored and taken apart; false: enough.
    using Hear = std::function<bool(std::string_view line, boost::json::object const& event)>;

    /// `since`: nothing that is older.
    Reader(std::filesystem::path directory, Filter filter, std::optional<Time> since = {});

    /// Goes to where the last `count` lines that match begin; 0: to the end. [may block]
    Result<void> go_to_last(std::uint64_t count);
    /// From here (at first, the beginning) to the end; called again, what has come since. [may block]
    Result<void> read(Hear const& hear);

    /// How many lines were none, and were passed over.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
    /// There is a part of a line at the end: it is being written, or its writer was killed.
    [[nodiscard]] bool is_torn() const { return is_torn_; }

private:
    Result<bool> count_back(std::uint32_t file, std::uint64_t& left);
    [[nodiscard]] bool is_wanted(boost::json::object const& event) const;
    void go_to_since();
    Result<bool> read_file(Hear const& hear);

    std::filesystem::path directory_;
    Filter filter_;
    std::string since_, long_before_; // as `ts` is written, which sorts as text
    std::uint32_t file_ = 0;          // 0: not begun
    std::uint64_t at_ = 0;
    std::uint64_t skipped_ = 0;
    bool is_torn_ = false;
};

} // namespace pfar::audit
