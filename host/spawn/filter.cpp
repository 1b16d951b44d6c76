// filters.inc defines filter_0 to filter_7, numbered by the wishes.
#include "spawn/filter.hpp"

#include <array>

namespace pfar::spawn {
namespace {

#include <filters.inc>

template <std::size_t N> std::string_view bytes(unsigned char const (&program)[N]) {
    return {reinterpret_cast<char const*>(program), N};
}

} // namespace

std::string_view filter(FilterWishes const& wishes) {
    static std::array<std::string_view, 8> const all{bytes(filter_0), bytes(filter_1), bytes(filter_2),
                                                     bytes(filter_3), bytes(filter_4), bytes(filter_5),
                                                     bytes(filter_6), bytes(filter_7)};
    return all.at((wishes.deny_sockets ? 1U : 0U) + (wishes.deny_hidden_memory ? 2U : 0U) +
                  (wishes.deny_unix ? 4U : 0U));
}

} // namespace pfar::spawn
