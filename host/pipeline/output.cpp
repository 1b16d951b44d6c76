#include "pipeline/output.hpp"

#include "wire/json_text.hpp"
#include "wire/splice.hpp"

#include <fmt/format.h>

namespace pfar::pipeline {
namespace {

constexpr std::string_view label_key = "pfar/label";

bool is_ours(std::string_view key) {
    if (key.find('\\') == std::string_view::npos) return key.starts_with("pfar/");
    return wire::string_in(fmt::format("\"{}\"", key)).starts_with("pfar/");
}

/// An object's text without those of its members that only we may say.
std::string without_ours(std::string_view object, std::vector<wire::Member> const& members) {
    std::string out = "{";
    for (auto const& member : members)
        if (!is_ours(member.key))
            out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", member.key, member.value);
    return object.empty() ? "{}" : out + "}";
}

std::string marked(std::string_view meta, std::string const& value) {
    auto const members = wire::members_once(meta, {});
    if (!members) return fmt::format(R"({{"{}":{}}})", label_key, value); // it was no object
    bool claims = false;
    for (auto const& member : *members) claims = claims || is_ours(member.key);
    auto const clean = claims ? without_ours(meta, *members) : std::string(meta);
    return wire::spliced(clean, {{wire::end_of_members(clean), wire::further_member(clean, label_key, value)}});
}

} // namespace

Result<Output> read_output(std::string_view result) {
    auto const members = wire::members_once(result, {"_meta", "isError", "structuredContent", "content"});
    if (!members) return fail(Errc::invalid, "its result cannot be used: " + members.error().what);
    return Output{wire::value_of(*members, "_meta"), wire::value_of(*members, "structuredContent"),
                  wire::value_of(*members, "isError") == "true"};
}

Result<void> check_output(Tool const& tool, Output const& output) {
    if (!tool.output.there() || output.says_error) return {};
    if (output.structured.empty())
        return fail(Errc::invalid, "it has an outputSchema and its result has no structuredContent");
    return tool.output.get().check(output.structured);
}

void put_label(std::string& result, Output const& output, base::Label label) {
    auto const value = fmt::format("\"{}\"", base::word_for(base::label_words, label));
    if (!output.meta.empty()) {
        result = wire::spliced(result, {{output.meta, marked(output.meta, value)}});
        return;
    }
    auto const member = wire::further_member(result, "_meta", fmt::format(R"({{"{}":{}}})", label_key, value));
    result.insert(result.rfind('}'), member);
}

} // namespace pfar::pipeline
