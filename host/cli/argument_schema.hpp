// ArgumentSchema: what a tool's inputSchema says about one argument: enough to tell a number that was typed from a text.
//
// It is no validation; the host does that. What is not understood counts as "anything".
#pragma once

#include <boost/json/value.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::cli {

class ArgumentSchema {
public:
    /// Kept by whoever asks. Null: nothing is known.
    explicit ArgumentSchema(boost::json::value const& root) : root_(root) {}

    using Types = std::set<std::string, std::less<>>; // "string", "integer", ...; empty: anything

    /// What is said about an argument; null if nothing is.
    [[nodiscard]] boost::json::value const* property(std::string_view key) const;
    /// True if only those may be given that it names.
    [[nodiscard]] bool is_closed() const;
    [[nodiscard]] std::vector<std::string_view> names() const;

    [[nodiscard]] Types types_of(boost::json::value const* schema) const;
    /// What is said about the elements of a list; null if nothing is.
    [[nodiscard]] boost::json::value const* items_of(boost::json::value const* schema) const;

private:
    using Leaves = std::vector<boost::json::object const*>;
    void add_leaves(boost::json::value const* schema, Leaves& leaves, unsigned depth) const;
    [[nodiscard]] Leaves leaves_of(boost::json::value const* schema) const;
    [[nodiscard]] boost::json::value const* member(std::string_view key) const;

    boost::json::value const& root_;
};

} // namespace pfar::cli
