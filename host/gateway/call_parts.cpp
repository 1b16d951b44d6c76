#include "gateway/call_parts.hpp"

#include "wire/message.hpp"

#include <fmt/format.h>

namespace pfar::gateway {
namespace {

/// A member with the comma that parts it from its neighbour.
std::string_view with_comma(std::string_view object, wire::Member const& member) {
    constexpr std::string_view spaces = " \t\r\n";
    auto begin = static_cast<std::size_t>(member.key.data() - 1 - object.data());
    auto end = static_cast<std::size_t>(member.value.data() + member.value.size() - object.data());
    auto const before = object.find_last_not_of(spaces, begin - 1), after = object.find_first_not_of(spaces, end);
    if (object[before] == ',')
        begin = before;
    else if (object[after] == ',')
        end = after + 1;
    return object.substr(begin, end - begin);
}

bool is_progress_token(std::string_view json) {
    return json.starts_with('"') || json.starts_with('-') || (!json.empty() && json[0] >= '0' && json[0] <= '9');
}

} // namespace

Result<CallParts> cut(std::string_view params, std::string_view name_key, std::string_view arguments_key) {
    PFAR_TRY(members, wire::members_once(params, {name_key, arguments_key, "_meta", "task"}));
    CallParts out{wire::value_of(members, name_key),
                  wire::value_of(members, arguments_key),
                  wire::value_of(members, "_meta"),
                  {},
                  {}};
    for (auto const& member : members)
        if (member.key == "task") out.task = with_comma(params, member);
    if (!out.name.starts_with('"')) return fail(Errc::invalid, fmt::format("params.{} has to be a string", name_key));
    out.more = members.size() > 1U + (out.arguments.empty() ? 0U : 1U) + (out.meta.empty() ? 0U : 1U);
    if (out.meta.empty()) return out;
    PFAR_TRY(meta, wire::members_once(out.meta, {"progressToken"}));
    if (auto const token = wire::value_of(meta, "progressToken"); is_progress_token(token)) out.token = token;
    out.more = out.more || meta.size() > (out.token.empty() ? 0U : 1U);
    return out;
}

bool is_empty_object(std::string_view object) {
    return object.empty() || (object.starts_with('{') && object.find_first_not_of(" \t\r\n", 1) == object.size() - 1);
}

std::vector<wire::Edit> renamed(std::string_view at, std::string const& asked, std::string const& own) {
    if (asked == own) return {};
    return {{at, wire::quoted(own)}};
}

std::function<std::string(std::uint64_t)> with_edits(std::shared_ptr<pipeline::Call> const& call,
                                                     std::vector<wire::Edit> edits, std::string_view token) {
    pipeline::Call const* const kept = call.get(); // it keeps this function
    if (edits.empty() && token.empty()) return [kept](std::uint64_t) { return kept->params; };
    return [kept, edits = std::move(edits), token](std::uint64_t number) {
        auto all = edits;
        if (!token.empty()) all.push_back({token, std::to_string(number)});
        return wire::spliced(kept->params, std::move(all));
    };
}

} // namespace pfar::gateway
