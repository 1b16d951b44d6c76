// Reads templates with toml++. A Table hands out its values by key and remembers the first mistake and which keys were asked
// for, so that the shape of a template is written down once, as a list of reads.
#include "template_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

namespace pfar::registry_known {

namespace {

using Strings = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Keeps the mistake that stands first in the file: toml++ visits keys in the order of the alphabet.
class Mistakes {
public:
    explicit Mistakes(std::filesystem::path const& file) : file_(file.string()) {}

    void add(toml::source_region const& where, std::string const& what) {
        if (first_ && line_ <= where.begin.line) return;
        line_ = where.begin.line;
        first_ = fail(Errc::invalid, file_ + ":" + std::to_string(line_) + ": " + what);
    }
    [[nodiscard]] std::optional<Error> const& first() const { return first_; }

private:
    std::string file_;
    toml::source_index line_ = 0;
    std::optional<Error> first_;
};

class Table {
public:
    Table(toml::table const& table, std::string name, Mistakes& mistakes)
        : table_(table), name_(std::move(name)), mistakes_(mistakes) {}
    Table(Table const&) = delete;
    Table& operator=(Table const&) = delete;
    ~Table() = default;

    std::string text(std::string_view key) { return value<std::string>(key, "a string").value_or(""); }
    bool flag(std::string_view key, bool fallback) { return value<bool>(key, "true or false").value_or(fallback); }

    std::string required(std::string_view key) {
        auto found = text(key);
        if (found.empty()) mistake(table_, "needs " + std::string(key));
        return found;
    }

    std::string one_of(std::string_view key, std::initializer_list<std::string_view> allowed) {
        auto found = text(key);
        if (found.empty() || std::find(allowed.begin(), allowed.end(), found) != allowed.end()) return found;
        std::string names;
        for (auto const name : allowed) names.append(names.empty() ? "" : ", ").append(name);
        mistake(*table_.get(key), std::string(key) + " is one of " + names);
        return found;
    }

