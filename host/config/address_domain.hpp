// The domain that an address in a value leads to: what its server will want to reach.
#pragma once

#include "config/domain_rule.hpp"

#include <optional>
#include <string_view>

namespace pfar::config {

/// "postgres://u:p@db.example.com/x" -> db.example.com:5432. None for what is no address, names this machine, or has a port that cannot be told. Pure.
std::optional<DomainRule> domain_in(std::string_view value);

} // namespace pfar::config
