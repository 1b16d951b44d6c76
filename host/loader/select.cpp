// A backend is judged by what it managed to do, never by its name.
#include "loader/select.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pfar::loader {
namespace {

bool keeps_all(Guarantees const& has) {
    return std::find(has.levels.begin(), has.levels.end(), Level::no) == has.levels.end();
}

std::string why_chosen(std::string const& wanted, std::string const& tried) {
    if (wanted != "auto") return "named in the configuration";
    return "auto: " + (tried.empty() ? "tried first, and it works here" : "it works here; " + tried);
}

} // namespace

std::string lacking(Guarantees const& has, std::vector<Promise> const& require) {
    std::vector<std::string_view> names;
    for (auto const promise : require)
        if (has[promise] == Level::no) names.emplace_back(promise_names[static_cast<std::size_t>(promise)]);
    return base::listed(names);
}

std::vector<std::string> backend_order(PluginSet const& plugins, std::string const& wanted) {
    if (wanted != "auto") return {wanted};
    std::vector<std::string> order{first_backend, "bwrap"};
    for (auto const name : plugins.names(SandboxBackend::kind))
        if (std::find(order.begin(), order.end(), name) == order.end()) order.emplace_back(name);
    std::erase_if(order, [&](auto const& name) { return plugins.find(SandboxBackend::kind, name) == nullptr; });
    return order;
}

Result<BackendChoice> choose_backend(PluginSet const& plugins, std::string const& wanted,
                                     std::vector<Promise> const& require, Launch const& launch) {
    std::string tried;
    std::optional<BackendChoice> second_best; // keeps what is required, but not everything
    for (auto const& name : backend_order(plugins, wanted)) {
        PFAR_TRY(backend, plugins.get<SandboxBackend>(name));
        auto const has = guarded_call(name, "probe", [&] { return backend->probe(launch); });
        auto const lacks = has ? lacking(*has, require) : "";
        if (has && lacks.empty()) {
            BackendChoice choice{{backend, name, why_chosen(wanted, tried)}, *has};
            if (wanted != "auto" || keeps_all(*has)) return choice;
            if (!second_best) second_best = std::move(choice);
        }
        auto const lost = lacks.empty() ? "everything" : lacks;
        auto const reason =
            has ? fmt::format("it does not keep {} here{}{}", lost, has->why.empty() ? "" : ": ", has->why)
                : has.error().what;
        tried += fmt::format("{}{} will not do: {}", tried.empty() ? "" : "; ", name, base::printable(reason));
    }
    if (second_best) return std::move(*second_best);
    if (tried.empty()) tried = "there is no sandbox plugin";
    return fail(Errc::unsupported, "no sandbox backend can be used: " + tried);
}

} // namespace pfar::loader
