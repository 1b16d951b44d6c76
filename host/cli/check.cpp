// pfar check
#include "house/check.hpp"

#include "base/text.hpp"
#include "cli/json.hpp"
#include "cli/open.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

using config::Severity;

struct Totals {
    std::size_t errors = 0, warnings = 0;
};

boost::json::object mistake_json(config::Mistake const& mistake) {
    return {{"severity", mistake.severity == Severity::error ? "error" : "warning"},
            {"line", mistake.where.line},
            {"column", mistake.where.column},
            {"what", mistake.what},
            {"text", mistake.text},
            {"expected", mistake.expected},
            {"fix", mistake.fix}};
}

std::string as_json(std::vector<house::CheckedFile> const& files, Totals totals) {
    boost::json::array list;
    for (auto const& file : files) {
        boost::json::array mistakes;
        for (auto const& mistake : file.mistakes) mistakes.push_back(mistake_json(mistake));
        list.push_back({{"file", base::printable(file.file.native())},
                        {"origin", file.origin},
                        {"name", base::printable(file.name)},
                        {"state", file.state},
                        {"note", file.note},
                        {"mistakes", std::move(mistakes)}});
    }
    return to_text(
        boost::json::object{{"files", std::move(list)}, {"errors", totals.errors}, {"warnings", totals.warnings}});
}

void print_report(std::vector<house::CheckedFile> const& files, Totals totals, Console& console) {
    for (auto const& file : files)
        console.print(describe_all(console, base::printable(file.file.native()), file.mistakes));
    for (auto const& file : files) {
        auto const colour = file.state == "invalid" ? Colour::red : file.state == "ok" ? Colour::green : Colour::yellow;
        console.print(fmt::format("{} {:<7} {}{}\n", console.paint(colour, fmt::format("{:<8}", file.state)),
                                  file.origin, base::printable(base::for_people(file.file)),
                                  file.note.empty() ? "" : fmt::format(" ({})", file.note)));
    }
    if (files.empty()) console.print("no configuration files found; a server file goes to $PFAR_HOME/mcp/NAME.toml\n");
    auto const plural = [](std::size_t number, char const* word) {
        return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
    };
    console.print(fmt::format("{}: {}, {}\n", plural(files.size(), "file"), plural(totals.errors, "error"),
                              plural(totals.warnings, "warning")));
}

} // namespace

int run_check(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const house = open(console, code, true);
    if (!house) return code;
    auto const files = house::check_files(*house, arguments.operands);
    if (!files) {
        console.complain(files.error().what);
        return exit_code(files.error().code);
    }
    Totals totals;
    for (auto const& file : *files)
        totals.errors += count(file.mistakes, Severity::error),
            totals.warnings += count(file.mistakes, Severity::warning);
    if (arguments.has("json"))
        console.print(as_json(*files, totals));
    else
        print_report(*files, totals, console);
    return totals.errors > 0 ? exit_config : exit_ok;
}

} // namespace pfar::cli
