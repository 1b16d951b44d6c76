#include "control/run_directory.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pfar::control {
namespace {

Error no_place(std::filesystem::path const& path, std::string const& why) {
    return fail(Errc::io, fmt::format("{} cannot be used, so no host can be found or started: {}",
                                      base::printable(path.native()), why));
}

} // namespace

Result<RunDirectory> RunDirectory::open(std::filesystem::path const& home) {
    auto path = home / "run";
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return no_place(path, base::errno_text(errno));
    base::Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat status {};
    if (!directory || ::fstat(directory.number(), &status) != 0) return no_place(path, base::errno_text(errno));
    if (status.st_uid != ::geteuid())
        return fail(Errc::refused, fmt::format("{} belongs to uid {}, not to you; remove it or set PFAR_HOME",
                                               base::printable(path.native()), status.st_uid));
    if ((status.st_mode & 077U) != 0 && ::fchmod(directory.number(), 0700) != 0)
        return no_place(path, fmt::format("others can enter it; run: chmod 700 {}", base::printable(path.native())));
    return RunDirectory(std::move(path), std::move(directory));
}

sockaddr_un RunDirectory::socket_address() const {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    auto text = (path_ / socket_name).native();
    if (text.size() >= sizeof out.sun_path) text = fmt::format("/proc/self/fd/{}/{}", fd(), socket_name);
    std::memcpy(out.sun_path, text.c_str(), text.size() + 1);
    return out;
}

} // namespace pfar::control
