// A person who wrote stateful = "false" or args = "x" is told the very line they meant.
#include "config/remedy.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace pfar::config {
namespace {

/// A scalar as a person would say it; empty for lists and tables.
std::string spoken(Node const& node) {
    if (auto const* const text = std::get_if<std::string>(&node.value)) return *text;
    bool const is_scalar = std::holds_alternative<std::int64_t>(node.value) ||
                           std::holds_alternative<double>(node.value) || std::holds_alternative<bool>(node.value);
    return is_scalar ? to_toml(node) : "";
}

std::string as_flag(std::string const& key, std::string const& said) {
    if (said == "true" || said == "1" || said == "yes" || said == "on") return fmt::format("write {} = true", key);
    if (said == "false" || said == "0" || said == "no" || said == "off") return fmt::format("write {} = false", key);
    return fmt::format("write {} = true or {} = false", key, key);
}

std::string as_number(std::string const& key, std::string const& said) {
    bool const is_number =
        !said.empty() && said.size() < 18 && said.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? fmt::format("write {} = {}", key, said)
                     : fmt::format("write {} = and a number, without quotes", key);
}

} // namespace

std::string in_words(Wanted wanted) {
    switch (wanted) {
    case Wanted::text:
        return "text in quotes";
    case Wanted::flag:
        return "true or false, without quotes";
    case Wanted::number:
        return "a whole number, without quotes";
    case Wanted::texts:
        return "a list of texts, such as [\"a\", \"b\"]";
    case Wanted::table:
        return "a table: a section of its own, or { ... }";
    case Wanted::tables:
        return "a list of tables, such as [{ path = \"~/notes\", read = true }]";
    case Wanted::size:
        return "a size, such as \"256m\"";
    case Wanted::duration:
        break;
    }
    return "a duration, such as \"30s\"";
}

std::string remedy(Wanted wanted, std::string const& key, Node const& given, bool quote) {
    auto const said = quote ? base::printable(spoken(given)) : "";
    auto const shown = said.empty() ? "..." : said;
    switch (wanted) {
    case Wanted::text:
        return fmt::format("write {} = \"{}\"", key, shown);
    case Wanted::flag:
        return as_flag(key, said);
    case Wanted::number:
        return as_number(key, said);
    case Wanted::texts:
        return fmt::format("write {} = [\"{}\"]", key, shown);
    case Wanted::table:
        return fmt::format("write [{}] on a line of its own and its keys below it", key);
    case Wanted::tables:
        return fmt::format("write {} = [{{ path = \"{}\", read = true }}]", key, shown);
    case Wanted::size:
        return fmt::format("write {} = \"256m\"", key);
    case Wanted::duration:
        break;
    }
    return fmt::format("write {} = \"30s\"", key);
}

} // namespace pfar::config
