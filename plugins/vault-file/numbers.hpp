// Numbers and times as they lie in the vault's files: little-endian, of fixed size.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>

namespace pfar::vault_file {

using Time = std::chrono::system_clock::time_point;

/// Behind what it wrote.
template <std::unsigned_integral T> char* put_number(char* to, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) *to++ = static_cast<char>(value >> (8 * i));
    return to;
}

template <std::unsigned_integral T> T number_at(char const* from) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(T{static_cast<unsigned char>(from[i])} << (8 * i)));
    return value;
}

template <std::unsigned_integral T> void append_number(std::string& to, T value) {
    to.resize(to.size() + sizeof(T));
    put_number(to.data() + to.size() - sizeof(T), value);
}

inline char* put_time(char* to, Time time) {
    auto const count = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
    return put_number(to, static_cast<std::uint64_t>(count));
}

inline Time time_at(char const* from) {
    return Time(std::chrono::nanoseconds(static_cast<std::int64_t>(number_at<std::uint64_t>(from))));
}

} // namespace pfar::vault_file
