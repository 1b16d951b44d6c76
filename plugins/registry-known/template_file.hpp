// A template file as data: TOML in, KnownServers out. The only file that knows toml++.
//
// Strict: a key that nobody reads is a typing error, and a typing error in a domain list would be a hole.
#pragma once

#include <pfar/server_registry.hpp>

#include <filesystem>
#include <vector>

namespace pfar::registry_known {

/// `text` is the content of `file`, which is only used in messages: "FILE:LINE: what is wrong". Errc::invalid then.
Result<std::vector<KnownServer>> parse_templates(std::string_view text, std::filesystem::path const& file);

/// Errc::not_found, Errc::io, or what parse_templates says. At most 4 MiB.
Result<std::vector<KnownServer>> read_templates(std::filesystem::path const& file);

} // namespace pfar::registry_known
