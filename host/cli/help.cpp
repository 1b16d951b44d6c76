// Help texts, made from the table of commands.
#include "cli/help.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <map>

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

/// Commands and groups together, by name.
std::map<std::string_view, std::string_view> summaries() {
    std::map<std::string_view, std::string_view> out;
    for (auto const& command : commands())
        if (command.name.find(' ') == std::string_view::npos) out.emplace(command.name, command.summary);
    for (auto const& group : groups()) out.emplace(group.name, group.summary);
    return out;
}

} // namespace

std::string overview() {
    std::string out = "pfar runs MCP servers that you do not trust, each in a sandbox of its own.\n\n"
                      "Usage: pfar COMMAND [OPTIONS]\n\nCommands:\n";
    for (auto const& [name, summary] : summaries()) out += fmt::format("  {:<12} {}\n", name, summary);
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
    for (auto const& option : command.options)
        if (!option.help.empty()) out += option_line(option);
    for (auto const& option : common_options()) out += option_line(option);
    return out;
}

std::string explain(Group const& group) {
    auto out = fmt::format("pfar {}: {}\n\nUsage: pfar {} COMMAND [OPTIONS]\n\n{}\n\nCommands:\n", group.name,
                           group.summary.substr(0, group.summary.find(':')), group.name, group.description);
    for (auto const member : members(group))
        out += fmt::format("  {:<12} {}\n", member, find_command(fmt::format("{} {}", group.name, member))->summary);
    return out + fmt::format("\npfar {} COMMAND --help explains one.\n", group.name);
}

int run_help(Arguments const& arguments, Console& console) {
    auto const& words = arguments.operands;
    auto const* const group = words.empty() ? nullptr : find_group(words[0]);
    if (words.empty()) {
        console.print(overview());
    } else if (group != nullptr && words.size() == 1 && find_command(words[0]) == nullptr) {
        console.print(explain(*group));
    } else {
        auto const* const command =
            find_command(group != nullptr && words.size() > 1 ? words[0] + " " + words[1] : words[0]);
        if (command == nullptr)
            return group != nullptr ? unknown_member(*group, words[1], console) : unknown_command(words[0], console);
        console.print(explain(*command));
    }
    return exit_ok;
}

int unknown_member(Group const& group, std::string_view name, Console& console) {
    auto const names = members(group);
    auto const meant = base::nearest(name, names);
    console.complain(fmt::format("pfar {} has no \"{}\"{}; it has {}", group.name, base::printable(name),
                                 meant ? fmt::format("; did you mean {} {}?", group.name, *meant) : "",
                                 base::listed(names)));
    return exit_usage;
}

int unknown_command(std::string_view name, Console& console) {
    std::vector<std::string_view> names;
    for (auto const& [known, summary] : summaries()) names.push_back(known);
    auto const meant = base::nearest(name, names);
    console.complain(fmt::format("unknown command \"{}\"{}; pfar --help lists them", base::printable(name),
                                 meant ? fmt::format("; did you mean {}?", *meant) : ""));
    return exit_usage;
}

} // namespace pfar::cli
