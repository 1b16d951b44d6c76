#include "wire/line_stream.hpp"

#include "wire/late.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace pfar::wire {
namespace {

constexpr std::size_t first_room = 16U << 10U, kept_room = 2U << 20U, turn = 256U << 10U, most_descriptors = 8;
constexpr int most_turns = 64;

} // namespace

void never_block(base::Fd const& fd) {
    ::fcntl(fd.number(), F_SETFL, ::fcntl(fd.number(), F_GETFL) | O_NONBLOCK);
}

std::shared_ptr<LineStream> LineStream::make(boost::asio::any_io_executor const& executor, Ends ends,
                                             LineLimits const& limits) {
    return std::shared_ptr<LineStream>(new LineStream(executor, std::move(ends), limits));
}

LineStream::LineStream(boost::asio::any_io_executor const& executor, Ends ends, LineLimits const& limits)
    : in_(executor, std::move(ends.in), Way::in), out_end_(executor, std::move(ends.out), Way::out), limits_(limits) {}

void LineStream::start(Heard heard) {
    heard_ = std::move(heard);
    read_soon();
}

void LineStream::resume() {
    if (!paused_) return;
    paused_ = false;
    cut_later();
}

void LineStream::read_soon() {
    if (reading_ || paused_ || ended_ || will_cut_ || !in_.is_open()) return;
    reading_ = true;
    in_.wait([self = shared_from_this()](auto const& error) {
        self->reading_ = false;
        if (!error) self->read_some();
    });
}

/// A turn, not until nothing is left: who floods must not keep the others waiting.
bool LineStream::read_some() {
    std::size_t had = 0;
    while (had < turn && !paused_ && !ended_) {
        auto const got = fill();
        had += got;
        if (got == 0 || cut(limits_.turn)) break; // nothing is left, or somebody else's turn has come
    }
    read_soon();
    return had > 0;
}

