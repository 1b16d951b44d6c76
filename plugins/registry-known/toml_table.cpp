// Reads and complaints, with the line of what is complained about.
#include "toml_table.hpp"

#include <algorithm>

namespace pfar::registry_known {

void Mistakes::add(toml::source_region const& where, std::string const& what) {
    if (first_ && line_ <= where.begin.line) return;
    line_ = where.begin.line;
    first_ = fail(Errc::invalid, file_ + ":" + std::to_string(line_) + ": " + what);
}

std::string TomlTable::text(std::string_view key) {
    return value<std::string>(key, "a string").value_or("");
}

bool TomlTable::flag(std::string_view key, bool fallback) {
    return value<bool>(key, "true or false").value_or(fallback);
}

TomlTable::Strings TomlTable::texts(std::string_view key) {
    Strings found;
    auto const* const list = node(key);
    if (list == nullptr) return found;
    if (!list->is_array()) return wrong(key, *list, "a list of strings"), found;
    for (auto const& item : *list->as_array()) {
        if (!item.is_string()) return wrong(key, item, "a list of strings"), found;
        found.push_back(item.as_string()->get());
    }
    return found;
}

TomlTable::Pairs TomlTable::pairs(std::string_view key) {
    Pairs found;
    auto const* const inner = subtable(key);
    if (inner == nullptr) return found;
    for (auto const& [name, item] : *inner) {
        if (!item.is_string()) return wrong(key, item, "a table of strings"), found;
        found.emplace_back(std::string(name.str()), item.as_string()->get());
    }
    return found;
}

std::string TomlTable::required(std::string_view key) {
    auto found = text(key);
    if (found.empty()) mistake("needs " + std::string(key));
    return found;
}

std::string TomlTable::one_of(std::string_view key, std::initializer_list<std::string_view> allowed) {
    auto found = text(key);
    if (found.empty() || std::find(allowed.begin(), allowed.end(), found) != allowed.end()) return found;
    std::string names;
    for (auto const name : allowed) names.append(names.empty() ? "" : ", ").append(name);
    mistake(key, std::nullopt, "is one of " + names);
    return found;
}

void TomlTable::mistake(std::string_view key, std::optional<std::size_t> item, std::string const& what) {
    toml::node const* where = table_.get(key);
    if (item && where != nullptr && where->is_array()) {
        if (auto const* const found = where->as_array()->get(*item)) where = found;
    }
    mistakes_.add((where == nullptr ? table_ : *where).source(), name_ + "." + std::string(key) + " " + what);
}

void TomlTable::finish() {
    for (auto const& [key, item] : table_)
        if (!asked_.contains(key.str()))
            mistakes_.add(key.source(), name_ + " has an unknown key " + std::string(key.str()));
}

toml::node const* TomlTable::node(std::string_view key) {
    asked_.emplace(key);
    return table_.get(key);
}

toml::table const* TomlTable::subtable(std::string_view key) {
    auto const* const found = node(key);
    if (found != nullptr && !found->is_table()) wrong(key, *found, "a table");
    return found == nullptr ? nullptr : found->as_table();
}

void TomlTable::wrong(std::string_view key, toml::node const& where, char const* wanted) {
    mistakes_.add(where.source(), name_ + "." + std::string(key) + " has to be " + wanted);
}

} // namespace pfar::registry_known
