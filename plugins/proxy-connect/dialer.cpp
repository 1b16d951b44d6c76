#include "dialer.hpp"

namespace pfar::proxy_connect {

using boost::system::error_code;

void Dialer::start(Done done) {
    done_ = std::move(done);
    next();
}

void Dialer::cancel() {
    finish({});
}

void Dialer::next() {
    auto const index = attempts_.size();
    if (index == endpoints_.size()) {
        if (failed_ == index) finish({});
        return;
    }
    attempts_.push_back(std::make_unique<Socket>(executor_));
    attempts_.back()->async_connect(
        endpoints_[index], [self = shared_from_this(), index](error_code error) { self->tried(index, !error); });
    if (attempts_.size() < endpoints_.size()) wait_a_moment();
}

void Dialer::wait_a_moment() {
    timer_.expires_after(head_start_); // cancels the wait before
    timer_.async_wait([self = shared_from_this()](error_code error) {
        if (!error && self->done_) self->next();
    });
}

void Dialer::tried(std::size_t index, bool connected) {
    if (!done_) return;
    // It can be closed in the moment in which it succeeds.
    if (connected && attempts_[index]->is_open()) return finish(std::move(*attempts_[index]));
    ++failed_;
    next();
}

void Dialer::finish(std::optional<Socket> winner) {
    if (!done_) return;
    auto const done = std::exchange(done_, nullptr);
    timer_.cancel();
    error_code ignored;
    for (auto const& attempt : attempts_) attempt->close(ignored);
    done(std::move(winner));
}

} // namespace pfar::proxy_connect
