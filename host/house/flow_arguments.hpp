// What scripts give to verbs, taken apart.
#pragma once

#include <pfar/result.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace pfar::house {

/// A text under a key; empty if there is none.
inline std::string text_at(boost::json::object const& table, std::string_view key) {
    auto const* const found = table.if_contains(key);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

inline bool flag_at(boost::json::object const& table, std::string_view key) {
    auto const* const found = table.if_contains(key);
    return found != nullptr && found->is_bool() && found->get_bool();
}

/// The first argument, if it is a text.
inline std::string first_text(std::vector<boost::json::value> const& given) {
    return !given.empty() && given[0].is_string() ? std::string(given[0].get_string()) : std::string();
}

/// That argument, if it is a table; else null.
inline boost::json::object const* table_at(std::vector<boost::json::value> const& given, std::size_t at) {
    return given.size() > at ? given[at].if_object() : nullptr;
}

inline Error misuse(std::string_view verb, std::string_view wants) {
    return fail(Errc::invalid, fmt::format("{} wants {}", verb, wants));
}

} // namespace pfar::house