ssize_t LineStream::receive(char* place, std::size_t size) {
    if (!in_.is_socket()) return ::read(in_.number(), place, size);
    alignas(cmsghdr) char control[CMSG_SPACE(most_descriptors * sizeof(int))];
    iovec part{place, size};
    msghdr message{};
    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_control = control, message.msg_controllen = sizeof control;
    auto const got = ::recvmsg(in_.number(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (auto* beside = CMSG_FIRSTHDR(&message); beside != nullptr; beside = CMSG_NXTHDR(&message, beside)) {
        if (beside->cmsg_level != SOL_SOCKET || beside->cmsg_type != SCM_RIGHTS) continue;
        std::array<int, most_descriptors> numbers{};
        auto const count = (beside->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        std::memcpy(numbers.data(), CMSG_DATA(beside), count * sizeof(int));
        for (std::size_t i = 0; i < count; ++i) {
            base::Fd taken(numbers.at(i)); // closed if there is no room for it
            if (descriptors_.size() < most_descriptors) descriptors_.push_back(std::move(taken));
        }
    }
    return got;
}

/// How much came; 0 if there is nothing now.
std::size_t LineStream::fill() {
    if (in_buffer_.size() - filled_ < first_room / 2) {
        in_buffer_.erase(0, begin_);
        filled_ -= begin_, searched_ -= begin_, begin_ = 0;
        in_buffer_.resize(std::max(first_room, filled_ * 2));
    }
    auto got = receive(in_buffer_.data() + filled_, in_buffer_.size() - filled_);
    while (got < 0 && errno == EINTR) got = receive(in_buffer_.data() + filled_, in_buffer_.size() - filled_);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got <= 0) return end(), 0;
    filled_ += static_cast<std::size_t>(got);
    return static_cast<std::size_t>(got);
}

/// True if lines were heard: that was a turn. What is left of them is heard in the next.
bool LineStream::cut(std::size_t most) {
    auto const self = shared_from_this(); // whoever hears a line may drop us
    std::size_t heard = 0;
    while (!paused_ && !ended_) {
        auto const* const found =
            filled_ > searched_
                ? static_cast<char const*>(std::memchr(in_buffer_.data() + searched_, '\n', filled_ - searched_))
                : nullptr;
        if (found == nullptr) break;
        if (heard == most) return cut_later(), true;
        auto const stop = static_cast<std::size_t>(found - in_buffer_.data());
        auto const begin = std::exchange(begin_, stop + 1);
        searched_ = begin_;
        if (std::exchange(skipping_, false)) continue;
        ++heard;
        if (stop - begin > limits_.line)
            heard_.too_long();
        else
            heard_.line(std::string_view(in_buffer_).substr(begin, stop - begin));
    }
    if (ended_ || paused_) return true;
    searched_ = filled_;
    if (filled_ - begin_ > limits_.line && !skipping_) skipping_ = true, heard_.too_long();
    if (skipping_ || begin_ == filled_) begin_ = filled_ = searched_ = 0;
    if (begin_ == filled_ && in_buffer_.size() > kept_room) in_buffer_ = std::string();
    return heard > 0;
}

void LineStream::cut_later() {
    if (std::exchange(will_cut_, true)) return;
    Late::add(in_.get_executor(), [self = shared_from_this()](std::size_t share) {
        self->will_cut_ = false;
        if (self->paused_ || self->ended_) return;
        self->cut(share);
        self->read_soon();
    });
}

bool LineStream::send(std::string_view line) {
    if (broken_ || !out_end_.is_open()) return false;
    sent_ += line.size();
    out_.append(line);
    flush_soon();
    return true;
}

bool LineStream::send(std::string&& line) {
    if (waiting() > 0 || line.size() < first_room) return send(std::string_view(line));
    if (broken_ || !out_end_.is_open()) return false;
    sent_ += line.size();
    out_ = std::move(line), written_ = 0;
    flush_soon();
    return true;
}

void LineStream::flush_soon() {
    if (writing_ || std::exchange(will_flush_, true)) return;
    boost::asio::post(out_end_.get_executor(), [self = shared_from_this()] { self->flush(); });
}

/// What was said in one turn goes out in one call.
void LineStream::flush() {
    will_flush_ = false;
    if (!writing_ && waiting() > 0) write_some();
}

/// False if nobody reads there.
bool LineStream::write_out(std::string_view bytes, std::size_t& written) {
    while (written < bytes.size()) {
        auto const rest = bytes.substr(written);
        auto const put = out_end_.is_socket()
                             ? ::send(out_end_.number(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                             : ::write(out_end_.number(), rest.data(), rest.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) return true;
        if (put < 0) return broken_ = true, false;
        written += static_cast<std::size_t>(put);
    }
    return true;
}

void LineStream::write_soon() {
    if (writing_ || broken_ || !out_end_.is_open()) return;
    writing_ = true;
    out_end_.wait([self = shared_from_this()](auto const& error) {
        self->writing_ = false;
        if (!error) self->write_some();
    });
}

void LineStream::write_some() {
    if (!out_end_.is_open()) return;
    write_out(out_, written_);
    if (broken_ || written_ == out_.size()) {
        auto const self = shared_from_this();
        auto const so_far = gone();
        out_.clear(), written_ = 0;
        if (out_.capacity() > kept_room) out_ = std::string();
        if (heard_.drained) heard_.drained();
        if (!broken_) return;
        for (int turns = 0; turns < most_turns && !ended_ && !paused_ && !will_cut_ && in_.is_open(); ++turns)
            if (!read_some()) break; // what it said before comes first
        if (!ended_ && heard_.broken) heard_.broken(so_far);
        return;
    }
    if (written_ > kept_room && written_ > out_.size() / 2) out_.erase(0, std::exchange(written_, 0));
    write_soon();
}

void LineStream::end() {
    ended_ = true;
    heard_.ended(filled_ > begin_ && !skipping_);
}

void LineStream::close_output() {
    if (!writing_ && out_end_.is_open()) write_out(out_, written_);
    if (out_end_.is_socket() && out_end_.is_open()) ::shutdown(out_end_.number(), SHUT_WR);
    out_end_.close();
    if (waiting() == 0) return;
    out_ = std::string(), written_ = 0; // nobody gets it any more, so nobody need wait for that
    boost::asio::post(in_.get_executor(), [self = shared_from_this()] {
        if (!self->ended_ && self->heard_.drained) self->heard_.drained();
    });
}

void LineStream::close() {
    ended_ = true;
    if (!writing_ && out_end_.is_open()) write_out(out_, written_);
    in_.close();
    out_end_.close();
}

} // namespace pfar::wire
