// Two tables. IPv4 inside IPv6 is refused whatever it holds: it is a second spelling for an address that has a first one.
#include "egress/special_address.hpp"

#include <array>
#include <cstdint>

namespace pfar::egress {
namespace {

namespace ip = boost::asio::ip;

struct Range4 {
    std::uint32_t base;
    unsigned bits;
    std::string_view what;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return a << 24U | b << 16U | c << 8U | d;
}

constexpr std::array ranges4{
    Range4{v4(169, 254, 169, 254), 32, "a metadata address"},
    Range4{v4(168, 63, 129, 16), 32, "a metadata address"},
    Range4{v4(100, 100, 100, 200), 32, "a metadata address"},
    Range4{v4(192, 0, 0, 192), 32, "a metadata address"},
    Range4{v4(0, 0, 0, 0), 8, "an unspecified address"},
    Range4{v4(10, 0, 0, 0), 8, "a private address"},
    Range4{v4(100, 64, 0, 0), 10, "a carrier's private address"},
    Range4{v4(127, 0, 0, 0), 8, "a loopback address"},
    Range4{v4(169, 254, 0, 0), 16, "a link-local address"},
    Range4{v4(172, 16, 0, 0), 12, "a private address"},
    Range4{v4(192, 0, 0, 0), 24, "a reserved address"},
    Range4{v4(192, 168, 0, 0), 16, "a private address"},
    Range4{v4(224, 0, 0, 0), 4, "a multicast address"},
    Range4{v4(240, 0, 0, 0), 4, "a reserved address"},
};

struct Range6 {
    std::array<std::uint8_t, 16> base;
    unsigned bits;
    std::string_view what;
};

constexpr std::array ranges6{
    Range6{{}, 128, "an unspecified address"},
    Range6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, "a loopback address"},
    Range6{{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54}, 128, "a metadata address"},
    Range6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, "IPv4 mapped into IPv6"},
    Range6{{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, "IPv4 translated into IPv6"},
    Range6{{}, 96, "IPv4 inside IPv6"},
    Range6{{0, 0x64, 0xff, 0x9b}, 96, "IPv4 behind NAT64"},
    Range6{{0, 0x64, 0xff, 0x9b, 0, 1}, 48, "IPv4 behind NAT64"},
    Range6{{0x20, 2}, 16, "IPv4 inside 6to4"},
    Range6{{0x20, 1}, 32, "IPv4 inside Teredo"},
    Range6{{1}, 64, "an address that leads nowhere"},
    Range6{{0xfc}, 7, "a private address"},
    Range6{{0xfe, 0x80}, 10, "a link-local address"},
    Range6{{0xfe, 0xc0}, 10, "a private address"},
    Range6{{0xff}, 8, "a multicast address"},
};

bool lies_in(std::uint32_t address, Range4 const& range) {
    return (address ^ range.base) >> (32 - range.bits) == 0;
}

bool lies_in(ip::address_v6::bytes_type const& address, Range6 const& range) {
    unsigned const whole = range.bits / 8, rest = range.bits % 8;
    for (unsigned i = 0; i < whole; ++i)
        if (address[i] != range.base[i]) return false;
    return rest == 0 || (address[whole] ^ range.base[whole]) >> (8 - rest) == 0;
}

} // namespace

std::optional<std::string_view> special(ip::address const& address) {
    if (address.is_v4()) {
        for (auto const& range : ranges4)
            if (lies_in(address.to_v4().to_uint(), range)) return range.what;
        return {};
    }
    auto const v6 = address.to_v6();
    if (v6.scope_id() != 0) return "a link-local address";
    for (auto const& range : ranges6)
        if (lies_in(v6.to_bytes(), range)) return range.what;
    auto const bytes = v6.to_bytes();
    bool const isatap = bytes[10] == 0x5e && bytes[11] == 0xfe && (bytes[8] & 0xfcU) == 0 && bytes[9] == 0;
    if (isatap) return "IPv4 inside ISATAP";
    return {};
}

} // namespace pfar::egress
