// The terminal's modes stay as they are: it gives whole lines, and whoever ends us leaves nothing to be put back.
#include "cli/person.hpp"

#include "cli/console.hpp"
#include "cli/interrupt.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace pfar::cli {

std::optional<Person> Person::at_terminal() {
    base::Fd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal) return {};
    return Person(std::move(terminal));
}

std::optional<Person> Person::here() {
    auto person = at_terminal();
    if (!person && Console::can_ask()) return Person(base::Fd());
    return person;
}

void Person::show(std::string_view text) const {
    while (!text.empty()) {
        auto const written = ::write(terminal_ ? terminal_.number() : STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return; // the terminal is gone, and so is whoever would answer
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void Person::ask(std::string_view question) const {
    ::tcflush(keyboard(), TCIFLUSH);
    show(question);
}

std::string Person::answer() const {
    return line().value_or("");
}

std::optional<std::string> Person::line() const {
    std::string line;
    while (line.find_first_of("\r\n") == std::string::npos) {
        std::array<char, 256> typed{};
        if (!Interrupt::waits_for(keyboard())) return {};
        auto const got = ::read(keyboard(), typed.data(), typed.size());
        if (got < 0 && errno == EINTR && !Interrupt::came()) continue;
        if (got <= 0 || line.size() > 4096) return {};
        line.append(typed.data(), static_cast<std::size_t>(got));
    }
    return line.substr(0, line.find_first_of("\r\n"));
}

bool Person::agrees(std::string_view question) const {
    ask(fmt::format("{} [y/N] ", question));
    auto const said = answer();
    return said == "y" || said == "Y" || said == "yes" || said == "Yes";
}

} // namespace pfar::cli
