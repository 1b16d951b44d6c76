#include "config/expand.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::config;

namespace {

Variables const variables{{"PFAR_HOME", "/h/.pfar"}, {"~", "/h"}, {"EVIL", "${PFAR_HOME}"}};

} // namespace

TEST_CASE("variables and the home directory are expanded once, from left to right") {
    CHECK(expand("${PFAR_HOME}/x", variables).value() == "/h/.pfar/x");
    CHECK(expand("~/x", variables).value() == "/h/x");
    CHECK(expand("a~/x", variables).value() == "a~/x");
    CHECK(expand("$${PFAR_HOME} $PFAR_HOME $", variables).value() == "${PFAR_HOME} $PFAR_HOME $");
    CHECK(expand("${EVIL}", variables).value() == "${PFAR_HOME}"); // what was put in is not looked at again
    CHECK_FALSE(expand("${NOPE}", variables));
    CHECK_FALSE(expand("${PFAR_HOME", variables));
}

TEST_CASE("relative paths begin at the base, never at the caller's directory") {
    CHECK(expand_path("x/../y", variables, "/base").value() == "/base/y");
    CHECK(expand_path("~/x/", variables, "/base").value() == "/h/x");
    CHECK(expand_path("/", variables, "/base").value() == "/");
    CHECK_FALSE(expand_path("", variables, "/base"));
    CHECK_FALSE(expand_path("~root/x", variables, "/base"));
    CHECK_FALSE(expand_path(std::string_view("a\0b", 3), variables, "/base"));
}
