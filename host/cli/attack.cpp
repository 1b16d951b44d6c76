// A row per attempt: what it tries, whether it works outside (else a refusal means nothing), and how each backend refused it.
#include "cli/attack.hpp"

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "house/attack.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

using house::AttackCell;
using house::AttackReport;

std::string control_text(AttackCell const& cell) {
    if (cell.outcome == "works") return "works";
    if (cell.outcome == "none") return "no control: " + cell.detail;
    return fmt::format("broken: {} {}", cell.how, base::printable(cell.detail));
}

boost::json::object as_json(AttackCell const& cell) {
    return {{"outcome", cell.outcome}, {"errno", cell.how}, {"detail", base::printable(cell.detail)}};
}

std::string as_json(AttackReport const& report) {
    boost::json::array rows;
    for (auto const& row : report.rows) {
        boost::json::object out{
            {"name", row.name}, {"group", row.group}, {"what", row.what}, {"bare", control_text(row.cells[0])}};
        for (std::size_t i = 1; i < row.cells.size(); ++i) out[report.columns[i]] = as_json(row.cells[i]);
        rows.push_back(std::move(out));
    }
    return to_text(boost::json::object{{"columns", boost::json::value_from(report.columns)},
                                       {"rows", std::move(rows)},
                                       {"successes", report.successes},
                                       {"doubts", report.doubts}});
}

std::string cell_text(AttackCell const& cell, Console const& console) {
    if (cell.outcome == "refused") return "refused " + cell.how;
    if (cell.outcome == "succeeded") return console.paint(Colour::red, "SUCCEEDED");
    return console.paint(Colour::yellow, fmt::format("{} {}", cell.outcome, cell.how));
}

void print_table(AttackReport const& report, Console& console) {
    std::vector<std::string> headings{"ATTEMPT"};
    headings.insert(headings.end(), report.columns.begin() + 1, report.columns.end());
    headings.insert(headings.end(), {"BARE", "WHAT IT TRIES"});
    std::vector<std::vector<std::string>> rows;
    for (auto const& row : report.rows) {
        rows.push_back({row.name});
        for (std::size_t i = 1; i < row.cells.size(); ++i) rows.back().push_back(cell_text(row.cells[i], console));
        rows.back().push_back(row.cells[0].outcome);
        rows.back().push_back(row.what);
    }
    console.table(headings, rows);
    console.print(fmt::format("\n{} attempts in {} backends: {} succeeded, {} in doubt\n", report.rows.size(),
                              report.columns.size() - 1, report.successes, report.doubts));
}

/// What the table has no room for.
void print_details(AttackReport const& report, Console& console) {
    for (auto const& row : report.rows)
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            auto const& cell = row.cells[i];
            if (cell.outcome == "works" || cell.outcome == "refused") continue;
            console.print(fmt::format("{} in {}: {}: {}\n", row.name, report.columns[i],
                                      cell.outcome == "none" ? "no control" : cell.outcome,
                                      base::printable(cell.detail)));
        }
}

/// For somebody who waits a minute: the group that is being tried.
std::function<void(house::AttackRow const&)> progress_for(Console& console) {
    if (!Console::can_ask()) return {};
    return [&console, group = std::string()](house::AttackRow const& row) mutable {
        if (group != row.group) console.note(fmt::format("trying {}...\n", row.group));
        group = row.group;
    };
}

} // namespace

int attack_and_tell(house::House const& house, std::vector<std::string> const& backends, bool json, Console& console) {
    auto const report = house::run_attacks(house, backends, progress_for(console));
    if (!report) {
        console.complain(report.error().what);
        return exit_code(report.error().code);
    }
    if (json) {
        console.print(as_json(*report));
    } else {
        print_table(*report, console);
        print_details(*report, console);
    }
    return report->successes != 0 ? exit_denied : report->doubts != 0 ? exit_internal : exit_ok;
}

} // namespace pfar::cli
