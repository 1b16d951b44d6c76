// What is too long, or was redacted, is parsed again; nothing else is.
#include "audit/entry.hpp"

#include "audit/safe_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace pfar::audit {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_members = longest_line - 4096; // room for seq, ts, kind, prev and hash
constexpr std::size_t longest_kept = 256, most_kept = 32;
constexpr std::string_view too_long = R"("too_long":true)";

/// None if it would be longer than the members may be; found out without writing more than that.
std::optional<std::string> bounded_text(json::object const& object) {
    json::serializer serializer;
    serializer.reset(&object);
    std::string text;
    char buffer[4096];
    while (!serializer.done()) {
        text += std::string_view(serializer.read(buffer));
        if (text.size() > longest_members) return {};
    }
    return text.substr(1, text.size() - 2); // without its braces
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
std::string shortened(json::object const& whole) {
    json::object out;
    for (auto const& [key, value] : whole) {
        auto const* const text = value.if_string();
        bool const is_short =
            key.size() <= longest_kept && !value.is_structured() && (text == nullptr || text->size() <= longest_kept);
        if (is_short && out.size() < most_kept) out.emplace(key, value);
    }
    out["too_long"] = true;
    return bounded_text(out).value_or(std::string(too_long));
}

std::string text_of(json::object const& details) {
    bool const collides =
        std::any_of(details.begin(), details.end(), [](auto const& item) { return is_reserved(item.key()); });
    if (collides) return text_of(renamed(details));
    auto text = bounded_text(details);
    return text ? std::move(*text) : shortened(details);
}

std::optional<json::object> parsed(std::string_view members) {
    json::parse_options options;
    options.max_depth = 256;
    boost::system::error_code error;
    auto value = json::parse(fmt::format("{{{}}}", members), error, {}, options);
    return error || !value.is_object() ? std::nullopt : std::optional(std::move(value.get_object()));
}

/// None: nothing to change. A secret may be of a kind that leaves no JSON behind; then nothing is left at all.
std::optional<std::string> redacted(Draft const& draft) {
    auto changed = draft.redactor ? draft.redactor->redact_json(fmt::format("{{{}}}", draft.members))
                                  : std::optional<std::string>();
    if (!changed) return {};
    bool const is_object = changed->size() >= 2 && changed->starts_with('{') && changed->ends_with('}');
    auto members = is_object ? changed->substr(1, changed->size() - 2) : "";
    return is_object && parsed(members) ? std::move(members) : R"("redacted":true)";
}

void append_members(std::string& out, std::string_view members) {
    auto const before = out.size();
    append_safe(out, members);
    if (out.size() - before <= longest_members) return;
    out.resize(before);
    auto const whole = parsed(members);
    append_safe(out, whole ? shortened(*whole) : too_long);
    if (out.size() - before > longest_members) out.replace(before, std::string::npos, too_long);
}

} // namespace

std::string time_text(Time when) {
    namespace chr = std::chrono;
    auto const day = chr::floor<chr::days>(when);
    chr::year_month_day const date(day);
    chr::hh_mm_ss const time(chr::floor<chr::milliseconds>(when - day));
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

Draft draft_of(Event event, Time when) {
    event.kind.resize(std::min(event.kind.size(), longest_kept));
    auto members = std::move(event.members);
    if (!event.details.empty())
        members = members.empty() ? text_of(event.details) : text_of(event.details) + "," + members;
    return {std::move(event.kind), std::move(members), when, std::move(event.redactor)};
}

std::string entry_text(Draft const& draft) {
    auto const changed = redacted(draft);
    std::string_view const members = changed ? *changed : draft.members;
    std::string out;
    out.reserve(members.size() + draft.kind.size() + 320); // and seq, prev and hash
    out.append(R"("ts":")").append(time_text(draft.when)).append(R"(","kind":)");
    append_safe(out, json::serialize(json::string_view(draft.kind)));
    if (members.empty()) return out;
    append_members(out += ',', members);
    return out;
}

std::string entry_text(Event event, Time when) {
    return entry_text(draft_of(std::move(event), when));
}

} // namespace pfar::audit
