// LiveTable: the servers at the bottom of a terminal, while the log goes by above them.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::house {

/// What `pfar list --json` prints as lines of at most `columns` characters, at most `rows` of them. Pure. Never throws on input.
std::vector<std::string> table_lines(std::string_view list_json, std::size_t columns, std::size_t rows);

class LiveTable {
public:
    /// `terminal` is not owned.
    explicit LiveTable(int terminal) : terminal_(terminal) {}
    LiveTable(LiveTable const&) = delete;
    LiveTable& operator=(LiveTable const&) = delete;
    ~LiveTable() { finish(); }

    /// Drawn anew if it, or the terminal's size, has changed. [main thread]
    void show(std::string const& list_json);
    /// A line with its end, above the table. [any thread]
    void log(std::string_view line);
    /// Takes it away; what is logged afterwards goes by as it comes. [main thread]
    void finish();

private:
    [[nodiscard]] std::string erased() const;
    [[nodiscard]] std::string drawn() const;
    void write(std::string_view text) const;

    int terminal_;
    std::mutex mutex_;
    std::string shown_;
    std::vector<std::string> lines_;
};

} // namespace pfar::house
