#include "cli/call_target.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pfar::cli {
namespace {

std::string member(boost::json::value const& row, std::string_view key) {
    auto const* const value = row.is_object() ? row.get_object().if_contains(key) : nullptr;
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

/// As agents see a tool's own name, unless it is too long.
std::string public_form(std::string name) {
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char byte) { return std::isalnum(byte) == 0 && byte != '_' && byte != '-'; }, '_');
    return name;
}

void take(Target& target, std::string name, boost::json::value const& row) {
    target.tool = std::move(name);
    if (auto const* const schema = row.get_object().if_contains("input_schema")) target.schema = *schema;
}

} // namespace

std::optional<Target> target_in(std::vector<std::string> const& words) {
    auto const& first = words[0];
    auto const stop = first.find_first_of("._="); // a server's name has none of them
    if (stop == std::string::npos && words.size() > 1)
        return Target{first, words[1], false, {words.begin() + 2, words.end()}};
    if (stop == std::string::npos || stop == 0) return {};
    bool const is_public = first.compare(stop, 2, "__") == 0;
    auto tool = first.substr(stop + (is_public ? 2 : 1));
    if ((first[stop] != '.' && !is_public) || tool.empty()) return {};
    return Target{first.substr(0, stop), std::move(tool), is_public, {words.begin() + 1, words.end()}};
}

Result<void> look_up(Target& target, boost::json::value const& tools) {
    if (!tools.is_array() || tools.get_array().empty()) return {}; // its server has not started yet
    std::vector<std::string> names;
    for (auto const& row : tools.get_array()) {
        auto name = member(row, "name");
        name.erase(0, target.server.size() + 1);
        if (name == target.tool || (target.is_public && public_form(name) == target.tool))
            return take(target, std::move(name), row), Result<void>();
        names.push_back(std::move(name));
    }
    if (target.is_public) return {}; // it may be a shortened name, which only the host knows
    auto const meant = base::nearest(target.tool, {names.begin(), names.end()});
    return fail(Errc::not_found, fmt::format("{} has no tool \"{}\"{}; pfar tools {} lists them",
                                             base::printable(target.server), base::printable(target.tool),
                                             meant ? fmt::format(" (did you mean {}?)", base::printable(*meant)) : "",
                                             base::printable(target.server)));
}

} // namespace pfar::cli
