// HttpLimits: how much and how long, of everything that a client decides. Tests shorten them.
#pragma once

#include <chrono>
#include <cstddef>

namespace pfar::gateway {

struct HttpLimits {
    using Time = std::chrono::milliseconds;

    std::size_t head = 16U << 10U, head_lines = 100;
    std::size_t body = (16U << 20U) + (64U << 10U), form = 16U << 10U;
    std::size_t small_body = 64U << 10U;   // always has room
    std::size_t bulk = 64U << 20U;         // bytes of larger ones that are read in a second
    std::size_t bodies = 96U << 20U;       // of larger ones that are still arriving, all together
    std::size_t waiting = 32U << 20U;      // for one session's client to read
    std::size_t all_waiting = 192U << 20U; // for all clients together
    std::size_t connections = 1200, sessions = 1024;
    std::size_t replay = 256U << 10U; // events of a session, kept for a client that lost its connection
    std::size_t requests = 64, request_bytes = 1 << 20; // of servers, kept for a client that does not listen

    Time tick = std::chrono::milliseconds(500); // how exact all of these are
    Time head_time = std::chrono::seconds(10);
    Time body_pause = std::chrono::seconds(30), body_time = std::chrono::minutes(5);
    Time unread = std::chrono::seconds(30);        // a client that reads nothing of what waits for it
    Time idle = std::chrono::seconds(60);          // between two requests on a connection
    Time linger = std::chrono::seconds(2);         // until a client that was refused has read why
    Time penance = std::chrono::milliseconds(100); // before a refusal goes out: who floods us with bad requests waits
    Time plain = std::chrono::seconds(10);         // that an answer may take before its POST becomes a stream
    Time comment = std::chrono::seconds(15);       // between signs of life on a stream
    Time session_idle = std::chrono::minutes(30), session_old = std::chrono::minutes(5);
    Time login = std::chrono::hours(12);
};

} // namespace pfar::gateway
