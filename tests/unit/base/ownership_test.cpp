#include "base/ownership.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>
#include <unistd.h>

using namespace pfar;
using base::Strictness;

namespace {

std::string refusal(std::filesystem::path const& path, Strictness strictness = Strictness::strict) {
    auto const result = base::only_ours(path, strictness);
    return result ? "" : result.error().what;
}

} // namespace

TEST_CASE("a file of our own in a directory of our own is ours") {
    test::TempDir const dir;
    CHECK(refusal(dir.write("sub/file", "x")).empty());
}

TEST_CASE("a file or directory that others can write is refused with the command that mends it") {
    test::TempDir const dir;
    auto const file = dir.write("sub/file", "x");
    SECTION("the file, by everybody") {
        REQUIRE(::chmod(file.c_str(), 0646) == 0);
    }
    SECTION("the file, by its group") {
        REQUIRE(::chmod(file.c_str(), 0664) == 0);
    }
    SECTION("its directory") {
        REQUIRE(::chmod((dir / "sub").c_str(), 0777) == 0);
    }
    SECTION("its directory, sticky all the same") {
        REQUIRE(::chmod((dir / "sub").c_str(), 01777) == 0);
    }
    SECTION("a directory further up") {
        REQUIRE(::chmod(dir.path().c_str(), 0707) == 0);
    }
    CHECK(refusal(file).find("chmod go-w") != std::string::npos);
}

TEST_CASE("a sticky directory further up is no danger") {
    test::TempDir const dir;
    auto const file = dir.write("sub/file", "x");
    REQUIRE(::chmod(dir.path().c_str(), 01777) == 0);
    CHECK(refusal(file).empty());
}

TEST_CASE("a link is judged by what it points to") {
    test::TempDir const dir;
    dir.write("open/file", "x");
    REQUIRE(::chmod((dir / "open").c_str(), 0777) == 0);
    std::filesystem::create_directory(dir / "closed");
    std::filesystem::create_symlink(dir / "open/file", dir / "closed/link");
    CHECK_FALSE(refusal(dir / "closed/link").empty());
}

TEST_CASE("what belongs to somebody else is refused") {
    if (::geteuid() != 0) SKIP("only root can give a file away");
    test::TempDir const dir;
    auto const file = dir.write("sub/file", "x");
    REQUIRE(::chown(file.c_str(), 12345, 0) == 0);
    CHECK(refusal(file).find("belongs to uid 12345") != std::string::npos);
}
