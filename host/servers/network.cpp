#include "servers/network.hpp"

#include <set>

namespace pfar::servers {
namespace {

constexpr std::uint16_t usual_proxy_port = 3128;

} // namespace

Network network_for(std::vector<config::DomainRule> const& domains, bool transparent, bool anyway) {
    Network network;
    if (domains.empty() && !anyway) return network;
    std::set<std::uint16_t> ports;
    for (auto const& rule : domains)
        if (rule.port) ports.insert(*rule.port);
    network.egress = true;
    network.transparent = transparent;
    network.proxy_port = usual_proxy_port;
    while (ports.contains(network.proxy_port)) ++network.proxy_port;
    for (auto const port : ports)
        if (port != 443 && port != 80 && port != 53) network.ports.push_back(port); // those have listeners anyway
    return network;
}

} // namespace pfar::servers
