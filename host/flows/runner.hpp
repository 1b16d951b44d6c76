// Runs a flow: one script, one conversation. Lua does the talking, the verbs do everything else.
#pragma once

#include "flows/verbs.hpp"

#include <chrono>
#include <filesystem>

namespace pfar::flows {

struct Budget {
    std::uint64_t steps = 20'000'000; // between two verbs; instructions, and what library functions do, counted alike
    std::size_t memory = std::size_t{16} << 20U;
    std::chrono::milliseconds time{
        5000}; // of the processor, also between two verbs: for single instructions that take long
};

struct Flow {
    std::string name;                             // "connect", for messages
    std::vector<std::filesystem::path> libraries; // run first, in this order, in the same state: prelude.lua
    std::filesystem::path script;
    boost::json::object input;      // the script's global `input`
    std::vector<std::string> verbs; // global functions; "config.write" becomes a member of a table
    Budget budget{};
};

/// What the script returned. Errors: a verb's own; Errc::invalid for a script that cannot be read or has a mistake (with file and line), or that
/// used up its budget. Nothing of the script runs after an error. [main thread, may block as the verbs do]
Result<boost::json::value> run_flow(Flow const& flow, Verbs& verbs);

} // namespace pfar::flows
