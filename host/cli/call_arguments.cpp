// A value goes the way of its text: checked, and never through a number of ours, which could not hold every one.
#include "cli/call_arguments.hpp"

#include "base/text.hpp"
#include "cli/argument_schema.hpp"
#include "cli/json_layout.hpp"
#include "control/members.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::cli {
namespace {

using Types = ArgumentSchema::Types;

/// One key and all that was given for it.
struct Given {
    std::string key;
    std::vector<std::string_view> texts;
};

bool is_number(std::string_view json) {
    return json.starts_with('-') || (!json.empty() && json[0] >= '0' && json[0] <= '9');
}

/// `json` is whole.
bool fits(std::string_view type, std::string_view json) {
    if (type == "integer") return is_number(json) && json.find_first_of(".eE") == std::string_view::npos;
    if (type == "number") return is_number(json);
    if (type == "boolean") return json == "true" || json == "false";
    if (type == "array") return json.starts_with('[');
    if (type == "object") return json.starts_with('{');
    return type == "null" && json == "null";
}

std::string words_for(Types const& types) {
    std::vector<std::string_view> words;
    for (auto const& type : types)
        words.push_back(type == "integer"   ? "a whole number"
                        : type == "number"  ? "a number"
                        : type == "boolean" ? "true or false"
                        : type == "array"   ? "a list as JSON"
                        : type == "object"  ? "an object as JSON"
                                            : std::string_view(type));
    return base::printable(base::listed(words, "or"));
}

Result<std::string> value_of(std::string_view key, std::string_view text, Types const& types) {
    auto json = control::is_json(text) ? on_one_line(text) : "";
    if (types.empty()) return json.empty() ? control::quoted(text) : json;
    bool const is_structure = json.starts_with('{') || json.starts_with('[');
    if (types.contains("string") && !is_structure) return control::quoted(text);
    if (!json.empty() && std::any_of(types.begin(), types.end(), [&](auto const& type) { return fits(type, json); }))
        return json;
    if (types.contains("string")) return control::quoted(text);
    return fail(Errc::invalid, fmt::format("{} is {}, not \"{}\"", base::printable(key), words_for(types),
                                           base::printable(text.substr(0, 100))));
}

Result<std::string> list_of(Given const& given, Types const& types) {
    std::string out;
    for (auto const text : given.texts) {
        PFAR_TRY(value, value_of(given.key, text, types));
        out += (out.empty() ? "" : ",") + value;
    }
    return "[" + out + "]";
}

Result<std::string> value_for(Given const& given, ArgumentSchema const& schema) {
    auto const* const property = schema.property(given.key);
    auto const types = schema.types_of(property);
    bool const one = given.texts.size() == 1;
    if (!types.contains("array")) {
        if (one) return value_of(given.key, given.texts[0], types);
        return fail(Errc::invalid, fmt::format("{} is given twice and is no list", base::printable(given.key)));
    }
    if (one && given.texts[0].starts_with('[') && control::is_json(given.texts[0])) return on_one_line(given.texts[0]);
    auto others = types;
    others.erase(others.find("array"));
    if (one && !others.empty())
        if (auto value = value_of(given.key, given.texts[0], others)) return value;
    return list_of(given, schema.types_of(schema.items_of(property)));
}

Result<std::vector<Given>> taken_apart(std::vector<std::string> const& pairs) {
    std::vector<Given> out;
    for (std::string_view const pair : pairs) {
        auto const equals = pair.find('=');
        if (equals == std::string_view::npos || equals == 0 || !base::is_utf8(pair))
            return fail(Errc::invalid, fmt::format("\"{}\" is no argument; they are key=value, or --args and an object",
                                                   base::printable(pair.substr(0, 100))));
        auto const key = pair.substr(0, equals);
        auto found = std::find_if(out.begin(), out.end(), [&](auto const& given) { return given.key == key; });
        if (found == out.end()) found = out.insert(out.end(), Given{std::string(key), {}});
        found->texts.push_back(pair.substr(equals + 1));
    }
    return out;
}

Result<void> check_name(std::string const& key, ArgumentSchema const& schema) {
    auto const names = schema.names();
    if (!schema.is_closed() || std::find(names.begin(), names.end(), key) != names.end()) return {};
    auto const meant = base::nearest(key, names);
    std::vector<std::string_view> const none{"nothing"};
    return fail(
        Errc::invalid,
        fmt::format("the tool does not take {}{}", base::printable(key),
                    meant ? fmt::format("; did you mean {}?", base::printable(*meant))
                          : fmt::format("; it takes {}", base::printable(base::listed(names.empty() ? none : names)))));
}

} // namespace

Result<std::string> call_arguments(TypedArguments const& typed, boost::json::value const& root) {
    ArgumentSchema const schema(root);
    auto const text = typed.whole.value_or("{}");
    auto const whole = control::members_of(text);
    if (!whole) return fail(Errc::invalid, "--args takes one JSON object, such as '{\"path\": \"/tmp\"}'");
    PFAR_TRY(given, taken_apart(typed.pairs));
    if (given.empty()) return on_one_line(text);
    std::string out;
    auto const add = [&](std::string_view key, std::string const& value) {
        out += fmt::format("{}{}:{}", out.empty() ? "" : ",", control::quoted(key), value);
    };
    for (auto const& [key, value] : *whole)
        if (std::none_of(given.begin(), given.end(), [&key = key](auto const& one) { return one.key == key; }))
            add(key, on_one_line(value));
    for (auto const& one : given) {
        PFAR_CHECK(check_name(one.key, schema));
        PFAR_TRY(value, value_for(one, schema));
        add(one.key, value);
    }
    return "{" + out + "}";
}

} // namespace pfar::cli
