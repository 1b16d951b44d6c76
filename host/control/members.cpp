#include "control/members.hpp"

#include "wire/json_text.hpp"
#include "wire/message.hpp"
#include "wire/scan.hpp"

#include <limits>

namespace pfar::control {
namespace {

/// A key as it stands between its quotation marks; most have no escape.
std::string key_of(std::string_view written) {
    if (written.find('\\') == std::string_view::npos) return std::string(written);
    return wire::string_in("\"" + std::string(written) + "\"");
}

} // namespace

std::optional<std::vector<Member>> members_of(std::string_view json) {
    auto const first = json.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || json[first] != '{') return {};
    std::vector<Member> out;
    wire::ScanTask task;
    task.member = [&](std::string_view key, std::string_view value) {
        out.emplace_back(key_of(key), value);
        return true;
    };
    if (!wire::scan(json, task)) return {};
    return out;
}

std::string_view member_of(std::string_view json, std::string_view key) {
    return wire::member_of(json, key);
}

std::vector<std::string_view> elements_of(std::string_view json) {
    return wire::elements_of(json, std::numeric_limits<std::size_t>::max());
}

std::string string_in(std::string_view json) {
    return wire::string_in(json);
}

std::string quoted(std::string_view text) {
    return wire::quoted(text);
}

bool is_json(std::string_view text) {
    return wire::scan(text, {});
}

} // namespace pfar::control
