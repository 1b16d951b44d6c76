// The key is made in this thread's own keyring, given its time there, and only then linked where others see it:
// wherever a process is killed, no key stays behind that never ends.
#include "keyring.hpp"

#include "sealing.hpp"

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pfar::vault_file {

namespace {

// As in linux/key.h, which is the kernel's own: all for who possesses it, and for the owner, whose session need not be
// linked to it.
constexpr unsigned long permissions = 0x3f3f0000;
constexpr std::size_t payload_size = 8 + key_size;

std::string description_of(std::string const& vault_id) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text = "pfar-vault:";
    for (auto const byte : vault_id) {
        text += digits[static_cast<unsigned char>(byte) >> 4U];
        text += digits[static_cast<unsigned char>(byte) & 15U];
    }
    return text;
}

template <class... Arguments> long keyctl(int operation, Arguments... arguments) {
    return ::syscall(SYS_keyctl, operation, arguments...);
}

long search(std::string const& vault_id) {
    return keyctl(KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", description_of(vault_id).c_str(), 0);
}

Error unusable() {
    return fail(Errc::unsupported, std::string("the kernel keyring cannot be used: ") + std::strerror(errno));
}

} // namespace

std::optional<HeldKey> find_in_keyring(std::string const& vault_id) {
    auto const found = search(vault_id);
    if (found < 0) return std::nullopt;
    long size = 0;
    auto const payload = Secret::filled(payload_size, [&](char* to) {
        size = keyctl(KEYCTL_READ, found, to, static_cast<unsigned long>(payload_size));
    });
    if (size != static_cast<long>(payload_size)) return std::nullopt;
    return HeldKey{Secret(payload.reveal().substr(8)), time_at(payload.reveal().data())};
}

Result<void> put_in_keyring(std::string const& vault_id, Secret const& key, std::chrono::minutes time) {
    auto const payload = Secret::filled(payload_size, [&](char* to) {
        to = put_time(to, std::chrono::system_clock::now() + time);
        std::copy(key.reveal().begin(), key.reveal().end(), to);
    });
    auto const made = ::syscall(SYS_add_key, "user", description_of(vault_id).c_str(), payload.reveal().data(),
                                payload.size(), KEY_SPEC_THREAD_KEYRING);
    if (made < 0) return unusable();
    bool const put =
        keyctl(KEYCTL_SETPERM, made, permissions) == 0 &&
        keyctl(KEYCTL_SET_TIMEOUT, made, static_cast<unsigned long>(std::chrono::seconds(time).count())) == 0 &&
        keyctl(KEYCTL_LINK, made, KEY_SPEC_USER_KEYRING) == 0;
    auto const error = put ? Error{} : unusable();
    keyctl(KEYCTL_UNLINK, made, KEY_SPEC_THREAD_KEYRING);
    if (!put) return error;
    return {};
}

Result<void> drop_from_keyring(std::string const& vault_id) {
    auto const found = search(vault_id);
    if (found < 0 || keyctl(KEYCTL_UNLINK, found, KEY_SPEC_USER_KEYRING) == 0) return {};
    return fail(Errc::io, std::string("the kernel keyring still has the vault's key: ") + std::strerror(errno) +
                              "; it ends by itself when its time is over");
}

} // namespace pfar::vault_file
