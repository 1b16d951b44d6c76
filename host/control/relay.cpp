// It reads only when everything it had is passed on: so it is bounded, and a reader that is slow slows the writer down.
#include "control/relay.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pfar::control {
namespace {

constexpr std::size_t most_on_the_way = 64U << 10U;
constexpr short gone = POLLERR | POLLHUP | POLLNVAL;

bool is_only_later(int error) {
    return error == EINTR || error == EAGAIN;
}

} // namespace

Relay::Relay(base::Fd from, base::Fd to, std::size_t gulp)
    : from_(std::move(from)), to_(std::move(to)), gulp_(gulp), buffer_(most_on_the_way, '\0') {}

void Relay::watch(std::vector<pollfd>& waits) const {
    bool const is_empty = begin_ == end_;
    waits.push_back({is_empty ? from_.number() : -1, POLLIN, 0});
    waits.push_back({to_.number(), static_cast<short>(is_empty ? 0 : POLLOUT), 0});
}

void Relay::ready(pollfd const& from, pollfd const& to) {
    if (to.revents != 0 && begin_ != end_)
        give();
    else if ((to.revents & gone) != 0)
        close();
    else if (from.revents != 0)
        take();
}

void Relay::take() {
    auto const got = ::read(from_.number(), buffer_.data(), buffer_.size());
    if (got < 0 && is_only_later(errno)) return;
    if (got <= 0) return close(); // nothing is on the way
    begin_ = 0, end_ = static_cast<std::size_t>(got);
}

void Relay::give() {
    auto const put = ::write(to_.number(), buffer_.data() + begin_, std::min(end_ - begin_, gulp_));
    if (put > 0) begin_ += static_cast<std::size_t>(put);
    if (put < 0 && !is_only_later(errno)) close();
}

void Relay::close() {
    from_ = base::Fd(), to_ = base::Fd();
    begin_ = end_ = 0;
}

} // namespace pfar::control
