// Command: one command as data. Parsing, help texts and shell completion all come from the same table.
#pragma once

#include "cli/console.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::cli {

/// sysexits(3), as SPEC 4 names them.
enum Exit : int {
    exit_ok = 0,
    exit_usage = 64,
    exit_unavailable = 69,
    exit_internal = 70,
    exit_io = 74,
    exit_denied = 77,
    exit_config = 78
};

/// The words that may stand somewhere; asked only when somebody presses tab.
using Candidates = std::vector<std::string> (*)();

struct Option {
    std::string_view name;  // without --
    std::string_view value; // "LEVEL"; empty for a flag
    std::string_view help;
    Candidates candidates = nullptr;
};

struct Operand {
    std::string_view name; // "FILE"
    bool required = false, repeated = false;
    Candidates candidates = nullptr;
    bool is_path = false;
};

/// A command line, taken apart.
struct Arguments {
    std::map<std::string, std::string, std::less<>> options; // by name; a flag has an empty value
    std::vector<std::string> operands;

    [[nodiscard]] bool has(std::string_view option) const { return options.contains(option); }
};

struct Command {
    std::string_view name, summary;
    std::string_view description; // paragraphs for `pfar COMMAND --help`
    std::vector<Operand> operands;
    std::vector<Option> options;
    int (*run)(Arguments const& arguments, Console& console);
};

/// All commands, by name.
std::vector<Command> const& commands();
Command const* find_command(std::string_view name);
/// The options that every command takes.
std::vector<Option> const& common_options();

int run_check(Arguments const& arguments, Console& console);
int run_completion(Arguments const& arguments, Console& console);
int run_help(Arguments const& arguments, Console& console);
int run_plugins(Arguments const& arguments, Console& console);
int run_trust(Arguments const& arguments, Console& console);

} // namespace pfar::cli
