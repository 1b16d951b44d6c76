// A TOML table that hands out its values by key, and remembers the first mistake and which keys were asked for: so the shape of
// a template is written down once, as a list of reads, and whatever else stands in the file is a typing error.
#pragma once

#include <pfar/result.hpp>

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pfar::registry_known {

/// Keeps the mistake that stands first in the file: toml++ visits keys in the order of the alphabet.
class Mistakes {
public:
    explicit Mistakes(std::filesystem::path const& file) : file_(file.string()) {}

    void add(toml::source_region const& where, std::string const& what);
    [[nodiscard]] std::optional<Error> const& first() const { return first_; }

private:
    std::string file_;
    toml::source_index line_ = 0;
    std::optional<Error> first_;
};

class TomlTable {
public:
    using Strings = std::vector<std::string>;
    using Pairs = std::vector<std::pair<std::string, std::string>>;

    TomlTable(toml::table const& table, std::string name, Mistakes& mistakes)
        : table_(table), name_(std::move(name)), mistakes_(mistakes) {}
    TomlTable(TomlTable const&) = delete;
    TomlTable& operator=(TomlTable const&) = delete;
    ~TomlTable() = default;

    /// What is not there is empty, or `fallback`. A wrong type is a mistake.
    std::string text(std::string_view key);
    bool flag(std::string_view key, bool fallback);
    Strings texts(std::string_view key);
    Pairs pairs(std::string_view key);
    /// Not there, or empty: a mistake.
    std::string required(std::string_view key);
    /// Something else: a mistake. Not there is allowed.
    std::string one_of(std::string_view key, std::initializer_list<std::string_view> allowed);

    /// `read(TomlTable&)` for the table under `key`, if there is one.
    template <class Read> void with(std::string_view key, Read read) {
        if (auto const* const inner = subtable(key)) inside(*inner, key, read);
    }

    /// `read(TomlTable&)` for each table of the list under `key`.
    template <class Read> void each(std::string_view key, Read read) {
        auto const* const list = node(key);
        if (list == nullptr) return;
        if (!list->is_array()) return wrong(key, *list, "a list of tables");
        for (auto const& item : *list->as_array()) {
            if (!item.is_table()) return wrong(key, item, "a list of tables");
            inside(*item.as_table(), key, read);
        }
    }

    /// About the table as a whole.
    void mistake(std::string const& what) { mistakes_.add(table_.source(), name_ + " " + what); }
    /// About what stands under `key`, or about one item of that list.
    void mistake(std::string_view key, std::optional<std::size_t> item, std::string const& what);

    /// Call it last: what was not asked for is unknown.
    void finish();

private:
    toml::node const* node(std::string_view key);
    toml::table const* subtable(std::string_view key);
    void wrong(std::string_view key, toml::node const& where, char const* wanted);

    template <class T> std::optional<T> value(std::string_view key, char const* wanted) {
        auto const* const found = node(key);
        if (found == nullptr) return std::nullopt;
        if (auto const* const typed = found->as<T>()) return typed->get();
        wrong(key, *found, wanted);
        return std::nullopt;
    }

    template <class Read> void inside(toml::table const& inner, std::string_view key, Read read) {
        TomlTable table(inner, name_ + "." + std::string(key), mistakes_);
        read(table);
        table.finish();
    }

    toml::table const& table_;
    std::string name_;
    Mistakes& mistakes_;
    std::set<std::string, std::less<>> asked_;
};

} // namespace pfar::registry_known
