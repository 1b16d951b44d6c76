// What bounds the record and what waits to be written; tests make it smaller.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pfar::audit {

struct Limits {
    std::uint64_t file_bytes = 16U << 20U; // then a new file begins
    std::size_t waiting_events = 10'000, waiting_bytes = 16U << 20U;
    std::chrono::milliseconds lock = std::chrono::seconds(10); // how long another process is waited for
};

} // namespace pfar::audit
