// What is too long, or was redacted, is parsed again; nothing else is.
#include "audit/entry.hpp"

#include "audit/safe_text.hpp"
#include "base/surrogates.hpp"

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
    auto const object = fmt::format("{{{}}}", members);
    auto value = json::parse(base::with_whole_pairs(object).value_or(object), error, {}, options);
    return error || !value.is_object() ? std::nullopt : std::optional(std::move(value.get_object()));
}

/// Of an object that was redacted. A secret may be of a kind that leaves no JSON behind; then nothing is left at all.
std::string_view members_of(std::string_view changed) {
    bool const is_object = changed.size() >= 2 && changed.starts_with('{') && changed.ends_with('}');
    auto const members = is_object ? changed.substr(1, changed.size() - 2) : std::string_view();
    return is_object && parsed(members) ? members : R"("redacted":true)";
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

bool is_word(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

void append_kind(std::string& out, std::string_view kind) {
    if (is_word(kind))
        out.append("\"").append(kind).append("\"");
    else
        append_safe(out, json::serialize(json::string_view(kind)));
}

/// With zeros before it, such that it ends at `last`.
template <class Number> void put_digits(char* last, Number number) {
    for (auto rest = static_cast<unsigned>(number); rest != 0; rest /= 10) *last-- = static_cast<char>('0' + rest % 10);
}

} // namespace

void append_time(std::string& out, Time when) {
    namespace chr = std::chrono;
    auto const day = chr::floor<chr::days>(when);
    chr::year_month_day const date(day);
    chr::hh_mm_ss const time(chr::floor<chr::milliseconds>(when - day));
    char text[] = "0000-00-00T00:00:00.000Z";
    put_digits(text + 3, static_cast<int>(date.year()));
    put_digits(text + 6, static_cast<unsigned>(date.month()));
    put_digits(text + 9, static_cast<unsigned>(date.day()));
    put_digits(text + 12, time.hours().count());
    put_digits(text + 15, time.minutes().count());
    put_digits(text + 18, time.seconds().count());
    put_digits(text + 22, time.subseconds().count());
    out.append(text, sizeof text - 1);
}

std::string time_text(Time when) {
    std::string out;
    append_time(out, when);
    return out;
}

void make_text(Event& event) {
    event.kind.resize(std::min(event.kind.size(), longest_kept));
    if (event.details.empty()) return;
    auto text = text_of(event.details);
    event.members = event.members.empty() ? std::move(text) : text + "," + event.members;
}

/// The members are put where they belong with braces around them: as nearly always nothing is found in them, the braces are all that changes.
void append_entry(std::string& out, Draft const& draft) {
    append_time(out.append(R"("ts":")"), draft.when);
    append_kind(out.append(R"(","kind":)"), draft.kind);
    if (draft.members.empty()) return;
    auto const begin = out.size();
    out.append("{").append(draft.members).append("}");
    auto const changed = draft.redactor != nullptr ? draft.redactor->redact_json(std::string_view(out).substr(begin))
                                                   : std::optional<std::string>();
    out.pop_back();
    out[begin] = ',';
    if (!changed && draft.members.size() <= longest_members && is_plain(draft.members)) return;
    out.resize(begin + 1);
    append_members(out, changed ? members_of(*changed) : draft.members);
}

std::string entry_text(Event event, Time when) {
    make_text(event);
    std::string out;
    append_entry(out, {event.kind, event.members, when, event.redactor.get()});
    return out;
}

} // namespace pfar::audit
