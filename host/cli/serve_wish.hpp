// ServeWish: what `pfar serve` is to do, from its command line and, where that is silent, from the environment.
#pragma once

#include "cli/command.hpp"

#include <pfar/result.hpp>

#include <filesystem>

namespace pfar::cli {

struct ServeWish {
    std::string server; // the only one; empty: all
    std::string http;   // HOST:PORT; empty: over stdin and stdout
    bool auth = true;
    std::filesystem::path certificate, key; // absolute, or empty
    std::vector<std::string> origins, hosts;
};

/// Errc::invalid names the option or the variable that makes no sense. Looks at the environment and the current directory. [main thread]
Result<ServeWish> serve_wish(Arguments const& arguments);

} // namespace pfar::cli
