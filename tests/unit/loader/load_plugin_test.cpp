#include "loader/load_plugin.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using namespace pfar;

namespace {

std::string refusal(std::string const& fixture) {
    auto const loaded = loader::load_plugin(std::filesystem::path(PFAR_FIXTURES) / (fixture + ".so"));
    return loaded ? "" : loaded.error().what;
}

bool has(std::string const& text, std::string const& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a plugin of another ABI or API is refused before its constructors run") {
    CHECK(has(refusal("other-abi"), "was built as gcc-itanium9999"));
    CHECK(has(refusal("other-api"), "speaks plugin API 999, this host 5"));
}

TEST_CASE("each kind of broken plugin is refused with its own sentence") {
    CHECK(has(refusal("library"), "is a library, but not a pfar plugin"));
    CHECK(has(refusal("unresolved"), "nobody_has_this"));
    CHECK(has(refusal("null-instance"), "could not be created"));
    CHECK(has(refusal("unknown-kind"), "unknown kind \"teapot\""));
    CHECK(has(refusal("lying-note"), "says one thing in its note and another"));
    CHECK(has(refusal("no-such-file"), "could not be looked at"));
}

TEST_CASE("a plugin in a directory that others can write is not loaded") {
    test::TempDir const dir;
    std::filesystem::create_directory(dir / "open");
    std::filesystem::copy_file(PFAR_FIXTURES "/greeter.so", dir / "open/greeter.so");
    REQUIRE(::chmod((dir / "open/greeter.so").c_str(), 0700) == 0);
    CHECK(loader::load_plugin(dir / "open/greeter.so"));
    REQUIRE(::chmod((dir / "open").c_str(), 0777) == 0);
    auto const refused = loader::load_plugin(dir / "open/greeter.so");
    REQUIRE_FALSE(refused);
    CHECK(has(refused.error().what, "can be written by everybody"));
}

TEST_CASE("a plugin that was cut short, as by an interrupted copy, is refused and not mapped") {
    test::TempDir const dir;
    auto const whole = test::read(PFAR_FIXTURES "/greeter.so");
    for (auto const size : {std::size_t{1000}, std::size_t{5000}, std::size_t{20000}, whole.size() / 8}) {
        auto const file = dir.write("cut.so", whole.substr(0, size));
        ::chmod(file.c_str(), 0700);
        auto const refused = loader::load_plugin(file);
        REQUIRE_FALSE(refused);
        CHECK(has(refused.error().what, "cut short"));
    }
}
