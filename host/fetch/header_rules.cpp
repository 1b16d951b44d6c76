#include "fetch/header_rules.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace pfar::fetch {
namespace {

constexpr std::size_t most_name = 100, most_value = 8192;

/// The last ones would make a write of what was judged as a read.
constexpr std::array<std::string_view, 17> not_theirs{"authorization",
                                                      "host",
                                                      "cookie",
                                                      "cookie2",
                                                      "connection",
                                                      "keep-alive",
                                                      "te",
                                                      "trailer",
                                                      "upgrade",
                                                      "expect",
                                                      "via",
                                                      "content-length",
                                                      "transfer-encoding",
                                                      "accept-encoding",
                                                      "x-http-method",
                                                      "x-http-method-override",
                                                      "x-method-override"};

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

} // namespace

bool is_field_name(std::string_view text) {
    constexpr std::string_view signs = "!#$%&'*+-.^_`|~";
    return !text.empty() && text.size() <= most_name && std::all_of(text.begin(), text.end(), [&](char c) {
        bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return letter || signs.find(c) != std::string_view::npos;
    });
}

bool is_field_value(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

bool is_same_field(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

Result<void> check_field(std::string_view name, std::string_view value, std::string_view auth) {
    if (!is_field_name(name))
        return fail(Errc::refused,
                    fmt::format("{} is no name of a header", base::printable(base::whole_text(name, 100))));
    if (!is_field_value(value) || !base::is_utf8(value))
        return fail(Errc::refused, fmt::format("the header {} has a line break or control characters in it", name));
    if (value.size() > most_value) return fail(Errc::refused, fmt::format("the header {} is longer than 8 KiB", name));
    bool const ours =
        std::any_of(not_theirs.begin(), not_theirs.end(), [&](auto one) { return is_same_field(name, one); });
    if (ours || is_same_field(name, auth) || is_same_field(name.substr(0, 6), "proxy-"))
        return fail(Errc::refused,
                    fmt::format("the header {} cannot be set: pfar and the connection decide it; leave it out", name));
    return {};
}

} // namespace pfar::fetch
