// The values that configuration files spell as text: sizes, durations, names, words of a fixed choice.
//
// Pure. A wrong value comes back as what is wrong, what was expected and how to write it.
#pragma once

#include "base/terms.hpp"
#include "base/text.hpp"
#include "config/mistake.hpp"

#include <boost/system/result.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <vector>

namespace pfar::config {

template <class T> using Parsed = boost::system::result<T, Wrong>;

[[noreturn]] void throw_exception_from_error(Wrong const& wrong, boost::source_location const& where);

/// "256m", "1g", "512k", "4096": bytes, in powers of 1024.
Parsed<std::uint64_t> parse_size(std::string_view text);
/// "30s", "10m", "500ms", "1h", "2d"; "0".
Parsed<std::chrono::milliseconds> parse_duration(std::string_view text);
/// What pfar calls itself towards agents, so no server can be called that.
inline constexpr std::string_view own_name = "pfar";
/// [a-z0-9][a-z0-9-]{0,19}
Parsed<std::string> parse_server_name(std::string_view text);
/// A variable of the environment.
Parsed<std::string> parse_variable(std::string_view text);
/// One that may be passed on from the owner's environment: not the store of vault-env.
Parsed<std::string> parse_passed(std::string_view text);
/// An entry of the vault: [A-Za-z0-9_.-], at most 64.
Parsed<std::string> parse_entry_name(std::string_view text);

/// One of the words of a Spelling.
template <class E, std::size_t N> Parsed<E> parse_word(std::string_view text, base::Spelling<E, N> const& words) {
    std::vector<std::string_view> known;
    for (auto const& [word, meaning] : words) {
        if (word == text) return meaning;
        known.push_back(word);
    }
    auto const meant = base::nearest(text, known);
    return Wrong{fmt::format("\"{}\" is not one of the words allowed here", base::printable(text)),
                 base::listed(known, "or"),
                 meant ? fmt::format("did you mean \"{}\"?", *meant) : "write one of these words"};
}

} // namespace pfar::config
