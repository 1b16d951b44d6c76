// Settings come from [plugins.my-registry] in pfar.toml. Failures are returned, not thrown: one sentence with the remedy.
#include "my_registry.hpp"

using namespace pfar;

Result<void> MyRegistry::configure(PluginContext const& context) {
    PFAR_CHECK(only(context.settings, {"host"}));
    PFAR_TRY(host, setting<std::string>(context.settings, "host", "tracker.example.com"));
    if (host.empty())
        return fail(Errc::invalid, "host is empty; name the tracker's host, such as \"tracker.example.com\"");

    tracker_.name = "tracker";
    tracker_.title = "Our tracker";
    tracker_.description = "Issues and boards of our own tracker";
    tracker_.package = {Package::Source::npm, "@modelcontextprotocol/server-everything", "2026.8.31",
                        "mcp-server-everything"};
    tracker_.domains = {host};
    return {};
}

Result<KnownServer> MyRegistry::find(std::string const& name) const {
    if (name == tracker_.name) return tracker_;
    return fail(Errc::not_found, "my-registry knows no server named " + name);
}

Result<std::vector<KnownServer>> MyRegistry::search(std::string const& words) const {
    if (words.empty() || tracker_.description.find(words) == std::string::npos) return std::vector<KnownServer>{};
    return list();
}

Result<std::vector<KnownServer>> MyRegistry::list() const {
    return std::vector<KnownServer>{tracker_};
}
