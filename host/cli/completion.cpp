// Answers are made from the table of commands, so what can be typed can be completed.
#include "cli/completion.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/candidates.hpp"
#include "cli/completion_scripts.hpp"
#include "config/places.hpp"
#include "house/registries.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::cli {
namespace {

void offer(Console& console, std::string_view prefix, std::string_view word, std::string_view help = "") {
    if (word.starts_with(prefix))
        console.print(help.empty() ? fmt::format("{}\n", word) : fmt::format("{}\t{}\n", word, help));
}

void offer_options(Console& console, std::string_view prefix, std::vector<Option> const& options) {
    for (auto const& option : options)
        if (!option.help.empty()) offer(console, prefix, fmt::format("--{}", option.name), option.help);
}

void offer_commands(Console& console, std::string_view prefix) {
    for (auto const& command : commands())
        if (command.name.find(' ') == std::string_view::npos) offer(console, prefix, command.name, command.summary);
    for (auto const& group : groups())
        if (find_command(group.name) == nullptr) offer(console, prefix, group.name, group.summary);
}

void offer_members(Console& console, std::string_view prefix, Group const& group) {
    for (auto const member : members(group))
        offer(console, prefix, member, find_command(fmt::format("{} {}", group.name, member))->summary);
}

void offer_operands(Console& console, std::string_view prefix, Command const& command, std::size_t already) {
    if (command.operands.empty()) return;
    auto const& operand = command.operands[std::min(already, command.operands.size() - 1)];
    if (already >= command.operands.size() && !operand.repeated) return;
    if (operand.candidates != nullptr)
        for (auto const& word : operand.candidates()) offer(console, prefix, word);
    if (operand.is_path) console.print(":files\n");
}

/// The option whose value is being typed, if the word before the cursor is one that takes a value.
Option const* awaiting_value(std::vector<std::string> const& words, std::vector<Option> const& options) {
    if (words.size() < 2) return nullptr;
    auto const found = std::find_if(options.begin(), options.end(), [&](auto const& option) {
        return !option.value.empty() && words[words.size() - 2] == fmt::format("--{}", option.name);
    });
    return found == options.end() ? nullptr : &*found;
}

} // namespace

int complete(std::vector<std::string> words, Console& console) {
    std::erase(words, "="); // bash takes --log=debug apart
    if (words.empty()) words.emplace_back();
    if (auto const equals = words.back().find('=');
        words.back().starts_with("--") && equals != std::string::npos) { // fish and zsh do not
        auto const value = words.back().substr(equals + 1);
        words.back().resize(equals);
        words.push_back(value);
    }
    auto const prefix = words.back();
    bool after_value = false; // the word behind --log is its value
    auto const is_word = [&](std::string const& word) {
        bool const plain = !word.starts_with('-') && !after_value;
        after_value = word == "--log";
        return plain;
    };
    auto first = std::find_if(words.begin(), words.end() - 1, is_word);
    auto const* const group = first == words.end() - 1 ? nullptr : find_group(*first);
    bool const is_first = group != nullptr && first + 1 == words.end() - 1; // the word behind the group's name
    if (is_first && !prefix.starts_with('-')) offer_members(console, prefix, *group);
    auto const* const own = first == words.end() - 1 ? nullptr : find_command(*first);
    auto const* const member =
        group != nullptr && !is_first ? find_command(fmt::format("{} {}", *first, *(first + 1))) : nullptr;
    if (member != nullptr) ++first;
    auto const* const command = member != nullptr ? member : own;
    auto const options = command != nullptr ? options_of(*command) : common_options();

    if (auto const* const option = awaiting_value(words, options)) {
        if (option->candidates != nullptr)
            for (auto const& word : option->candidates()) offer(console, prefix, word);
        if (option->is_path) console.print(":files\n");
    } else if (prefix.starts_with('-'))
        offer_options(console, prefix, options);
    else if (command != nullptr)
        offer_operands(console, prefix, *command,
                       static_cast<std::size_t>(std::count_if(first + 1, words.end() - 1, is_word)));
    else if (group == nullptr && first == words.end() - 1)
        offer_commands(console, prefix);
    return exit_ok;
}

int run_completion(Arguments const& arguments, Console& console) {
    auto const& shell = arguments.operands[0];
    if (auto const script = completion_script(shell); !script.empty()) {
        console.print(script);
        return exit_ok;
    }
    console.complain(fmt::format("no completion for \"{}\"; it is one of bash, zsh or fish", base::printable(shell)));
    return exit_usage;
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (auto const& command : commands()) names.emplace_back(command.name);
    return names;
}

std::vector<std::string> shell_names() {
    return {"bash", "zsh", "fish"};
}

std::vector<std::string> backend_names() {
    std::vector<std::string> names{"auto"};
    auto const house = house::open_house();
    if (!house) return names;
    for (auto const name : house->plugins.names(SandboxBackend::kind)) names.emplace_back(name);
    return names;
}

std::vector<std::string> known_services() {
    auto const house = house::open_house("registry");
    return house ? house::known_names(*house) : std::vector<std::string>();
}

std::vector<std::string> server_names() {
    std::vector<std::string> names;
    auto const home = base::home();
    auto const user_home = base::user_home();
    std::error_code error;
    if (!home || !user_home) return names;
    config::Places places;
    places.home = *home;
    places.user_home = *user_home;
    places.directory = std::filesystem::current_path(error);
    for (auto const& found : config::find_server_files(places))
        if (config::parse_server_name(found.name))
            names.push_back(found.name); // others could mean something to the shell
    return names;
}

} // namespace pfar::cli
