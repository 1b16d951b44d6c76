#include <pfar/settings.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

TEST_CASE("a setting has its value, its default, or an error that names it") {
    Settings const settings{{"times", {std::int64_t{3}}}, {"name", {std::string("x")}}};
    CHECK(setting<std::int64_t>(settings, "times", 1).value() == 3);
    CHECK(setting<std::int64_t>(settings, "other", 1).value() == 1);
    auto const wrong = setting<bool>(settings, "name", false);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().what.find("name") != std::string::npos);
}

TEST_CASE("an unknown setting is refused with the ones there are") {
    Settings const settings{{"tiems", {std::int64_t{3}}}};
    auto const refused = only(settings, {"times", "name"});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what == "unknown setting tiems; it knows times, name");
    CHECK(only({}, {}));
}
