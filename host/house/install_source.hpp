// Where packages come from: a URL taken apart, as a rule for the egress filter, and as the proxy in front of it.
#pragma once

#include "config/domain_rule.hpp"
#include "egress/rules.hpp"

#include <pfar/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::house {

struct SourceUrl {
    std::string scheme, login, host,
        path; // login: "user:password" as written; host: lower case, an IPv6 address in brackets; path: from its slash on
    std::uint16_t port = 0; // the scheme's own if the URL names none

    /// "registry.example.com", with the port if it is not the scheme's own.
    [[nodiscard]] std::string authority() const;
};

/// None for what is not http:// or https://, or has no host. [any thread]
std::optional<SourceUrl> parse_source(std::string_view url);

/// Exactly this host and port. Errc::invalid if it is no host. [any thread]
Result<config::DomainRule> rule_of(SourceUrl const& url);

/// True if one of its addresses lies behind the owner's door. One without addresses here is not. [may block]
bool is_at_home(SourceUrl const& url);

/// The proxy that a package manager's settings name; null if `proxy` is empty or `url` is among `exceptions` ("corp.example.com").
/// Errc::unsupported for one that is not http://. [any thread]
Result<std::shared_ptr<egress::UpstreamProxy const>> proxy_for(SourceUrl const& url, std::string const& proxy,
                                                               std::vector<std::string> const& exceptions);

} // namespace pfar::house
