// What the connections of one session share.
#pragma once

#include "synthetic_names.hpp"

#include <pfar/egress_filter.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <set>

namespace pfar::proxy_connect {

struct Limits {
    std::size_t header_bytes = 32768, tunnels = 256;
    std::chrono::milliseconds header{10'000}, idle{300'000}, decision{30'000}, dial{10'000}, farewell{2'000};
    std::chrono::milliseconds head_start{250}; // of one address before the next is tried beside it
};

class Connection;

/// Measured: below 256 KiB bulk loses a fifth.
inline constexpr std::size_t relay_bytes = std::size_t{256} << 10U;

/// It outlives the session for as long as a connection unwinds; then `alive` is false and neither `decide` nor `record` is called
/// any more.
struct SessionState {
    asio::any_io_executor executor;
    decltype(EgressTask::decide) decide;
    decltype(EgressTask::record) record;
    bool require_sni = true;
    Limits limits;
    std::function<void(LogLevel, std::string_view)> log;
    SyntheticNames names;
    std::set<Connection*> connections;
    std::size_t relaying = 0;
    bool alive = true;
    // One buffer for all: everything runs on one thread, and what is read is written before anything else is read.
    std::unique_ptr<char[]> const buffer = std::make_unique_for_overwrite<char[]>(relay_bytes);
};

} // namespace pfar::proxy_connect
