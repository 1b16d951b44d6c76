// The same policy and the same plan as for a start; only the start is left out.
#include "house/plan.hpp"

#include "house/find_server.hpp"
#include "servers/server_wish.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

std::vector<std::string> words(Command const& command) {
    std::vector<std::string> out{command.program.native()};
    out.insert(out.end(), command.args.begin(), command.args.end());
    return out;
}

} // namespace

Result<ServerPlan> plan_server(House const& house, std::string const& name, std::string const& tool) {
    PFAR_TRY(file, find_server(house, name));
    PFAR_TRY(owner, owner_facts(house));
    if (owner.identity.kernel_uid) {
        PFAR_TRY(uid, servers::uid_of(owner.pfar_home, file.identity.native()));
        owner.identity = {uid, uid, "pfar", uid};
    }
    PFAR_TRY(wish, servers::server_wish(file, owner.pfar_home, tool));
    PFAR_TRY(planned, plan_wish(house, wish, owner));
    ServerPlan out{std::move(planned), {}, {}, {}, {}, {}, {}};
    auto const& plan = out.planned.plan;
    out.argv = plan.prepare ? words(plan.prepare->command) : plan.argv;
    out.command = words(plan.orders->command);
    for (auto const& [variable, value] : plan.orders->command.environment) out.environment.push_back(variable);
    for (auto const& auth : wish.auth) out.secrets.push_back(auth.name);
    for (auto const& auth : wish.auth_files) out.secret_files.push_back(std::string(secrets_inside) + "/" + auth.name);
    for (auto const& rule : wish.domains) out.domains.push_back(to_text(rule));
    std::sort(out.environment.begin(), out.environment.end());
    return out;
}

} // namespace pfar::house
