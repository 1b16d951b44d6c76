// What commands about agents, approvals and tools have in common: a host that runs already, its words as it said them, and its policy.
#pragma once

#include "cli/host_client.hpp"

namespace pfar::cli {

/// Connected to the host that runs; none is started. Without one it says nothing, and `code` stays; otherwise it complains and sets it.
std::optional<control::Client> running_host(Console& console, int& code);

/// The answer byte for byte. Complains and sets `code` if it is an error.
std::optional<std::string> ask_text(control::Client& client, control::Question const& question, Console& console,
                                    int& code);

/// True if the owner's policy has things approved where no terminal is to ask on. Complains and sets `code` if not.
bool goes_without_terminal(control::Client& client, Console& console, int& code);

/// The whole question, for whoever has to answer it: which tool, why, with which arguments. `row`: as the host gives it.
std::string approval_text(std::string_view row);

} // namespace pfar::cli
