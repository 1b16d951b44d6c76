// A template file as data: TOML in, KnownServers out. The only file that knows toml++.
//
// Strict: a key that nobody reads is a typing error, and a typing error in a domain list would be a hole.
#pragma once

#include <pfar/server_registry.hpp>

#include <filesystem>
#include <vector>

namespace pfar::registry_known {

/// What cannot be used, and the names and aliases that it would have had, as far as they can be read.
struct LeftOut {
    std::vector<std::string> names;
    Error why; // "FILE:LINE: what is wrong"
};

struct Templates {
    std::vector<KnownServer> servers;
    std::vector<LeftOut> left_out;
};

/// `text` is the content of `file`, which is only used in messages. A table with a mistake is left out alone, text that is no
/// TOML as a whole: Errc::invalid.
Templates parse_templates(std::string_view text, std::filesystem::path const& file);

/// At most 4 MiB. A file that cannot be read is left out with Errc::not_found or Errc::io, under its own name.
Templates read_templates(std::filesystem::path const& file);

} // namespace pfar::registry_known
