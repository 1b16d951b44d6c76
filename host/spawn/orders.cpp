// What cannot be written down is refused here, so that no order is lost on the way.
#include "spawn/orders.hpp"

#include <pfar/shim_wire.hpp>

namespace pfar::spawn {
namespace {

void put(std::string& out, ShimTag tag, std::string const& body) {
    out += static_cast<char>(tag);
    auto const size = static_cast<std::uint32_t>(body.size());
    for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((size >> shift) & 0xffU);
    out += body;
}

std::string rule_bytes(LandlockRule const& rule) {
    unsigned const bits = (rule.rights.read ? shim_read : 0U) | (rule.rights.create ? shim_create : 0U) |
                          (rule.rights.update ? shim_update : 0U) | (rule.rights.remove ? shim_remove : 0U) |
                          (rule.rights.execute ? shim_execute : 0U);
    return std::string(1, static_cast<char>(bits)) + rule.path.native();
}

} // namespace

Result<std::string> encode(ShimOrders const& orders) {
    auto const& limits = orders.limits;
    if (orders.network.egress || orders.become || orders.seccomp || limits.memory != 0 || limits.processes != 0 ||
        limits.descriptors != 0)
        return fail(
            Errc::unsupported,
            "pfar-shim only knows Landlock so far: it makes no listeners, changes no identity and sets no limits");
    std::string out;
    for (auto const& rule : orders.landlock) put(out, ShimTag::landlock, rule_bytes(rule));
    if (!orders.command.cwd.empty()) put(out, ShimTag::directory, orders.command.cwd.native());
    put(out, ShimTag::program, orders.command.program.native());
    for (auto const& argument : orders.command.args) put(out, ShimTag::argument, argument);
    for (auto const& [name, value] : orders.command.environment) put(out, ShimTag::variable, name + "=" + value);
    put(out, ShimTag::done, "");
    if (out.size() > shim_most_bytes)
        return fail(Errc::invalid, "the command with its environment is larger than 4 MiB");
    return out;
}

} // namespace pfar::spawn
