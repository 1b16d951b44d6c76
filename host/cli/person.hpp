// Person: whoever sits at the terminal and is asked. What was typed before the question is no answer to it.
#pragma once

#include "base/fd.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pfar::cli {

class Person {
public:
    /// At the controlling terminal, whatever stdin and stdout are. Nobody if there is none. [main thread, as all of it]
    static std::optional<Person> at_terminal();
    /// The same, or at stdin and stderr if both are a terminal.
    static std::optional<Person> here();

    void show(std::string_view text) const;
    /// Shows the question; the answer is waited for at keyboard().
    void ask(std::string_view question) const;
    [[nodiscard]] int keyboard() const { return terminal_ ? terminal_.number() : 0; }
    /// The line that is typed, without its end; empty at the end of the terminal. [may block]
    [[nodiscard]] std::string answer() const;
    /// The same; none at the end of the terminal.
    [[nodiscard]] std::optional<std::string> line() const;
    /// Asks; anything but y or yes is a no. [may block]
    [[nodiscard]] bool agrees(std::string_view question) const;

private:
    explicit Person(base::Fd terminal) : terminal_(std::move(terminal)) {}
    base::Fd terminal_; // none: stdin and stderr
};

} // namespace pfar::cli
