#include "gateway/http_stream.hpp"

#include "gateway/http_posted.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::gateway {
namespace {

/// Told first: who reads too slowly is sent away before the answer, and knows by it when to come again.
constexpr std::chrono::milliseconds retry{1000};

/// An event's data is one line. In JSON a line break is only ever a blank.
void make_one_line(std::string& message) {
    for (char const line_break : {'\n', '\r'})
        for (auto at = message.find(line_break); at != std::string::npos; at = message.find(line_break, at))
            message[at] = ' ';
}

/// What stands for an answer that is too large to be kept for a client that is away.
std::string lost(std::string_view answer) {
    std::string out;
    for (auto const& id : answered_by(answer)) {
        auto line =
            wire::error_line(id, wire::server_error,
                             "the answer came while the connection was lost, and was too large to be kept; ask again");
        line.pop_back();
        out += (out.empty() ? "" : ",") + line;
    }
    return answer.starts_with('[') ? '[' + out + ']' : out;
}

std::string array_of(std::vector<std::string> const& messages) {
    std::string out;
    for (auto const& message : messages) out.append(out.empty() ? "[" : ",").append(message);
    return out += ']';
}

} // namespace

void HttpStream::join(HttpClient client) {
    if (auto const before = std::exchange(client_, std::move(client))) before->end_stream();
    said_ = Clock::now();
}

void HttpStream::leave(HttpConnection const* client) {
    if (client_.get() == client) client_.reset();
}

void HttpStream::begin_events(bool prime) {
    events_ = true;
    said_ = Clock::now();
    if (is_heard()) {
        HttpReply head{200, "text/event-stream", {}, fields};
        head.fields.emplace_back("X-Accel-Buffering", "no"); // proxies would keep events back otherwise
        client_->begin_stream(head);
        if (prime)
            client_->stream(fmt::format("id: {}\nretry: {}\ndata: \n\n", event_id({number_, sent_}), retry.count()));
    }
    for (auto& answer : std::exchange(held_, {})) say(std::move(answer));
}

void HttpStream::write(std::uint64_t position, std::string_view message) {
    client_->stream(fmt::format("event: message\nid: {}\ndata: {}\n\n", event_id({number_, position}), message));
    sent_ = position;
    said_ = Clock::now();
}

bool HttpStream::say(std::string message, bool request) {
    if (!events_) begin_events(primed);
    make_one_line(message);
    HttpReplay::Event event{{number_, position_ + 1}, {}, is_heard(), request};
    if (event.sent) write(position_ + 1, message);
    event.message = std::move(message);
    bool const sent = event.sent;
    bool const kept = replay_.keep(std::move(event));
    if (kept || sent) ++position_;
    return kept || sent;
}

void HttpStream::answer(std::string message) {
    if (!events_ && (way_.json || !is_heard())) return held_.push_back(std::move(message));
    bool const reaches = is_heard() || replay_.fits(message);
    say(reaches ? std::move(message) : lost(message));
}

void HttpStream::finish() {
    if (!is_heard()) return;
    if (events_) return client_->end_stream();
    if (held_.empty()) return client_->reply({202, {}, {}, fields}); // all was taken back
    bool const is_whole = held_.size() == 1 && (!is_batch || held_.front().starts_with('['));
    client_->reply({200, "application/json", is_whole ? std::move(held_.front()) : array_of(held_), fields});
}

void HttpStream::resume(std::optional<std::uint64_t> after) {
    begin_events(primed && !after); // who resumes knows an id
    replay_.each_after({number_, after.value_or(sent_)}, [&](auto const& event) {
        if (is_heard()) write(event.place.position, event.message);
    });
}

void HttpStream::look(Clock::time_point now, HttpLimits const& limits) {
    if (!is_heard() || !way_.events) return;
    if (!events_) {
        if (now - said_ > limits.plain) begin_events(primed);
    } else if (now - said_ > limits.comment) {
        client_->stream(": still here\n\n");
        said_ = now;
    }
}

} // namespace pfar::gateway
