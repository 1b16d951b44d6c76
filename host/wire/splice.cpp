#include "wire/splice.hpp"

#include "wire/json_text.hpp"
#include "wire/scan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::wire {
namespace {

constexpr std::string_view spaces = " \t\r\n";

bool is_empty(std::string_view object) {
    return object.find_first_not_of(spaces, object.find('{') + 1) == object.find_last_of('}');
}

} // namespace

std::string spliced(std::string_view text, std::vector<Edit> edits) {
    std::sort(edits.begin(), edits.end(), [](auto const& a, auto const& b) { return a.at.data() < b.at.data(); });
    std::string out;
    std::size_t size = text.size();
    for (auto const& edit : edits) size += edit.with.size();
    out.reserve(size);
    char const* from = text.data();
    for (auto const& edit : edits) {
        out.append(from, edit.at.data());
        out += edit.with;
        from = edit.at.data() + edit.at.size();
    }
    return out.append(from, text.data() + text.size());
}

Result<std::vector<Member>> members_once(std::string_view object, std::initializer_list<std::string_view> once,
                                         std::size_t most) {
    std::vector<Member> out;
    out.reserve(8);
    unsigned seen = 0;
    std::string_view twice;
    auto const hear = [&](std::string_view key, std::string_view value) {
        std::string decoded;
        auto name = key;
        if (key.find('\\') != std::string_view::npos) name = decoded = string_in(fmt::format("\"{}\"", key));
        auto const known = std::find(once.begin(), once.end(), name);
        if (known != once.end()) {
            auto const bit = 1U << static_cast<unsigned>(known - once.begin());
            if ((seen & bit) != 0 || name.data() != key.data()) twice = *known;
            seen |= bit;
        }
        out.push_back({key, value});
        return twice.empty() && out.size() <= most;
    };
    bool const whole = scan_members(object, hear);
    if (!twice.empty())
        return fail(Errc::invalid, fmt::format("\"{}\" stands there twice, or in a spelling of its own", twice));
    if (out.size() > most) return fail(Errc::invalid, fmt::format("it has more than {} members", most));
    auto const first = object.find_first_not_of(spaces);
    if (!whole || first == std::string_view::npos || object[first] != '{')
        return fail(Errc::invalid, "it is no object");
    return out;
}

std::string_view value_of(std::vector<Member> const& members, std::string_view key) {
    auto const found = std::find_if(members.begin(), members.end(), [&](auto const& one) { return one.key == key; });
    return found == members.end() ? std::string_view() : found->value;
}

std::string_view end_of_members(std::string_view object) {
    return object.substr(object.find_last_of('}'), 0);
}

std::string further_member(std::string_view object, std::string_view key, std::string_view value) {
    return fmt::format("{}\"{}\":{}", is_empty(object) ? "" : ",", key, value);
}

} // namespace pfar::wire
