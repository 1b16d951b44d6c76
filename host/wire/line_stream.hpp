// LineStream: lines both ways over one or two descriptors. Reading and writing never wait for each other: a peer that is busy writing may not be
// reading, and two that wait for each other wait for ever.
//
// What is written waits in one buffer until the turn is over and goes out at once then, as much as fits; lines are heard where they were read, without a copy.
#pragma once

#include "base/fd.hpp"
#include "wire/end.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pfar::wire {

inline constexpr std::size_t most_line_bytes = std::size_t{16} << 20U;

struct LineLimits {
    std::size_t line = most_line_bytes;
    std::size_t turn = 4; // lines at once: whoever has more goes on when nobody else is ready
};

/// Pipes: not blocking. For a socket, which stays as it is, both are the same one, duplicated.
struct Ends {
    base::Fd in, out;
};

class LineStream : public std::enable_shared_from_this<LineStream> {
public:
    struct Heard {
        std::function<void(std::string_view line)> line; // without its end; good during the call
        std::function<void()> too_long;                  // a line above the limit was left out
        std::function<void(bool half)>
            ended;                     // nothing more will be heard, and the last line was cut; not after close()
        std::function<void()> drained; // what waited is written, or given up; may be empty
        /// Nobody reads there: of all that was ever sent only so much has gone. May be empty.
        std::function<void(std::uint64_t gone)> broken{};
    };

    /// Call start() once whoever hears is there. [the executor's thread, as all of it]
    static std::shared_ptr<LineStream> make(boost::asio::any_io_executor const& executor, Ends ends,
                                            LineLimits const& limits);
    LineStream(LineStream const&) = delete;
    LineStream& operator=(LineStream const&) = delete;
    ~LineStream() = default;

    void start(Heard heard);
    /// With its end. False if nobody reads there any more.
    bool send(std::string_view line);
    bool send(std::string&& line);
    bool send(char const* line) { return send(std::string_view(line)); }
    [[nodiscard]] std::size_t waiting() const { return out_.size() - written_; }
    /// Of all bytes ever given to send(), how many; and how many of them have been written.
    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] std::uint64_t gone() const { return sent_ - waiting(); }
    /// Nothing is read until resume(): the peer then waits, not we.
    void pause() { paused_ = true; }
    void resume();
    /// Descriptors that came beside what was heard so far, over a socket. Above 8 that nobody took, further ones are closed.
    std::vector<base::Fd> take_descriptors() { return std::exchange(descriptors_, {}); }
    /// The other side sees the end; what it still says is heard.
    void close_output();
    /// Nothing is heard or sent any more.
    void close();

private:
    LineStream(boost::asio::any_io_executor const& executor, Ends ends, LineLimits const& limits);
    void read_soon();
    bool read_some();
    std::size_t fill();
    [[nodiscard]] ssize_t receive(char* place, std::size_t size);
    bool cut(std::size_t most);
    void cut_later();
    void flush_soon();
    void flush();
    void write_soon();
    void write_some();
    bool write_out(std::string_view bytes, std::size_t& written);
    void end();

    End in_, out_end_;
    LineLimits limits_;
    std::vector<base::Fd> descriptors_;
    Heard heard_;
    std::string in_buffer_, out_;
    std::size_t begin_ = 0, filled_ = 0, searched_ = 0; // of in_buffer_: what is not cut yet, and where no line ends
    std::size_t written_ = 0;                           // of out_
    std::uint64_t sent_ = 0;
    bool skipping_ = false, paused_ = false, reading_ = false, writing_ = false, ended_ = false, broken_ = false,
         will_flush_ = false, will_cut_ = false;
};

/// Makes a descriptor of our own not blocking. For one that others share, open it anew first.
void never_block(base::Fd const& fd);

} // namespace pfar::wire
