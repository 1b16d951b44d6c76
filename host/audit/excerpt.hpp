// Excerpts: of what may be long, the beginning and a digest of all of it.
#pragma once

#include <string>
#include <string_view>

namespace pfar::audit {

inline constexpr std::size_t excerpt_bytes = 4096;

/// Members for an event: `"arguments":JSON` if that is at most `most` bytes; else its beginning as a string (cut at a character),
/// `"arguments_bytes":N` and `"arguments_digest":"..."`, which is what sha256sum says of the whole. Empty if `json` is. Redact
/// before this: of a secret that was cut in two nothing is found any more. [any thread]
void append_excerpt(std::string& out, std::string_view key, std::string_view json, std::size_t most = excerpt_bytes);
std::string excerpt_members(std::string_view key, std::string_view json, std::size_t most = excerpt_bytes);

} // namespace pfar::audit
