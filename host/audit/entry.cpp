// base::printable writes control and direction characters as \u escapes, which within JSON are JSON's own. Only its \x for broken
// UTF-8 is not, so strings that are broken are mended first.
#include "audit/entry.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>

namespace pfar::audit {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_entry = longest_line - 4096; // room for seq, ts, kind, prev and hash
constexpr std::size_t longest_kept = 256, most_kept = 32, deepest = 64;

std::string time_text(std::chrono::system_clock::time_point when) {
    auto const since = std::chrono::floor<std::chrono::milliseconds>(when.time_since_epoch()).count();
    auto const seconds = static_cast<std::time_t>(since / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, since % 1000);
}

/// None if it would be longer than an entry may be; found out without writing more than that.
std::optional<std::string> bounded_text(json::value const& value) {
    json::serializer serializer;
    serializer.reset(&value);
    std::string text;
    char buffer[4096];
    while (!serializer.done()) {
        text += std::string_view(serializer.read(buffer));
        if (text.size() > longest_entry) return {};
    }
    return text;
}

json::value mended(json::value const& value, std::size_t depth = 0) {
    if (depth > deepest) return "(too deep)";
    if (auto const* const text = value.if_string()) return json::string(base::printable(*text));
    if (auto const* const list = value.if_array()) {
        json::array out;
        for (auto const& item : *list) out.push_back(mended(item, depth + 1));
        return out;
    }
    auto const* const object = value.if_object();
    if (object == nullptr) return value;
    json::object out;
    for (auto const& [key, item] : *object) out[base::printable(key)] = mended(item, depth + 1);
    return out;
}

std::optional<std::string> safe_text(json::value const& value) {
    auto text = bounded_text(value);
    if (text && !base::is_utf8(*text)) text = bounded_text(mended(value));
    if (text) text = base::printable(*text);
    return text && text->size() <= longest_entry ? std::move(text) : std::nullopt;
}

bool is_reserved(std::string_view key) {
    constexpr std::array<std::string_view, 5> ours{"seq", "ts", "kind", "prev", "hash"};
    return std::find(ours.begin(), ours.end(), key) != ours.end();
}

/// A key that the record needs itself gets a _ behind it.
json::object renamed(json::object const& details) {
    json::object out;
    for (auto const& [key, value] : details) out.emplace(std::string(key) + (is_reserved(key) ? "_" : ""), value);
    return out;
}

/// Who and what, without what made it long.
json::object shortened(json::object const& whole) {
    json::object out;
    for (auto const& [key, value] : whole) {
        auto const* const text = value.if_string();
        bool const is_short =
            key.size() <= longest_kept && !value.is_structured() && (text == nullptr || text->size() <= longest_kept);
        if (is_short && out.size() < most_kept) out.emplace(key, value);
    }
    out["too_long"] = true;
    return out;
}

} // namespace

std::string entry_text(Event event, std::chrono::system_clock::time_point when) {
    auto& given = event.details;
    bool const collides = std::any_of(given.begin(), given.end(), [](auto& item) { return is_reserved(item.key()); });
    json::value details = collides ? renamed(given) : std::move(given);
    auto text = safe_text(details);
    if (!text) text = safe_text(shortened(details.as_object()));
    if (!text) text = R"({"too_long":true})";
    auto const kind = safe_text(json::string(std::string_view(event.kind).substr(0, longest_kept)));
    return fmt::format(R"("ts":"{}","kind":{}{}{})", time_text(when), *kind, text->size() > 2 ? "," : "",
                       std::string_view(*text).substr(1, text->size() - 2));
}

} // namespace pfar::audit
