// Typing into the terminal: TIOCSTI and TIOCLINUX, on a terminal of its own and on the one it was started from.
#include "attack.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char no_typing[] = "EPERM,EACCES,ENOSYS";

/// A terminal that it controls, so that typing into it needs no privilege; stdin if none can be had.
int terminal() {
    int const master = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) return 0;
    char name[64] = {};
    if (::ptsname_r(master, name, sizeof name) != 0) return 0;
    ::setsid();
    int const slave = ::open(name, O_RDWR);
    if (slave < 0) return 0;
    ::ioctl(slave, TIOCSCTTY, 0);
    return slave;
}

int types_into(int fd, unsigned long request) {
    char letter = 'x';
    return ::syscall(SYS_ioctl, fd, request, &letter) == 0 ? 0 : errno;
}

Outcome types(Facts const&) {
    return judged_child(in_child([] { return types_into(terminal(), TIOCSTI); }), "TIOCSTI");
}

/// The kernel looks at 32 bits of the request; a filter that compares 64 does not see this one.
Outcome types_high(Facts const&) {
    return judged_child(in_child([] { return types_into(terminal(), TIOCSTI | 1UL << 32U); }),
                        "TIOCSTI with high bits");
}

/// Only a console knows it; any other terminal says that it does not, after permission was given.
Outcome pastes(Facts const&) {
    int const error = in_child([] { return types_into(terminal(), TIOCLINUX); });
    return judged_child(error == ENOTTY || error == EINVAL ? 0 : error, "TIOCLINUX");
}

Outcome types_outside(Facts const&) {
    char letter = 'x';
    if (::isatty(0) == 0) return untried("stdin is no terminal");
    return judged(::syscall(SYS_ioctl, 0, TIOCSTI, &letter), "TIOCSTI on the terminal it was started from");
}

} // namespace

Rows terminal_rows() {
    return {
        {"tiocsti", "processes", "types into a terminal", no_typing, types},
        {"tiocsti-high", "processes", "types into a terminal, with high bits in the request", no_typing, types_high},
        {"tioclinux", "processes", "pastes into a console", no_typing, pastes},
        {"tiocsti-outside", "processes", "types into the terminal that it was started from", no_typing, types_outside,
         nullptr, Staging::terminal},
    };
}

} // namespace attack
