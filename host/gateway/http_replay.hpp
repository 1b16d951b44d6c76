// HttpReplay: the last events of a session's streams, for a client that lost its connection and asks for what it missed.
//
// Bounded: what was written already goes first, then what was not. Only requests to the client are never given up for others; they have a bound of
// their own.
#pragma once

#include "gateway/http_limits.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>

namespace pfar::gateway {

/// Where an event stands: which stream, and its how many-th. As text: its event id.
struct HttpPlace {
    std::uint32_t stream = 0;
    std::uint64_t position = 0;
};
std::string event_id(HttpPlace const& place);
/// False if it is none of ours.
bool parse_event_id(std::string_view text, HttpPlace& place);

class HttpReplay {
public:
    explicit HttpReplay(HttpLimits const& limits) : limits_(limits) {}

    struct Event {
        HttpPlace place;
        std::string message{};
        bool sent = false;    // written to a client, though perhaps in vain
        bool request = false; // a server waits for the client's answer
    };
    [[nodiscard]] bool fits(std::string_view message) const;
    /// False if it cannot be kept.
    bool keep(Event event);
    /// Those of the stream after that one, in order; they count as sent now.
    void each_after(HttpPlace const& place, std::function<void(Event const&)> const& take);
    /// Bytes that no client was sent.
    [[nodiscard]] std::size_t unsent() const { return unsent_; }

private:
    bool drop_one(bool sent);
    void drop(std::list<Event>::iterator event);

    HttpLimits const& limits_;
    std::list<Event> events_;
    std::size_t bytes_ = 0, unsent_ = 0;           // of all but requests that were not sent; and of those that were not
    std::size_t requests_ = 0, request_bytes_ = 0; // that were not sent
};

} // namespace pfar::gateway
