// Numbers are read by from_chars and checked for overflow; nothing here depends on the locale.
#include "config/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>

namespace pfar::config {
namespace {

struct Amount {
    std::uint64_t number;
    std::string unit; // lower case
};

std::optional<Amount> amount(std::string_view text) {
    Amount out{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.number);
    if (error != std::errc()) return {};
    for (auto const* c = end; c != text.data() + text.size(); ++c)
        out.unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    return out;
}

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

template <std::size_t N>
std::optional<std::uint64_t> scaled(std::string_view text, std::array<Unit, N> const& units, std::uint64_t most) {
    auto const read = amount(text);
    if (!read) return {};
    auto const* const unit =
        std::find_if(units.begin(), units.end(), [&](auto const& u) { return u.name == read->unit; });
    if (unit == units.end() || read->number > most / unit->factor) return {};
    return read->number * unit->factor;
}

bool all_of(std::string_view text, char const* others) {
    return std::all_of(text.begin(), text.end(), [&](unsigned char c) {
        return (c < 128 && std::isalnum(c) != 0) ||
               (c != 0 && std::string_view(others).find(static_cast<char>(c)) != std::string_view::npos);
    });
}

/// "NOTION-TOKEN" -> "NOTION_TOKEN"
std::string close_to_variable(std::string_view text) {
    std::string close;
    for (unsigned char c : text.substr(0, 40)) close += c < 128 && std::isalnum(c) != 0 ? static_cast<char>(c) : '_';
    return close.empty() || std::isdigit(static_cast<unsigned char>(close[0])) != 0 ? "MY_" + close : close;
}

std::string in_quotes(std::string_view text) {
    return fmt::format("\"{}\"", base::printable(text.substr(0, 80)));
}

} // namespace

void throw_exception_from_error(Wrong const& wrong, boost::source_location const& /*where*/) {
    throw std::runtime_error(wrong.what);
}

Parsed<std::uint64_t> parse_size(std::string_view text) {
    constexpr std::array<Unit, 11> units{{{"", 1},
                                          {"b", 1},
                                          {"k", 1U << 10U},
                                          {"kb", 1U << 10U},
                                          {"kib", 1U << 10U},
                                          {"m", 1U << 20U},
                                          {"mb", 1U << 20U},
                                          {"mib", 1U << 20U},
                                          {"g", 1U << 30U},
                                          {"gb", 1U << 30U},
                                          {"gib", 1U << 30U}}};
    auto const size = scaled(text, units, std::uint64_t{1} << 60U);
    if (size && *size > 0) return *size;
    return Wrong{in_quotes(text) + " is not a size", "a whole number above 0 with k, m or g behind it",
                 "such as \"256m\" or \"1g\""};
}

Parsed<std::chrono::milliseconds> parse_duration(std::string_view text) {
    constexpr std::array<Unit, 5> units{{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
    if (text == "0") return std::chrono::milliseconds{0};
    auto const length = scaled(text, units, std::uint64_t{3650} * 86'400'000);
    if (length) return std::chrono::milliseconds{*length};
    return Wrong{in_quotes(text) + " is not a duration", "a whole number with ms, s, m, h or d behind it",
                 "such as \"30s\" or \"10m\""};
}

Parsed<std::string> parse_server_name(std::string_view text) {
    bool const right = !text.empty() && text.size() <= 20 && text[0] != '-' && all_of(text, "-") &&
                       std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::isupper(c) != 0; });
    if (right && text == own_name)
        return Wrong{in_quotes(text) + " is pfar's own name", "another name", "such as \"pfar-server\""};
    if (right) return std::string(text);
    std::string close;
    for (unsigned char c : text.substr(0, 20))
        if (c < 128 && std::isalnum(c) != 0)
            close += static_cast<char>(std::tolower(c));
        else if (!close.empty())
            close += '-';
    return Wrong{in_quotes(text) + " is not a server name",
                 "1 to 20 characters: small letters, digits and -, not beginning with -",
                 close.empty() ? "such as \"notion\""
                               : fmt::format("such as \"{}\"; the file's name has to be the same", close)};
}

Parsed<std::string> parse_variable(std::string_view text) {
    if (!text.empty() && text.size() <= 256 && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
        all_of(text, "_"))
        return std::string(text);
    return Wrong{in_quotes(text) + " is not the name of an environment variable",
                 "letters, digits and _, not beginning with a digit", "such as " + in_quotes(close_to_variable(text))};
}

Parsed<std::string> parse_passed(std::string_view text) {
    if (text.starts_with("PFAR_SECRET_"))
        return Wrong{"PFAR_SECRET_* is the vault-env store, and goes to no server as it is",
                     "variables that are no credentials", "use [auth]: NAME = \"vault:ENTRY\""};
    return parse_variable(text);
}

Parsed<std::string> parse_entry_name(std::string_view text) {
    if (!text.empty() && text.size() <= 64 && all_of(text, "_.-")) return std::string(text);
    return Wrong{in_quotes(text) + " is not the name of a vault entry", "1 to 64 letters, digits, _, . and -",
                 "such as \"my_token\""};
}

} // namespace pfar::config
