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
    std::filesystem::path user_home;                // ${userHome}
    std::optional<std::filesystem::path> project{}; // ${workspaceFolder}
};

/// In command, arguments, directory, variables and the .env file's name. What is hidden, or not known here, stays as it is: then it is a credential, or
/// settle_server() says what it is.
Result<void> fill_client_words(config::ClientServer& server, ClientWords const& words);
Result<std::string> fill_client_text(std::string_view text, ClientWords const& words);

/// The first ${...} that is left in it, but for pfar's own; empty if there is none. At most 40 characters.
std::string_view unfilled_word(std::string_view text);

/// Whoever is on the machine can see a command line: Errc::refused for an argument that is a credential, or that the client asks for as one.
/// Errc::invalid for one that only the client knows. What would be asked for is guessed, so that nobody is asked yet. `name` is the server's.
Result<void> refuse_client_arguments(std::string const& name, std::vector<std::string> args, ClientWords words);

} // namespace pfar::house
