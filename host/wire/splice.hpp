// Splice: a JSON text with a few of its parts exchanged, and everything else as it came, byte for byte.
#pragma once

#include <pfar/result.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::wire {

/// `at` is a part of the text; an empty one is a place where something is put in.
struct Edit {
    std::string_view at;
    std::string with;
};

/// The edits in whatever order; they do not overlap.
std::string spliced(std::string_view text, std::vector<Edit> edits);

/// A member of an object, with everything that belongs to it.
struct Member {
    std::string_view key, value; // the key as it is written, without quotation marks
};
/// All members of an object, in their order. Errc::invalid if it is no object, has more than `most`, or if one of `once` stands there twice in
/// whatever spelling: two readers could understand two things.
Result<std::vector<Member>> members_once(std::string_view object, std::initializer_list<std::string_view> once,
                                         std::size_t most = 100'000);
/// The value of one of them; empty if it is not there.
std::string_view value_of(std::vector<Member> const& members, std::string_view key);

/// The place behind the last member of a non-empty object, or right behind the brace of an empty one.
std::string_view end_of_members(std::string_view object);
/// `"key":value`, with a comma before it if the object has members: for end_of_members().
std::string further_member(std::string_view object, std::string_view key, std::string_view value);

} // namespace pfar::wire
