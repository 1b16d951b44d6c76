// Mistake: one thing wrong with a configuration file: where, what, what was expected and how to put it right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pfar::config {

/// Lines and columns count from 1; 0 means the file as a whole.
struct Where {
    std::uint32_t line = 0, column = 0, length = 0;

    friend auto operator<=>(Where const&, Where const&) = default;
};

/// A warning does not keep a server from starting for being there; an error does.
enum class Severity : std::uint8_t { error, warning };

struct Mistake {
    Severity severity;
    Where where;
    std::string what;
    std::string expected; // may be empty
    std::string fix;      // may be empty; may have several lines
    std::string text;     // the offending line, safe to show: control bytes escaped, secrets masked
};

/// What is wrong with a value on its own, before anybody knows where it stands.
struct Wrong {
    Wrong() = default;
    Wrong(std::string what_, std::string expected_, std::string fix_)
        : what(std::move(what_)), expected(std::move(expected_)), fix(std::move(fix_)) {}

    std::string what, expected, fix;
};

/// As compilers print it: file:line:column, the line with a marker, what was expected, the fix. Ends with a newline.
std::string describe(std::filesystem::path const& file, Mistake const& mistake);

std::size_t count(std::vector<Mistake> const& mistakes, Severity severity);

} // namespace pfar::config
