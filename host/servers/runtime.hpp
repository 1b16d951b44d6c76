// A runtime's own prefix: the directory with bin/ and lib/ that an interpreter cannot run without, known by what is in it.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace pfar::servers {

struct Prefix {
    std::filesystem::path root;
    std::vector<std::filesystem::path> parts; // what it is known by, below root: lib/python3.11, lib/node_modules
    bool venv = false;
    std::optional<std::filesystem::path> base; // of a venv: its base interpreter's bin directory, as pyvenv.cfg has it
};

/// The prefix in whose bin/ `program` lies; none if it is not one of a runtime. `program` need not exist, its directory is
/// canonical. The stores of Nix, Guix and Homebrew, whose programs share libraries, are each one prefix. [any thread, may block]
std::optional<Prefix> prefix_of(std::filesystem::path const& program);

/// The same for a directory that may be a prefix itself.
std::optional<Prefix> prefix_at(std::filesystem::path const& root);

} // namespace pfar::servers
