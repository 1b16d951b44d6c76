// Scan: one strict pass over a JSON text that keeps nothing but where the outermost parts stand.
//
// What is passed on goes on as it came, byte for byte. So a message is judged (grammar, UTF-8, depth) and cut, but no tree is built of it; who needs a
// value of a part parses that part.
#pragma once

#include <pfar/result.hpp>

#include <cstddef>
#include <functional>
#include <string_view>

namespace pfar::wire {

inline constexpr unsigned most_depth = 64;

/// Hears of each member of the outermost object, the key as it is written between its quotation marks; false ends the scan.
using OnMember = std::function<bool(std::string_view key, std::string_view value)>;
/// Hears of each element of the outermost array.
using OnElement = std::function<bool(std::string_view value)>;

struct ScanTask {
    OnMember member{};
    OnElement element{};
    unsigned depth = most_depth;
};

/// True if `text` is one JSON value, in whole UTF-8, not nested deeper than `depth`, and nobody ended it. Never throws on input. [any thread]
bool scan(std::string_view text, ScanTask const& task);

/// Whoever hears of members as long as the scan runs; unlike OnMember it never allocates.
struct MemberListener {
    void const* who;
    bool (*hear)(void const* who, std::string_view key, std::string_view value); // null: nobody
};
bool scan_for(std::string_view text, MemberListener listener);

template <class Hear> bool pass_on(void const* who, std::string_view key, std::string_view value) {
    return (*static_cast<Hear const*>(who))(key, value);
}
/// A scan with `hear` as its OnMember. [any thread]
template <class Hear> bool scan_members(std::string_view text, Hear const& hear) {
    return scan_for(text, MemberListener{&hear, pass_on<Hear>});
}

} // namespace pfar::wire
