// Console: where a command's words go. Colours only on a terminal, and not if NO_COLOR is set.
#pragma once

#include <pfar/result.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::base {
class Redactor;
}

namespace pfar::cli {

enum class Colour { none, red, yellow, green, bold };

class Console {
public:
    Console();

    /// The command's result.
    void print(std::string_view text);
    /// What went wrong, as one line on stderr: "pfar: ...".
    void complain(std::string_view text);
    /// Further lines on stderr.
    void note(std::string_view text);
    /// From now on nothing on stderr has one of its secrets.
    void redact_with(std::shared_ptr<base::Redactor const> redactor) { redactor_ = std::move(redactor); }
    /// Rows below headings, in columns, the last one as wide as it likes. `below`: for each row, whole lines to stand below it.
    void table(std::vector<std::string> const& headings, std::vector<std::vector<std::string>> const& rows,
               std::vector<std::string> const& below = {});

    /// Coloured if stdout is a terminal.
    [[nodiscard]] std::string paint(Colour colour, std::string_view text) const;
    /// True if there is somebody to ask: stdin and stderr are a terminal.
    [[nodiscard]] static bool can_ask();
    /// Asks on the terminal; anything but y or yes is a no.
    [[nodiscard]] bool ask(std::string_view question);
    /// The errno that the first part of the result failed with that could not be written; 0: all was.
    int flush();

private:
    bool colour_;
    int trouble_ = 0;
    std::shared_ptr<base::Redactor const> redactor_;
};

/// Which exit code an error means.
int exit_code(Errc code);
/// Complains; the exit code.
int failed(Console& console, Error const& error);

} // namespace pfar::cli
