// What a client fills in before it starts a server: ${input:mode}, ${env:REGION}, ${REGION:-eu}. Taken over, it has to be filled in once and for all.
#pragma once

#include "config/client_config.hpp"
#include "config/client_files.hpp"

#include <functional>

namespace pfar::house {

struct ClientWords {
    std::vector<config::ClientInput> const& inputs;
    /// Asks the person. Errors end the import.
    std::function<Result<std::string>(config::ClientInput const&)> ask;
    /// Of the person's environment; null: it is not set.
    std::function<char const*(std::string const&)> variable;
};

/// In command, arguments, directory and variables. What is hidden, or not known here, stays as it is: then it is a credential, or settle_server()
/// says what it is.
Result<void> fill_client_words(config::ClientServer& server, ClientWords const& words);

} // namespace pfar::house
