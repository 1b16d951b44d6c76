// /proc/self/exe leads to the file that is run, also after another one took its name.
#include "control/identity.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cerrno>

namespace pfar::control {

Result<Identity> own_identity(std::string version) {
    struct stat file {};
    if (::stat("/proc/self/exe", &file) != 0)
        return fail(Errc::io,
                    fmt::format("/proc/self/exe cannot be read, is /proc mounted? {}", base::errno_text(errno)));
    return Identity{std::move(version),
                    fmt::format("{}:{}:{}.{:09}", file.st_dev, file.st_ino, file.st_mtim.tv_sec, file.st_mtim.tv_nsec)};
}

} // namespace pfar::control
