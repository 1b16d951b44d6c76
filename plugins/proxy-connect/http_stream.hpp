// The parts of an HTTP exchange that move bytes: bodies either way, and the heads of answers.
#pragma once

#include "body_scan.hpp"
#include "connection.hpp"

#include <optional>

namespace pfar::proxy_connect {

struct BodyStream {
    Connection::Socket& from;
    Connection::Socket& to;
    std::string& pending; // read and not yet passed on; behind the body: the next message
    std::uint64_t& count;
};

/// Passes on what belongs to the body; true at its end, which for some is the end of the connection.
asio::awaitable<bool> pass_body(std::shared_ptr<Connection> connection, BodyStream stream, BodyScan& scan,
                                bool until_close);

/// A request's body on its way to the origin, while the answer may already come. Its bytes are its own until it has ended.
struct Upload {
    Upload(asio::any_io_executor const& executor, Body body)
        : scan(body), finished(scan.done()), over(executor, std::chrono::steady_clock::time_point::max()) {}
    BodyScan scan;
    std::string pending;
    bool finished;           // all of it is written, and what came behind it is in early() again
    bool abandoned = false;  // nobody waits for it any more
    asio::steady_timer over; // cancelled when it has ended, well or not
};
asio::awaitable<void> send_body(std::shared_ptr<Connection> connection, std::shared_ptr<Upload> upload);

struct PassedHead {
    std::optional<ResponseHead> head; // none: nothing usable came
    std::string why;
};

/// Passes on the answer's head, and those of the kind "not yet" before it. One that cannot be used is not passed on.
asio::awaitable<PassedHead> pass_head(std::shared_ptr<Connection> connection, RequestHead const& request);

/// As long as nothing of the answer has come: a client that has gone is waited for no longer than a request may take.
asio::awaitable<void> watch_client(std::shared_ptr<Connection> connection, std::shared_ptr<Upload> upload);

} // namespace pfar::proxy_connect
