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
    std::string_view help;  // empty: pfar's own, for itself; not listed
    Candidates candidates = nullptr;
    bool is_path = false;
};
inline constexpr Option json_option{"json", "", "print JSON, for scripts"};

struct Operand {
    std::string_view name; // "FILE"
    bool required = false, repeated = false;
    Candidates candidates = nullptr;
    bool is_path = false;
};

/// A command line, taken apart.
struct Arguments {
    std::map<std::string, std::string, std::less<>> options; // by name; a flag has an empty value; the last one counts
    std::vector<std::pair<std::string, std::string>> in_order; // the same, all of them
    std::vector<std::string> operands;
    bool behind_dashes = false; // there was a -- before them, or some of them

    [[nodiscard]] bool has(std::string_view option) const { return options.contains(option); }
    /// Every value of an option that may be given more than once.
    [[nodiscard]] std::vector<std::string> all(std::string_view option) const {
        std::vector<std::string> values;
        for (auto const& [name, value] : in_order)
            if (name == option) values.push_back(value);
        return values;
    }
};

struct Command {
    std::string_view name, summary; // "check", or "vault set": one of a group
    std::string_view description;   // paragraphs for `pfar COMMAND --help`
    std::vector<Operand> operands;
    std::vector<Option> options;
    int (*run)(Arguments const& arguments, Console& console);
    bool first_operand_ends_options = false; // what follows is a command line of its own
    std::string_view instead_of_repeating{}; // said where too much was typed: what that was may be a secret
};

/// All commands, by name.
std::vector<Command> const& commands();
Command const* find_command(std::string_view name);

/// Commands that share their first word.
struct Group {
    std::string_view name, summary;
    std::string_view description;
};
Group const* find_group(std::string_view name);
std::vector<Group> const& groups();
/// The second words of a group's commands.
std::vector<std::string_view> members(Group const& group);
/// The options that every command takes.
std::vector<Option> const& common_options();

int run_allow(Arguments const& arguments, Console& console);
int run_check(Arguments const& arguments, Console& console);
int run_completion(Arguments const& arguments, Console& console);
int run_doctor(Arguments const& arguments, Console& console);
int run_exec(Arguments const& arguments, Console& console);
int run_help(Arguments const& arguments, Console& console);
int run_plan(Arguments const& arguments, Console& console);
int run_plugins(Arguments const& arguments, Console& console);
int run_trust(Arguments const& arguments, Console& console);
int run_vault_change_key(Arguments const& arguments, Console& console);
int run_vault_import(Arguments const& arguments, Console& console);
int run_vault_list(Arguments const& arguments, Console& console);
int run_vault_lock(Arguments const& arguments, Console& console);
int run_vault_remove(Arguments const& arguments, Console& console);
int run_vault_rename(Arguments const& arguments, Console& console);
int run_vault_set(Arguments const& arguments, Console& console);
int run_vault_status(Arguments const& arguments, Console& console);
int run_vault_unlock(Arguments const& arguments, Console& console);

} // namespace pfar::cli
