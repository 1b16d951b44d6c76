// pfar.toml, section by section.
#include "config/host_settings.hpp"

#include "config/domain_rule.hpp"
#include "config/table_reader.hpp"

namespace pfar::config {
namespace {

constexpr base::Spelling<WriteDown, 3> write_down_words{
    {{"ask", WriteDown::ask}, {"deny", WriteDown::deny}, {"allow", WriteDown::allow}}};

void read_plugins(TableReader& section, FileContext const& context, HostSettings& settings) {
    Variables const variables{{"PFAR_HOME", context.home.native()}, {"~", context.user_home.native()}};
    settings.paths_at = section.where("paths");
    for (auto const& given : section.texts("paths"))
        if (auto path = section.accept(given, expand_path(given.value, variables, context.base), "paths"))
            settings.plugin_paths.push_back(std::move(*path));
    for (auto const* const entry : section.entries()) {
        if (entry->key == "paths") continue;
        if (auto const* const table = std::get_if<Table>(&entry->value.value)) {
            settings.plugins.emplace(entry->key, PluginTable{entry->where, to_settings(*table)});
            continue;
        }
        auto const meant = base::nearest(entry->key, {"paths"});
        section.findings().error(entry->where,
                                 {fmt::format("unknown key \"{}\" in [plugins]", base::printable(entry->key)),
                                  "paths, or a table for one plugin: [plugins.NAME]",
                                  meant ? "did you mean \"paths\"?" : "remove it, or write it as a table"});
    }
}

/// A name of the vault, never the credentials themselves.
void read_upstream_auth(TableReader& section, HostSettings& settings) {
    auto const auth = section.text("upstream_auth");
    if (!auth) return;
    std::string_view entry = auth->value;
    bool const in_vault = entry.starts_with("vault:");
    if (in_vault) entry.remove_prefix(6);
    if (in_vault && parse_entry_name(entry))
        settings.egress_upstream_auth = entry;
    else
        section.findings().error(auth->where,
                                 {"egress.upstream_auth is not the name of a vault entry",
                                  "vault:NAME, whose value is user:password", "such as \"vault:proxy_login\""});
}

void read_egress(TableReader& section, HostSettings& settings) {
    if (auto const filter = section.text("filter"))
        settings.egress_filter = filter->value, settings.filter_at = filter->where;
    read_upstream_auth(section, settings);
    auto const upstream = section.text("upstream");
    if (!upstream || upstream->value.empty()) return;
    std::string_view place = upstream->value;
    if (place.starts_with("http://")) place.remove_prefix(7);
    while (place.ends_with('/')) place.remove_suffix(1);
    auto const rule = parse_domain(place);
    if (rule && !rule->subdomains && rule->port)
        settings.egress_upstream = to_text(*rule);
    else
        section.findings().error(upstream->where,
                                 {"egress.upstream is not a proxy's address", "host:port or http://host:port",
                                  "such as \"proxy.example.com:3128\""});
}

void read_audit(TableReader& section, HostSettings& settings) {
    constexpr std::chrono::milliseconds most = std::chrono::seconds(1);
    auto const delay = section.duration("delay", settings.audit_delay);
    if (delay <= most)
        settings.audit_delay = delay;
    else
        section.findings().error(section.where("delay"),
                                 {"audit.delay is longer than a second", "0 (each event at once) to \"1s\"",
                                  "shorten it: so much of the record is lost if the host is killed"});
}

void read_policy(TableReader& section, HostSettings& settings) {
    settings.approve = section.word("approve", base::approve_words).value_or(settings.approve);
    settings.write_down = section.word("write_down", write_down_words).value_or(settings.write_down);
    settings.approve_without_terminal = section.flag("approve_without_terminal", settings.approve_without_terminal);
}

} // namespace

HostSettingsResult read_host_settings(Source const& source, FileContext const& context) {
    auto document = read_document(source);
    Findings findings(source, document.whole);
    findings.take(std::move(document.mistakes));
    HostSettings settings;
    TableReader root(findings, document.root, document.where, "");
    root.section("host", [&](auto& table) {
        settings.idle_exit = table.duration("idle_exit", settings.idle_exit);
        settings.pool_max = table.number("pool_max", settings.pool_max, 0, 1024);
    });
    root.section("plugins", [&](auto& table) { read_plugins(table, context, settings); });
    root.section("sandbox", [&](auto& table) {
        if (auto const backend = table.text("backend"))
            settings.sandbox_backend = backend->value, settings.backend_at = backend->where;
    });
    root.section("credentials", [&](auto& table) {
        if (auto const store = table.text("store"))
            settings.credential_store = store->value, settings.store_at = store->where;
    });
    root.section("egress", [&](auto& table) { read_egress(table, settings); });
    root.section("audit", [&](auto& table) { read_audit(table, settings); });
    root.section("policy", [&](auto& table) { read_policy(table, settings); });
    root.section("connect", [&](auto& table) {
        settings.connect_agent_unknown = table.flag("agent_unknown", settings.connect_agent_unknown);
    });
    root.finish();
    return {std::move(settings), std::move(findings).sorted()};
}

} // namespace pfar::config
