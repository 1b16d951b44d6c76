#include "base/paths.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

#include <cstdlib>

using namespace pfar;

TEST_CASE("PFAR_HOME has to be absolute, and is normalised") {
    char const* const before = std::getenv("PFAR_HOME");
    std::string const kept = before != nullptr ? before : "";
    ::setenv("PFAR_HOME", "relative/home", 1);
    CHECK_FALSE(base::home());
    ::setenv("PFAR_HOME", "/srv/x/../pfar/", 1);
    CHECK(base::home().value() == "/srv/pfar");
    ::setenv("PFAR_HOME", "", 1);
    CHECK(base::home().value().filename() == ".pfar");
    before != nullptr ? ::setenv("PFAR_HOME", kept.c_str(), 1) : ::unsetenv("PFAR_HOME");
}

TEST_CASE("the home directory is made private, and one that others can write is refused and left as it is") {
    test::TempDir const dir;
    REQUIRE(base::prepare_home(dir / "home"));
    CHECK((std::filesystem::status(dir / "home").permissions() & std::filesystem::perms::all) ==
          std::filesystem::perms::owner_all);
    REQUIRE(::chmod((dir / "home").c_str(), 0777) == 0);
    auto const refused = base::prepare_home(dir / "home");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what.find("chmod 700") != std::string::npos);
    CHECK((std::filesystem::status(dir / "home").permissions() & std::filesystem::perms::all) ==
          std::filesystem::perms::all);
    CHECK_FALSE(base::prepare_home(dir.write("file", "")));
}

TEST_CASE("lies_in compares whole names") {
    CHECK(base::lies_in("/a/b", "/a/b"));
    CHECK(base::lies_in("/a/b/c", "/a/b"));
    CHECK_FALSE(base::lies_in("/a/bc", "/a/b"));
    CHECK_FALSE(base::lies_in("/a", "/a/b"));
}
