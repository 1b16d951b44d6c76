#include <pfar/secret.hpp>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <ostream>
#include <string>
#include <type_traits>

using pfar::Secret;

// A secret cannot be printed, logged, compared or copied by accident. These are checked when this file is compiled.
template <class T>
concept Streamable = requires(std::ostream& out, T const& value) {
    out << value;
};
static_assert(Streamable<std::string>);
static_assert(!Streamable<Secret>);
static_assert(fmt::is_formattable<std::string>::value);
static_assert(!fmt::is_formattable<Secret>::value);
static_assert(!std::is_convertible_v<Secret, std::string> && !std::is_convertible_v<Secret, std::string_view>);
static_assert(!std::is_convertible_v<std::string, Secret>);
static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);
template <class T>
concept Comparable = requires(T const& a, T const& b) {
    a == b;
};
static_assert(Comparable<std::string> && !Comparable<Secret>);

TEST_CASE("a secret keeps its bytes, moves, and is copied only on purpose") {
    Secret a(std::string_view("to\0ken", 6));
    CHECK(a.reveal() == std::string_view("to\0ken", 6));
    auto const b = a.clone();
    auto const c = std::move(a);
    CHECK(c.same_as(b));
    CHECK_FALSE(c.same_as(Secret("token!")));
    CHECK_FALSE(c.same_as(Secret("to")));
    CHECK(Secret().reveal().empty());
    CHECK(Secret("").same_as(Secret()));
}
