// What bounds the record and what waits to be written; tests make it smaller.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pfar::audit {

struct Limits {
    std::uint64_t file_bytes = 16U << 20U; // then a new file begins
    std::size_t waiting_events = 50'000, waiting_bytes = 16U << 20U;
    std::chrono::milliseconds lock = std::chrono::seconds(10); // how long another process is waited for
    std::chrono::milliseconds delay{100};                      // how long an event waits for others; 0: not at all
    std::chrono::milliseconds retry = std::chrono::seconds(1); // how often a record that cannot be written is tried
};

} // namespace pfar::audit
