// Addresses are numbered from 198.18.0.1 on. The ends .0 and .255 are left out: some programs take them for a network's own.
#include "synthetic_names.hpp"

namespace pfar::proxy_connect {

namespace {

constexpr std::uint32_t network = 198U << 24U | 18U << 16U, ends_used = 254;

} // namespace

std::optional<asio::ip::address_v4> SyntheticNames::address_of(std::string const& name) {
    auto const known = places_.find(name);
    auto const place = known != places_.end() ? known->second : names_.size();
    if (place == most) return std::nullopt;
    if (known == places_.end()) {
        places_.emplace(name, place);
        names_.push_back(name);
    }
    auto const number = static_cast<std::uint32_t>(place);
    return asio::ip::address_v4(network + number / ends_used * 256 + number % ends_used + 1);
}

std::optional<std::string> SyntheticNames::name_of(asio::ip::address_v4 const& address) const {
    auto const offset = address.to_uint() - network; // what is below the network comes out far above it
    auto const end = offset % 256;
    if (end == 0 || end > ends_used) return std::nullopt;
    auto const place = std::size_t{offset / 256} * ends_used + end - 1;
    if (place >= names_.size()) return std::nullopt;
    return names_[place];
}

} // namespace pfar::proxy_connect
