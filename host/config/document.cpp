// The only file that knows toml++.
#include "config/document.hpp"

#include "base/text.hpp"
#include "config/key_depth.hpp"

#include <fmt/format.h>
#include <strings.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

namespace pfar::config {
namespace {

constexpr std::size_t most_mistakes = 20, most_entries = 1000;

Where where_of(toml::source_region const& region) {
    auto const length = region.begin.line == region.end.line && region.end.column > region.begin.column
                            ? region.end.column - region.begin.column
                            : 1;
    return {region.begin.line, region.begin.column, length};
}

Node convert(toml::node const& node);

Table convert_table(toml::table const& table) {
    Table entries;
    for (auto const& [key, value] : table)
        entries.push_back({std::string(key.str()), where_of(key.source()), convert(value)});
    std::stable_sort(entries.begin(), entries.end(), [](auto const& a, auto const& b) { return a.where < b.where; });
    return entries;
}

Node convert(toml::node const& node) {
    Node out{where_of(node.source()), DateOrTime{}};
    if (auto const* text = node.as_string())
        out.value = text->get();
    else if (auto const* number = node.as_integer())
        out.value = number->get();
    else if (auto const* real = node.as_floating_point())
        out.value = real->get();
    else if (auto const* flag = node.as_boolean())
        out.value = flag->get();
    else if (auto const* table = node.as_table())
        out.value = convert_table(*table);
    else if (auto const* array = node.as_array()) {
        Array items;
        for (auto const& item : *array) items.push_back(convert(item));
        out.value = std::move(items);
    }
    return out;
}

/// What the library's message comes down to. Our own words, because its words change from version to version.
Wrong diagnosis(std::string_view message) {
    struct Known {
        char const *part, *what, *expected, *fix;
    };
    constexpr std::array<Known, 9> known{{
        {"utf-8", "this is not UTF-8", "text in UTF-8", "save the file as UTF-8"},
        {"redefine", "this is there already, further up", "each key and each section once",
         "remove one of the two, or join them"},
        {"table header", "this header of a section is not complete", "[section]", "close it with ]"},
        {"inline table", "this table is not complete", "{ key = value, key = value }",
         "close it with }, and put commas between its keys"},
        {"array", "a list is not closed, or a comma is missing in it", "[\"a\", \"b\"]",
         "close it with ], and put commas between its values"},
        {"string", "this text is not closed", "text in quotes, on one line", "put a \" at its end"},
        {"expected value", "there is no value behind the =", "key = value", "write a value, or remove the line"},
        {"expected '='", "there is no = behind this key", "key = value", "write = and a value, or remove the line"},
        {"expected keys", "a line begins with something that is no key", "key = value, or [section]",
         "remove what does not belong there"},
    }};
    for (auto const& [part, what, expected, fix] : known)
        if (message.find(part) != std::string_view::npos) return {what, expected, fix};
    return {"this is not valid TOML",
            "key = value, where a value is text in quotes, a number, true, false, [a list] or { a table }",
            "write the value in one of these forms"};
}

/// `label = internal`: text without quotes, the most common slip. Gives the line as it should be.
std::string quoted_line(std::string_view line) {
    auto const equals = line.find('=');
    if (equals == std::string_view::npos) return {};
    auto const first = line.find_first_not_of(" \t", equals + 1);
    if (first == std::string_view::npos) return {};
    auto const value = line.substr(first, line.find('#', first) - first);
    bool const is_bare = std::isalpha(static_cast<unsigned char>(value[0])) != 0 || value[0] == '~' || value[0] == '/';
    if (!is_bare || value.find_first_of("\"'") != std::string_view::npos) return {};
    for (auto const* const word : {"true", "false"})
        if (value.size() >= 4 && ::strncasecmp(value.data(), word, std::strlen(word)) == 0)
            return fmt::format("{}{}", base::printable(line.substr(0, first)), word);
    return fmt::format("{}\"{}\"", base::printable(line.substr(0, first)),
                       base::printable(value.substr(0, value.find_last_not_of(" \t\r") + 1)));
}

Mistake not_toml(Source const& source, toml::parse_error const& error) {
    auto where = where_of(error.source());
    where.line = std::clamp<std::uint32_t>(where.line, 1, source.lines());
    auto wrong = diagnosis(error.description());
    if (auto const line = source.may_quote(where.line) ? quoted_line(source.line(where.line)) : ""; !line.empty())
        wrong = {"text without quotes", "text in quotes, a number, true, false, [a list] or { a table }",
                 "write " + line};
    return {Severity::error,         where, std::move(wrong.what), std::move(wrong.expected), std::move(wrong.fix),
            source.shown(where.line)};
}

/// The lines to leave out: a bad header takes its section with it, or its keys would be read as somebody else's.
std::pair<std::uint32_t, std::uint32_t> spoilt(Source const& source, std::uint32_t line) {
    auto const starts_section = [&](std::uint32_t number) {
        auto const text = source.line(number);
        auto const first = text.find_first_not_of(" \t");
        return first != std::string_view::npos && text[first] == '[';
    };
    auto last = line;
    if (starts_section(line))
        while (last < source.lines() && !starts_section(last + 1)) ++last;
    return {line, last};
}

bool is_blank(Source const& source, std::uint32_t line) {
    return source.line(line).find_first_not_of(" \t") == std::string_view::npos;
}

Mistake key_too_deep(Source const& source, std::size_t at) {
    auto const before = std::string_view(source.text()).substr(0, at);
    auto const line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    auto what = fmt::format("a key has more than {} parts", deepest_key);
    return {Severity::error, {line, 1, 1},      std::move(what), "a key such as sandbox.memory_limit",
            "shorten it",    source.shown(line)};
}

/// A table or list with so many entries that readers, which look things up one after the other, would take long.
Node const* crowded(Table const& table);

Node const* crowded(Node const& node) {
    if (auto const* const table = std::get_if<Table>(&node.value))
        return table->size() > most_entries ? &node : crowded(*table);
    auto const* const array = std::get_if<Array>(&node.value);
    if (array == nullptr || array->size() > most_entries) return array == nullptr ? nullptr : &node;
    for (auto const& item : *array)
        if (auto const* const found = crowded(item)) return found;
    return nullptr;
}

Node const* crowded(Table const& table) {
    if (table.size() > most_entries) return &table.back().value;
    for (auto const& entry : table)
        if (auto const* const found = crowded(entry.value)) return found;
    return nullptr;
}

Setting to_setting(Node const& node) {
    return std::visit(
        [](auto const& value) -> Setting {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, Table>)
                return {to_settings(value)};
            else if constexpr (std::is_same_v<T, DateOrTime>)
                return {std::string("(a date or time)")};
            else if constexpr (std::is_same_v<T, Array>) {
                std::vector<Setting> items;
                for (auto const& item : value) items.push_back(to_setting(item));
                return {std::move(items)};
            } else
                return {value};
        },
        node.value);
}

} // namespace

