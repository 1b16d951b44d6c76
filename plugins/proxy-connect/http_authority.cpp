// A host is what stands before the first colon, or in brackets: no second reading, no user name, no escapes.
#include "http_authority.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

constexpr std::size_t longest_host = 255; // a name has 253 at most, plus a dot; an address in brackets is shorter

Error bad_authority(std::string what) {
    return fail(Errc::invalid, std::move(what));
}

bool is_host_letter(char letter) {
    return is_letter_or_digit(letter) || letter == '.' || letter == '-' || letter == '_' ||
           static_cast<unsigned char>(letter) >= 0x80;
}

bool is_host(std::string_view host) {
    if (host.empty() || host.size() > longest_host) return false;
    if (host.front() != '[') return std::all_of(host.begin(), host.end(), is_host_letter);
    return host.size() > 2 && host.back() == ']' &&
           host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

// 1 to 65535, without sign, space or leading zero; 0 for everything else.
std::uint16_t port_of(std::string_view digits) {
    if (digits.empty() || digits.size() > 5 || digits.front() == '0') return 0;
    if (!std::all_of(digits.begin(), digits.end(), is_digit)) return 0;
    unsigned value = 0;
    for (auto const digit : digits) value = 10 * value + static_cast<unsigned>(digit - '0');
    return value <= 65535 ? static_cast<std::uint16_t>(value) : std::uint16_t{0};
}

} // namespace

bool Authority::is_same_as(Authority const& other) const {
    return is_same(host, other.host) && port == other.port;
}

Result<Authority> parse_authority(std::string_view text, std::uint16_t unsaid) {
    if (text.find('@') != std::string_view::npos)
        return bad_authority("a user name in front of a host is not accepted here");
    auto const end = text.find(':', text.starts_with('[') ? std::min(text.find(']'), text.size()) : 0);
    auto const host = text.substr(0, end);
    if (!is_host(host)) return bad_authority("this is not a host name or address");
    if (end == std::string_view::npos && unsaid == 0) return bad_authority("CONNECT needs host:port");
    auto const port = end == std::string_view::npos ? unsaid : port_of(text.substr(end + 1));
    if (port == 0) return bad_authority("a port is a number from 1 to 65535");
    return Authority{text, host, port};
}

} // namespace pfar::proxy_connect
