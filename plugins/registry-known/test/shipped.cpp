// The shipped data itself: it is read without a mistake, and it has the properties that a connect flow relies on.
#include "known_servers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

namespace pfar::registry_known {

namespace {

/// As a user without templates of their own has it.
KnownServers const& shipped() {
    static KnownServers registry;
    static bool const configured = [] {
        PluginContext context;
        context.share = PFAR_SHIPPED_SHARE;
        context.home = "/nonexistent";
        return registry.configure(context).has_value();
    }();
    REQUIRE(configured);
    return registry;
}

std::vector<KnownServer> shipped_list() {
    auto const list = shipped().list();
    INFO((list ? std::string() : list.error().what));
    REQUIRE(list);
    return *list;
}

// Their services give every customer, region or index a host of its own; each is in the package or in a public catalogue.
bool may_have_wildcard(std::string const& name) {
    return std::set<std::string>{"azure", "pinecone", "sentry"}.contains(name);
}

std::string names_found(std::string const& words) {
    auto const found = shipped().search(words).value();
    return found.empty() ? "" : found.front().name;
}

} // namespace

TEST_CASE("at least 45 of the shipped servers can be connected, and the others say what to do instead") {
    int connectable = 0;
    for (auto const& server : shipped_list()) {
        INFO(server.name);
        if (server.not_yet.empty()) {
            ++connectable;
        } else {
            CHECK(server.not_yet.find("pfar connect ") != std::string::npos);
            CHECK(server.not_yet.find("; ") != std::string::npos); // why; what to do
        }
    }
    CHECK(connectable >= 45);
}

TEST_CASE("the services that people ask for first are connected, or say why not") {
    for (auto const* const name : {"notion", "github", "slack", "linear", "jira", "google-drive", "postgres"}) {
        INFO(name);
        auto const server = shipped().find(name);
        REQUIRE(server);
        CHECK((!server->not_yet.empty() || server->package.source == Package::Source::npm));
        CHECK((!server->not_yet.empty() || (!server->credentials.empty() && !server->verify.tool.empty())));
    }
    CHECK(shipped().find("notion").value().credentials.at(0).variable == "NOTION_TOKEN");
    CHECK(shipped().find("postgres").value().domains == std::vector<std::string>{"${host}:${port}"});
}

TEST_CASE("every shipped template is pinned, reaches exact domains only and has names of its own") {
    std::set<std::string> names;
    for (auto const& server : shipped_list()) {
        INFO(server.name);
        CHECK(names.insert(server.name).second);
        for (auto const& alias : server.aliases) CHECK(names.insert(alias).second);
        if (!server.not_yet.empty()) continue;
        CHECK(server.package.source == Package::Source::npm);
        CHECK(server.package.version.find_first_not_of("0123456789.") == std::string::npos);
        for (auto const& domain : server.domains)
            CHECK((domain.find('*') == std::string::npos || may_have_wildcard(server.name)));
        CHECK(server.allow_private.empty()); // the owner is asked
        for (auto const& need : server.credentials)
            CHECK((need.help_url.empty() || need.help_url.starts_with("https://")));
    }
}

TEST_CASE("a shipped verify call is one of the tools that only read") {
    for (auto const& server : shipped_list()) {
        INFO(server.name);
        if (server.verify.tool.empty()) continue;
        CHECK(std::find(server.reads.begin(), server.reads.end(), server.verify.tool) != server.reads.end());
    }
}

TEST_CASE("what people type finds the server that they mean") {
    struct Row {
        char const *typed, *name;
    };
    for (auto const& row :
         {Row{"jira", "atlassian"}, Row{"google drive", "google-drive"}, Row{"Google Drive", "google-drive"},
          Row{"gdrive", "google-drive"}, Row{"postgresql", "postgres"}, Row{"pg", "postgres"}, Row{"GitHub", "github"},
          Row{"gh", "github"}, Row{"k8s", "kubernetes"}, Row{"sql server", "sqlserver"},
          Row{"web search", "brave-search"}, Row{"outlook", "microsoft-365"}, Row{"hugging face", "huggingface"},
          Row{"pull requests", "github"}, Row{"maps", "google-maps"}, Row{"payments", "stripe"},
          Row{"issues boards", "atlassian"}, Row{"no such thing", ""}}) {
        INFO(row.typed);
        CHECK(names_found(row.typed) == row.name);
    }
    CHECK(shipped().find("JIRA").value().name == "atlassian");
    CHECK(shipped().find("Google_Drive").value().name == "google-drive");
    CHECK(shipped().find("jir").error().code == Errc::not_found);
}

} // namespace pfar::registry_known
