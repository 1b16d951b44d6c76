// Nothing here sets O_NONBLOCK on a descriptor of the person's: that would change their shell's terminal too. So writes happen only when poll
// has allowed them, or to the screen, which may make us wait as it would make any program wait.
#include "house/terminal.hpp"

#include "base/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace pfar::house {
namespace {

termios before; // one person, one terminal
constexpr std::size_t chunk = 16U << 10U;

bool is_readable(int fd) {
    pollfd wait{fd, POLLIN, 0};
    return ::poll(&wait, 1, 0) > 0 && (wait.revents & POLLIN) != 0;
}

void show(int screen, char const* bytes, std::size_t size) {
    while (size > 0) {
        auto const written = ::write(screen, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return; // the terminal is gone
        bytes += written, size -= static_cast<std::size_t>(written);
    }
}

} // namespace

Result<Terminal> Terminal::open() {
    Terminal terminal;
    std::array<bool, 3> is_terminal{};
    for (int fd = 0; fd < 3; ++fd) is_terminal[static_cast<std::size_t>(fd)] = ::isatty(fd) == 1;
    if (!is_terminal[0] && !is_terminal[1] && !is_terminal[2]) return terminal;
    terminal.screen_ = is_terminal[1] ? 1 : is_terminal[2] ? 2 : 0;
    if (::tcgetattr(terminal.screen_, &before) != 0)
        return fail(Errc::io, "the terminal cannot be asked: " + base::errno_text(errno));
    auto modes = before;
    terminal.keyboard_ = is_terminal[0];
    if (!terminal.keyboard_) modes.c_oflag &= ~static_cast<tcflag_t>(OPOST); // the person's terminal does it
    int master = -1, slave = -1;
    if (::openpty(&master, &slave, nullptr, &modes, nullptr) != 0)
        return fail(Errc::unavailable, "no terminal for the sandbox: " + base::errno_text(errno));
    terminal.master_ = base::Fd(master), terminal.slave_ = base::Fd(slave);
    ::fcntl(master, F_SETFD, FD_CLOEXEC), ::fcntl(slave, F_SETFD, FD_CLOEXEC);
    for (std::size_t fd = 0; fd < 3; ++fd)
        if (is_terminal[fd]) terminal.stdio_[fd] = slave;
    terminal.take_window_size();
    terminal.raw();
    return terminal;
}

Result<Terminal> Terminal::none(std::array<int, 3> stdio) {
    Terminal terminal;
    terminal.stdio_ = stdio;
    return terminal;
}

Terminal::Terminal(Terminal&& other) noexcept
    : master_(std::move(other.master_)), slave_(std::move(other.slave_)), stdio_(other.stdio_), screen_(other.screen_),
      keyboard_(other.keyboard_), is_raw_(std::exchange(other.is_raw_, false)), pending_(std::move(other.pending_)) {}

Terminal::~Terminal() {
    restore();
}

std::string Terminal::name() const {
    char name[64] = "";
    if (!slave_ || ::ttyname_r(slave_.number(), name, sizeof name) != 0) return "";
    return name;
}

void Terminal::started() {
    slave_ = base::Fd();
}

void Terminal::raw() {
    if (!keyboard_ || ::tcgetpgrp(0) != ::getpgrp()) return; // in the background the terminal is somebody else's
    auto modes = before;
    ::cfmakeraw(&modes);
    is_raw_ = ::tcsetattr(0, TCSADRAIN, &modes) == 0;
}

void Terminal::restore() {
    if (is_raw_) ::tcsetattr(0, TCSADRAIN, &before);
    is_raw_ = false;
}

void Terminal::take_window_size() const {
    winsize size{};
    if (master_ && ::ioctl(screen_, TIOCGWINSZ, &size) == 0) ::ioctl(master_.number(), TIOCSWINSZ, &size);
}

void Terminal::pass_output() {
    char buffer[chunk];
    auto const got = ::read(master_.number(), buffer, sizeof buffer);
    if (got > 0)
        show(screen_, buffer, static_cast<std::size_t>(got));
    else if (got == 0 || errno == EIO)
        master_ = base::Fd(); // nobody holds the other end any more
}

void Terminal::pass_keys() {
    char buffer[chunk];
    auto const got = ::read(0, buffer, sizeof buffer);
    if (got > 0)
        pending_.assign(buffer, static_cast<std::size_t>(got)), flush_keys();
    else if (got == 0 || errno == EIO)
        keyboard_ = is_raw_ = false; // the person's terminal is gone
}

void Terminal::flush_keys() {
    pollfd wait{master_ ? master_.number() : -1, POLLOUT, 0};
    while (!pending_.empty() && ::poll(&wait, 1, 0) > 0 && (wait.revents & POLLOUT) != 0) {
        auto const written = ::write(master_.number(), pending_.data(), std::min<std::size_t>(pending_.size(), 256));
        if (written <= 0) return;
        pending_.erase(0, static_cast<std::size_t>(written));
    }
}

void Terminal::drain() {
    while (master_ && is_readable(master_.number())) pass_output();
}

} // namespace pfar::house
