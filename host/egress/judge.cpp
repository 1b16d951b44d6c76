// Everything here compares canonical forms; nothing here looks anything up.
#include "egress/judge.hpp"

#include "base/text.hpp"
#include "egress/special_address.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::egress {
namespace {

using boost::asio::ip::address;
using config::DomainRule;

constexpr std::size_t shown_rules = 12;

bool names(DomainRule const& rule, base::Host const& host) {
    if (rule.address != host.address.has_value()) return false;
    if (!rule.subdomains) return rule.host == host.name;
    auto const& name = host.name;
    return name.size() > rule.host.size() + 1 && name.ends_with(rule.host) &&
           name[name.size() - rule.host.size() - 1] == '.';
}

bool has_port(DomainRule const& rule, std::uint16_t port) {
    return rule.port ? *rule.port == port : port == 443 || port == 80;
}

template <class Matches> bool any(std::vector<DomainRule> const& rules, Matches matches) {
    return std::any_of(rules.begin(), rules.end(), matches);
}

bool is_listed(Rules const& rules, base::Host const& host, std::uint16_t port) {
    return any(rules.allowed, [&](auto const& rule) { return names(rule, host) && has_port(rule, port); });
}

bool may_be_private(Rules const& rules, base::Host const& host, std::uint16_t port) {
    return any(rules.allow_private,
               [&](auto const& rule) { return names(rule, host) && (!rule.port || *rule.port == port); });
}

std::string line(char const* key, std::vector<DomainRule> const& known, std::string const& added) {
    std::string out;
    if (known.size() <= shown_rules)
        for (auto const& rule : known) out += fmt::format("\"{}\", ", to_text(rule));
    else
        out = "..., ";
    return fmt::format("{} = [{}\"{}\"]", key, out, added);
}

/// The end of every refusal: exactly what its owner would write.
std::string way_in(Rules const& rules, std::string const& rule) {
    if (rules.remedy == Rules::Remedy::option)
        return fmt::format("To allow it: pfar exec --allow-domain '{}' ...", rule);
    return fmt::format("To allow it, its owner runs: pfar allow {0} '{1}'\nor writes into {0}.toml: {2}", rules.server,
                       rule, line("allowed_domains", rules.allowed, rule));
}

std::string private_way_in(Rules const& rules, base::Host const& host, std::uint16_t port, address const& address) {
    auto const as_address = rule_for({address.to_string(), address}, port);
    if (rules.remedy == Rules::Remedy::option)
        return fmt::format("To allow that address: pfar exec --allow-domain '{}' ...", as_address);
    return fmt::format("To allow it, its owner writes into {}.toml: {}", rules.server,
                       line("allow_private", rules.allow_private, host.name));
}

std::string not_listed(Rules const& rules, base::Host const& host, std::uint16_t port) {
    bool const other_port = any(rules.allowed, [&](auto const& rule) { return names(rule, host); });
    return fmt::format("pfar: {} may not reach {}{}. {}", rules.server, host.name,
                       other_port ? fmt::format(" on port {}", port) : "", way_in(rules, rule_for(host, port)));
}

/// As resolved, but v6 and v4 in turns: if one family leads nowhere, the next try is of the other.
std::vector<address> in_turns(std::vector<address> const& addresses) {
    std::vector<address> first, second, out;
    for (auto const& address : addresses)
        (address.is_v6() == addresses.front().is_v6() ? first : second).push_back(address);
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
        if (i < first.size()) out.push_back(first[i]);
        if (i < second.size()) out.push_back(second[i]);
    }
    return out;
}

} // namespace

std::string private_remedy(Rules const& rules, base::Host const& host) {
    if (rules.remedy == Rules::Remedy::option) return "";
    return fmt::format("; to allow it, write into {}.toml: {}", rules.server,
                       line("allow_private", rules.allow_private, host.name));
}

std::string rule_for(base::Host const& host, std::uint16_t port) {
    bool const usual = port == 443 || port == 80 || port == 0;
    DomainRule const rule{host.name, false, host.address.has_value(), usual ? std::nullopt : std::optional(port)};
    return to_text(rule);
}

NameVerdict judge_name(Rules const& rules, Destination const& destination) {
    auto host = base::canonical_host(destination.host);
    if (!host)
        return {false, {}, fmt::format("pfar: {} asked for no usable host: {}", rules.server, host.error().what)};
    bool const question = destination.said == Destination::Said::dns_question;
    bool const listed = question
                            ? any(rules.allowed, [&](auto const& rule) { return !rule.address && names(rule, *host); })
                            : is_listed(rules, *host, destination.port);
    if (listed) return {true, std::move(*host), ""};
    auto why = not_listed(rules, *host, destination.port);
    return {false, std::move(*host), std::move(why)};
}

Verdict judge_addresses(Rules const& rules, base::Host const& host, std::uint16_t port,
                        std::vector<address> const& addresses) {
    Verdict verdict;
    verdict.name = host.name;
    verdict.is_address = host.address.has_value();
    bool const anything =
        verdict.is_address || may_be_private(rules, host, port); // a listed address is listed by itself
    std::vector<address> good;
    for (auto const& address : addresses) {
        auto const what = special(address);
        if (!what || anything || is_listed(rules, {address.to_string(), address}, port)) {
            good.push_back(address);
        } else if (verdict.why.empty()) {
            verdict.why = fmt::format("pfar: {} may not reach {}: it has {} ({}). {}", rules.server, host.name, *what,
                                      address.to_string(), private_way_in(rules, host, port, address));
        }
    }
    verdict.allowed =
        !good.empty() || addresses.empty(); // without an address there is nothing to refuse, and nothing to dial
    if (addresses.empty()) verdict.why = fmt::format("{} has no address", host.name);
    if (!good.empty()) verdict.dial = in_turns(good), verdict.why.clear();
    return verdict;
}

} // namespace pfar::egress
