// Plain stdio: the C library buffers, and what could not be written is noticed at the end of main.
#include "cli/console.hpp"

#include "base/redact.hpp"
#include "cli/command.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pfar::cli {
namespace {

bool wants_colour() {
    char const* const no = std::getenv("NO_COLOR");
    char const* const terminal = std::getenv("TERM");
    bool const dumb = terminal == nullptr || std::strcmp(terminal, "dumb") == 0;
    return ::isatty(STDOUT_FILENO) == 1 && (no == nullptr || *no == '\0') && !dumb;
}

void write(std::FILE* file, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), file);
}

} // namespace

Console::Console() : colour_(wants_colour()) {}

void Console::print(std::string_view text) {
    write(stdout, text);
    static_cast<void>(flush()); // what was said stays said, whatever a plugin's destructor does
}

int Console::flush() {
    errno = 0;
    if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && trouble_ == 0) trouble_ = errno != 0 ? errno : EIO;
    return trouble_;
}

void Console::complain(std::string_view text) {
    note(fmt::format("pfar: {}\n", text));
}

void Console::note(std::string_view text) {
    std::fflush(stdout); // so that the two do not change places where both go to one file
    auto const redacted = redactor_ ? redactor_->redact(text) : std::nullopt;
    write(stderr, redacted ? *redacted : text);
}

void Console::table(std::vector<std::string> const& headings, std::vector<std::vector<std::string>> const& rows,
                    std::vector<std::string> const& below) {
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < headings.size(); ++column) {
        auto width = headings[column].size();
        for (auto const& row : rows) width = std::max(width, row[column].size());
        widths.push_back(width);
    }
    auto const line = [&](std::vector<std::string> const& cells) {
        std::string out;
        for (std::size_t column = 0; column < cells.size(); ++column)
            out += fmt::format("{:<{}}  ", cells[column], widths[column]);
        return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
    };
    print(paint(Colour::bold, line(headings)));
    for (std::size_t row = 0; row < rows.size(); ++row) print(line(rows[row]) + (row < below.size() ? below[row] : ""));
}

std::string Console::paint(Colour colour, std::string_view text) const {
    if (!colour_ || colour == Colour::none) return std::string(text);
    char const* const code = colour == Colour::red      ? "31"
                             : colour == Colour::yellow ? "33"
                             : colour == Colour::green  ? "32"
                                                        : "1";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

bool Console::can_ask() {
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

bool Console::ask(std::string_view question) {
    note(fmt::format("{} [y/N] ", question));
    char answer[16] = {};
    if (std::fgets(answer, sizeof answer, stdin) == nullptr) return false;
    std::string_view const said(answer, std::strcspn(answer, "\r\n"));
    return said == "y" || said == "Y" || said == "yes" || said == "Yes";
}

int exit_code(Errc code) {
    switch (code) {
    case Errc::invalid:
        return exit_config;
    case Errc::refused:
    case Errc::locked:
        return exit_denied;
    case Errc::io:
        return exit_io;
    case Errc::internal:
        return exit_internal;
    case Errc::not_found:
    case Errc::unsupported:
    case Errc::unavailable:
    case Errc::conflict:
    case Errc::timeout:
        break;
    }
    return exit_unavailable;
}

int failed(Console& console, Error const& error) {
    console.complain(error.what);
    return exit_code(error.code);
}

} // namespace pfar::cli
