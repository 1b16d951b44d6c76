#include "base/files.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

using namespace pfar;

TEST_CASE("a file that is larger than the bound is refused") {
    test::TempDir const dir;
    auto const file = dir.write("big", std::string(5000, 'x'));
    CHECK(base::read_file(file, 5000)->size() == 5000);
    auto const refused = base::read_file(file, 4999);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::invalid);
}

TEST_CASE("reading a pipe or a directory is refused at once and never waits") {
    test::TempDir const dir;
    REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
    CHECK(base::read_file(dir / "pipe", 100).error().code == Errc::invalid);
    CHECK_FALSE(base::read_file(dir.path(), 100));
    CHECK(base::read_file(dir / "nothing", 100).error().code == Errc::not_found);
}

TEST_CASE("a written file has its mode and leaves nothing beside it") {
    test::TempDir const dir;
    REQUIRE(base::write_file(dir / "file", "one", 0600));
    REQUIRE(base::write_file(dir / "file", "two", 0600));
    CHECK(test::read(dir / "file") == "two");
    CHECK((std::filesystem::status(dir / "file").permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("a file that cannot be replaced stays as it was, and the reason is told") {
    test::TempDir const dir;
    auto const result = base::write_file(dir / "no/such/file", "x", 0600);
    REQUIRE_FALSE(result);
    CHECK(result.error().what.find("could not be written") != std::string::npos);
    std::filesystem::create_directory(dir / "taken");
    CHECK_FALSE(base::write_file(dir / "taken", "x", 0600)); // a directory is in its place
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("what a killed writer left is neither followed nor kept") {
    test::TempDir const dir;
    auto const elsewhere = dir.write("elsewhere", "untouched");
    std::filesystem::create_symlink(elsewhere, dir / ".file.new");
    REQUIRE(base::write_file(dir / "file", "new", 0600));
    CHECK(test::read(dir / "file") == "new");
    CHECK(test::read(elsewhere) == "untouched");
    CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(dir / ".file.new")));
}
