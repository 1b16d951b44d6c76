// Each function takes its part off the front and leaves the rest to the next.
#include "connect_request.hpp"

#include <algorithm>
#include <utility>

namespace pfar::proxy_connect {

namespace {

constexpr std::string_view method = "CONNECT ", version = " HTTP/1.1", line_end = "\r\n";
constexpr std::size_t longest_host = 255; // a name has 253 at most, plus a dot; an address in brackets is shorter

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool is_letter_or_digit(char letter) {
    return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

bool is_control(char letter) {
    return (static_cast<unsigned char>(letter) < 0x20 && letter != '\t') || letter == 0x7f;
}

// CR and LF stand together or not at all.
bool may_follow(char before, char letter) {
    if (before == '\r' || letter == '\n') return before == '\r' && letter == '\n';
    return letter == '\r' || !is_control(letter);
}

Error bad(std::string what) {
    return fail(Errc::invalid, std::move(what));
}

// The letters that can stand in a host; whether it is one is the judge's business.
bool is_host(std::string_view host) {
    if (host.empty() || host.size() > longest_host) return false;
    if (host.front() == '[')
        return host.size() > 2 && host.back() == ']' &&
               host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
    return std::all_of(host.begin(), host.end(), [](char letter) {
        return is_letter_or_digit(letter) || letter == '.' || letter == '-' || letter == '_';
    });
}

// 1 to 65535, without sign, space or leading zero; 0 for everything else.
std::uint16_t port_of(std::string_view digits) {
    if (digits.empty() || digits.size() > 5 || digits.front() == '0') return 0;
    if (!std::all_of(digits.begin(), digits.end(), is_digit)) return 0;
    unsigned value = 0;
    for (auto const digit : digits) value = 10 * value + static_cast<unsigned>(digit - '0');
    return value <= 65535 ? static_cast<std::uint16_t>(value) : std::uint16_t{0};
}

Result<ConnectRequest> parse_authority(std::string_view authority) {
    auto const colon = authority.rfind(':');
    if (colon == std::string_view::npos || authority.back() == ']') return bad("CONNECT needs host:port");
    auto const host = authority.substr(0, colon);
    auto const port = port_of(authority.substr(colon + 1));
    if (!is_host(host)) return bad("this is not a host name or address");
    if (port == 0) return bad("a port is a number from 1 to 65535");
    return ConnectRequest{std::string(host), port};
}

// `Name: value`. The values are of no interest, their form is: a folded line or a nameless one is somebody's trick.
bool is_field(std::string_view line) {
    auto const colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos) return false;
    auto const name = line.substr(0, colon);
    return std::all_of(name.begin(), name.end(), [](char letter) {
        return is_letter_or_digit(letter) || std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
    });
}

std::string_view take_line(std::string_view& rest) {
    auto const end = rest.find(line_end);
    if (end == std::string_view::npos) return std::exchange(rest, {});
    auto const line = rest.substr(0, end);
    rest.remove_prefix(end + line_end.size());
    return line;
}

} // namespace

HeaderScan scan_header(std::string_view bytes, std::size_t known) {
    for (auto at = known; at < bytes.size(); ++at) {
        auto const good = at < method.size() ? bytes[at] == method[at] : may_follow(bytes[at - 1], bytes[at]);
        if (!good) return {HeaderScan::State::bad, 0};
        if (bytes.substr(0, at + 1).ends_with("\r\n\r\n")) return {HeaderScan::State::complete, at + 1};
    }
    return {};
}

Result<ConnectRequest> parse_connect(std::string_view header) {
    if (auto const scan = scan_header(header, 0);
        scan.state != HeaderScan::State::complete || scan.size != header.size())
        return bad("this is not the header of a CONNECT request");
    auto line = take_line(header);
    line.remove_prefix(method.size());
    if (!line.ends_with(version)) return bad("this proxy speaks HTTP/1.1");
    line.remove_suffix(version.size());
    PFAR_TRY(request, parse_authority(line));
    for (auto field = take_line(header); !field.empty(); field = take_line(header))
        if (!is_field(field)) return bad("a header line is \"name: value\"");
    return request;
}

} // namespace pfar::proxy_connect
