#include "gateway/http_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pfar::gateway {
namespace {

constexpr std::size_t overhead = 128; // of an event, besides its message

std::size_t size_of(HttpReplay::Event const& event) {
    return event.message.size() + overhead;
}

bool is_held(HttpReplay::Event const& event) {
    return event.request && !event.sent;
}

template <class Number> bool read_number(std::string_view text, Number& number) {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

} // namespace

std::string event_id(HttpPlace const& place) {
    return fmt::format("{}-{}", place.stream, place.position);
}

bool parse_event_id(std::string_view text, HttpPlace& place) {
    auto const dash = text.find('-');
    return dash != std::string_view::npos && read_number(text.substr(0, dash), place.stream) &&
           read_number(text.substr(dash + 1), place.position);
}

bool HttpReplay::fits(std::string_view message) const {
    return message.size() + overhead <= limits_.replay;
}

bool HttpReplay::keep(Event event) {
    auto const size = size_of(event);
    if (is_held(event)) {
        if (requests_ >= limits_.requests || request_bytes_ + size > limits_.request_bytes) return false;
        ++requests_;
        request_bytes_ += size;
    } else {
        if (size > limits_.replay) return false;
        while (bytes_ + size > limits_.replay && (drop_one(true) || drop_one(false))) {}
        bytes_ += size;
    }
    if (!event.sent) unsent_ += size;
    events_.push_back(std::move(event));
    return true;
}

bool HttpReplay::drop_one(bool sent) {
    auto const found = std::find_if(events_.begin(), events_.end(),
                                    [&](auto const& event) { return event.sent == sent && !is_held(event); });
    if (found == events_.end()) return false;
    drop(found);
    return true;
}

void HttpReplay::drop(std::list<Event>::iterator event) {
    bytes_ -= size_of(*event);
    if (!event->sent) unsent_ -= size_of(*event);
    events_.erase(event);
}

void HttpReplay::each_after(HttpPlace const& place, std::function<void(Event const&)> const& take) {
    for (auto& event : events_) {
        if (event.place.stream != place.stream || event.place.position <= place.position) continue;
        auto const size = size_of(event);
        if (is_held(event)) {
            --requests_;
            request_bytes_ -= size;
            bytes_ += size;
        }
        if (!event.sent) unsent_ -= size;
        event.sent = true;
        take(event);
    }
}

} // namespace pfar::gateway
