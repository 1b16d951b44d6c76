// Options that stand before the command are common ones; everything after it is the command's.
#include "cli/run.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pfar::cli {
namespace {

int misused(Console& console, std::string_view why, std::string_view command) {
    console.complain(
        fmt::format("{}; pfar {}--help explains", why, command.empty() ? "" : fmt::format("{} ", command)));
    return exit_usage;
}

int run_command(Command const& command, Arguments const& before, std::vector<std::string> const& words,
                Console& console) {
    auto arguments = parse(words, options_of(command),
                           command.first_operand_ends_options ? Operands::first_ends_options : Operands::anywhere);
    auto const sentence = [&](Error const& error) {
        return command.instead_of_repeating.empty() ? error.what : std::string(command.instead_of_repeating);
    };
    if (!arguments) return misused(console, sentence(arguments.error()), command.name);
    arguments->options.insert(before.options.begin(), before.options.end());
    if (arguments->has("version")) {
        console.print(fmt::format("pfar {}\n", PFAR_VERSION));
        return exit_ok;
    }
    if (arguments->has("help")) {
        console.print(explain(command));
        return exit_ok;
    }
    if (auto const fits = check_operands(command, *arguments); !fits)
        return misused(console, arguments->operands.empty() ? fits.error().what : sentence(fits.error()), command.name);
    char const* const from_environment = std::getenv("PFAR_LOG");
    auto const level = arguments->has("log")         ? arguments->options.at("log")
                       : from_environment != nullptr ? from_environment
                                                     : "";
    if (auto const started = base::start_log(level); !started)
        return misused(console, started.error().what, command.name);
    return command.run(*arguments, console);
}

/// What was printed but could not be written is a failure, not a success.
int finish(int code, Console& console) {
    int const trouble = console.flush();
    if (trouble == 0) return code;
    if (trouble != EPIPE) // who reads no further knows that
        console.complain(fmt::format("the output could not be written: {}", std::strerror(trouble)));
    return code == exit_ok ? exit_io : code;
}

/// `pfar vault set ...`: the second word says which.
int dispatch_group(Group const& group, Arguments const& before, std::vector<std::string> const& words,
                   Console& console) {
    bool const asks_help = before.has("help") || (!words.empty() && (words[0] == "--help" || words[0] == "-h"));
    if (asks_help || words.empty()) {
        auto const text = explain(group);
        asks_help ? console.print(text) : console.note(text);
        return asks_help ? exit_ok : exit_usage;
    }
    auto const* const command = find_command(fmt::format("{} {}", group.name, words[0]));
    if (command == nullptr) return unknown_member(group, words[0], console);
    return run_command(*command, before, {words.begin() + 1, words.end()}, console);
}

/// False: `pfar tools notion`, whose second word is an operand of the command that has the group's name.
bool is_of_group(Group const& group, Command const* command, std::vector<std::string> const& rest) {
    if (command == nullptr) return true;
    if (rest.empty() || rest[0].starts_with('-')) return false;
    return command->operands.empty() || find_command(fmt::format("{} {}", group.name, rest[0])) != nullptr;
}

int dispatch(std::vector<std::string> const& words, Console& console) {
    auto options = common_options();
    options.push_back({"version", "", "print the version"});
    auto const before = parse(words, options, Operands::first_ends_options);
    if (!before) return misused(console, before.error().what, "");
    if (before->has("version")) {
        console.print(fmt::format("pfar {}\n", PFAR_VERSION));
        return exit_ok;
    }
    if (before->operands.empty()) {
        if (before->has("help"))
            console.print(overview());
        else
            console.note(overview());
        return before->has("help") ? exit_ok : exit_usage;
    }
    auto const& name = before->operands.front();
    std::vector<std::string> const rest(before->operands.begin() + 1, before->operands.end());
    if (name == "__complete") return complete(rest, console);
    auto const* const command = find_command(name);
    auto const* const group = find_group(name);
    if (group != nullptr && is_of_group(*group, command, rest)) return dispatch_group(*group, *before, rest, console);
    return command == nullptr ? unknown_command(name, console) : run_command(*command, *before, rest, console);
}

} // namespace

int run(std::vector<std::string> const& words) {
    Console console;
    return finish(dispatch(words, console), console);
}

} // namespace pfar::cli
