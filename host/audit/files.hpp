// The names of a record's files: audit-000001.jsonl and so on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pfar::audit {

std::string file_name(std::uint32_t number);

/// The numbers of all that there are, in order. [may block]
std::vector<std::uint32_t> files_of(std::filesystem::path const& directory);
/// The highest number there is, 0 if there is no file. [may block]
std::uint32_t last_file(std::filesystem::path const& directory);

} // namespace pfar::audit
