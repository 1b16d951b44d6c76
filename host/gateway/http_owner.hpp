// HttpOwner: the owner's page on /, and what its forms do. Only behind a login by the owner's token: an agent's token cannot approve.
#pragma once

#include "gateway/http_connection.hpp"
#include "gateway/http_door.hpp"
#include "gateway/http_logins.hpp"

namespace pfar::gateway {

class HttpOwner {
public:
    HttpOwner(HttpDoor const& door, HttpRooms const& rooms, HttpLimits const& limits)
        : door_(door), rooms_(rooms), limits_(limits), logins_(limits.login) {}

    /// The path is one of ours.
    [[nodiscard]] static bool is_at(std::string_view path);
    [[nodiscard]] HttpSite::Verdict judge(HttpRequest const& head);
    [[nodiscard]] HttpReply answer(HttpRequest const& request);

private:
    using Clock = HttpLogins::Clock;
    [[nodiscard]] std::string cookie_name() const { return door_.has_tls() ? "__Host-pfar" : "pfar"; }
    [[nodiscard]] HttpLogins::Login* login_of(HttpRequest const& request);
    [[nodiscard]] HttpReply page(HttpLogins::Login& login) const;
    [[nodiscard]] HttpReply log_in(HttpRequest const& request);
    [[nodiscard]] HttpReply log_out(HttpRequest const& request);
    [[nodiscard]] HttpReply decide(HttpRequest const& request, HttpLogins::Login& login) const;

    HttpDoor const& door_;
    HttpRooms const& rooms_;
    HttpLimits const& limits_;
    HttpLogins logins_;
};

} // namespace pfar::gateway
