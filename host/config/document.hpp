// Document: a TOML file as a tree of plain values, each with its place in the text.
//
// The TOML library stays behind this header. Where a line cannot be read, it is reported and left out and the rest is read,
// so that one missing quote does not hide the other mistakes of a file.
#pragma once

#include "config/mistake.hpp"
#include "config/source.hpp"

#include <pfar/settings.hpp>

#include <string>
#include <variant>
#include <vector>

namespace pfar::config {

struct Node;
struct Entry;
using Array = std::vector<Node>;
using Table = std::vector<Entry>; // in the order of the file

struct DateOrTime {};

struct Node {
    Where where;
    std::variant<std::string, std::int64_t, double, bool, DateOrTime, Array, Table> value;
};

struct Entry {
    std::string key;
    Where where;
    Node value;
};

struct Document {
    Where where;
    Table root;
    std::vector<Mistake> mistakes; // not TOML
    bool whole = true;             // false: something was left out
};

/// Never fails and never throws: what cannot be read is in `mistakes`. Bounded in time by 20 mistakes. [any thread]
Document read_document(Source const& source);

/// "text", "a number": what somebody wrote, in words.
std::string_view kind_of(Node const& node);

/// As it could be written in a file, on one line.
std::string to_toml(Node const& node);

/// A key as it is written, in quotes where it needs them.
std::string key_text(std::string const& key);

/// For a plugin's own table.
Settings to_settings(Table const& table);

} // namespace pfar::config
