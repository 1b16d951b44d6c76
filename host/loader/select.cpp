// A backend is judged by what it managed to do, never by its name.
#include "loader/select.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::loader {
namespace {

std::vector<std::string> in_order(PluginSet const& plugins, std::string const& wanted) {
    if (wanted != "auto") return {wanted};
    std::vector<std::string> order{"bwrap", "landlock"};
    for (auto const name : plugins.names(SandboxBackend::kind))
        if (std::find(order.begin(), order.end(), name) == order.end()) order.emplace_back(name);
    std::erase_if(order, [&](auto const& name) { return plugins.find(SandboxBackend::kind, name) == nullptr; });
    return order;
}

std::string lacking(Guarantees const& has, std::vector<Promise> const& require) {
    std::vector<std::string_view> names;
    for (auto const promise : require)
        if (has[promise] == Level::no) names.emplace_back(promise_names[static_cast<std::size_t>(promise)]);
    return base::listed(names);
}

} // namespace

Result<BackendChoice> choose_backend(PluginSet const& plugins, std::string const& wanted,
                                     std::vector<Promise> const& require, Launch const& launch) {
    std::string tried;
    for (auto const& name : in_order(plugins, wanted)) {
        PFAR_TRY(backend, plugins.get<SandboxBackend>(name));
        auto const has = guarded_call(name, "probe", [&] { return backend->probe(launch); });
        auto const lacks = has ? lacking(*has, require) : "";
        if (has && lacks.empty()) {
            auto why = wanted == "auto" ? fmt::format("auto: {}", tried.empty() ? "tried first, and it works here"
                                                                                : "it works here; " + tried)
                                        : "named in the configuration";
            return BackendChoice{{backend, name, std::move(why)}, *has};
        }
        auto const reason =
            has ? fmt::format("it does not keep {} here{}{}", lacks, has->why.empty() ? "" : ": ", has->why)
                : has.error().what;
        tried += fmt::format("{}{} will not do: {}", tried.empty() ? "" : "; ", name, base::printable(reason));
    }
    if (tried.empty()) tried = "there is no sandbox plugin";
    return fail(Errc::unsupported, "no sandbox backend can be used: " + tried);
}

} // namespace pfar::loader
