// Every registry there is is asked, through one question.
#include "house/registries.hpp"

#include "base/text.hpp"
#include "loader/guarded_call.hpp"

#include <fmt/format.h>

#include <functional>

namespace pfar::house {
namespace {

using AskRegistry = std::function<Result<std::vector<KnownServer>>(ServerRegistry&)>;

/// The answers of all, the first registry's first.
Result<std::vector<KnownServer>> from_registries(House const& house, AskRegistry const& question) {
    std::vector<KnownServer> out;
    for (auto const& name : house.plugins.names(ServerRegistry::kind)) {
        PFAR_TRY(registry, house.plugins.get<ServerRegistry>(name));
        auto answer = loader::guarded_call(name, "registry", [&] { return question(*registry); });
        if (!answer && answer.error().code == Errc::not_found) continue;
        if (!answer) return answer.error();
        for (auto& server : *answer) out.push_back(std::move(server));
    }
    return out;
}

} // namespace

Result<std::vector<KnownServer>> known_servers(House const& house) {
    return from_registries(house, [](ServerRegistry& registry) { return registry.list(); });
}

Result<std::vector<KnownServer>> search_known(House const& house, std::string const& words) {
    return from_registries(house, [&](ServerRegistry& registry) { return registry.search(words); });
}

std::vector<std::string> known_names(House const& house, bool not_yet_too) {
    std::vector<std::string> out;
    if (auto const all = known_servers(house))
        for (auto const& server : *all)
            if (not_yet_too || server.not_yet.empty()) out.push_back(server.name);
    return out;
}

std::vector<Error> registry_troubles(House const& house) {
    std::vector<Error> out;
    auto const all = from_registries(house, [&](ServerRegistry& registry) -> Result<std::vector<KnownServer>> {
        auto const* const leaving = dynamic_cast<LeavesOut const*>(&registry);
        if (leaving == nullptr) return registry.list();
        PFAR_TRY(left, leaving->left_out());
        out.insert(out.end(), left.begin(), left.end());
        return std::vector<KnownServer>();
    });
    if (!all) out.push_back(all.error());
    return out;
}

std::vector<KnownServer> known_of(House const& house, Package const& package) {
    auto all = known_servers(house);
    if (!all) return {};
    std::erase_if(*all, [&](KnownServer const& server) {
        return server.package.source != package.source || server.package.name != package.name;
    });
    return std::move(*all);
}

Result<KnownServer> find_known(House const& house, std::string const& name) {
    PFAR_TRY(found, from_registries(house, [&](ServerRegistry& registry) -> Result<std::vector<KnownServer>> {
                 PFAR_TRY(one, registry.find(name));
                 return std::vector<KnownServer>{std::move(one)};
             }));
    if (found.empty()) return fail(Errc::not_found, fmt::format("{} is not known", base::printable(name)));
    return std::move(found.front());
}

} // namespace pfar::house
