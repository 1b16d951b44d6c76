// npm's settings as its owner has them, read outside of any sandbox: registries, certificates, the proxy, and what a registry wants to see of them.
#pragma once

#include "house/install_source.hpp"
#include "servers/wish.hpp"

#include <pfar/secret.hpp>

#include <filesystem>
#include <map>

namespace pfar::house {

struct NpmSettings {
    std::string registry;                      // its address, with a slash at its end
    std::map<std::string, std::string> scopes; // "@corp": its registry
    std::string authorities;                   // PEM, of cafile or ca; empty: those of the system
    bool strict_ssl = true;
    std::string proxy, https_proxy;
    std::vector<std::string> no_proxy;
    std::vector<std::pair<std::string, Secret>> logins; // "//registry.example.com/:_authToken", as in an npmrc
};

/// `npm config` does not tell what is protected, logins in URLs included; so that is read from the files that it names. Errc::unavailable if npm does not answer.
/// [main thread, may block]
Result<NpmSettings> read_npm_settings(servers::OwnerFacts const& owner, std::filesystem::path const& npm);

} // namespace pfar::house
