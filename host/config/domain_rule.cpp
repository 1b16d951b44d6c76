// Strict on purpose: what is odd here would be judged oddly later. One spelling for an address: four decimal numbers, or IPv6 in brackets.
#include "config/domain_rule.hpp"

#include "base/host_name.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace pfar::config {
namespace {

constexpr char const* expected =
    "a host name, \"*.\" and a host name, or an address; a port may follow, as in db.example.com:5432";

Wrong wrong(std::string_view text, std::string_view why,
            std::string fix = "such as \"api.example.com\", \"*.example.com\" or \"db.example.com:5432\"") {
    bool const has_user = text.find('@') != std::string_view::npos; // and perhaps a password
    return {has_user ? fmt::format("this {}", why)
                     : fmt::format("\"{}\" {}", base::printable(text.substr(0, 120)), why),
            expected, std::move(fix)};
}

/// "https://user@api.example.com/v1?x" -> "api.example.com"
std::string host_in_url(std::string_view text) {
    if (auto const at = text.find("://"); at != std::string_view::npos) text.remove_prefix(at + 3);
    text = text.substr(0, text.find_first_of("/?#"));
    if (auto const at = text.rfind('@'); at != std::string_view::npos) text.remove_prefix(at + 1);
    return std::string(text);
}

bool is_label(std::string_view label) {
    auto const fits = [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '-' || c == '_'); };
    return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
           std::all_of(label.begin(), label.end(), fits);
}

bool is_host_name(std::string_view host) {
    if (host.empty() || host.size() > 253) return false;
    while (true) {
        auto const dot = host.find('.');
        if (!is_label(host.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        host.remove_prefix(dot + 1);
    }
}

/// The last label of a name is never a number; of an address in any spelling it is.
bool ends_in_number(std::string_view host) {
    auto const last = host.substr(host.rfind('.') + 1);
    return last.starts_with("0x") ||
           std::all_of(last.begin(), last.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_address(int family, std::string const& text) {
    if (text.find('\0') != std::string::npos) return false;
    unsigned char bytes[sizeof(in6_addr)];
    return ::inet_pton(family, text.c_str(), bytes) == 1;
}

/// Takes ":5432" off the end of `text`. False if what stands there is no port.
bool take_port(std::string_view& text, std::optional<std::uint16_t>& port) {
    auto const colon = text.rfind(':');
    if (colon == std::string_view::npos || text.ends_with(']')) return true;
    auto const digits = text.substr(colon + 1);
    std::uint16_t number = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number == 0) return false;
    port = number;
    text = text.substr(0, colon);
    return true;
}

Parsed<DomainRule> parse_ipv6(std::string_view whole, std::string_view text, DomainRule rule) {
    std::string const given(text.substr(1, text.size() - 2));
    if (!text.ends_with(']') || !is_address(AF_INET6, given)) return wrong(whole, "is not an IPv6 address");
    in6_addr bytes{};
    char canonical[INET6_ADDRSTRLEN];
    ::inet_pton(AF_INET6, given.c_str(), &bytes);
    rule.host = ::inet_ntop(AF_INET6, &bytes, canonical, sizeof canonical);
    rule.address = true;
    return rule;
}

} // namespace

Parsed<DomainRule> parse_domain(std::string_view text) {
    auto const whole = text;
    if (text.find_first_of("/?#@") != std::string_view::npos)
        return wrong(whole, "is a URL, not a host name", fmt::format("\"{}\"", base::printable(host_in_url(text))));
    if (is_address(AF_INET6, std::string(text)))
        return wrong(whole, "is an IPv6 address without brackets", fmt::format("\"[{}]\"", text));
    DomainRule rule;
    if (!take_port(text, rule.port)) return wrong(whole, "has no usable port; ports go from 1 to 65535");
    if (text.starts_with('[')) return parse_ipv6(whole, text, std::move(rule));

    if (text.starts_with("*.")) rule.subdomains = true, text.remove_prefix(2);
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.find('*') != std::string_view::npos)
        return wrong(whole, "has a * in a place where none may be",
                     "name each domain, or all below one: \"*.example.com\"");
    std::string ascii; // as DNS has it
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c >= 128; })) {
        auto const host = base::canonical_host(text);
        if (!host || host->address) return wrong(whole, "has letters that no host name has");
        ascii = host->name;
        text = ascii;
    }
    if (!is_host_name(text)) return wrong(whole, "is not a host name");
    std::transform(text.begin(), text.end(), std::back_inserter(rule.host),
                   [](unsigned char c) { return std::tolower(c); });
    if (!ends_in_number(rule.host)) return rule;

    rule.address = !rule.subdomains && is_address(AF_INET, rule.host);
    if (!rule.address) return wrong(whole, "is not an address", "write an address as four numbers: \"192.0.2.1\"");
    return rule;
}

bool covers(DomainRule const& wide, DomainRule const& narrow) {
    bool const same_port =
        wide.port == narrow.port || (!wide.port && narrow.port && (*narrow.port == 443 || *narrow.port == 80));
    if (!same_port) return false;
    if (!wide.subdomains) return !narrow.subdomains && wide.host == narrow.host;
    if (narrow.subdomains && narrow.host == wide.host) return true;
    return !narrow.address && narrow.host.ends_with("." + wide.host);
}

std::string to_text(DomainRule const& rule) {
    auto const host = rule.host.find(':') != std::string::npos ? "[" + rule.host + "]" : rule.host;
    return (rule.subdomains ? "*." : "") + host + (rule.port ? ":" + std::to_string(*rule.port) : "");
}

} // namespace pfar::config
