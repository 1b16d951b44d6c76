// The first key is linked into place, because a link never replaces a key that exists.
#include "key_file.hpp"

#include "sealing.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace pfar::vault_file {

namespace {

// Who can write here can put another key in place. The directory may be root's: that is where a machine keeps its keys.
Result<Dir> open_key_dir(std::filesystem::path const& key_file) {
    auto const path = key_file.parent_path();
    Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat status {};
    if (!fd || ::fstat(fd.number(), &status) != 0)
        return read_error(path, "cannot be opened to look for the vault key");
    if (status.st_uid != 0) PFAR_CHECK(check_private(fd.number(), path));
    if ((status.st_mode & 022) != 0)
        return fail(Errc::refused, path.string() + " holds the vault key and others can write there; run: chmod go-w " +
                                       path.string());
    return Dir{path, std::move(fd)};
}

Result<Dir> open_key_dir_to_write(std::filesystem::path const& key_file) {
    auto dir = open_key_dir(key_file);
    if (dir || dir.error().code != Errc::not_found) return dir;
    return fail(Errc::io, key_file.parent_path().string() +
                              " is where the vault key should be, and is not there; make it, "
                              "with mode 0700");
}

Result<Secret> read_key(Fd const& fd, std::filesystem::path const& path) {
    ssize_t size = 0;
    char excess = 0;
    auto key = Secret::filled(key_size, [&](char* to) { size = ::read(fd.number(), to, key_size); });
    if (size < 0) return read_error(path, "cannot be read");
    if (size == key_size && ::read(fd.number(), &excess, 1) == 0) return key;
    return fail(Errc::io, path.string() + " is no vault key (it has not 32 bytes); put the right one back");
}

/// Only what looks like a key of ours, in whole or in part: whatever else has that name is somebody's file.
bool is_leftover(Dir const& dir, std::string const& name) {
    struct stat status {};
    return ::fstatat(dir.fd.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
           status.st_uid == ::geteuid() && status.st_size <= static_cast<off_t>(key_size);
}

void drop_leftover(Dir const& dir, std::string const& name) {
    if (is_leftover(dir, name)) static_cast<void>(remove_file(dir, name));
}

} // namespace

std::filesystem::path next_key_of(std::filesystem::path const& key_file) {
    return key_file.string() + ".new";
}

Result<std::optional<Secret>> load_key(std::filesystem::path const& path) {
    auto const dir = open_key_dir(path);
    auto const fd = dir ? open_private_file(*dir, path.filename()) : dir.error();
    if (!fd && fd.error().code == Errc::not_found) return std::optional<Secret>();
    if (!fd) return fd.error();
    PFAR_TRY(key, read_key(*fd, path));
    return std::optional<Secret>(std::move(key));
}

Result<Secret> make_key(std::filesystem::path const& key_file) {
    PFAR_CHECK(stage_key(key_file, random_key()));
    PFAR_TRY(dir, open_key_dir_to_write(key_file));
    auto const at = dir.fd.number();
    auto const next = next_key_of(key_file).filename();
    bool const linked = ::linkat(at, next.c_str(), at, key_file.filename().c_str(), 0) == 0 || errno == EEXIST;
    auto const error = linked ? Error{} : write_error(key_file, "cannot be made");
    ::unlinkat(at, next.c_str(), 0);
    if (!linked) return error;
    PFAR_CHECK(sync_dir(dir));
    PFAR_TRY(kept, load_key(key_file));
    if (!kept) return fail(Errc::io, key_file.string() + " was removed while it was made; try again");
    return std::move(*kept);
}

Result<void> stage_key(std::filesystem::path const& key_file, Secret const& key) {
    PFAR_TRY(dir, open_key_dir_to_write(key_file));
    auto const next = next_key_of(key_file).filename();
    drop_leftover(dir, next);
    PFAR_CHECK(write_new_file(dir, next, key.reveal()));
    return sync_dir(dir);
}

Result<void> settle_key(std::filesystem::path const& key_file) {
    PFAR_TRY(dir, open_key_dir_to_write(key_file));
    auto const at = dir.fd.number();
    auto const next = next_key_of(key_file).filename();
    if (::renameat(at, next.c_str(), at, key_file.filename().c_str()) != 0)
        return write_error(key_file, "cannot be replaced");
    return sync_dir(dir);
}

void drop_next_key(std::filesystem::path const& key_file) {
    if (auto const dir = open_key_dir(key_file)) drop_leftover(*dir, next_key_of(key_file).filename());
}

Result<void> remove_key(std::filesystem::path const& key_file) {
    PFAR_TRY(dir, open_key_dir_to_write(key_file));
    return remove_file(dir, key_file.filename());
}

} // namespace pfar::vault_file
