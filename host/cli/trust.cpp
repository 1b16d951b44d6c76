// pfar trust
#include "house/trust.hpp"

#include "base/text.hpp"
#include "cli/json.hpp"
#include "cli/open.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

using config::ServerSpec;

std::string rights_of(Rights const& rights) {
    return rights.writes() ? "read and write" : rights.execute ? "read and execute" : "read";
}

void line(std::string& out, std::string_view what, std::string_view text) {
    out += fmt::format("    {:<9}{}\n", what, base::printable(text));
}

std::string value_of(config::AuthValue const& value) {
    std::string text;
    for (auto const& piece : value.pieces) text += piece.secret ? "${vault:" + piece.text + "}" : piece.text;
    return text;
}

void add_access(std::string& out, config::Access const& access, std::string const& whose) {
    for (auto const& grant : access.files)
        line(out, "may", fmt::format("{} {}{}", rights_of(grant.rights), grant.path.native(), whose));
}

/// What differs from what every server has, and could harm.
void add_unusual(std::string& out, ServerSpec const& spec) {
    ServerSpec const usual;
    if (spec.sandbox.backend == "unconfined") line(out, "sandbox", "NONE: it can do whatever you can");
    if (spec.sandbox.require != usual.sandbox.require) {
        std::vector<std::string_view> names;
        for (auto const promise : spec.sandbox.require)
            names.emplace_back(promise_names[static_cast<std::size_t>(promise)]);
        line(out, "sandbox",
             fmt::format("starts even if it cannot keep more than: {}",
                         names.empty() ? "nothing" : base::listed(names)));
    }
    for (auto const& rule : spec.allow_private) line(out, "reaches", to_text(rule) + " even at a private address");
    if (spec.taint != usual.taint) line(out, "taint", base::word_for(base::taint_words, spec.taint));
    if (spec.label != usual.label) line(out, "label", base::word_for(base::label_words, spec.label));
    for (auto const& [tool, rules] : spec.tools) {
        if (rules.semantics == base::Semantics::read) line(out, "tool", tool + " counts as a read");
        if (rules.approve)
            line(out, "tool",
                 fmt::format("{} asks you: {}", tool, base::word_for(base::approve_words, *rules.approve)));
        if (rules.access) add_access(out, *rules.access, fmt::format(" (tool {})", tool));
    }
}

/// What the owner agrees to: everything that decides what runs, what it sees and what it can do.
std::string summary(ServerSpec const& spec) {
    auto out = fmt::format("  {}\n", spec.name);
    auto runs = spec.server.command;
    for (auto const& argument : spec.server.args) runs += " " + argument;
    line(out, "runs", runs);
    if (spec.server.cwd) line(out, "in", spec.server.cwd->native());
    for (auto const& code : spec.server.code) line(out, "sees", code.native());
    for (auto const& rule : spec.allowed_domains) line(out, "reaches", to_text(rule));
    for (auto const& value : spec.auth) line(out, "gets", fmt::format("{} = {}", value.name, value_of(value)));
    for (auto const& value : spec.auth_files)
        line(out, "gets", fmt::format("the file {} = {}", value.name, value_of(value)));
    for (auto const& name : spec.env_pass) line(out, "gets", name + " of your environment");
    for (auto const& [name, value] : spec.env_set) line(out, "with", name + "=" + value);
    if (spec.access) add_access(out, *spec.access, "");
    add_unusual(out, spec);
    return out;
}

int list(house::House const& house, bool json, Console& console) {
    auto const files = house::list_trusted(house);
    if (!files) return failed(console, files.error());
    boost::json::array out;
    for (auto const& file : *files) {
        auto const path = base::printable(file.file.native());
        if (json)
            out.push_back({{"file", path}, {"digest", file.digest}, {"standing", file.standing}});
        else
            console.print(fmt::format("{:<8} {}\n", file.standing, path));
    }
    if (json)
        console.print(to_text(out));
    else if (files->empty())
        console.print("nothing is trusted\n");
    return exit_ok;
}

/// Splits what can be trusted now from what has mistakes; tells of the latter.
std::vector<config::SurveyedFile> waiting(house::Project& project, Console& console, int& code) {
    std::vector<config::SurveyedFile> files;
    for (auto& file : project.files) {
        if (file.standing == config::Standing::trusted) continue;
        if (file.spec) {
            console.note(fmt::format(
                "{}{}", file.standing == config::Standing::changed ? "  (changed since it was trusted)\n" : "",
                summary(*file.spec)));
            files.push_back(std::move(file));
            continue;
        }
        console.note(describe_all(console, base::printable(file.found.file.native()), file.mistakes));
        console.complain(fmt::format("{} has mistakes and is not trusted; put them right and run pfar trust again",
                                     base::printable(file.found.file.native())));
        code = exit_config;
    }
    return files;
}

int trust(house::House const& house, house::Project& project, bool yes, Console& console) {
    int code = exit_ok;
    console.note(fmt::format("{}\n", base::printable(project.root.native())));
    auto const files = waiting(project, console, code);
    if (files.empty()) {
        if (code == exit_ok) console.print("nothing to do: every file of this project is trusted\n");
        return code;
    }
    if (!yes && !Console::can_ask()) {
        console.complain("there is no terminal to ask on; if you have seen what these files run, say pfar trust --yes");
        return exit_denied;
    }
    if (!yes && !console.ask("Let these servers run?")) {
        console.complain("not trusted");
        return exit_denied;
    }
    if (auto const done = house::trust_files(house, files); !done) return failed(console, done.error());
    console.print(fmt::format("trusted: {} file{}\n", files.size(), files.size() == 1 ? "" : "s"));
    return code;
}

/// The directory named may be gone; then its files are taken off the list all the same.
int remove(house::House const& house, Arguments const& arguments, Console& console) {
    auto const directory = arguments.operands.empty()
                               ? house.places.directory
                               : std::filesystem::absolute(arguments.operands[0]).lexically_normal();
    auto const project = house::find_project(house, directory);
    auto const removed = house::forget_project(house, project ? project->root : directory);
    if (!removed) return failed(console, removed.error());
    console.print(fmt::format("no longer trusted: {} file{}\n", *removed, *removed == 1 ? "" : "s"));
    return *removed > 0 || project ? static_cast<int>(exit_ok) : static_cast<int>(exit_unavailable);
}

} // namespace

int run_trust(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const house = open(console, code);
    if (!house) return code;
    if (arguments.has("list")) return list(*house, arguments.has("json"), console);
    if (arguments.has("json")) {
        console.complain("--json goes with --list; pfar trust --help explains");
        return exit_usage;
    }
    if (arguments.has("remove")) return remove(*house, arguments, console);
    auto project = house::find_project(
        *house, arguments.operands.empty() ? house->places.directory : std::filesystem::path(arguments.operands[0]));
    if (!project) return failed(console, project.error());
    return trust(*house, *project, arguments.has("yes"), console);
}

} // namespace pfar::cli
