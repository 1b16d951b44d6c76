// The words that server files, tool calls and listings share, each with its spelling in one place.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace pfar::base {

/// How confidential something is, lowest first.
enum class Label : std::uint8_t { open, internal, sensitive, regulated, secret };
/// What a server's outputs do to a session.
enum class Taint : std::uint8_t { clean, extracted, raw };
enum class Semantics : std::uint8_t { read, write };
/// When a call asks the owner.
enum class Approve : std::uint8_t { never, tainted, write, always };
/// Whose process it is: one for the host, or one for each agent's session.
enum class Share : std::uint8_t { host, session };

template <class E, std::size_t N> using Spelling = std::array<std::pair<std::string_view, E>, N>;

inline constexpr Spelling<Label, 5> label_words{{{"public", Label::open},
                                                 {"internal", Label::internal},
                                                 {"sensitive", Label::sensitive},
                                                 {"regulated", Label::regulated},
                                                 {"secret", Label::secret}}};
inline constexpr Spelling<Taint, 3> taint_words{
    {{"clean", Taint::clean}, {"extracted", Taint::extracted}, {"raw", Taint::raw}}};
inline constexpr Spelling<Semantics, 2> semantics_words{{{"read", Semantics::read}, {"write", Semantics::write}}};
inline constexpr Spelling<Approve, 4> approve_words{
    {{"never", Approve::never}, {"tainted", Approve::tainted}, {"write", Approve::write}, {"always", Approve::always}}};
inline constexpr Spelling<Share, 2> share_words{{{"host", Share::host}, {"session", Share::session}}};

template <class E, std::size_t N> constexpr std::string_view word_for(Spelling<E, N> const& words, E value) {
    for (auto const& [word, meaning] : words)
        if (meaning == value) return word;
    return "?";
}

} // namespace pfar::base
