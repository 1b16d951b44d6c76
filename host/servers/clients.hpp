// Server::Turn: a request of a client while a process works on it, so that what the process asks meanwhile finds its way. For ask.cpp and clients.cpp.
#pragma once

#include "servers/server.hpp"

namespace pfar::servers {

inline constexpr std::string_view subscribe_method = "resources/subscribe",
                                  unsubscribe_method = "resources/unsubscribe";

class Server::Turn {
public:
    Turn(Server& server, Instance const& instance, wire::Forwarding const& ask)
        : server_(server), active_{&instance, ask.session, ask.talk} {
        server_.active_.push_back(&active_);
    }
    Turn(Turn const&) = delete;
    Turn& operator=(Turn const&) = delete;
    ~Turn() {
        std::erase(server_.active_, &active_);
        if (!server_.line_.empty()) server_.change_.ring();
    }

private:
    Server& server_;
    Active active_;
};

} // namespace pfar::servers
