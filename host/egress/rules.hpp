// Rules: where one server may go, and how its owner would allow it more.
#pragma once

#include "config/domain_rule.hpp"

#include <pfar/secret.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pfar::egress {

/// The proxy that this machine has to go through. It is the owner's word, so its own address is not judged.
struct UpstreamProxy {
    std::string host;
    std::uint16_t port = 0;
    Secret authorization; // the value of Proxy-Authorization; empty: none
};

struct Rules {
    enum class Remedy : std::uint8_t { server_file, option }; // pfar allow NAME D, or --allow-domain D
    std::string server;
    std::vector<config::DomainRule> allowed, allow_private;
    Remedy remedy = Remedy::server_file;
    std::shared_ptr<UpstreamProxy const> upstream;
};

} // namespace pfar::egress
