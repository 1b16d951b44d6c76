// Directories and files that only their owner may touch: opened once, checked through the descriptor, replaced
// atomically.
//
// Checks look at the open descriptor, never again at the path, so nothing can be put in its place between check and
// use.
#pragma once

#include <pfar/fd.hpp>
#include <pfar/result.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace pfar::vault_file {

struct Dir {
    std::filesystem::path path;
    Fd fd;
};

/// Errc::io (not_found if it is not there): "PATH WHAT: the reason errno gives; the remedy".
Error read_error(std::filesystem::path const& path, std::string_view what);
/// The same for a change that has not happened.
Error write_error(std::filesystem::path const& path, std::string_view what);

/// Errc::refused, with the command that puts it right, unless it is the owner's and closed to everybody else.
Result<void> check_private(int fd, std::filesystem::path const& path);

/// Errc::not_found if it is not there; Errc::refused if it is not private.
Result<Dir> open_private_dir(std::filesystem::path const& path);
/// Makes it with mode 0700 if it is not there, then as open_private_dir.
Result<Dir> make_private_dir(std::filesystem::path const& path);

/// A private regular file. Errc::not_found; Errc::refused if it is not private; Errc::io if it is a link or no file.
Result<Fd> open_private_file(Dir const& dir, std::string const& name);
/// Its whole content. As open_private_file; Errc::io if it is longer than `limit`.
Result<std::string> read_private_file(Dir const& dir, std::string const& name, std::size_t limit);

/// Writes a file with mode 0600 that was not there, to the disk itself. On an error there is none.
Result<void> write_new_file(Dir const& dir, std::string const& name, std::string_view content);

enum class Survives { crash, power_cut };
/// Old or new content under `name`, never a part. The caller holds the lock.
Result<void> replace_file(Dir const& dir, std::string const& name, std::string_view content, Survives what);
/// Gone for good when this returns; it need not have been there.
Result<void> remove_file(Dir const& dir, std::string const& name);
/// Makes renames and removals in `dir` survive a power cut.
Result<void> sync_dir(Dir const& dir);

/// One writer at a time: the lock file in `dir`, made if it is not there. Errc::unavailable when it is not had in time.
/// Unlocked when the descriptor is closed.
Result<Fd> lock_dir(Dir const& dir, std::chrono::milliseconds patience);

} // namespace pfar::vault_file
