// What stands in a line is a stranger's in part: names of tools, domains, arguments. So everything goes through base::printable.
#include "cli/audit_words.hpp"

#include "audit/filter.hpp"
#include "base/text.hpp"
#include "cli/host_client.hpp"
#include "control/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace pfar::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_value = 80, longest_why = 240;

std::string cut(std::string_view text, std::size_t most = longest_value) {
    if (text.size() <= most) return base::printable(text);
    auto stop = most;
    while (stop > 0 && (static_cast<unsigned char>(text[stop]) & 0xC0U) == 0x80U) --stop;
    return base::printable(text.substr(0, stop)) + "...";
}

std::string text(json::object const& event, std::string_view key) {
    return base::printable(audit::text_in(event, key));
}

/// 0 if it is none.
double number(json::object const& event, std::string_view key) {
    auto const* const value = event.if_contains(key);
    return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

std::int64_t count(json::object const& event, std::string_view key) {
    return static_cast<std::int64_t>(std::clamp(number(event, key), -1e15, 1e15));
}

/// "2026-11-18 10:00:00" of 2026-11-18T09:00:00.123Z, where it is an hour later.
std::string local_time(std::string_view ts) {
    std::tm parts{};
    std::string const given(ts);
    if (::strptime(given.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return base::printable(ts);
    auto const time = ::timegm(&parts);
    ::localtime_r(&time, &parts);
    char buffer[32];
    return {buffer, std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string bytes_text(std::int64_t bytes) {
    if (bytes < 1000) return fmt::format("{} B", bytes);
    if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string took(double ms) {
    if (ms < 10) return fmt::format("{:.1f} ms", ms);
    if (ms < 1000) return fmt::format("{:.0f} ms", ms);
    return ms < 60'000 ? fmt::format("{:.1f} s", ms / 1e3) : duration_text(static_cast<std::int64_t>(ms / 1e3));
}

std::string domain_words(json::object const& event) {
    auto const domain = text(event, "domain");
    if (domain.empty()) return event.contains("why") ? "" : "further connections"; // too many to be listed
    auto const port = count(event, "port");
    return port > 0 ? fmt::format("{}:{}", domain, port) : domain;
}

std::string count_words(json::object const& event) {
    auto const times = count(event, "count");
    if (text(event, "kind") == "lost")
        return fmt::format("{} event{} could not be written", times, times == 1 ? "" : "s");
    return times == 1 ? "" : fmt::format("{} times", times);
}

std::string list_words(json::value const& value) {
    std::string out;
    auto const* const list = value.if_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
        if (auto const* const item = (*list)[i].if_string()) out += (out.empty() ? "" : ", ") + base::printable(*item);
    return out.empty() ? cut(json::serialize(value)) : out;
}

/// One member in words; none for what stands elsewhere in the row, or is for programs only.
std::string member_words(json::object const& event, std::string_view key, json::value const& value) {
    constexpr std::array<std::string_view, 17> elsewhere{"seq",  "ts",      "kind",      "prev",   "hash", "server",
                                                         "tool", "outcome", "session",   "why",    "file", "port",
                                                         "call", "result",  "arguments", "action", "entry"};
    if (std::find(elsewhere.begin(), elsewhere.end(), key) != elsewhere.end()) return "";
    if (key.ends_with("_bytes") || key.ends_with("_digest")) return "";
    if (key == "domain") return domain_words(event);
    if (key == "count") return count_words(event);
    if (key == "entries") return list_words(value);
    if (key == "sent" || key == "received") return fmt::format("{} {}", bytes_text(count(event, key)), key);
    if (key == "ms") return took(number(event, key));
    if (key == "ended" || key == "semantics") return text(event, key);
    if (key == "since") return "since " + local_time(audit::text_in(event, key));
    if (auto const* const given = value.if_string())
        return given->empty() ? "" : fmt::format("{} {}", base::printable(key), cut(*given));
    return fmt::format("{} {}", base::printable(key), cut(json::serialize(value)));
}

std::string what_of(std::string_view line, json::object const& event) {
    std::string out;
    // Where there is an outcome too, what was done is part of the rest.
    if (event.contains("outcome")) out = text(event, "action");
    for (auto const& [key, value] : event)
        if (auto const words = member_words(event, key, value); !words.empty())
            out += (out.empty() ? "" : ", ") + words;
    if (auto const why = audit::text_in(event, "why"); !why.empty())
        out += (out.empty() ? "" : ": ") + cut(why, longest_why);
    if (auto const* const arguments = event.if_contains("arguments"))
        out += (out.empty() ? "with " : ", with ") +
               cut(arguments->is_string() ? std::string_view(arguments->get_string())
                                          : control::member_of(line, "arguments")); // numbers as they were sent
    return out;
}

std::string subject_of(json::object const& event) {
    auto const server = text(event, "server"), entry = text(event, "entry"), tool = cut(audit::text_in(event, "tool"));
    if (!server.empty() && !tool.empty()) return fmt::format("{}.{}", server, tool);
    if (!entry.empty() && server.empty()) return "vault:" + entry;
    return server.empty() ? tool : server;
}

} // namespace

AuditRow audit_row(std::string_view line, json::object const& event) {
    auto outcome = text(event, "outcome");
    return {local_time(audit::text_in(event, "ts")),           text(event, "kind"),    subject_of(event),
            outcome.empty() ? text(event, "action") : outcome, text(event, "session"), what_of(line, event)};
}

Colour colour_of(std::string_view outcome) {
    auto const is_one_of = [&](auto const&... words) { return ((outcome == words) || ...); };
    if (is_one_of("error", "failed", "crashed", "disabled", "timeout", "withheld")) return Colour::red;
    if (is_one_of("blocked", "refused", "denied", "invalid", "waiting", "stopped", "expired", "cancelled"))
        return Colour::yellow;
    if (is_one_of("ok", "allowed", "given", "running", "approved")) return Colour::green;
    return Colour::none;
}

} // namespace pfar::cli
