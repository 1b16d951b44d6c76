// The key is written under a name of its own and linked into place, because a link never replaces a key that exists.
#include "key_file.hpp"

#include "private_files.hpp"
#include "sealed_entry.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>

#include <cerrno>

namespace pfar::vault_file {

namespace {

// Who can write here can put another key in place. The directory may be root's: that is where a machine keeps its keys.
Result<Dir> open_key_dir(std::filesystem::path const& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat status {};
    if (!fd || ::fstat(fd.number(), &status) != 0) return io_error(path, "cannot be opened to look for the vault key");
    if (status.st_uid != 0) PFAR_CHECK(check_private(fd.number(), path));
    if ((status.st_mode & 022) != 0)
        return fail(Errc::refused, path.string() + " holds the vault key and others can write there; run: chmod go-w " +
                                       path.string());
    return Dir{path, std::move(fd)};
}

std::string random_name() {
    std::array<unsigned char, 8> random{};
    randombytes_buf(random.data(), random.size());
    std::string name(2 * random.size() + 1, '\0');
    sodium_bin2hex(name.data(), name.size(), random.data(), random.size());
    name.pop_back();
    return ".key-" + name;
}

Result<Secret> read_key(Fd const& fd, std::filesystem::path const& path) {
    Wiped bytes(crypto_kdf_KEYBYTES + 1);
    auto const size = ::read(fd.number(), bytes.data(), bytes.size());
    if (size < 0) return io_error(path, "cannot be read");
    if (size != crypto_kdf_KEYBYTES)
        return fail(Errc::io, path.string() + " is no vault key (it has not 32 bytes); put the right one back");
    return Secret(bytes.view().substr(0, crypto_kdf_KEYBYTES));
}

} // namespace

Result<std::optional<Secret>> load_key(std::filesystem::path const& path) {
    Fd const fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd && errno == ENOENT) return std::optional<Secret>();
    if (!fd) return io_error(path, "cannot be opened");
    PFAR_CHECK(open_key_dir(path.parent_path()));
    PFAR_CHECK(check_private(fd.number(), path));
    PFAR_TRY(key, read_key(fd, path));
    return std::optional<Secret>(std::move(key));
}

Result<Secret> make_key(std::filesystem::path const& path) {
    PFAR_TRY(dir, open_key_dir(path.parent_path()));
    PFAR_TRY(key, random_master_key());
    auto const at = dir.fd.number();
    auto const fresh = random_name();
    auto const written = write_file(dir, fresh, key.reveal());
    auto const linked = written && ::linkat(at, fresh.c_str(), at, path.filename().c_str(), 0) == 0;
    auto const reason = errno;
    ::unlinkat(at, fresh.c_str(), 0);
    if (!written) return written.error();
    if (!linked && reason != EEXIST) {
        errno = reason;
        return io_error(path, "cannot be made");
    }
    PFAR_CHECK(sync_dir(dir));
    PFAR_TRY(kept, load_key(path));
    if (!kept) return fail(Errc::io, path.string() + " was removed while it was made; try again");
    return std::move(*kept);
}

} // namespace pfar::vault_file
