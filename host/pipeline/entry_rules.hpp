// What MCP says an entry of a list looks like. A client that checks it refuses a whole list for one bad entry, and with it what all other servers offer.
#pragma once

#include <pfar/result.hpp>

#include <string_view>

namespace pfar::pipeline {

enum class EntryKind { tool, prompt, resource, resource_template };

/// Errc::invalid: what is wrong, by JSON pointer. A tool without a schema and a resource without a name pass: those are filled in. [any thread]
Result<void> check_entry(EntryKind kind, std::string_view json);

} // namespace pfar::pipeline
