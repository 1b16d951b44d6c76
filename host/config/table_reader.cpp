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

void TableReader::wrong_type(std::string const& key, Node const& node, Wanted wanted) {
    auto const name = wanted == Wanted::table ? full_name(key) : key;
    findings_.error(node.where, {fmt::format("{} is {}", full_name(key), kind_of(node)), in_words(wanted),
                                 remedy(wanted, base::printable(name), node, findings_.may_quote(node.where))});
}

template <class T> T const* TableReader::typed(std::string const& key, Wanted wanted) {
    auto const* const node = find(key);
    if (node == nullptr) return nullptr;
    auto const* const value = std::get_if<T>(&node->value);
    if (value == nullptr) wrong_type(key, *node, wanted);
    return value;
}

std::optional<Text> TableReader::text(std::string const& key) {
    auto const* const value = typed<std::string>(key, Wanted::text);
    if (value == nullptr) return {};
    return Text{*value, find(key)->where};
}

bool TableReader::flag(std::string const& key, bool fallback) {
    auto const* const value = typed<bool>(key, Wanted::flag);
    return value != nullptr ? *value : fallback;
}

std::int64_t TableReader::number(std::string const& key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
    auto const* const value = typed<std::int64_t>(key, Wanted::number);
    if (value == nullptr) return fallback;
    if (*value >= least && *value <= most) return *value;
    findings_.error(find(key)->where, {fmt::format("{} is {}", full_name(key), *value),
                                       fmt::format("a whole number from {} to {}", least, most),
                                       fmt::format("such as {} = {}", key, fallback)});
    return fallback;
}

std::vector<Text> TableReader::texts(std::string const& key) {
    auto const* const list = typed<Array>(key, Wanted::texts);
    std::vector<Text> out;
    if (list == nullptr) return out;
    for (auto const& item : *list) {
        if (auto const* const value = std::get_if<std::string>(&item.value)) {
            out.push_back({*value, item.where});
            continue;
        }
        auto const what = fmt::format("{}[{}] is {}", full_name(key), &item - list->data(), kind_of(item));
        bool const quote = findings_.may_quote(item.where);
        findings_.error(item.where, {what, in_words(Wanted::text),
                                     quote ? fmt::format("put it in quotes: \"{}\"", base::printable(to_toml(item)))
                                           : "put it in quotes"});
    }
    return out;
}

std::optional<TableReader> TableReader::table(std::string const& key) {
    auto const* const value = typed<Table>(key, Wanted::table);
    if (value == nullptr) return {};
    return TableReader(findings_, *value, find(key)->where, full_name(key));
}

std::vector<TableReader> TableReader::tables(std::string const& key) {
    auto const* const list = typed<Array>(key, Wanted::tables);
    std::vector<TableReader> out;
    if (list == nullptr) return out;
    for (auto const& item : *list) {
        auto const name = full_name(key) + "[" + std::to_string(&item - list->data()) + "]";
        if (auto const* const value = std::get_if<Table>(&item.value))
            out.emplace_back(findings_, *value, item.where, name);
        else
            findings_.error(item.where, {fmt::format("{} is {}", name, kind_of(item)), "a table: { ... }",
                                         "such as { path = \"~/notes\", read = true }"});
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

/// Text as it is, a number with `unit` behind it; anything else is a mistake.
std::optional<Text> TableReader::text_or_number(std::string const& key, char const* unit, Wanted wanted) {
    auto const* const node = find(key);
    if (node == nullptr) return {};
    if (auto const* const number = std::get_if<std::int64_t>(&node->value))
        return Text{std::to_string(*number) + unit, node->where};
    auto const* const value = typed<std::string>(key, wanted);
    return value != nullptr ? std::optional(Text{*value, node->where}) : std::nullopt;
}

std::uint64_t TableReader::size(std::string const& key, std::uint64_t fallback) {
    auto const given = text_or_number(key, "", Wanted::size);
    return given ? accept(*given, parse_size(given->value), key).value_or(fallback) : fallback;
}

std::chrono::milliseconds TableReader::duration(std::string const& key, std::chrono::milliseconds fallback) {
    auto const given = text_or_number(key, "s", Wanted::duration);
    return given ? accept(*given, parse_duration(given->value), key).value_or(fallback) : fallback;
}

void TableReader::missing(std::string const& key, std::string const& line) {
    if (!findings_.whole()) return; // it may stand in what could not be read
    findings_.error(where_, {full_name(key) + " is missing",
                             "every such " + std::string(name_.empty() ? "file" : "table") + " has one",
                             "add the line: " + line});
}

bool TableReader::finish() {
    bool all_known = true;
    std::vector<std::string_view> known(asked_.begin(), asked_.end());
    std::sort(known.begin(), known.end());
    for (auto const& entry : table_) {
        if (std::binary_search(known.begin(), known.end(), std::string_view(entry.key))) continue;
        all_known = false;
        auto const meant = base::nearest(entry.key, known);
        auto const place = name_.empty() ? "" : fmt::format(" in [{}]", name_);
        findings_.error(entry.where,
                        {fmt::format("unknown key \"{}\"{}", base::printable(entry.key), place),
                         base::listed(known, "or"),
                         meant ? fmt::format("did you mean \"{}\"?", *meant) : "remove it, or write one of these"});
    }
    return all_known;
}

} // namespace pfar::config
