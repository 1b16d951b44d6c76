// The terminal is read key by key: a line of the kernel's own ends at 4095 bytes, and tokens are longer than that.
#include "cli/secret_prompt.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace pfar::cli {
namespace {

constexpr std::size_t most_typed = 64U << 10U;

/// No echo, no signals from keys, no lines; signals wait to be asked for, because one that ended us would leave the terminal like that.
class Quiet {
public:
    explicit Quiet(int terminal) : terminal_(terminal) {
        sigemptyset(&waiting_);
        for (int const signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGTSTP}) sigaddset(&waiting_, signal);
        ::sigprocmask(SIG_BLOCK, &waiting_, &unblocked_);
        signals_ = base::Fd(::signalfd(-1, &waiting_, SFD_CLOEXEC | SFD_NONBLOCK));
        changed_ = ::tcgetattr(terminal_, &before_) == 0;
        enter();
    }
    Quiet(Quiet const&) = delete;
    Quiet& operator=(Quiet const&) = delete;
    ~Quiet() {
        leave();
        ::sigprocmask(SIG_SETMASK, &unblocked_, nullptr);
    }
    [[nodiscard]] bool holds() const { return changed_ && signals_; }
    [[nodiscard]] int signals() const { return signals_.number(); }

    /// Does what the signals that wait would have done, with the terminal as it was. Comes back only if that did not end us; true if it was to.
    bool obey() {
        signalfd_siginfo info{};
        bool was_to_end = false;
        while (::read(signals(), &info, sizeof info) == sizeof info) {
            leave();
            was_to_end = was_to_end || info.ssi_signo != SIGTSTP;
            ::raise(static_cast<int>(info.ssi_signo)); // it waits, and comes when it may
            ::sigprocmask(SIG_SETMASK, &unblocked_, nullptr);
            ::sigprocmask(SIG_BLOCK, &waiting_, nullptr);
            enter();
        }
        return was_to_end;
    }

private:
    void enter() {
        auto modes = before_;
        modes.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
        modes.c_iflag &= ~static_cast<tcflag_t>(IXON);
        modes.c_cc[VMIN] = 1, modes.c_cc[VTIME] = 0;
        changed_ = changed_ && ::tcsetattr(terminal_, TCSADRAIN, &modes) == 0;
    }
    void leave() const {
        if (changed_) ::tcsetattr(terminal_, TCSADRAIN, &before_);
    }

    int terminal_;
    sigset_t waiting_{}, unblocked_{};
    base::Fd signals_;
    termios before_{};
    bool changed_ = false;
};

void say(int terminal, std::string_view text) {
    [[maybe_unused]] auto const written = ::write(terminal, text.data(), text.size());
}

/// A paste of several lines goes on at once; a person does not.
bool goes_on(int terminal) {
    pollfd wait{terminal, POLLIN, 0};
    return ::poll(&wait, 1, 50) > 0 && (wait.revents & POLLIN) != 0;
}

/// The rest of a paste is a secret too, and not the shell's to run. Bounded: a terminal that never stops is not waited for.
bool drop_rest(int terminal) {
    int dropped = 0;
    for (; dropped < 100 && goes_on(terminal); ++dropped) ::tcflush(terminal, TCIFLUSH);
    return dropped > 0;
}

enum class Key : unsigned char {
    interrupt = 3,
    end = 4,
    backspace = 8,
    line_feed = 10,
    enter = 13,
    kill = 21,
    suspend = 26,
    quit = 28,
    del = 127
};

/// The next byte that is typed; -1 at the end of the terminal, or when a signal wants us to end.
int read_key(int terminal, Quiet& quiet, std::string const& prompt) {
    for (;;) {
        pollfd wait[] = {{terminal, POLLIN, 0}, {quiet.signals(), POLLIN, 0}};
        if (::poll(wait, 2, -1) < 0 && errno != EINTR) return -1;
        if (wait[1].revents != 0) {
            if (quiet.obey()) return -1;         // whoever has made something of that signal wants to know
            say(terminal, "\r" + prompt + ": "); // we were stopped and go on
        }
        if (wait[0].revents == 0) continue;
        unsigned char typed = 0;
        auto const got = ::read(terminal, &typed, 1);
        if (got > 0 && static_cast<Key>(typed) == Key::suspend)
            ::raise(SIGTSTP);
        else if (got >= 0 || errno != EINTR)
            return got > 0 ? typed : -1;
    }
}

