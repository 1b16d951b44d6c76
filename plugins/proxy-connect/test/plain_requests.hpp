// Plain requests to a proxy, and a connection on which they are answered.
#pragma once

#include "running_proxy.hpp"

namespace pfar::proxy_connect {

inline std::string place(std::string const& host, std::uint16_t port) {
    return host + ":" + std::to_string(port);
}

/// In absolute form, with these lines besides its Host.
inline std::string ask(std::string const& method, std::string const& where, std::string const& lines = "") {
    return method + " http://" + where + "/ HTTP/1.1\r\nHost: " + where + "\r\n" + lines + "\r\n";
}

/// What the origin gets of it.
inline std::string asked(std::string const& method, std::string const& where, std::string const& lines = "") {
    return method + " / HTTP/1.1\r\nHost: " + where + "\r\n" + lines + "\r\n";
}

inline constexpr std::string_view nothing_to_say = "HTTP/1.1 204 No Content\r\n\r\n";

/// A client that has sent a request, and the origin that has got its head.
struct Asked {
    explicit Asked(std::string const& method, std::string const& lines = "", Limits limits = {})
        : proxy(always(allowed_at("127.0.0.1")), limits) {
        client.send(ask(method, where, lines));
        origin.emplace(world.accept());
        REQUIRE(origin->receive_head() == asked(method, where, lines));
    }

    /// The client gets it as it is.
    void answer(std::string const& bytes) const {
        origin->send(bytes);
        CHECK(client.receive(bytes.size()) == bytes);
    }
    /// The connection is good for another request, on the same connection to the origin.
    void check_kept() const {
        client.send(ask("GET", where));
        CHECK(origin->receive_head() == asked("GET", where));
        answer(std::string(nothing_to_say));
    }

    Listening world;
    std::string where = place("name.example", world.port());
    RunningProxy proxy;
    Peer client = proxy.client();
    std::optional<Peer> origin;
};

} // namespace pfar::proxy_connect
