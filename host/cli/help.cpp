// Help texts, made from the table of commands.
#include "cli/help.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace pfar::cli {
namespace {

std::string usage(Command const& command) {
    auto out = fmt::format("pfar {}", command.name);
    if (!command.options.empty()) out += " [OPTIONS]";
    for (auto const& operand : command.operands) {
        auto const dots = operand.repeated ? "..." : "";
        out += operand.required ? fmt::format(" {}{}", operand.name, dots) : fmt::format(" [{}{}]", operand.name, dots);
    }
    return out;
}

std::string option_line(Option const& option) {
    auto const name = fmt::format("{}--{}{}", option.name == "help" ? "-h, " : "    ", option.name,
                                  option.value.empty() ? "" : fmt::format(" {}", option.value));
    return fmt::format("  {:<20} {}\n", name, option.help);
}

} // namespace

std::string overview() {
    std::string out = "pfar runs MCP servers that you do not trust, each in a sandbox of its own.\n\n"
                      "Usage: pfar COMMAND [OPTIONS]\n\nCommands:\n";
    for (auto const& command : commands()) out += fmt::format("  {:<12} {}\n", command.name, command.summary);
    out += "\nOptions:\n";
    for (auto const& option : common_options()) out += option_line(option);
    out += "  -V, --version        print the version\n"
           "\nEnvironment:\n"
           "  PFAR_HOME            where pfar keeps its files (default ~/.pfar)\n"
           "  PFAR_LOG             as --log\n"
           "  NO_COLOR             no colours\n"
           "\npfar COMMAND --help explains a command.\n";
    return out;
}

std::string explain(Command const& command) {
    auto out = fmt::format("pfar {}: {}\n\nUsage: {}\n\n{}\n\nOptions:\n", command.name, command.summary,
                           usage(command), command.description);
    for (auto const& option : command.options) out += option_line(option);
    for (auto const& option : common_options()) out += option_line(option);
    return out;
}

int run_help(Arguments const& arguments, Console& console) {
    if (arguments.operands.empty()) {
        console.print(overview());
        return exit_ok;
    }
    auto const* const command = find_command(arguments.operands[0]);
    if (command == nullptr) return unknown_command(arguments.operands[0], console);
    console.print(explain(*command));
    return exit_ok;
}

int unknown_command(std::string_view name, Console& console) {
    std::vector<std::string_view> names;
    for (auto const& command : commands()) names.push_back(command.name);
    auto const meant = base::nearest(name, names);
    console.complain(fmt::format("unknown command \"{}\"{}; pfar --help lists them", base::printable(name),
                                 meant ? fmt::format("; did you mean {}?", *meant) : ""));
    return exit_usage;
}

} // namespace pfar::cli
