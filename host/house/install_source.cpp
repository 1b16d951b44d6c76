#include "house/install_source.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "egress/special_address.hpp"

#include <fmt/format.h>

#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace pfar::house {
namespace {

std::uint16_t usual_port(std::string_view scheme) {
    return scheme == "https" ? 443 : 80;
}

/// What is left of `rest` behind the scheme.
std::optional<std::string> scheme_of(std::string_view& rest) {
    for (std::string_view const scheme : {"https", "http"})
        if (rest.size() > scheme.size() + 3 && rest.starts_with(scheme) && rest.substr(scheme.size(), 3) == "://") {
            rest.remove_prefix(scheme.size() + 3);
            return std::string(scheme);
        }
    return std::nullopt;
}

std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char value = 0;
        auto const* const from = text.data() + i + 1;
        bool const escape =
            text[i] == '%' && i + 2 < text.size() && std::from_chars(from, from + 2, value, 16).ptr == from + 2;
        out += escape ? static_cast<char>(value) : text[i];
        if (escape) i += 2;
    }
    return out;
}

std::optional<boost::asio::ip::address> address_in(addrinfo const& found) {
    using namespace boost::asio::ip;
    if (found.ai_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, found.ai_addr, sizeof v4);
        return address_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (found.ai_family != AF_INET6) return std::nullopt;
    sockaddr_in6 v6{};
    std::memcpy(&v6, found.ai_addr, sizeof v6);
    address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return address_v6(bytes);
}

bool is_exception(std::string_view host, std::string_view exception) {
    while (exception.starts_with('.')) exception.remove_prefix(1);
    if (exception.empty() || !host.ends_with(exception)) return false;
    return host.size() == exception.size() || host[host.size() - exception.size() - 1] == '.';
}

} // namespace

std::string SourceUrl::authority() const {
    return port == usual_port(scheme) ? host : fmt::format("{}:{}", host, port);
}

std::optional<SourceUrl> parse_source(std::string_view url) {
    SourceUrl out;
    auto rest = url;
    auto scheme = scheme_of(rest);
    if (!scheme) return std::nullopt;
    out.scheme = std::move(*scheme);
    auto const slash = std::min(rest.find_first_of("/?#"), rest.size());
    out.path = slash == rest.size() ? "/" : std::string(rest.substr(slash));
    auto authority = rest.substr(0, slash);
    if (auto const at = authority.rfind('@'); at != std::string_view::npos) {
        out.login = authority.substr(0, at);
        authority.remove_prefix(at + 1);
    }
    auto const colon = authority.rfind(':');
    bool const has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
    out.host = authority.substr(0, has_port ? colon : authority.size());
    std::transform(out.host.begin(), out.host.end(), out.host.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    out.port = usual_port(out.scheme);
    if (has_port) {
        auto const digits = authority.substr(colon + 1);
        auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
        if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || out.port == 0) return std::nullopt;
    }
    if (out.host.empty()) return std::nullopt;
    return out;
}

Result<config::DomainRule> rule_of(SourceUrl const& url) {
    auto rule = config::parse_domain(fmt::format("{}:{}", url.host, url.port));
    if (rule && rule->subdomains)
        return fail(Errc::invalid, fmt::format("{} is a pattern, and packages come from one host; correct the package "
                                               "manager's settings",
                                               base::printable(url.host)));
    if (!rule)
        return fail(Errc::invalid, fmt::format("{} is no host that packages can come from: {}; correct the package "
                                               "manager's settings",
                                               base::printable(url.host), rule.error().what));
    return std::move(*rule);
}

bool is_at_home(SourceUrl const& url) {
    auto host = url.host;
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return false;
    bool special = false;
    for (auto const* one = found; one != nullptr; one = one->ai_next)
        if (auto const address = address_in(*one); address && egress::special(*address)) special = true;
    ::freeaddrinfo(found);
    return special;
}

Result<std::shared_ptr<egress::UpstreamProxy const>> proxy_for(SourceUrl const& url, std::string const& proxy,
                                                               std::vector<std::string> const& exceptions) {
    std::shared_ptr<egress::UpstreamProxy const> none;
    bool const direct = std::any_of(exceptions.begin(), exceptions.end(),
                                    [&](auto const& exception) { return is_exception(url.host, exception); });
    if (proxy.empty() || direct) return none;
    auto const parsed = parse_source(proxy);
    if (!parsed || parsed->scheme != "http")
        return fail(Errc::unsupported,
                    "the package manager's settings name a proxy that is not http://; name one in pfar.toml: "
                    "[egress] upstream = \"HOST:PORT\"");
    auto out = std::make_shared<egress::UpstreamProxy>();
    out->host = parsed->host;
    out->port = parsed->port;
    if (!parsed->login.empty()) out->authorization = base::basic_authorization(Secret(unescaped(parsed->login)));
    return std::shared_ptr<egress::UpstreamProxy const>(std::move(out));
}

} // namespace pfar::house
