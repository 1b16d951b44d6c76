// DomainRule: one line of allowed_domains, in canonical form.
#pragma once

#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pfar::config {

struct DomainRule {
    std::string host;                  // lower case, no trailing dot; an address without brackets
    bool subdomains = false;           // written "*.host": names below it, not the name itself
    bool address = false;              // an IP literal
    std::optional<std::uint16_t> port; // none: 443 and 80

    friend bool operator==(DomainRule const&, DomainRule const&) = default;
};

/// "api.example.com", "*.example.com", "db.example.com:5432", "192.0.2.1", "[2001:db8::1]:443".
Parsed<DomainRule> parse_domain(std::string_view text);

/// True if everything that `narrow` allows, `wide` allows too.
bool covers(DomainRule const& wide, DomainRule const& narrow);

/// As it would be written in a file.
std::string to_text(DomainRule const& rule);

} // namespace pfar::config
