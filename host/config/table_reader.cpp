// Every function here either gives a value of the right type or leaves exactly one mistake.
#include "config/table_reader.hpp"

#include <algorithm>

namespace pfar::config {

Node const* TableReader::find(std::string const& key) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
    auto const entry = std::find_if(table_.begin(), table_.end(), [&](auto const& e) { return e.key == key; });
    return entry == table_.end() ? nullptr : &entry->value;
}

bool TableReader::has(std::string const& key) {
    return find(key) != nullptr;
}

Where TableReader::where(std::string const& key) const {
    auto const entry = std::find_if(table_.begin(), table_.end(), [&](auto const& e) { return e.key == key; });
    return entry == table_.end() ? where_ : entry->where;
}

std::string TableReader::full_name(std::string const& key) const {
    return name_.empty() ? key : name_ + "." + key;
}

void TableReader::wrong_type(std::string const& key, Node const& node, std::string const& expected) {
    findings_.error(node.where, {fmt::format("{} is {}", full_name(key), kind_of(node)), expected, ""});
}

template <class T> T const* TableReader::typed(std::string const& key, std::string const& expected) {
    auto const* const node = find(key);
    if (node == nullptr) return nullptr;
    auto const* const value = std::get_if<T>(&node->value);
    if (value == nullptr) wrong_type(key, *node, expected);
    return value;
}

std::optional<Text> TableReader::text(std::string const& key) {
    auto const* const value = typed<std::string>(key, "text in quotes");
    if (value == nullptr) return {};
    return Text{*value, find(key)->where};
}

bool TableReader::flag(std::string const& key, bool fallback) {
    auto const* const value = typed<bool>(key, "true or false, without quotes");
    return value != nullptr ? *value : fallback;
}

std::int64_t TableReader::number(std::string const& key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
    auto const expected = fmt::format("a whole number from {} to {}", least, most);
    auto const* const value = typed<std::int64_t>(key, expected);
    if (value == nullptr) return fallback;
    if (*value >= least && *value <= most) return *value;
    findings_.error(find(key)->where, {fmt::format("{} is {}", full_name(key), *value), expected, ""});
    return fallback;
}

std::vector<Text> TableReader::texts(std::string const& key) {
    auto const* const list = typed<Array>(key, "a list of texts, such as [\"a\", \"b\"]");
    std::vector<Text> out;
    if (list == nullptr) return out;
    for (auto const& item : *list) {
        if (auto const* const value = std::get_if<std::string>(&item.value))
            out.push_back({*value, item.where});
        else
            wrong_type(key + "[" + std::to_string(&item - list->data()) + "]", item, "text in quotes");
    }
    return out;
}

std::optional<TableReader> TableReader::table(std::string const& key) {
    auto const* const value = typed<Table>(key, fmt::format("a table: [{}]", full_name(key)));
    if (value == nullptr) return {};
    return TableReader(findings_, *value, find(key)->where, full_name(key));
}

std::vector<TableReader> TableReader::tables(std::string const& key) {
    auto const* const list = typed<Array>(key, "a list of tables, such as [{ path = \"~/notes\", read = true }]");
    std::vector<TableReader> out;
    if (list == nullptr) return out;
    for (auto const& item : *list) {
        auto const name = full_name(key) + "[" + std::to_string(&item - list->data()) + "]";
        if (auto const* const value = std::get_if<Table>(&item.value))
            out.emplace_back(findings_, *value, item.where, name);
        else
            findings_.error(item.where, {fmt::format("{} is {}", name, kind_of(item)), "a table: { ... }", ""});
    }
    return out;
}

std::vector<Entry const*> TableReader::entries() {
    std::vector<Entry const*> out;
    for (auto const& entry : table_) {
        asked_.push_back(entry.key);
        out.push_back(&entry);
    }
    return out;
}

std::uint64_t TableReader::size(std::string const& key, std::uint64_t fallback) {
    auto const* const node = find(key);
    if (node == nullptr) return fallback;
    auto const* const bytes = std::get_if<std::int64_t>(&node->value);
    auto const given = bytes != nullptr ? Text{std::to_string(*bytes), node->where} : text(key).value_or(Text{});
    if (given.where.line == 0) return fallback; // it was neither
    return accept(given, parse_size(given.value), key).value_or(fallback);
}

std::chrono::milliseconds TableReader::duration(std::string const& key, std::chrono::milliseconds fallback) {
    auto const* const node = find(key);
    if (node == nullptr) return fallback;
    auto const* const seconds = std::get_if<std::int64_t>(&node->value);
    auto const given =
        seconds != nullptr ? Text{std::to_string(*seconds) + "s", node->where} : text(key).value_or(Text{});
    if (given.where.line == 0) return fallback;
    return accept(given, parse_duration(given.value), key).value_or(fallback);
}

void TableReader::missing(std::string const& key, std::string const& example) {
    findings_.error(where_, {full_name(key) + " is missing", example, ""});
}

void TableReader::finish() {
    std::vector<std::string_view> known(asked_.begin(), asked_.end());
    std::sort(known.begin(), known.end());
    for (auto const& entry : table_) {
        if (std::binary_search(known.begin(), known.end(), std::string_view(entry.key))) continue;
        auto const meant = base::nearest(entry.key, known);
        auto const place = name_.empty() ? "" : fmt::format(" in [{}]", name_);
        findings_.error(entry.where,
                        {fmt::format("unknown key \"{}\"{}", base::printable(entry.key), place),
                         base::listed(known, "or"), meant ? fmt::format("did you mean \"{}\"?", *meant) : ""});
    }
}

} // namespace pfar::config
