#include "rooms/rooms.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("no file of the host includes a room that host/ROOMS does not grant") {
    auto const host = std::filesystem::path(PFAR_SOURCE) / "host";
    auto const rooms = test::read_rooms(host);
    CHECK(rooms.size() >= 7);
    for (auto const& violation : test::violations(host, rooms)) FAIL_CHECK(violation);
}

TEST_CASE("the check sees an include that is not granted, a stray folder and a cycle") {
    test::TempDir const dir;
    dir.write("ROOMS", "# comment\nbase:\nconfig: base\n");
    dir.write("base/a.hpp", "#include <string>\n#include \"base/b.hpp\"\n");
    dir.write("config/a.cpp", "#include \"base/a.hpp\"\n");
    CHECK(test::violations(dir.path(), test::read_rooms(dir.path())).empty());
    SECTION("upwards") {
        dir.write("base/bad.cpp", "  #  include \"config/a.hpp\"\n");
    }
    SECTION("without its room") {
        dir.write("base/bad.cpp", "#include \"b.hpp\"\n");
    }
    SECTION("stray") {
        dir.write("attic/a.cpp", "");
    }
    SECTION("cycle") {
        dir.write("ROOMS", "base: config\nconfig: base\n");
    }
    CHECK_FALSE(test::violations(dir.path(), test::read_rooms(dir.path())).empty());
}

TEST_CASE("plugins include only their own files and the plugin interface") {
    for (auto const& entry : std::filesystem::recursive_directory_iterator(PFAR_SOURCE "/plugins")) {
        auto const extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".hpp") continue;
        auto const text = test::read(entry.path());
        INFO(entry.path());
        for (auto const* const room : {"base/", "config/", "loader/", "spawn/", "house/", "cli/"})
            CHECK(text.find(std::string("#include \"") + room) == std::string::npos);
    }
}
