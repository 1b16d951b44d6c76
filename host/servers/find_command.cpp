// As execvp looks: the first executable file of the name wins, and one that is there but cannot be executed is told if there is no
// other.
#include "servers/find_command.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "servers/version_manager.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;

Result<void> can_execute(fs::path const& path) {
    struct stat status {};
    auto const shown = base::printable(path.native());
    if (::stat(path.c_str(), &status) != 0)
        return fail(Errc::not_found, fmt::format("{} cannot be found ({}); install it, or write the absolute path that "
                                                 "it has",
                                                 shown, base::errno_text(errno)));
    if (S_ISDIR(status.st_mode))
        return fail(Errc::invalid, fmt::format("{} is a directory; write the path of the program in it", shown));
    if (!S_ISREG(status.st_mode))
        return fail(Errc::invalid, fmt::format("{} is not a regular file; write the path of a program", shown));
    if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0)
        return fail(Errc::invalid, fmt::format("{} is not executable; run: chmod +x {}", shown, shown));
    return {};
}

Result<fs::path> look_up(std::string const& name, std::string_view search_path) {
    std::optional<Error> almost;
    while (!search_path.empty()) {
        auto const directory = search_path.substr(0, search_path.find(':'));
        search_path.remove_prefix(std::min(directory.size() + 1, search_path.size()));
        if (!directory.starts_with('/')) continue; // what it means depends on where one stands
        auto path = fs::path(directory) / name;
        auto const good = can_execute(path);
        if (good) return path;
        if (!almost && good.error().code != Errc::not_found) almost = good.error();
    }
    if (almost) return *almost;
    return fail(Errc::not_found, fmt::format("there is no program {} on PATH; install it, or write its absolute path",
                                             base::printable(name)));
}

} // namespace

Result<fs::path> find_command(std::string const& command, std::string const& search_path, fs::path const& user_home) {
    bool const is_path = command.find('/') != std::string::npos;
    if (command.empty() || command.find('\0') != std::string::npos || (is_path && command[0] != '/'))
        return fail(Errc::invalid, fmt::format("\"{}\" is not a command; write a program's name or its absolute path",
                                               base::printable(command)));
    fs::path found = command;
    if (!is_path) {
        PFAR_TRY(path, look_up(command, search_path));
        found = path;
    }
    PFAR_CHECK(can_execute(found));
    auto const manager = manager_of(found);
    if (!manager) return found;

    PFAR_TRY(real, ask_manager(*manager, found.filename().native(), search_path, user_home));
    PFAR_CHECK(can_execute(real));
    if (manager_of(real))
        return fail(Errc::unavailable, fmt::format("{} answered with another stand-in, {}; write the absolute path of "
                                                   "the program",
                                                   manager->name, base::printable(real.native())));
    return real;
}

} // namespace pfar::servers
