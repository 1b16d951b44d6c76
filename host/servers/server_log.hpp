// ServerLog: what a server said on stderr: the last of it in memory, more of it in a file, both bounded.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::servers {

class ServerLog {
public:
    using Listener = std::function<void(std::string const& line)>;

    /// `file` and `file`.1 hold up to 1 MiB each. What cannot be written is kept in memory all the same.
    explicit ServerLog(std::filesystem::path file);

    /// Cut anywhere; a line without an end counts when 8 KiB of it are there, or at finish(). Empty lines do not count.
    void add(std::string_view chunk);
    void finish();
    /// A line of pfar's own, between those of the server.
    void remark(std::string_view words);

    /// The last ones, oldest first, safe to show.
    [[nodiscard]] std::vector<std::string> last(std::size_t lines) const;
    /// The server's own among those after the first `from`, without their time; at most so many, the last ones.
    [[nodiscard]] std::vector<std::string> said_since(std::uint64_t from, std::size_t most) const;
    [[nodiscard]] std::uint64_t lines() const { return count_; }
    /// Whoever listens may unlisten anybody meanwhile, and hear nothing more.
    std::uint64_t listen(Listener listener);
    void unlisten(std::uint64_t number) { listeners_.erase(number); }

private:
    void end_line();
    void put(std::string_view line);
    void tell(std::string const& line);
    std::string stamped(std::string_view line);
    void write_out();
    bool open_file(std::size_t more);

    std::filesystem::path file_;
    base::Fd out_;
    std::string unwritten_;
    std::time_t stamp_time_ = -1;
    std::string stamp_;
    std::uint64_t written_ = 0, count_ = 0, next_ = 0;
    std::string half_;
    std::deque<std::string> ring_;
    std::size_t bytes_ = 0, remarks_ = 0; // remarks: in this second
    std::chrono::steady_clock::time_point second_{};
    std::map<std::uint64_t, Listener> listeners_;
};

/// The last lines of a file that a ServerLog wrote, for when no host runs. [may block]
std::vector<std::string> read_server_log(std::filesystem::path const& file, std::size_t lines);

} // namespace pfar::servers
