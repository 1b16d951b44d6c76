#include "cli/tool_changes.hpp"

#include "base/text.hpp"
#include "cli/json_layout.hpp"
#include "cli/line_diff.hpp"
#include "control/members.hpp"

#include <fmt/format.h>

#include <map>

namespace pfar::cli {
namespace {

std::string word_in(std::string_view json, std::string_view key) {
    return control::string_in(control::member_of(json, key));
}

/// A text in its own lines, anything else indented; safe to show.
std::string readable(std::string_view value) {
    if (!value.starts_with('"')) return indented(value);
    auto const text = control::string_in(value);
    std::string out;
    for (auto const line : lines_of(text)) out += base::printable(line) + "\n";
    return out;
}

/// By key; the name says nothing that is not said already. A key that stands there twice has both.
std::map<std::string, std::string> readable_members(std::string_view tool) {
    std::map<std::string, std::string> out;
    for (auto const& [key, value] : control::members_of(tool).value_or(std::vector<control::Member>()))
        if (key != "name") out[key] += readable(value);
    return out;
}

std::string differences(std::string_view before, std::string_view now) {
    auto old_texts = readable_members(before), texts = readable_members(now);
    for (auto const& [key, text] : old_texts) texts.try_emplace(key);
    std::string out;
    for (auto const& [key, text] : texts) {
        auto const lines = line_diff(lines_of(old_texts[key]), lines_of(text));
        if (lines.empty()) continue;
        out += fmt::format("  {}:\n", base::printable(key));
        for (auto const line : lines_of(lines)) out += fmt::format("  {}\n", line);
    }
    return out;
}

} // namespace

std::string changes_text(std::string_view server, std::string_view changes) {
    std::string out;
    for (auto const change : control::elements_of(changes)) {
        auto const kind = word_in(change, "change");
        out += fmt::format("{}{}.{} {}\n", out.empty() ? "" : "\n", base::printable(server),
                           base::printable(word_in(change, "tool")),
                           kind == "new"    ? "is new"
                           : kind == "gone" ? "is gone"
                                            : "has changed");
        if (kind != "gone") out += differences(control::member_of(change, "before"), control::member_of(change, "now"));
    }
    return out;
}

std::string pins_of(std::string_view changes) {
    std::string out;
    for (auto const change : control::elements_of(changes))
        out += fmt::format("{}{}:{}", out.empty() ? "" : ",", control::quoted(word_in(change, "tool")),
                           control::quoted(word_in(change, "pin")));
    return "{" + out + "}";
}

} // namespace pfar::cli
