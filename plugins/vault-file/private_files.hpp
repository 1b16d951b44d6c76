// Directories and files that only their owner may touch: opened once, checked through the descriptor, replaced atomically.
//
// Checks look at the open descriptor, never again at the path, so nothing can be put in its place between check and use.
#pragma once

#include <pfar/fd.hpp>
#include <pfar/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::vault_file {

struct Dir {
    std::filesystem::path path;
    Fd fd;
};

/// Errc::io: "PATH WHAT: the reason errno gives".
Error io_error(std::filesystem::path const& path, std::string_view what);

/// Errc::refused, with the command that puts it right, unless it is the owner's and closed to everybody else.
Result<void> check_private(int fd, std::filesystem::path const& path);

/// Errc::not_found if it is not there; Errc::refused if it is not private.
Result<Dir> open_private_dir(std::filesystem::path const& path);
/// Makes it with mode 0700 if it is not there, then as open_private_dir.
Result<Dir> make_private_dir(std::filesystem::path const& path);

/// A regular file's whole content. Errc::not_found, or Errc::io if it is longer than `limit`.
Result<std::string> read_file(Dir const& dir, std::string const& name, std::size_t limit);
/// Writes a new file with mode 0600 to the disk itself; what was under that name is cut off first.
Result<void> write_file(Dir const& dir, std::string const& name, std::string_view content);
/// Old or new content under `name`, never a part; survives a power cut. The caller holds the lock.
Result<void> replace_file(Dir const& dir, std::string const& name, std::string_view content);
/// Errc::not_found if it is not there; otherwise gone for good when this returns.
Result<void> remove_file(Dir const& dir, std::string const& name);
/// Makes renames and removals in `dir` survive a power cut.
Result<void> sync_dir(Dir const& dir);

bool has_file(Dir const& dir, std::string const& name);
/// In no order.
Result<std::vector<std::string>> names_in(Dir const& dir);

/// The store's one writer at a time. Errc::unavailable after five seconds. Unlocked when the descriptor is closed.
Result<Fd> lock_dir(Dir const& dir);

} // namespace pfar::vault_file
