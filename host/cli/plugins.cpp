// pfar plugins
#include "base/text.hpp"
#include "cli/json.hpp"
#include "cli/open.hpp"
#include "house/plugin_report.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

std::string as_json(house::PluginReport const& report) {
    boost::json::array rows;
    for (auto const& row : report.rows)
        rows.push_back({{"kind", row.kind},
                        {"name", row.name},
                        {"version", base::printable(row.version)},
                        {"api", row.api},
                        {"path", base::printable(row.path.native())},
                        {"chosen", row.chosen},
                        {"why", row.why}});
    return to_text(rows);
}

void print_table(house::PluginReport const& report, Console& console) {
    std::vector<std::vector<std::string>> rows;
    for (auto const& row : report.rows)
        rows.push_back({row.chosen ? "*" : "", row.kind, row.name, base::printable(row.version),
                        std::to_string(row.api), base::for_people(row.path)});
    console.table({"", "KIND", "NAME", "VERSION", "API", "PATH"}, rows);
    console.print("\n");
    for (auto const& row : report.rows)
        if (row.chosen) console.print(fmt::format("{}: {} ({})\n", row.kind, row.name, row.why));
}

} // namespace

int run_plugins(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const house = open(console, code);
    if (!house) return code;
    auto const report = house::report_plugins(*house);
    if (arguments.has("json"))
        console.print(as_json(report));
    else
        print_table(report, console);
    for (auto const& why : report.refused) console.complain("refused: " + why);
    for (auto const& why : report.unusable) console.complain(why);
    return exit_ok;
}

} // namespace pfar::cli
