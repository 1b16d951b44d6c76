// The shipped data itself: it is read without a mistake, and it has the properties that a connect flow relies on.
#include "known_servers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

namespace pfar::registry_known {

TEST_CASE("every shipped template is pinned, reaches exact domains only and has a name of its own") {
    KnownServers registry;
    PluginContext context;
    context.share = PFAR_SHIPPED_SHARE;
    context.home = "/nonexistent";
    REQUIRE(registry.configure(context));
    auto const list = registry.list();
    REQUIRE(list);
    CHECK(list->size() >= 8);

    std::set<std::string> names;
    for (auto const& server : *list) {
        INFO(server.name);
        CHECK(names.insert(server.name).second);
        for (auto const& alias : server.aliases) CHECK(names.insert(alias).second);
        CHECK(server.package.source != Package::Source::none);
        CHECK(server.package.version.find_first_not_of("0123456789.") == std::string::npos);
        for (auto const& domain : server.domains) CHECK(domain.find('*') == std::string::npos);
        for (auto const& need : server.credentials) CHECK(need.help_url.starts_with("https://"));
    }
    CHECK(registry.find("notion").value().credentials.at(0).variable == "NOTION_TOKEN");
}

} // namespace pfar::registry_known
