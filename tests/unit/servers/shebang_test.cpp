#include "servers/shebang.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using namespace pfar;
using servers::shebang_of;

namespace {

servers::Shebang read_from(std::string_view text) {
    test::TempDir const dir;
    auto const found = shebang_of(dir.write("script", text));
    REQUIRE(found);
    REQUIRE(*found);
    return **found;
}

Result<std::optional<servers::Shebang>> result_of(std::string_view text) {
    test::TempDir const dir;
    return shebang_of(dir.write("script", text));
}

} // namespace

TEST_CASE("the first line of a script names its interpreter") {
    CHECK(read_from("#!/bin/sh\necho").interpreter == "/bin/sh");
    CHECK(read_from("#! \t/bin/sh -e\n").interpreter == "/bin/sh");
    CHECK(read_from("#!/bin/sh").interpreter == "/bin/sh");
    CHECK(read_from("#!/bin/sh -e\n").env_name.empty());
}

TEST_CASE("env names another program, after its options and assignments") {
    CHECK(read_from("#!/usr/bin/env node\n").env_name == "node");
    CHECK(read_from("#!/usr/bin/env -S node --flag\n").env_name == "node");
    CHECK(read_from("#!/usr/bin/env -Snode --flag\n").env_name == "node");
    CHECK(read_from("#!/usr/bin/env -i A=b  python3\n").env_name == "python3");
    CHECK(read_from("#!/usr/bin/env\n").env_name.empty());
}

TEST_CASE("what is no script has no interpreter") {
    CHECK_FALSE(result_of("\x7f"
                          "ELF")
                    .value());
    CHECK_FALSE(result_of("").value());
    CHECK_FALSE(shebang_of("/no/such/file").value());
    CHECK_FALSE(shebang_of("/tmp").value());
    test::TempDir const dir;
    REQUIRE(::mkfifo((dir / "fifo").c_str(), 0700) == 0);
    CHECK_FALSE(shebang_of(dir / "fifo").value());
}

TEST_CASE("a first line that the kernel would not take is refused with a remedy") {
    CHECK_FALSE(result_of("#!\n"));
    CHECK_FALSE(result_of("#!node\n"));
    CHECK_FALSE(result_of("#!/" + std::string(5000, 'x')));
    CHECK_FALSE(result_of(std::string("#!\0\0\xff\xfe", 6)));
    auto const windows = result_of("#!/bin/sh\r\necho\r\n");
    REQUIRE_FALSE(windows);
    CHECK(test::has(windows.error().what, "Windows line ends"));
}
