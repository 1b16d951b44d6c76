// pfar plan
#include "house/plan.hpp"

#include "base/text.hpp"
#include "cli/json.hpp"
#include "cli/open.hpp"

#include <pfar/sandbox_layout.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

using boost::json::array;
using boost::json::object;

array as_array(std::vector<std::string> const& texts) {
    array out;
    for (auto const& text : texts) out.emplace_back(base::printable(text));
    return out;
}

object network_json(house::ServerPlan const& plan) {
    auto const& network = plan.planned.policy.network;
    object out{{"egress", network.egress}, {"domains", as_array(plan.domains)}};
    if (network.egress) out["proxy_port"] = network.proxy_port, out["transparent"] = network.transparent;
    return out;
}

std::string as_json(house::ServerPlan const& plan) {
    auto const& limits = plan.planned.policy.limits;
    array mounts;
    for (auto const& mount : plan.planned.plan.mounts)
        mounts.push_back(object{
            {"path", base::printable(mount.path.native())}, {"mode", mount.mode}, {"why", base::printable(mount.why)}});
    object guarantees;
    for (std::size_t i = 0; i < promise_names.size(); ++i)
        guarantees[promise_names[i]] = level_word(plan.planned.plan.guarantees.levels[i]);
    auto env = as_array(plan.environment);
    for (auto const& name : plan.secrets) env.emplace_back(base::printable(name));
    return to_text(object{{"backend", plan.planned.backend},
                          {"why", plan.planned.why},
                          {"argv", as_array(plan.argv)},
                          {"command", as_array(plan.command)},
                          {"cwd", base::printable(plan.planned.plan.orders->command.cwd.native())},
                          {"mounts", std::move(mounts)},
                          {"network", network_json(plan)},
                          {"env", std::move(env)},
                          {"secrets", as_array(plan.secrets)},
                          {"secret_files", as_array(plan.secret_files)},
                          {"limits", object{{"memory", limits.memory},
                                            {"memory_control", house::describe(plan.planned.memory)},
                                            {"processes", limits.processes},
                                            {"descriptors", limits.descriptors},
                                            {"tmp", limits.tmp_bytes},
                                            {"shm", limits.shm_bytes}}},
                          {"uid", plan.planned.policy.identity.uid},
                          {"guarantees", std::move(guarantees)}});
}

/// As a shell would have to be told.
std::string quoted(std::string const& word) {
    bool const plain = !word.empty() && word.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~!") == std::string::npos;
    if (plain) return word;
    std::string out = "'";
    for (char const c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string joined(std::vector<std::string> const& words) {
    std::string out;
    for (auto const& word : words) out += (out.empty() ? "" : " ") + quoted(base::printable(word));
    return out;
}

void print_network(house::ServerPlan const& plan, Console& console) {
    auto const& network = plan.planned.policy.network;
    if (!network.egress) return console.print("\nnetwork      none: a namespace of its own with nothing in it\n");
    console.print(fmt::format("\nnetwork      only {}, through the egress filter (proxy on 127.0.0.1:{}{})\n",
                              joined(plan.domains), network.proxy_port,
                              network.transparent ? ", and transparently" : ""));
}

void print_text(std::string const& server, house::ServerPlan const& plan, Console& console) {
    auto const& planned = plan.planned;
    if (planned.backend == "unconfined")
        console.print(console.paint(Colour::red, "NOT CONFINED: this server can do whatever you can do\n"));
    console.print(fmt::format("{} in {} ({})\n\n", console.paint(Colour::bold, server), planned.backend, planned.why));
    std::vector<std::vector<std::string>> rows;
    for (auto const& mount : planned.plan.mounts)
        rows.push_back({base::printable(mount.path.native()), mount.mode, base::printable(mount.why)});
    console.table({"PATH", "MODE", "WHY"}, rows);
    bool const confined = planned.backend != "unconfined";
    if (confined) print_network(plan, console);
    console.print(fmt::format("environment  {}\n", joined(plan.environment)));
    if (!plan.secrets.empty())
        console.print(fmt::format("secrets      {} (from the vault, to the server alone)\n", joined(plan.secrets)));
    if (!plan.secret_files.empty())
        console.print(fmt::format("             {} (files from the vault)\n", joined(plan.secret_files)));
    auto const& limits = planned.policy.limits;
    if (confined)
        console.print(fmt::format("limits       memory {} ({}), {} processes, {} descriptors, no core\n",
                                  size_text(limits.memory), house::describe(planned.memory), limits.processes,
                                  limits.descriptors));
    console.print(fmt::format("identity     uid {}, {}\n", planned.policy.identity.uid,
                              planned.policy.identity.kernel_uid ? "of its own" : "yours"));
    console.print(fmt::format("runs         {}\nin           {}\nlaunched by  {}\n", joined(plan.command),
                              planned.plan.orders->command.cwd.native(), joined(plan.argv)));
    for (std::size_t i = 0; i < promise_names.size(); ++i)
        if (planned.plan.guarantees.levels[i] == Level::no)
            console.print(console.paint(
                Colour::yellow, fmt::format("not kept     {}: {}\n", promise_names[i], planned.plan.guarantees.why)));
}

} // namespace

int run_plan(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const house = open_for_sandbox(console, code);
    if (!house) return code;
    auto const tool = arguments.has("tool") ? arguments.options.at("tool") : "";
    auto const plan = house::plan_server(*house, arguments.operands[0], tool);
    if (!plan) {
        console.complain(plan.error().what);
        return exit_code(plan.error().code);
    }
    if (arguments.has("json"))
        console.print(as_json(*plan));
    else
        print_text(arguments.operands[0], *plan, console);
    return exit_ok;
}

} // namespace pfar::cli
