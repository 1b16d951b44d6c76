// What somebody who typed `pfar add` wants: from its options, or from a client's configuration on stdin.
#pragma once

#include "cli/command.hpp"
#include "house/add_server.hpp"

namespace pfar::cli {

/// --secret VARIABLE[=entry]
struct AskedSecret {
    std::string variable, entry;
};

struct AddRequest {
    house::AddWish wish;
    std::vector<AskedSecret> asked; // their values are not in the wish yet
    bool stdin_is_taken = false;    // by the configuration
};

/// `code` is what an error means: 64 for what was typed, else as the error says. [main thread, may block]
Result<AddRequest> read_request(Arguments const& arguments, house::House const& house, int& code);

} // namespace pfar::cli
