// DNS for a sandbox: the host is asked whether the name may be reached, and the answer is an address that stands for it.
#pragma once

#include "session_state.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/udp.hpp>

namespace pfar::proxy_connect {

/// Answers one message, at once or when the host has decided; what is no query is not answered.
void answer_dns(std::shared_ptr<SessionState> const& session, std::string_view message,
                std::function<void(std::string const&)> reply);

/// Until the socket is closed.
asio::awaitable<void> serve_dns_datagrams(std::shared_ptr<SessionState> session,
                                          std::shared_ptr<asio::ip::udp::socket> socket);

} // namespace pfar::proxy_connect
