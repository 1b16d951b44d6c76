// Diagnosis: what an error of a tool may have to do with its sandbox. A guess, and told as one.
#pragma once

#include "servers/process.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pfar::servers {

struct Symptoms {
    std::string_view said;                       // a result or an error object, JSON; may be empty
    std::chrono::steady_clock::time_point asked; // when
    std::vector<BlockedDomain> blocked;          // whatever it was kept from, also before
    std::string server;
    std::string table = "[access]"; // of its file, where grants belong
};

/// Sentences with the remedy; empty if nothing speaks for it. Looks whether a path exists outside. [any thread, may block]
std::string diagnose(Symptoms const& symptoms);

/// For a file that runs npx and did not start, with what it said: what it needs, and what is better. Empty for others.
std::string npx_words(config::ServerSpec const& spec, std::string_view said);

/// A tool's result that says isError.
bool says_error(std::string_view result);

/// The result with the hint as one more text in its content; an error object with it behind its message.
std::string with_hint(std::string_view payload, std::string_view hint, bool is_error_object);

} // namespace pfar::servers
