#include "wire/peer.hpp"

#include "base/text.hpp"
#include "wire/json_text.hpp"

#include <fmt/format.h>

namespace pfar::wire {
namespace {

constexpr std::size_t shown = 120, most_forgotten = 1024;

std::string beginning(std::string_view text) {
    return base::printable(text.substr(0, shown)) + (text.size() > shown ? "..." : "");
}

} // namespace

Peer::Peer(boost::asio::any_io_executor const& executor, Ends ends, PeerLimits const& limits)
    : stream_(LineStream::make(executor, std::move(ends), {limits.line, limits.turn})), limits_(limits) {}

Peer::~Peer() {
    stream_->close();
}

void Peer::start(Heard heard) {
    heard_ = std::move(heard);
    LineStream::Heard lines;
    lines.line = [this](std::string_view line) { hear(line); };
    lines.too_long = [this] {
        complain(fmt::format("a line of more than {} MiB; it was left out", limits_.line >> 20U));
        if (heard_.too_long) heard_.too_long();
    };
    lines.ended = [this](bool half) {
        if (half) complain("it ended in the middle of a line");
        lose_all(fail(Errc::unavailable, "it ended"));
        heard_.ended();
    };
    lines.drained = [this] { look_at_unread(); };
    lines.broken = [this](std::uint64_t gone) { lose_unsent(gone); };
    stream_->start(std::move(lines));
}

Result<std::uint64_t> Peer::ask(std::string_view method, std::string_view params, Answered answered) {
    if (asked_.size() >= limits_.asked)
        return fail(Errc::unavailable, fmt::format("{} requests already wait for its answer", asked_.size()));
    auto const number = ++next_;
    PFAR_CHECK(send(request_line(std::to_string(number), method, params)));
    asked_.emplace(number, Asked{std::move(answered), stream_->sent()});
    return number;
}

void Peer::forget(std::uint64_t number) {
    if (asked_.erase(number) == 0) return;
    forgotten_.insert(number);
    if (forgotten_.size() > most_forgotten) forgotten_.erase(forgotten_.begin());
}

Result<void> Peer::tell(std::string_view method, std::string_view params) {
    return send(notification_line(method, params));
}

Result<void> Peer::send(std::string_view line) {
    if (closed_) return fail(Errc::unavailable, "it has ended");
    if (stream_->waiting() + line.size() > limits_.waiting + limits_.line)
        return fail(Errc::unavailable, "it does not read what it is sent");
    if (!stream_->send(line)) return fail(Errc::unavailable, "it no longer reads");
    return {};
}

void Peer::answer(std::string_view id, std::string_view result) {
    if (take_asking(id)) send_answer(id, result_line(id, result));
}
void Peer::refuse(std::string_view id, int code, std::string_view message) {
    if (take_asking(id)) send_answer(id, error_line(id, code, message));
}
void Peer::refuse(std::string_view id, std::string_view error) {
    if (take_asking(id)) send_answer(id, error_line(id, error));
}

bool Peer::take_asking(std::string_view id) {
    auto const found = asking_.find(id);
    if (found == asking_.end()) return false;
    asking_.erase(found);
    return true;
}

/// Only answers count: it makes us write them by asking. What we ask it ourselves must never stop us from reading.
void Peer::send_answer(std::string_view id, std::string const& line) {
    if (closed_) return;
    bool const fits = stream_->waiting() + line.size() <= limits_.waiting + limits_.line;
    auto const sent =
        fits ? stream_->send(line) : stream_->send(error_line(id, server_error, "too much already waits to be read"));
    if (!sent || stream_->waiting() == 0) return;
    unread_.push_back(stream_->sent());
    if (unread_.size() >= limits_.unread || stream_->waiting() > limits_.waiting) stream_->pause();
}

void Peer::look_at_unread() {
    while (!unread_.empty() && unread_.front() <= stream_->gone()) unread_.pop_front();
    if (unread_.size() < limits_.unread / 2) stream_->resume();
}

void Peer::hear(std::string_view line) {
    auto const changed = heard_.clean ? heard_.clean(line) : std::nullopt;
    hear_clean(changed ? std::string_view(*changed) : line);
}

void Peer::hear_clean(std::string_view line) {
    read_messages(
        line,
        [this](Message const& message) {
            if (!closed_) hear(message);
        },
        [&](std::string const& what) { complain(fmt::format("{}: {}", what, beginning(line))); });
}

void Peer::hear(Message const& message) {
    switch (message.kind) {
    case Message::Kind::request:
        return hear_request(message);
    case Message::Kind::notification:
        return heard_.notification(message);
    case Message::Kind::result:
    case Message::Kind::error:
        return hear_answer(message);
    }
}

void Peer::hear_request(Message const& message) {
    if (asking_.contains(message.id)) {
        complain(fmt::format("a second request under the id {}", beginning(message.id)));
        return send_answer(message.id,
                           error_line(message.id, invalid_request, "a request of this id is already being answered"));
    }
    if (asking_.size() >= limits_.asking)
        return send_answer(message.id,
                           error_line(message.id, server_error,
                                      fmt::format("{} requests already wait for an answer", asking_.size())));
    asking_.emplace(message.id);
    heard_.request(message);
}

void Peer::hear_answer(Message const& message) {
    auto const number = number_in(message.id);
    auto const found = number ? asked_.find(*number) : asked_.end();
    if (found == asked_.end()) {
        if (number && forgotten_.erase(*number) > 0) return;
        return complain(fmt::format("an answer to {}, which nobody asked", beginning(message.id)));
    }
    auto const answered = std::move(found->second.answered);
    asked_.erase(found);
    answered({message.kind == Message::Kind::result ? Reply::Kind::result : Reply::Kind::error, message.payload});
}

void Peer::complain(std::string const& what) {
    ++troubles_;
    heard_.trouble(what);
}

void Peer::lose_all(Error const& why) {
    closed_ = true;
    while (!asked_.empty()) { // one by one: who hears of it may forget others
        auto const lost = asked_.extract(asked_.begin());
        lost.mapped().answered({Reply::Kind::lost, {}, why});
    }
}

/// What it can never have read is not waited for.
void Peer::lose_unsent(std::uint64_t gone) {
    std::vector<std::uint64_t> numbers;
    for (auto const& [number, asked] : asked_)
        if (asked.end > gone) numbers.push_back(number);
    for (auto const number : numbers) {
        auto const lost = asked_.extract(number);
        if (!lost.empty()) lost.mapped().answered({Reply::Kind::lost, {}, fail(Errc::io, "it no longer reads")});
    }
}

void Peer::close(Error const& why) {
    stream_->close();
    lose_all(why);
}

} // namespace pfar::wire
