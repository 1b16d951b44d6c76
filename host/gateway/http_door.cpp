#include "gateway/http_door.hpp"

#include "base/host_name.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>

namespace pfar::gateway {
namespace {

constexpr std::size_t least_token = 16;

/// "name:port" without the port; canonical, empty if it is no host.
std::string host_of(std::string_view authority) {
    auto const colon = authority.rfind(':');
    auto const bracket = authority.rfind(']');
    bool const has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    if (has_port && authority.substr(colon + 1).find_first_not_of("0123456789") != std::string_view::npos) return {};
    auto const host = base::canonical_host(has_port ? authority.substr(0, colon) : authority);
    return host ? host->name : std::string();
}

std::string_view authority_of(std::string_view origin) {
    auto const slashes = origin.find("://");
    return slashes == std::string_view::npos ? std::string_view() : origin.substr(slashes + 3);
}

bool is_loopback(std::string const& name) {
    if (name == "localhost") return true;
    auto const host = base::canonical_host(name.find(':') == std::string::npos ? name : '[' + name + ']');
    return host && host->address && host->address->is_loopback();
}

bool is_address(std::string const& name) {
    auto const host = base::canonical_host(name.find(':') == std::string::npos ? name : '[' + name + ']');
    return host && host->address;
}

/// Says nothing by the time it takes, not even how long the right one is.
bool is_token(std::string_view said, Secret const& token) {
    if (token.size() == 0) return false;
    std::array<unsigned char, crypto_generichash_BYTES> a{}, b{};
    auto const digest = [](auto& place, std::string_view bytes) {
        crypto_generichash(place.data(), place.size(), reinterpret_cast<unsigned char const*>(bytes.data()),
                           bytes.size(), nullptr, 0);
    };
    digest(a, said);
    digest(b, token.reveal());
    return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view bearer(HttpRequest const& request) {
    auto const said = request.field("authorization");
    return lower_case(said.substr(0, 7)) == "bearer " ? trimmed(said.substr(7)) : std::string_view();
}

Result<void> check_exposure(HttpSettings const& settings, bool loopback, bool tls) {
    auto const address = base::printable(settings.host);
    if (!settings.auth && !loopback)
        return fail(Errc::refused, fmt::format("{} can be reached from elsewhere: it is not served without a token; "
                                               "leave --no-auth away, or use 127.0.0.1",
                                               address));
    if (!tls && !loopback)
        return fail(Errc::refused, fmt::format("{} can be reached from elsewhere: it is not served without TLS; give a "
                                               "certificate and its key, or use 127.0.0.1",
                                               address));
    if (settings.auth && settings.agents_token.size() < least_token)
        return fail(Errc::refused, "the agents' token is shorter than 16 characters; make a longer one");
    if (settings.owners_token.size() != 0 && settings.owners_token.size() < least_token)
        return fail(Errc::refused, "the owner's token is shorter than 16 characters; make a longer one");
    if (settings.auth && settings.owners_token.same_as(settings.agents_token))
        return fail(Errc::refused,
                    "the owner's token and the agents' are the same; agents could approve their own calls");
    return {};
}

} // namespace

Result<HttpDoor> HttpDoor::open(HttpSettings& settings) {
    HttpDoor out;
    out.bound_ = host_of(settings.host.find(':') == std::string::npos || settings.host.starts_with('[')
                             ? settings.host
                             : '[' + settings.host + ']');
    if (out.bound_ != "localhost" && !is_address(out.bound_))
        return fail(
            Errc::invalid,
            fmt::format("{} is no address to listen on; use 127.0.0.1, localhost or another address of this machine",
                        base::printable(settings.host)));
    out.loopback_ = is_loopback(out.bound_);
    out.tls_ = !settings.certificate.empty() || !settings.key.empty();
    PFAR_CHECK(check_exposure(settings, out.loopback_, out.tls_));
    for (auto const& host : settings.hosts) out.hosts_.push_back(host_of(host));
    for (auto const& origin : settings.origins) out.origins_.push_back(lower_case(origin));
    out.auth_ = settings.auth;
    out.agents_ = std::move(settings.agents_token);
    out.owners_ = std::move(settings.owners_token);
    return out;
}

std::optional<HttpReply> HttpDoor::refuse_stranger(HttpRequest const& request) const {
    if (!is_our_host(host_of(request.field("host"))))
        return plain_reply(403, "this Host is not served here; add it to the hosts that are, or use the address");
    if (request.has("origin") && !is_fine_origin(request))
        return plain_reply(403, "pages of this Origin may not talk to pfar; add it to the origins that may");
    return {};
}

bool HttpDoor::is_our_host(std::string_view host) const {
    std::string const name(host);
    if (name.empty()) return false;
    if (name == bound_ || is_loopback(name)) return true;
    return std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end() || (!loopback_ && is_address(name));
}

bool HttpDoor::is_fine_origin(HttpRequest const& request) const {
    auto const origin = request.field("origin");
    if (is_welcome(origin)) return true;
    auto const host = host_of(authority_of(origin));
    if (host.empty()) return false; // null, too
    return (loopback_ && is_loopback(host)) || host == host_of(request.field("host"));
}

bool HttpDoor::is_welcome(std::string_view origin) const {
    return std::find(origins_.begin(), origins_.end(), lower_case(origin)) != origins_.end();
}

bool HttpDoor::is_same_origin(HttpRequest const& request) const {
    auto const site = request.field("sec-fetch-site");
    if (!site.empty() && site != "same-origin" && site != "none") return false;
    if (!request.has("origin")) return true;
    auto const own = fmt::format("{}://{}", tls_ ? "https" : "http", request.field("host"));
    return lower_case(request.field("origin")) == lower_case(own);
}

bool HttpDoor::is_agent(HttpRequest const& request) const {
    return !auth_ || is_token(bearer(request), agents_);
}
bool HttpDoor::is_owner(HttpRequest const& request) const {
    return is_token(bearer(request), owners_);
}
bool HttpDoor::is_owners_token(std::string_view token) const {
    return is_token(token, owners_);
}

HttpFields HttpDoor::cors(HttpRequest const& request) const {
    auto const origin = request.field("origin");
    if (origin.empty() || !is_welcome(origin)) return {};
    return {{"Access-Control-Allow-Origin", std::string(origin)},
            {"Access-Control-Expose-Headers", "Mcp-Session-Id"},
            {"Vary", "Origin"}};
}

} // namespace pfar::gateway
