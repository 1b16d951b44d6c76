// Verify: whether the record is whole, from its first line to its last.
//
// What is found: a line that was changed, removed, moved or exchanged; a file that is missing; an end that was cut off (audit/head says
// more than there is), or a head that was removed. Lines behind the head that follow it are fine: their writer died before it wrote
// the head, or somebody put an old head back, and nothing is missing either way. So is a part of a line at the very end, which nobody was told is written.
// What is not found without a copy of the head kept elsewhere: a record and its head put back together to what they were earlier.
#pragma once

#include <pfar/result.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace pfar::audit {

struct Verified {
    std::uint64_t lines;
    std::string head; // hash of the last line
};

/// Errc::invalid with a sentence naming file and line for what is wrong; Errc::not_found if there is no record at all. `head`: the hash of the last
/// line at some earlier time; there must be a line with it. Holds the lock only to see where the record ends, so it may run beside
/// writers; memory is bounded. [any thread, may block]
Result<Verified> verify(std::filesystem::path const& directory, std::optional<std::string> const& head = {});

} // namespace pfar::audit
