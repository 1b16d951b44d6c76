// Forwarding: a request on its way from a client's session to a server, and what comes back. Rooms that do not know each other meet in it.
#pragma once

#include "wire/cancel_slot.hpp"

#include <pfar/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pfar::wire {

/// A request of a server for whoever has it work. Answered once: with a result, or an error object.
struct ServerRequest {
    std::string method, params; // JSON
    std::function<void(bool is_error, std::string payload)> answer;
    std::shared_ptr<CancelSlot> cancel;                        // the server may take it back
    std::function<void(std::string_view params)> progressed{}; // with the server's own token in them
};

/// What a server hears and says while it works for a client. All but `sent` may be empty: nobody is there.
struct Talk {
    std::function<std::string(std::uint64_t token)> sent{}; // params as the server gets them
    std::function<void(std::string_view params)> progressed{};
    /// Empty: it was taken. Otherwise why this client cannot answer it.
    std::function<std::string(ServerRequest)> asked{};
    std::function<void(std::string_view method, std::string_view params)> told{}; // notifications that belong to it
    std::function<bool()> held{}; // the client does not read what it has got already
};

struct Forwarding {
    std::string identity;              // the server's
    std::string session, method, tool; // the tool, if it is a call
    bool progress = false;             // sent() has the token in it
    bool agreed = false;               // a person has said yes to this very request
    std::shared_ptr<Talk const> talk{};
    std::shared_ptr<CancelSlot> cancel = std::make_shared<CancelSlot>();
};

/// A result, or an error object of the server.
struct Back {
    using Amend = std::function<std::string(std::string payload)>;
    Back(bool error, std::string said, Amend amend = {})
        : is_error(error), payload(std::move(said)), amended(std::move(amend)) {}

    bool is_error;
    std::string payload;
    /// Of an error: the same with what may be behind it, and the remedy. May be empty.
    Amend amended;
};

/// Errors: it did not answer, and why, in words for whoever asked.
using Forward = std::function<boost::asio::awaitable<Result<Back>>(Forwarding)>;

} // namespace pfar::wire
