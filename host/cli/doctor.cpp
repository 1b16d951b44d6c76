// pfar doctor
#include "house/doctor.hpp"

#include "base/text.hpp"
#include "cli/attack.hpp"
#include "cli/json.hpp"
#include "cli/open.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::cli {
namespace {

using boost::json::array;
using boost::json::object;

object as_json(Guarantees const& guarantees) {
    object out;
    for (std::size_t i = 0; i < promise_names.size(); ++i) out[promise_names[i]] = level_word(guarantees.levels[i]);
    return out;
}

std::string as_json(house::Health const& health) {
    array backends, checks;
    for (auto const& backend : health.backends)
        backends.push_back(object{{"name", backend.name},
                                  {"usable", backend.usable},
                                  {"guarantees", as_json(backend.without_domains)},
                                  {"guarantees_with_domains", as_json(backend.with_domains)},
                                  {"transparent", backend.transparent},
                                  {"why", base::printable(backend.why)}});
    for (auto const& check : health.checks)
        checks.push_back(object{{"name", check.name},
                                {"ok", check.ok},
                                {"finding", base::printable(check.finding)},
                                {"fix", base::printable(check.fix)}});
    return to_text(object{{"backends", std::move(backends)}, {"checks", std::move(checks)}});
}

std::vector<std::string> row(Console const& console, std::string const& title, Guarantees const& guarantees) {
    std::vector<std::string> cells{title};
    for (auto const level : guarantees.levels)
        cells.push_back(console.paint(level == Level::yes  ? Colour::green
                                      : level == Level::no ? Colour::red
                                                           : Colour::yellow,
                                      level_word(level)));
    return cells;
}

void print_backends(house::Health const& health, Console& console) {
    std::vector<std::string> headings{"BACKEND"};
    for (auto const* const name : promise_names) headings.emplace_back(name);
    std::vector<std::vector<std::string>> rows;
    for (auto const& backend : health.backends) {
        if (backend.without_domains.levels == backend.with_domains.levels) {
            rows.push_back(row(console, backend.name, backend.without_domains));
        } else {
            rows.push_back(row(console, backend.name + ", server without domains", backend.without_domains));
            rows.push_back(row(console, backend.name + ", server with domains", backend.with_domains));
        }
    }
    console.table(headings, rows);
    for (auto const& backend : health.backends)
        if (!backend.why.empty())
            console.print(fmt::format("{}{}: {}\n", backend.name, backend.usable ? "" : " cannot be used here",
                                      base::printable(backend.why)));
}

void print_checks(house::Health const& health, Console& console) {
    console.print("\n");
    for (auto const& check : health.checks) {
        console.print(fmt::format(
            "{}  {}: {}\n", check.ok ? console.paint(Colour::green, "ok  ") : console.paint(Colour::yellow, "note"),
            check.name, base::printable(check.finding)));
        if (!check.fix.empty()) console.print(fmt::format("      to mend it: {}\n", base::printable(check.fix)));
    }
}

std::vector<std::string> backends_of(house::House const& house, Arguments const& arguments) {
    if (arguments.has("backend") && arguments.options.at("backend") != "auto") return {arguments.options.at("backend")};
    auto const names = house.plugins.names(SandboxBackend::kind);
    return {names.begin(), names.end()};
}

} // namespace

int run_doctor(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const house = open_for_sandbox(console, code);
    if (!house) return code;
    if (arguments.has("attack"))
        return attack_and_tell(*house, backends_of(*house, arguments), arguments.has("json"), console);
    auto const health = house::examine(*house);
    if (arguments.has("json")) {
        console.print(as_json(health));
    } else {
        print_backends(health, console);
        print_checks(health, console);
    }
    bool const any =
        std::any_of(health.backends.begin(), health.backends.end(), [](auto const& backend) { return backend.usable; });
    return any ? exit_ok : exit_unavailable;
}

} // namespace pfar::cli