/// The line into `to`; its length.
Result<std::size_t> read_line(int terminal, Quiet& quiet, std::string const& prompt, char* to) {
    std::size_t size = 0;
    for (;;) {
        int const typed = read_key(terminal, quiet, prompt);
        auto const key = static_cast<Key>(typed);
        if (typed < 0 || key == Key::interrupt || key == Key::quit || (key == Key::end && size == 0))
            return fail(Errc::refused, "nothing was changed");
        if (key == Key::enter || key == Key::line_feed || key == Key::end) return size;
        if (key == Key::backspace || key == Key::del) {
            while (size > 0 && (static_cast<unsigned char>(to[--size]) & 0xc0U) == 0x80U) {} // a whole character
        } else if (key == Key::kill) {
            size = 0;
        } else if (typed < ' ' && typed != '\t') {
            return fail(Errc::invalid, "a key was typed that is no text, such as an arrow; nothing was changed");
        } else if (size == most_typed) {
            return fail(Errc::invalid, "that is longer than 64 KiB; nothing was changed");
        } else {
            to[size++] = static_cast<char>(typed);
        }
    }
}

Secret shortened(Secret const& secret, std::size_t size) {
    return Secret(secret.reveal().substr(0, size));
}

} // namespace

namespace {

/// What becomes of more lines that follow at once, as in a paste.
enum class More { next_question, dropped, refused };

Result<Secret> ask(std::string const& prompt, More more) {
    base::Fd const terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal) return fail(Errc::locked, "there is no terminal to ask on");
    Quiet quiet(terminal.number());
    if (!quiet.holds()) return fail(Errc::locked, "the terminal cannot be kept from showing what is typed");
    say(terminal.number(), prompt + ": ");
    Result<std::size_t> size = std::size_t{0};
    auto const typed =
        Secret::filled(most_typed, [&](char* to) { size = read_line(terminal.number(), quiet, prompt, to); });
    bool const dropped = (!size || more != More::next_question) && drop_rest(terminal.number());
    say(terminal.number(), "\n");
    if (!size) return size.error();
    if (dropped && more == More::refused)
        return fail(Errc::invalid,
                    "that was more than one line; give such a value by stdin: pfar vault set NAME < FILE");
    return shortened(typed, *size);
}

} // namespace

Result<Secret> ask_hidden(std::string const& prompt) {
    return ask(prompt, More::dropped);
}

Result<Secret> ask_hidden_value(std::string const& prompt) {
    return ask(prompt, More::refused);
}

Result<Secret> ask_hidden_twice(std::string const& prompt) {
    PFAR_TRY(first, ask(prompt, More::next_question));
    PFAR_TRY(second, ask_hidden("The same again"));
    if (!first.same_as(second)) return fail(Errc::invalid, "the two were not the same; nothing was changed");
    return first;
}

Result<Secret> read_secret(int fd, std::size_t limit) {
    std::size_t size = 0;
    int error = 0;
    auto const all = Secret::filled(limit + 1, [&](char* to) {
        while (size <= limit) {
            auto const got = ::read(fd, to + size, limit + 1 - size);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) error = errno;
            if (got <= 0) break;
            size += static_cast<std::size_t>(got);
        }
    });
    if (error != 0) return fail(Errc::io, "the value cannot be read: " + base::errno_text(error));
    if (size > limit) return fail(Errc::invalid, fmt::format("that is longer than {} KiB", limit >> 10U));
    return shortened(all, size);
}

Secret without_line_end(Secret secret) {
    auto text = secret.reveal();
    if (text.empty() || text.find('\n') != text.size() - 1) return secret;
    text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return Secret(text);
}

} // namespace pfar::cli
