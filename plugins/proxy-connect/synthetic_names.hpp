// SyntheticNames: the addresses that a sandbox gets instead of real ones, and the names behind them.
//
// Out of 198.18.0.0/15, which is nobody's. A name keeps its address for good: a process may hold on to one for as long as it
// lives, and it must never come to mean another name.
#pragma once

#include <boost/asio/ip/address_v4.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pfar::proxy_connect {

namespace asio = boost::asio;

class SyntheticNames {
public:
    static constexpr std::size_t most = 4096;

    /// `name` is canonical. None if it is new and all addresses are taken.
    std::optional<asio::ip::address_v4> address_of(std::string const& name);
    std::optional<std::string> name_of(asio::ip::address_v4 const& address) const;

private:
    std::vector<std::string> names_; // in the order of their addresses
    std::unordered_map<std::string, std::size_t> places_;
};

} // namespace pfar::proxy_connect
