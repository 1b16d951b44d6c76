// TableReader: asks one table for its keys and reports what does not fit.
//
// A key is known because somebody asked for it. So there is no second list of keys: `finish` reports every key of the file
// that was never asked for, and suggests one that was.
#pragma once

#include "config/document.hpp"
#include "config/findings.hpp"
#include "config/remedy.hpp"
#include "config/values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pfar::config {

/// Text and where it stands.
struct Text {
    std::string value;
    Where where;
};

class TableReader {
public:
    /// `name` is how the table is written in the file: "sandbox", "tools.search"; empty for the file itself.
    TableReader(Findings& findings, Table const& table, Where where, std::string name)
        : findings_(findings), table_(table), where_(where), name_(std::move(name)) {}

    [[nodiscard]] bool has(std::string const& key);
    /// The key itself, or the table where it is not there.
    [[nodiscard]] Where where(std::string const& key) const;
    [[nodiscard]] Where where() const { return where_; }
    [[nodiscard]] Findings& findings() { return findings_; }
    /// "sandbox.backend"
    [[nodiscard]] std::string full_name(std::string const& key) const;

    std::optional<Text> text(std::string const& key);
    bool flag(std::string const& key, bool fallback);
    /// False if something else stands there; true if nothing does.
    [[nodiscard]] bool is_flag(std::string const& key) {
        auto const* const node = find(key);
        return node == nullptr || std::holds_alternative<bool>(node->value);
    }
    std::int64_t number(std::string const& key, std::int64_t fallback, std::int64_t least, std::int64_t most);
    std::vector<Text> texts(std::string const& key);
    std::optional<TableReader> table(std::string const& key);
    std::vector<TableReader> tables(std::string const& key);
    /// Reads the table under `key`, if there is one, and reports what `read` did not ask it for.
    template <class Read> void section(std::string const& key, Read read) {
        if (auto inner = table(key)) {
            read(*inner);
            inner->finish();
        }
    }
    /// Every key with its value, for tables whose keys are the owner's to choose. All of them count as known.
    std::vector<Entry const*> entries();

    /// Text or a number (bytes) for sizes, text or a number (seconds) for durations.
    std::uint64_t size(std::string const& key, std::uint64_t fallback);
    std::chrono::milliseconds duration(std::string const& key, std::chrono::milliseconds fallback);

    template <class E, std::size_t N> std::optional<E> word(std::string const& key, base::Spelling<E, N> const& words) {
        auto const given = text(key);
        return given ? accept(*given, parse_word(given->value, words), key) : std::nullopt;
    }
    /// The value, or the mistake on record.
    template <class T> std::optional<T> accept(Text const& given, Parsed<T> parsed, std::string const& key) {
        if (parsed) return std::move(*parsed);
        auto wrong = parsed.error();
        wrong.what = full_name(key) + ": " + wrong.what;
        findings_.error(given.where, std::move(wrong));
        return {};
    }

    /// Reports that `key` is missing; `line` is what to write.
    void missing(std::string const& key, std::string const& line);
    /// Reports the keys that nobody asked for; true if there are none.
    bool finish();

private:
    Node const* find(std::string const& key);
    template <class T> T const* typed(std::string const& key, Wanted wanted);
    void wrong_type(std::string const& key, Node const& node, Wanted wanted);
    std::optional<Text> text_or_number(std::string const& key, char const* unit, Wanted wanted);

    Findings& findings_;
    Table const& table_;
    Where where_;
    std::string name_;
    std::vector<std::string> asked_;
};

} // namespace pfar::config
