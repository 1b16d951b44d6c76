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

int failed(Console& console, Error const& error) {
    console.complain(error.what);
    return exit_code(error.code);
}

std::string rights_of(Rights const& rights) {
    return rights.writes() ? "read and write" : rights.execute ? "read and execute" : "read";
}

/// What the owner agrees to, in the order of what it could do.
std::string summary(ServerSpec const& spec) {
    auto runs = spec.server.command;
    for (auto const& argument : spec.server.args) runs += " " + argument;
    auto out = fmt::format("  {}\n    runs     {}\n", spec.name, base::printable(runs));
    if (spec.sandbox.backend == "unconfined") out += "    sandbox  NONE: it can do whatever you can\n";
    for (auto const& rule : spec.allowed_domains) out += fmt::format("    reaches  {}\n", to_text(rule));
    for (auto const& value : spec.auth) out += fmt::format("    gets     {} from the vault\n", value.name);
    for (auto const& value : spec.auth_files)
        out += fmt::format("    gets     {} from the vault, as a file\n", base::printable(value.name));
    if (spec.access)
        for (auto const& grant : spec.access->files)
            out += fmt::format("    may {} {}\n", rights_of(grant.rights), base::printable(grant.path.native()));
    for (auto const& [tool, rules] : spec.tools)
        if (rules.access)
            for (auto const& grant : rules.access->files)
                out += fmt::format("    may {} {} (tool {})\n", rights_of(grant.rights),
                                   base::printable(grant.path.native()), base::printable(tool));
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
    auto project = house::find_project(
        *house, arguments.operands.empty() ? house->places.directory : std::filesystem::path(arguments.operands[0]));
    if (!project) return failed(console, project.error());
    if (!arguments.has("remove")) return trust(*house, *project, arguments.has("yes"), console);
    auto const removed = house::forget_project(*house, project->root);
    if (!removed) return failed(console, removed.error());
    console.print(fmt::format("no longer trusted: {} file{}\n", *removed, *removed == 1 ? "" : "s"));
    return exit_ok;
}

} // namespace pfar::cli
