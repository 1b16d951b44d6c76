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
    ServerPlan out{std::move(planned), {}, {}, {}, {}, {}};
    auto const& plan = out.planned.plan;
    out.argv = plan.prepare ? words(plan.prepare->command) : plan.argv;
    out.command = words(plan.orders->command);
    for (auto const& [variable, value] : plan.orders->command.environment) out.environment.push_back(variable);
    auto const rules = file.spec->tools.find(tool);
    auto const* const narrow =
        rules != file.spec->tools.end() && rules->second.access ? &*rules->second.access : nullptr;
    for (auto const& auth : file.spec->auth)
        if (narrow == nullptr || !narrow->auth ||
            std::find(narrow->auth->begin(), narrow->auth->end(), auth.name) != narrow->auth->end())
            out.secrets.push_back(auth.name);
    for (auto const& rule : narrow != nullptr && narrow->domains ? *narrow->domains : file.spec->allowed_domains)
        out.domains.push_back(to_text(rule));
    std::sort(out.environment.begin(), out.environment.end());
    return out;
}

} // namespace pfar::house
