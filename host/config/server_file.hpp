// Reads one server file: TOML text in, a ServerSpec and all mistakes out.
#pragma once

#include "config/expand.hpp"
#include "config/mistake.hpp"
#include "config/server_spec.hpp"
#include "config/source.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace pfar::config {

/// Where a file stands and what its paths mean.
struct FileContext {
    std::filesystem::path file;
    std::filesystem::path base; // relative paths begin here: the project's root, or $PFAR_HOME
    std::filesystem::path home; // $PFAR_HOME
    std::filesystem::path user_home;
    bool look_around = false;          // also warn of commands and files that are not on this machine
    std::vector<std::string> backends; // the sandbox plugins there are; empty: any name will do
};

struct ServerFileResult {
    std::optional<ServerSpec> spec; // only if there is no error; warnings are allowed
    std::vector<Mistake> mistakes;  // in the order of the file
};

/// Never throws on input. With `look_around` it looks at the file system, otherwise it is pure. [any thread]
ServerFileResult read_server_file(Source const& source, FileContext const& context);

} // namespace pfar::config