    Strings texts(std::string_view key) {
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

    Pairs pairs(std::string_view key) {
        Pairs found;
        auto const* const inner = subtable(key);
        if (inner == nullptr) return found;
        for (auto const& [name, item] : *inner) {
            if (!item.is_string()) return wrong(key, item, "a table of strings"), found;
            found.emplace_back(std::string(name.str()), item.as_string()->get());
        }
        return found;
    }

    /// `read(Table&)` for the table under `key`, if there is one.
    template <class Read> void with(std::string_view key, Read read) {
        if (auto const* const inner = subtable(key)) inside(*inner, name_ + "." + std::string(key), read);
    }

    /// `read(Table&)` for each table of the list under `key`.
    template <class Read> void each(std::string_view key, Read read) {
        auto const* const list = node(key);
        if (list == nullptr) return;
        if (!list->is_array()) return wrong(key, *list, "a list of tables");
        for (auto const& item : *list->as_array()) {
            if (!item.is_table()) return wrong(key, item, "a list of tables");
            inside(*item.as_table(), name_ + "." + std::string(key), read);
        }
    }

    void mistake(toml::node const& where, std::string const& what) {
        mistakes_.add(where.source(), name_ + " " + what);
    }

    /// Call it last: what was not asked for is unknown.
    void finish() {
        for (auto const& [key, item] : table_)
            if (!asked_.contains(key.str()))
                mistakes_.add(key.source(), name_ + " has an unknown key " + std::string(key.str()));
    }

    toml::table const& raw() const { return table_; }

private:
    toml::node const* node(std::string_view key) {
        asked_.emplace(key);
        return table_.get(key);
    }

    void wrong(std::string_view key, toml::node const& where, char const* wanted) {
        mistakes_.add(where.source(), name_ + "." + std::string(key) + " has to be " + wanted);
    }

    template <class T> std::optional<T> value(std::string_view key, char const* wanted) {
        auto const* const found = node(key);
        if (found == nullptr) return std::nullopt;
        if (auto const* const typed = found->as<T>()) return typed->get();
        wrong(key, *found, wanted);
        return std::nullopt;
    }

    toml::table const* subtable(std::string_view key) {
        auto const* const found = node(key);
        if (found != nullptr && !found->is_table()) wrong(key, *found, "a table");
        return found == nullptr ? nullptr : found->as_table();
    }

    template <class Read> void inside(toml::table const& inner, std::string name, Read read) {
        Table table(inner, std::move(name), mistakes_);
        read(table);
        table.finish();
    }

    toml::table const& table_;
    std::string name_;
    Mistakes& mistakes_;
    std::set<std::string, std::less<>> asked_;
};

Package package_in(Table& table) {
    Package package;
    auto const npm = table.text("npm"), pypi = table.text("pypi");
    if (npm.empty() == pypi.empty()) table.mistake(table.raw(), "names one package: npm = \"...\" or pypi = \"...\"");
    package.source = npm.empty() ? Package::Source::pypi : Package::Source::npm;
    package.name = npm.empty() ? pypi : npm;
    package.version = table.required("version"); // pinned: what was looked at is what is installed
    package.entry = table.required("entry");
    return package;
}

CredentialNeed credential_in(Table& table) {
    CredentialNeed need;
    need.variable = table.required("variable");
    need.prompt = table.required("prompt");
    need.help_url = table.text("help_url");
    need.starts_with = table.text("starts_with");
    need.required = table.flag("required", true);
    return need;
}

Parameter parameter_in(Table& table) {
    Parameter parameter;
    parameter.name = table.required("name");
    parameter.prompt = table.required("prompt");
    parameter.pattern = table.text("pattern");
    parameter.fallback = table.text("fallback");
    return parameter;
}

KnownServer server_in(Table& table, std::string name) {
    KnownServer server;
    server.name = std::move(name);
    server.title = table.required("title");
    server.description = table.required("description");
    server.aliases = table.texts("aliases");
    server.args = table.texts("args");
    server.environment = table.pairs("environment");
    server.domains = table.texts("domains");
    server.reads = table.texts("reads");
    server.label = table.one_of("label", {"public", "internal", "sensitive", "regulated", "secret"});
    server.taint = table.one_of("taint", {"clean", "extracted", "raw"});
    server.not_yet = table.text("not_yet");
    table.with("package", [&](Table& inner) { server.package = package_in(inner); });
    table.each("credentials", [&](Table& inner) { server.credentials.push_back(credential_in(inner)); });
    table.each("parameters", [&](Table& inner) { server.parameters.push_back(parameter_in(inner)); });
    table.each("grants", [&](Table& inner) {
        server.grants.push_back({inner.required("path"), inner.flag("write", false)});
    });
    table.with("verify", [&](Table& inner) {
        server.verify.tool = inner.required("tool");
        server.verify.arguments_json = inner.text("arguments");
    });
    return server;
}

// As for a server file: it becomes one.
bool is_server_name(std::string_view name) {
    constexpr auto allowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return !name.empty() && name.size() <= 20 && name.front() != '-' &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

Result<std::vector<KnownServer>> servers_in(toml::table const& root, std::filesystem::path const& file) {
    Mistakes mistakes(file);
    std::vector<KnownServer> servers;
    for (auto const& [key, item] : root) {
        std::string const name(key.str());
        if (!is_server_name(name)) {
            mistakes.add(key.source(), name + " is no server name: [a-z0-9-], at most 20, no - first");
        } else if (!item.is_table()) {
            mistakes.add(key.source(), name + " has to be a table: [" + name + "] and its keys below it");
        } else {
            Table table(*item.as_table(), name, mistakes);
            servers.push_back(server_in(table, name));
            table.finish();
        }
    }
    if (mistakes.first()) return *mistakes.first();
    return servers;
}

} // namespace

Result<std::vector<KnownServer>> parse_templates(std::string_view text, std::filesystem::path const& file) {
    try {
        return servers_in(toml::parse(text, file.string()), file);
    } catch (toml::parse_error const& error) {
        return fail(Errc::invalid, file.string() + ":" + std::to_string(error.source().begin.line) + ": " +
                                       std::string(error.description()));
    }
}

Result<std::vector<KnownServer>> read_templates(std::filesystem::path const& file) {
    constexpr std::uintmax_t limit = 4U << 20U;
    std::error_code error;
    auto const size = std::filesystem::file_size(file, error);
    if (error) {
        auto const code = error == std::errc::no_such_file_or_directory ? Errc::not_found : Errc::io;
        return fail(code, file.string() + " cannot be read: " + error.message());
    }
    if (size > limit) return fail(Errc::invalid, file.string() + " is longer than 4 MiB");
    std::ifstream stream(file, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) return fail(Errc::io, file.string() + " cannot be read; check its permissions");
    return parse_templates(text, file);
}

} // namespace pfar::registry_known
