// The first line of a script: which program runs it.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace pfar::servers {

struct Shebang {
    std::filesystem::path interpreter; // absolute
    std::string env_name;              // of `#!/usr/bin/env NAME`; empty for any other interpreter
};

/// None if the file has no such line, cannot be read or is not a regular file. Errc::invalid for a line that the kernel would not
/// take either. Reads 256 bytes and never waits. [any thread, may block]
Result<std::optional<Shebang>> shebang_of(std::filesystem::path const& file);

/// True for a compiled program (ELF). [any thread, may block]
bool is_binary(std::filesystem::path const& file);

} // namespace pfar::servers
