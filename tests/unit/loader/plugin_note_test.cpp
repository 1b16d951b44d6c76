#include "loader/plugin_note.hpp"
#include "support/temp_dir.hpp"

#include <pfar/plugin.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <elf.h>

using namespace pfar;

TEST_CASE("a plugin says who it is without being loaded") {
    auto const note = loader::read_plugin_note(PFAR_FIXTURES "/other-abi.so"); // its constructor would abort
    REQUIRE(note);
    CHECK(note->api_version == plugin_api_version);
    CHECK(note->abi == "gcc-itanium9999/libstdc++-cxx1/boost1_99/plain");
    CHECK(note->kind == "sandbox");
    CHECK(note->name == "other-abi");
    CHECK(note->version == "1.0");
}

TEST_CASE("what is not a plugin is told apart") {
    test::TempDir const dir;
    auto const why = [](std::filesystem::path const& path) { return loader::read_plugin_note(path).error().what; };
    CHECK(why(dir.write("text.so", "hello")) == "is not a shared library");
    CHECK(why(dir.write("empty.so", "")) == "is not a shared library");
    CHECK(why(dir.path()) == "is not a shared library");
    CHECK(why("/bin/true.nowhere") == "could not be read");
    CHECK(why(PFAR_FIXTURES "/library.so").starts_with("is a library, but not a pfar plugin"));
}

TEST_CASE(
    "a library cut off anywhere, or with any byte of its headers changed, never makes the reader read beyond it") {
    auto const whole = test::read(PFAR_FIXTURES "/greeter.so");
    auto const bytes = [](std::string const& text) { return std::as_bytes(std::span(text)); };
    REQUIRE(loader::read_plugin_note(bytes(whole)));
    for (std::size_t size = 0; size < 4096; size += 7) {
        std::string const cut(whole.data(), size); // a copy of its own: ASan sees every byte beyond
        (void)loader::read_plugin_note(bytes(cut));
    }
    for (std::size_t at = 0; at < 1024; ++at) {
        std::string changed(whole.data(), 8192);
        changed[at] = static_cast<char>(0xff);
        (void)loader::read_plugin_note(bytes(changed));
    }
    SUCCEED();
}
