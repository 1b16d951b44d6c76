#include "config/address_domain.hpp"

#include <algorithm>
#include <array>

namespace pfar::config {
namespace {

struct Scheme {
    std::string_view name, port; // no port: what a rule without one means
};

constexpr std::array<Scheme, 10> schemes{{{"https", ""},
                                          {"http", ""},
                                          {"wss", ""},
                                          {"postgres", "5432"},
                                          {"postgresql", "5432"},
                                          {"mysql", "3306"},
                                          {"redis", "6379"},
                                          {"rediss", "6379"},
                                          {"mongodb", "27017"},
                                          {"amqp", "5672"}}};

} // namespace

std::optional<DomainRule> domain_in(std::string_view value) {
    auto const colon = value.find("://");
    auto const* const scheme = std::find_if(schemes.begin(), schemes.end(),
                                            [&](auto const& known) { return known.name == value.substr(0, colon); });
    if (colon == std::string_view::npos || scheme == schemes.end()) return {};
    auto host = value.substr(colon + 3);
    host = host.substr(0, host.find_first_of("/?#"));
    host.remove_prefix(host.rfind('@') + 1); // npos + 1 is 0
    if (host.find_first_of(",<${* ") != std::string_view::npos) return {};
    bool const has_port = host.find(':', std::min(host.rfind(']'), host.size())) != std::string_view::npos ||
                          (!host.starts_with('[') && host.find(':') != std::string_view::npos);
    auto text = std::string(host);
    if (!has_port && !scheme->port.empty()) text.append(":").append(scheme->port);
    auto rule = parse_domain(text);
    if (!rule || rule->host == "localhost" || rule->host.starts_with("127.") || rule->host == "::1") return {};
    return std::move(*rule);
}

} // namespace pfar::config
