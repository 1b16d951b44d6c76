// Party and Outlet: the two sides of a client's session. A transport (stdio, HTTP) has the Outlet, the session itself is the Party.
//
// A transport hands over whole JSON texts and gets whole messages back; it knows nothing of MCP but where each message belongs.
#pragma once

#include <pfar/result.hpp>

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pfar::gateway {

/// How messages reach the client. Kept by the session. [main thread, as all of it]
class Outlet {
public:
    Outlet() = default;
    Outlet(Outlet const&) = delete;
    Outlet& operator=(Outlet const&) = delete;
    virtual ~Outlet() = default;

    /// Where in the talk a message belongs. `about`: the id, as written, of the client's own request; empty: of none.
    struct Place {
        std::string_view about{};
        bool last = false; // it answers that request
    };
    /// One JSON-RPC message, or an array of answers (`about` is then the first of theirs), without a line's end. An empty one: the client took this
    /// request back, and nothing answers it.
    virtual void send(std::string message, Place place) = 0;
    /// Bytes that wait for the client to read.
    [[nodiscard]] virtual std::size_t waiting() const = 0;
    /// The session is over, and why; what was sent still goes out.
    virtual void close(std::string const& why) = 0;
};

/// One client's session. It lives until it was ended by either side; then it says nothing more.
class Party {
public:
    Party() = default;
    Party(Party const&) = delete;
    Party& operator=(Party const&) = delete;
    virtual ~Party() = default;

    /// One message, or a batch. What is malformed is answered as JSON-RPC says. The text is good during the call.
    virtual void hear(std::string_view text) = 0;
    /// No more will be heard; what was asked is still answered, then the Outlet is closed. Approvals that wait are withdrawn.
    virtual void hear_end() = 0;
    /// The client is gone: everything of it ends at once. The Outlet is not called any more.
    virtual void end(std::string const& why) = 0;
    /// The revision that was agreed on; empty before initialize.
    [[nodiscard]] virtual std::string const& protocol() const = 0;
    /// Of its requests, those that wait for an answer.
    [[nodiscard]] virtual std::size_t in_flight() const = 0;
    /// What it is called where people see it; no secret.
    [[nodiscard]] virtual std::string const& id() const = 0;
};

/// Who comes, and how.
struct Arrival {
    std::string transport; // "stdio", "http"
    std::string server;    // the only one it sees, under its own names; empty: all
    std::filesystem::path directory;
    pid_t pid = 0; // 0: not known
    std::shared_ptr<Outlet> outlet;
};

/// Errc::not_found if there is no such server, Errc::unavailable if there are too many already.
using Admit = std::function<Result<std::shared_ptr<Party>>(Arrival)>;

} // namespace pfar::gateway
