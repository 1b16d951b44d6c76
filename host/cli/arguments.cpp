// getopt_long does the parsing: options and operands in any order, --name=value, unambiguous beginnings, -- to end them.
#include "cli/arguments.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <getopt.h>

#include <algorithm>

namespace pfar::cli {
namespace {

constexpr int first_long = 1000;

/// The option's name in `word`: "--josn=x" -> "josn".
std::string_view name_in(std::string_view word) {
    word = word.substr(0, word.find('='));
    while (word.starts_with('-')) word.remove_prefix(1);
    return word;
}

Error unknown_option(std::string_view word, std::vector<Option> const& options) {
    std::vector<std::string_view> names;
    for (auto const& option : options) names.push_back(option.name);
    auto const meant = base::nearest(name_in(word), names);
    return fail(Errc::invalid, fmt::format("unknown option {}{}", base::printable(word),
                                           meant ? fmt::format("; did you mean --{}?", *meant) : ""));
}

std::vector<::option> long_options(std::vector<Option> const& options, std::vector<std::string>& names) {
    for (auto const& option : options) names.emplace_back(option.name);
    std::vector<::option> out;
    for (std::size_t i = 0; i < options.size(); ++i)
        out.push_back({names[i].c_str(), options[i].value.empty() ? no_argument : required_argument, nullptr,
                       first_long + static_cast<int>(i)});
    out.push_back({nullptr, 0, nullptr, 0});
    return out;
}

void take(Arguments& arguments, std::string const& name, std::string const& value) {
    arguments.options[name] = value;
    arguments.in_order.emplace_back(name, value);
}

} // namespace

Result<Arguments> parse(std::vector<std::string> const& words, std::vector<Option> const& options, Operands operands) {
    std::vector<std::string> names;
    auto const known = long_options(options, names);
    auto copies = words;
    std::vector<char*> argv{names.empty() ? nullptr : names[0].data()}; // argv[0] is never looked at
    for (auto& word : copies) argv.push_back(word.data());
    int const count = static_cast<int>(argv.size());
    argv.push_back(nullptr);

    Arguments arguments;
    optind = 0; // glibc: start anew
    opterr = 0;
    char const* const short_options = operands == Operands::first_ends_options ? "+:hV" : ":hV";
    for (;;) {
        int const got = ::getopt_long(count, argv.data(), short_options, known.data(), nullptr);
        if (got == -1) break;
        std::string_view const word = optind > 1 ? argv[static_cast<std::size_t>(optind) - 1] : "";
        if (got == 'h')
            arguments.options["help"] = "";
        else if (got == 'V')
            arguments.options["version"] = "";
        else if (got == ':')
            return fail(Errc::invalid, fmt::format("{} needs a value", base::printable(word)));
        else if (got == '?' && optopt >= first_long)
            return fail(Errc::invalid, fmt::format("--{} takes no value", name_in(word)));
        else if (got == '?')
            return unknown_option(optopt > 0 && optopt < 256 ? fmt::format("-{}", static_cast<char>(optopt))
                                                             : std::string(word),
                                  options);
        else
            take(arguments, names[static_cast<std::size_t>(got - first_long)], optarg != nullptr ? optarg : "");
    }
    arguments.operands.assign(argv.begin() + optind, argv.begin() + count);
    arguments.behind_dashes = optind > 1 && std::string_view(argv[static_cast<std::size_t>(optind) - 1]) == "--";
    return arguments;
}

Result<void> check_operands(Command const& command, Arguments const& arguments) {
    std::size_t least = 0;
    bool open_ended = false;
    for (auto const& operand : command.operands)
        least += operand.required ? 1 : 0, open_ended = open_ended || operand.repeated;
    auto const& given = arguments.operands;
    if (given.size() < least)
        return fail(Errc::invalid, fmt::format("{} needs a {}", command.name, command.operands[given.size()].name));
    if (given.size() > command.operands.size() && !open_ended)
        return fail(Errc::invalid, fmt::format("{} does not take \"{}\"", command.name,
                                               base::printable(given[command.operands.size()])));
    return {};
}

std::vector<Option> options_of(Command const& command) {
    auto options = command.options;
    options.insert(options.end(), common_options().begin(), common_options().end());
    return options;
}

} // namespace pfar::cli
