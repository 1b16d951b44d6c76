// pfar edit
#include "house/edit_server.hpp"

#include "base/text.hpp"
#include "cli/open.hpp"
#include "servers/find_command.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pfar::cli {
namespace {

std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// $VISUAL, $EDITOR, or the first of the usual ones; empty if there is none.
std::string editor() {
    auto const terminal = variable("TERM");
    bool const can_show = !terminal.empty() && terminal != "dumb";
    if (auto const visual = variable("VISUAL"); can_show && !visual.empty()) return visual;
    if (auto const chosen = variable("EDITOR"); !chosen.empty()) return chosen;
    if (auto const visual = variable("VISUAL"); !visual.empty()) return visual;
    if (!Console::can_ask()) return "";
    for (auto const* const usual : {"sensible-editor", "editor", "nano", "vim", "vi"})
        if (servers::find_command(usual, search_path(), "/")) return usual;
    return "";
}

bool edit_again(Console& console) {
    for (;;) {
        console.note("[e]dit again or [d]iscard? ");
        char answer[16] = {};
        if (std::fgets(answer, sizeof answer, stdin) == nullptr) return false;
        if (std::strchr("eE", answer[0]) != nullptr && answer[0] != '\0') return true;
        if (std::strchr("dDqQ", answer[0]) != nullptr && answer[0] != '\0') return false;
    }
}

std::string shown(house::Edit const& edit) {
    return base::printable(base::for_people(edit.file().found.file));
}

int finish(house::Edit& edit, house::Draft const& draft, Console& console) {
    auto const& name = edit.file().found.name;
    if (auto const done = edit.finish(draft); !done)
        return failed(console, fail(done.error().code, fmt::format("{}; what you wrote is in {}", done.error().what,
                                                                   base::printable(edit.keep_copy().native()))));
    bool const in_project = edit.file().found.origin == config::Origin::project;
    console.print(fmt::format("{} is changed ({}){}\n", name, shown(edit),
                              !in_project            ? ""
                              : edit.stays_trusted() ? "; it was trusted and still is, as you changed it"
                                                     : "; it is not trusted yet: pfar trust"));
    if (!draft.resolved.empty()) console.print(draft.resolved + "\n");
    console.note(describe_all(console, shown(edit), draft.mistakes));
    return exit_ok;
}

/// Mistakes: shown, and put right or thrown away. True to edit again.
bool goes_on(house::Edit& edit, house::Draft const& draft, Console& console) {
    console.note(describe_all(console, shown(edit), draft.mistakes));
    if (!Console::can_ask()) {
        console.complain(fmt::format("that has mistakes, and {} is as it was; what you wrote is in {}", shown(edit),
                                     base::printable(edit.keep_copy().native())));
        return false;
    }
    if (edit_again(console)) return true;
    console.complain(fmt::format("{} is as it was", shown(edit)));
    return false;
}

int edit_until_valid(house::Edit& edit, std::string const& with, Console& console) {
    for (;;) {
        auto const ended = edit.run_editor(with);
        if (!ended) return failed(console, ended.error());
        if (*ended != 0) {
            console.complain(fmt::format("the editor ({}) ended with {}; {} is as it was", base::printable(with),
                                         *ended, shown(edit)));
            return exit_unavailable;
        }
        auto const draft = edit.read(search_path());
        if (!draft)
            return failed(
                console, fail(draft.error().code, fmt::format("{}; {} is as it was", draft.error().what, shown(edit))));
        if (!draft->changed) {
            console.print(fmt::format("{} is unchanged\n", edit.file().found.name));
            return exit_ok;
        }
        if (draft->valid) return finish(edit, *draft, console);
        if (!goes_on(edit, *draft, console)) return exit_config;
    }
}

} // namespace

int run_edit(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const house = open(console, code);
    if (!house) return code;
    auto const with = editor();
    if (with.empty()) {
        console.complain("there is no editor; set EDITOR, as in EDITOR=nano pfar edit NAME");
        return exit_unavailable;
    }
    auto edit = house::Edit::begin(*house, arguments.operands[0]);
    return edit ? edit_until_valid(*edit, with, console) : failed(console, edit.error());
}

} // namespace pfar::cli
