#include "servers/follow.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using servers::follow;
namespace fs = std::filesystem;

TEST_CASE("following a path tells its end and every link on the way") {
    test::TempDir const dir;
    auto const file = dir.write("real/sub/file", "x");
    fs::create_symlink("real", dir / "directory");
    fs::create_symlink(dir / "directory/sub/file", dir / "link");
    auto const way = follow(dir / "link");
    REQUIRE(way);
    CHECK(way->end == file);
    REQUIRE(way->links.size() == 2);
    CHECK(way->links[0] == pfar::Link{dir / "link", (dir / "directory/sub/file").native()});
    CHECK(way->links[1] == pfar::Link{dir / "directory", "real"});
}

TEST_CASE("dots are followed as the kernel does, after the link and not before it") {
    test::TempDir const dir;
    auto const file = dir.write("a/file", "x");
    dir.write("a/b/other", "x");
    fs::create_symlink("a/b", dir / "link");
    auto const way = follow(dir / "link/../file");
    REQUIRE(way);
    CHECK(way->end == file);
    CHECK(follow(dir / "./a//b/../file")->end == file);
    CHECK(follow("/")->end == "/");
    CHECK(follow("/../..")->end == "/");
}

TEST_CASE("a circle of links, a missing file and what is no path are errors") {
    test::TempDir const dir;
    fs::create_symlink("b", dir / "a");
    fs::create_symlink("a", dir / "b");
    fs::create_symlink("self/self", dir / "self");
    auto const file = dir.write("file", "x");
    CHECK(follow(dir / "a").error().code == Errc::invalid);
    CHECK(follow(dir / "self").error().code == Errc::invalid);
    CHECK(follow(dir / "none").error().code == Errc::not_found);
    CHECK(follow(file / "below").error().code == Errc::not_found);
    CHECK(follow(file / "..").error().code == Errc::not_found);
    CHECK_FALSE(follow("relative"));
    CHECK_FALSE(follow(std::string("/tmp\0x", 6)));
    CHECK_FALSE(follow("/" + std::string(10000, 'a')));
}

TEST_CASE("a directory is made canonical and the name in it kept") {
    test::TempDir const dir;
    dir.write("real/file", "x");
    fs::create_symlink("real", dir / "directory");
    fs::create_symlink("file", dir / "real/link");
    CHECK(servers::in_canonical_directory(dir / "directory/link").value() == dir / "real/link");
    CHECK(servers::in_canonical_directory(dir / "directory/").value() == dir / "real");
}
