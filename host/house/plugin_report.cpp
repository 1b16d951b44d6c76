// Selection is done here exactly as the host does it before a launch.
#include "house/plugin_report.hpp"

#include "loader/select.hpp"

#include <pfar/credential_store.hpp>
#include <pfar/egress_filter.hpp>
#include <pfar/server_registry.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

void mark(PluginReport& report, std::string_view kind, std::string_view name, std::string const& why) {
    for (auto& row : report.rows)
        if (row.kind == kind && row.name == name) row.chosen = true, row.why = why;
}

template <class Choice> void settle(PluginReport& report, std::string_view kind, Result<Choice> const& choice) {
    if (choice)
        mark(report, kind, choice->name, choice->why);
    else
        report.unusable.push_back(fmt::format("{}: {}", kind, choice.error().what));
}

} // namespace

PluginReport report_plugins(House const& house) {
    PluginReport report;
    for (auto const& plugin : house.plugins.all())
        report.rows.push_back({plugin.identity.kind, plugin.identity.name, plugin.identity.version,
                               plugin.identity.api_version, plugin.path, false, ""});
    for (auto const& refusal : house.plugins.refused()) report.refused.push_back(refusal.why);

    auto const& settings = house.settings;
    settle(
        report, SandboxBackend::kind,
        loader::choose_backend(house.plugins, settings.sandbox_backend, config::SandboxSpec{}.require, trial_launch()));
    settle(report, EgressFilter::kind,
           loader::choose<EgressFilter>(house.plugins, settings.egress_filter, "proxy-connect"));
    settle(report, CredentialStore::kind,
           loader::choose<CredentialStore>(house.plugins, settings.credential_store, "vault-file"));
    for (auto const name : house.plugins.names(ServerRegistry::kind))
        mark(report, ServerRegistry::kind, name, "every registry is asked");
    return report;
}

} // namespace pfar::house