Document read_document(Source const& source) {
    Document document;
    auto rest = source;
    for (;;) {
        // Asked each time: with a line left out, what was inside a string may be a key.
        if (auto const at = find_deep_key(rest.text()); at != std::string_view::npos) {
            document.mistakes.push_back(key_too_deep(source, at));
            document.whole = false;
            return document;
        }
        try {
            auto const root = toml::parse(std::string_view(rest.text()));
            document.where = {1, 1, 1};
            document.root = convert_table(root);
            if (auto const* const node = crowded(document.root)) {
                document.mistakes.push_back({Severity::error, node->where,
                                             fmt::format("more than {} entries", most_entries), "fewer",
                                             "split it, or use a wildcard", ""});
                document.root.clear();
                document.whole = false;
            }
            return document;
        } catch (toml::parse_error const& error) {
            document.whole = false;
            auto mistake = not_toml(source, error);
            auto const [first, last] = spoilt(rest, mistake.where.line);
            bool const hopeless = is_blank(rest, first); // leaving out a line did not help: the trouble began before it
            if (!hopeless || document.mistakes.empty()) document.mistakes.push_back(std::move(mistake));
            if (hopeless || document.mistakes.size() >= most_mistakes) return document;
            rest = rest.without(first, last);
        }
    }
}

std::string_view kind_of(Node const& node) {
    constexpr std::array names{"text",           "a whole number", "a number", "true or false",
                               "a date or time", "a list",         "a table"};
    return names[node.value.index()];
}

Settings to_settings(Table const& table) {
    Settings settings;
    for (auto const& entry : table) settings.emplace(entry.key, to_setting(entry.value));
    return settings;
}

} // namespace pfar::config
