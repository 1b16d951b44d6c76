#include "cli/json_layout.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace pfar::cli {
namespace {

constexpr std::string_view spaces = " \t\r\n";

/// A string with its quotation marks.
std::size_t string_size(std::string_view json) {
    std::size_t at = 1;
    while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
    return std::min(at + 1, json.size());
}

/// The next part: a bracket, a comma, a colon, or a scalar. Takes it off.
std::string_view next_part(std::string_view& json) {
    json.remove_prefix(std::min(json.find_first_not_of(spaces), json.size()));
    if (json.empty()) return {};
    auto size = std::min(json.find_first_of(" \t\r\n{}[],:"), json.size());
    if (json[0] == '"') size = string_size(json);
    auto const part = json.substr(0, std::max<std::size_t>(size, 1));
    json.remove_prefix(part.size());
    return part;
}

bool opens(std::string_view part) {
    return part == "{" || part == "[";
}
bool closes(std::string_view part) {
    return part == "}" || part == "]";
}

std::string new_line(std::size_t depth) {
    return "\n" + std::string(depth * 2, ' ');
}

} // namespace

std::string on_one_line(std::string_view json) {
    std::string out;
    for (auto part = next_part(json); !part.empty(); part = next_part(json)) out += part;
    return out;
}

std::string indented(std::string_view json) {
    std::string out;
    std::size_t depth = 0;
    bool opened = false;
    for (auto part = next_part(json); !part.empty(); part = next_part(json)) {
        if (opened && !closes(part)) out += new_line(++depth);
        if (!opened && closes(part)) out += new_line(depth -= depth > 0 ? 1 : 0);
        opened = opens(part);
        out += part == ":" ? ": " : base::printable(part);
        if (part == ",") out += new_line(depth);
    }
    return out + "\n";
}

} // namespace pfar::cli
