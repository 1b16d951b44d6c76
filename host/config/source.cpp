// Whether a line belongs to [auth] is told from the text alone, because the question also arises when it is not valid TOML.
#include "config/source.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace pfar::config {
namespace {

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The words of a header or key, `[tools.x.auth]` or `auth.X = ...`: does one of them say auth?
bool speaks_of_auth(std::string_view words) {
    for (std::size_t at = words.find("auth"); at != std::string_view::npos; at = words.find("auth", at + 1)) {
        auto const is_word = [&](std::size_t i) {
            return i < words.size() && (std::isalnum(static_cast<unsigned char>(words[i])) != 0 || words[i] == '_');
        };
        if ((at == 0 || !is_word(at - 1)) && !is_word(at + 4)) return true;
    }
    return false;
}

bool is_header(std::string_view line) {
    return line.starts_with('[');
}

/// Any name before an = on the line, so that those of an inline table count too.
bool sets_secret(std::string_view line) {
    for (auto at = line.find('='); at != std::string_view::npos; at = line.find('=', at + 1)) {
        auto const before = trimmed(line.substr(0, at));
        if (looks_secret(before.substr(before.find_last_of(" \t,{") + 1))) return true;
    }
    return false;
}

bool is_vault_reference(std::string_view value) {
    constexpr auto name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    if (!value.starts_with("\"vault:")) return false;
    auto const end = value.find_first_not_of(name, 7);
    return end != std::string_view::npos && value[end] == '"' &&
           trimmed(value.substr(end + 1, value.find('#', end) - end - 1)).empty();
}

} // namespace

bool looks_secret(std::string_view name) {
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    constexpr std::array words{"TOKEN",  "SECRET",      "PASSWORD",   "PASSWD",    "API_KEY",
                               "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL"};
    return std::any_of(words.begin(), words.end(),
                       [&](char const* word) { return upper.find(word) != std::string::npos; });
}

Source::Source(std::string text) : text_(std::move(text)) {
    starts_.push_back(0);
    for (auto at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) starts_.push_back(at + 1);
}

std::string_view Source::line(std::uint32_t number) const {
    if (number == 0 || number > starts_.size()) return {};
    auto const start = starts_[number - 1];
    auto const end = number < starts_.size() ? starts_[number] - 1 : text_.size();
    auto line = std::string_view(text_).substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

bool Source::may_hold_secret(std::uint32_t number) const {
    auto const here = trimmed(line(number));
    if (here.empty() || is_header(here)) return false;
    if (speaks_of_auth(here.substr(0, here.find('='))) || sets_secret(here)) return true;
    while (number > 1 && !is_header(trimmed(line(number)))) --number;
    return is_header(trimmed(line(number))) && speaks_of_auth(line(number));
}

std::string Source::shown(std::uint32_t number) const {
    auto const whole = line(number);
    if (!may_hold_secret(number)) return base::printable(whole);
    auto const equals = whole.find('=');
    if (equals == std::string_view::npos) return "...";
    if (is_vault_reference(trimmed(whole.substr(equals + 1)))) return base::printable(whole);
    return base::printable(whole.substr(0, equals + 1)) + " ...";
}

Source Source::without(std::uint32_t first, std::uint32_t last) const {
    auto text = text_;
    for (auto number = first; number <= last && number <= starts_.size(); ++number) {
        auto const start = starts_[number - 1];
        std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(start), line(number).size(), ' ');
    }
    return Source(std::move(text));
}

} // namespace pfar::config
