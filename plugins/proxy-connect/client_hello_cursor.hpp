// Cursor: takes big-endian numbers and counted blocks off the front of bytes. For TLS and DNS, which are written alike.
#pragma once

#include <cstdint>
#include <string_view>

namespace pfar::proxy_connect {

/// Whatever does not fit comes out as 0 or empty, and from then on `good` is false: check it before believing the rest.
struct Cursor {
    std::string_view rest;
    bool good = true;

    std::string_view take(std::size_t size) {
        good = good && size <= rest.size();
        if (!good) return {};
        auto const part = rest.substr(0, size);
        rest.remove_prefix(size);
        return part;
    }

    /// Of up to 4 bytes.
    std::uint32_t number(std::size_t size) {
        std::uint32_t value = 0;
        for (auto const byte : take(size)) value = value << 8U | static_cast<unsigned char>(byte);
        return value;
    }

    /// A length of `size` bytes, then as many as it says.
    std::string_view block(std::size_t size) { return take(number(size)); }

    bool at_end() const { return good && rest.empty(); }
};

} // namespace pfar::proxy_connect
