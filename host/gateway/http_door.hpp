// HttpDoor: who is let in. Judged by the head of a request alone, before anything of its body is read.
//
// A page in the owner's browser can reach a loopback port, under its own name by DNS rebinding. Host and Origin give it away.
#pragma once

#include "gateway/http_message.hpp"
#include "gateway/http_server.hpp"

namespace pfar::gateway {

class HttpDoor {
public:
    /// Errc::refused for settings that must not be used: see HttpServer::open(). Takes the tokens out of them.
    static Result<HttpDoor> open(HttpSettings& settings);

    /// Host and Origin.
    [[nodiscard]] std::optional<HttpReply> refuse_stranger(HttpRequest const& request) const;
    /// The agents' token, unless none is asked for.
    [[nodiscard]] bool is_agent(HttpRequest const& request) const;
    [[nodiscard]] bool is_owner(HttpRequest const& request) const;
    [[nodiscard]] bool is_owners_token(std::string_view token) const;
    [[nodiscard]] bool has_owner() const { return owners_.size() != 0; }
    [[nodiscard]] bool has_tls() const { return tls_; }
    /// A form of our own page: browsers say where it came from.
    [[nodiscard]] bool is_same_origin(HttpRequest const& request) const;
    /// What a page of a welcome origin needs to read our replies; nothing for others.
    [[nodiscard]] HttpFields cors(HttpRequest const& request) const;

private:
    [[nodiscard]] bool is_our_host(std::string_view host) const;
    [[nodiscard]] bool is_welcome(std::string_view origin) const;
    [[nodiscard]] bool is_fine_origin(HttpRequest const& request) const;

    std::string bound_; // canonical
    bool loopback_ = true, auth_ = true, tls_ = false;
    std::vector<std::string> hosts_, origins_; // canonical
    Secret agents_, owners_;
};

} // namespace pfar::gateway
