// A list of what may be shown, not of what may not: a new spelling of [auth] then hides a little more, and shows nothing.
#include "config/source.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace pfar::config {
namespace {

constexpr std::array<std::string_view, 48> harmless{"name",
                                                    "description",
                                                    "label",
                                                    "taint",
                                                    "share",
                                                    "stateful",
                                                    "autostart",
                                                    "state",
                                                    "transparent",
                                                    "require_sni",
                                                    "pool",
                                                    "allowed_domains",
                                                    "allow_private",
                                                    "command",
                                                    "cwd",
                                                    "code",
                                                    "socket",
                                                    "backend",
                                                    "require",
                                                    "memory_limit",
                                                    "pids_limit",
                                                    "tmp_size",
                                                    "read_only_fs",
                                                    "allow_tmp",
                                                    "fs",
                                                    "path",
                                                    "read",
                                                    "write",
                                                    "create",
                                                    "update",
                                                    "delete",
                                                    "execute",
                                                    "commands",
                                                    "semantics",
                                                    "approve",
                                                    "start",
                                                    "call",
                                                    "call_max",
                                                    "idle_exit",
                                                    "pool_max",
                                                    "delay",
                                                    "paths",
                                                    "store",
                                                    "filter",
                                                    "domains",
                                                    "write_down",
                                                    "agent_unknown",
                                                    "approve_without_terminal"};

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// One of these, or a slip of one: `labell` is shown, NOTION_TOKEN is not.
bool is_harmless(std::string_view key) {
    if (std::find(harmless.begin(), harmless.end(), key) != harmless.end()) return true;
    if (key.size() < 4 || key.size() > 24 || looks_secret(key)) return false;
    static std::vector<std::string_view> const words(harmless.begin(), harmless.end());
    return base::nearest(key, words).has_value();
}

/// The word right before position `at`, without quotes; empty if there is none.
std::string_view word_before(std::string_view line, std::size_t at) {
    auto text = trimmed(line.substr(0, at));
    if (text.ends_with('"') || text.ends_with('\'')) text.remove_suffix(1);
    auto const is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    std::size_t size = 0;
    while (size < text.size() && size < 64 && is_word(text[text.size() - 1 - size])) ++size;
    return text.substr(text.size() - size);
}

/// `[server]` and nothing behind it but a comment; the place of its last bracket, or npos.
std::size_t header_end(std::string_view line) {
    auto const end = line.find(']');
    if (!line.starts_with('[') || end == std::string_view::npos) return std::string_view::npos;
    auto const last = line.substr(end).starts_with("]]") ? end + 1 : end;
    auto const rest = trimmed(line.substr(last + 1));
    bool const plain = line.substr(0, end).find_first_of("=,{\\") == std::string_view::npos;
    return plain && (rest.empty() || rest.starts_with('#')) ? last : std::string_view::npos;
}

bool speaks_of_auth(std::string_view text) {
    std::string lower(text.substr(0, 256));
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower.find("auth") != std::string::npos || lower.find("env") != std::string::npos;
}

/// Brackets that are open after this line, as far as a look at the text tells.
int opened(std::string_view line) {
    return static_cast<int>(std::count(line.begin(), line.end(), '[') - std::count(line.begin(), line.end(), ']'));
}

/// Every key on the line is harmless.
bool only_harmless_keys(std::string_view line) {
    if (std::count(line.begin(), line.end(), '=') > 16) return false;
    for (auto at = line.find('='); at != std::string_view::npos; at = line.find('=', at + 1))
        if (!is_harmless(word_before(line, at))) return false;
    return line.find('@') == std::string_view::npos;
}

} // namespace

bool looks_secret(std::string_view name) {
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    constexpr std::array words{"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "_PAT", "_DSN"};
    return std::any_of(words.begin(), words.end(),
                       [&](char const* word) { return upper.find(word) != std::string::npos; });
}

Source::Source(std::string text) : text_(std::move(text)) {
    starts_.push_back(0);
    for (auto at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) starts_.push_back(at + 1);
    bool in_auth = false;
    int open = 0;
    std::string_view key;
    for (std::uint32_t number = 1; number <= lines(); ++number) {
        auto const here = trimmed(line(number));
        bool const is_header = header_end(here) != std::string_view::npos;
        if (is_header) in_auth = speaks_of_auth(here), open = 0;
        auto const equals = here.find('=');
        if (equals != std::string_view::npos && open == 0) key = word_before(here, equals);
        bool const hidden =
            here.empty() || here.starts_with('#') || is_header || in_auth || speaks_of_auth(here.substr(0, equals));
        seen_.push_back(
            {hidden, open > 0, key.empty() ? 0 : static_cast<std::size_t>(key.data() - text_.data()), key.size()});
        if (!is_header) open = std::max(0, open + opened(here));
    }
}

std::string_view Source::line(std::uint32_t number) const {
    if (number == 0 || number > starts_.size()) return {};
    auto const start = starts_[number - 1];
    auto const end = number < starts_.size() ? starts_[number] - 1 : text_.size();
    auto line = std::string_view(text_).substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

bool Source::may_quote(std::uint32_t number) const {
    if (number == 0 || number > seen_.size() || seen_[number - 1].hidden) return false;
    auto const& [hidden, in_list, key_at, key_size] = seen_[number - 1];
    auto const here = line(number);
    bool const has_key = in_list ? is_harmless(std::string_view(text_).substr(key_at, key_size))
                                 : here.find('=') != std::string_view::npos;
    return has_key && only_harmless_keys(here);
}

std::string Source::shown(std::uint32_t number) const {
    auto const whole = line(number);
    if (may_quote(number)) return base::printable(whole);
    auto const indent = std::min(whole.find_first_not_of(" \t"), whole.size());
    if (trimmed(whole).empty()) return {};
    if (auto const end = header_end(trimmed(whole)); end != std::string_view::npos)
        return base::printable(whole.substr(0, indent + end + 1));
    auto const equals = whole.find('=');
    auto const before = whole.substr(0, equals);
    bool const is_key = equals != std::string_view::npos && before.size() < 80 &&
                        std::all_of(before.begin(), before.end(), [](unsigned char c) {
                            return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ' ';
                        });
    return is_key ? std::string(before) + "= ..." : "...";
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
