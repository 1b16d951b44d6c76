// Whole files, read with a bound and written so that a reader sees the old or the new one, never half of it.
#pragma once

#include <pfar/result.hpp>

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace pfar::base {

/// The content of a regular file. Refuses one that is larger than `limit`, a directory, a pipe or a device,
/// and never waits for one. Errc::not_found if there is none. [any thread, may block]
Result<std::string> read_file(std::filesystem::path const& path, std::size_t limit);

/// Replaces `path` by a new file of this mode: temporary file, fsync, rename, fsync of the directory. On an error the
/// old file is as it was and nothing is left beside it; what a killed writer left goes with the next write. One writer at a time:
/// whoever shares a file with other processes holds a lock around it. [any thread, may block]
Result<void> write_file(std::filesystem::path const& path, std::string_view content, mode_t mode);

/// All of it, also where whoever made it has taken away the right to look. Links are not followed. [any thread, may block]
std::error_code remove_tree(std::filesystem::path const& path);

/// "No space left on device" and the like, for the end of a sentence.
std::string errno_text(int error);

} // namespace pfar::base
