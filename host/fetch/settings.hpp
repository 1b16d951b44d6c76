// Settings: what the owner decided, read from the environment once: pfar's server file puts it there, and the token comes from the vault.
#pragma once

#include "fetch/target.hpp"

#include <pfar/secret.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace pfar::fetch {

struct Settings {
    std::optional<Target> base{}; // PFAR_HTTP_BASE; none: whatever the filter lets pass, without a token
    Secret token{};               // PFAR_HTTP_TOKEN; empty: none
    std::string auth_header = "Authorization", auth_scheme = "Bearer"; // PFAR_HTTP_AUTH_HEADER, _AUTH_SCHEME
    std::chrono::milliseconds timeout = std::chrono::seconds(30);      // PFAR_HTTP_TIMEOUT, in seconds
    std::size_t most_bytes = 1U << 20U;                                // PFAR_HTTP_MAX
    std::string ca_file{}, ca_directory{};                             // SSL_CERT_FILE, SSL_CERT_DIR
};

/// A variable's value; null if it is not set.
using Variable = std::function<char const*(char const* name)>;

/// Errc::invalid with the variable's name; a value is never repeated.
Result<Settings> read_settings(Variable const& variable);

} // namespace pfar::fetch
