// The same policy and the same plan as for a start; only the start is left out.
#include "house/plan.hpp"

#include "base/text.hpp"
#include "config/survey.hpp"
#include "servers/server_wish.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

Result<config::SurveyedFile> find_server(House const& house, std::string const& name) {
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    auto files = config::survey(house.places, trust);
    std::vector<std::string_view> names;
    for (auto const& file : files) names.emplace_back(file.found.name);
    auto const is_meant = [&](auto const& file) {
        return file.found.name == name && file.role != config::SurveyedFile::Role::shadowed;
    };
    auto const found = std::find_if(files.begin(), files.end(), is_meant);
    if (found == files.end()) {
        auto const meant = base::nearest(name, names);
        return fail(Errc::not_found,
                    fmt::format("there is no server \"{}\"{}; pfar check lists all", base::printable(name),
                                meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : ""));
    }
    if (found->role == config::SurveyedFile::Role::waits)
        return fail(Errc::refused, fmt::format("{} is a project's server and not trusted yet; run pfar trust", name));
    if (!found->spec)
        return fail(Errc::invalid,
                    fmt::format("{} has mistakes; pfar check {} tells which", found->found.file.native(), name));
    return std::move(*found);
}

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
