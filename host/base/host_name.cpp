// Names that the C library would take for an address ("0x7f.1", "2130706433", "127.1") are addresses here too: what is judged as a name
// must never be dialled as a number. Letters beyond ASCII go through libidn2 first, because they can become digits and dots.
#include "base/host_name.hpp"

#include <idn2.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <vector>

namespace pfar::base {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t longest_said = 1024, longest_name = 253, longest_label = 63;

Error bad(char const* what) {
    return fail(Errc::invalid, what);
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= longest_label && label.front() != '-' && label.back() != '-' &&
           std::all_of(label.begin(), label.end(), is_letter);
}

std::vector<std::string_view> labels_of(std::string_view name) {
    std::vector<std::string_view> out;
    for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
        out.push_back(name.substr(0, dot));
        name.remove_prefix(dot + 1);
    }
    out.push_back(name);
    return out;
}

bool is_number(std::string_view label) {
    if (label.starts_with("0x")) return label.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
    return !label.empty() && label.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Decimal, 0x hexadecimal or 0 octal, as inet_aton reads it.
std::optional<std::uint64_t> number_of(std::string_view label) {
    int base = 10;
    if (label.starts_with("0x"))
        base = 16, label.remove_prefix(2);
    else if (label.size() > 1 && label.front() == '0')
        base = 8, label.remove_prefix(1);
    if (label.empty()) return base == 16 ? std::optional<std::uint64_t>(0) : std::nullopt;
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(label.data(), label.data() + label.size(), value, base);
    if (error != std::errc() || end != label.data() + label.size()) return {};
    return value;
}

/// One to four numbers, of which the last fills what is left.
std::optional<ip::address> ipv4_of(std::vector<std::string_view> const& labels) {
    if (labels.size() > 4) return {};
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        auto const value = number_of(labels[i]);
        bool const last = i + 1 == labels.size();
        auto const room = last ? 8 * (5 - labels.size()) : 8;
        if (!value || *value >> room != 0) return {};
        all = all << room | *value;
    }
    return ip::make_address_v4(static_cast<ip::address_v4::uint_type>(all));
}

Host address_host(ip::address address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
    return {address.to_string(), address};
}

Result<Host> bracketed(std::string_view said) {
    auto const inner = said.substr(1, said.size() - 2);
    if (said.size() < 4 || said.back() != ']' ||
        inner.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos)
        return bad("this is not an IPv6 address in brackets");
    boost::system::error_code error;
    auto const address = ip::make_address_v6(std::string(inner), error);
    if (error) return bad("this is not an IPv6 address in brackets");
    return address_host(address);
}

Result<std::string> to_ascii(std::string_view said) {
    std::string const text(said);
    char* made = nullptr;
    if (idn2_to_ascii_8z(text.c_str(), &made, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL | IDN2_USE_STD3_ASCII_RULES) !=
        IDN2_OK)
        return bad("this is not an internationalised host name");
    std::unique_ptr<char, void (*)(void*)> const kept(made, idn2_free);
    return std::string(made);
}

bool is_beyond_ascii(char c) {
    return static_cast<unsigned char>(c) >= 128;
}

/// What no host name has in any encoding.
bool is_refused(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
           std::string_view("%/\\?#@:[]<>\"'`{}|^*,;=&!$()+~").find(c) != std::string_view::npos;
}

} // namespace

Result<Host> canonical_host(std::string_view said) {
    if (said.empty() || said.size() > longest_said) return bad("a host name has 1 to 253 characters");
    if (said.front() == '[') return bracketed(said);
    if (std::any_of(said.begin(), said.end(), is_refused)) return bad("this is not a host name");
    std::string name(said);
    if (std::any_of(name.begin(), name.end(), is_beyond_ascii)) {
        PFAR_TRY(ascii, to_ascii(name));
        name = std::move(ascii);
    }
    if (name.ends_with('.')) name.pop_back();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    auto const labels = labels_of(name);
    if (name.size() > longest_name || !std::all_of(labels.begin(), labels.end(), is_label))
        return bad("this is not a host name");
    if (!is_number(labels.back())) return Host{std::move(name), {}};
    if (auto const address = ipv4_of(labels)) return address_host(*address);
    return bad("this is neither a host name nor an address: a name does not end in a number");
}

} // namespace pfar::base
