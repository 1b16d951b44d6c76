// The shipped plugins through the same door as a stranger's: loaded from their files, used through the interface only.
#include "loader/plugin_set.hpp"
#include "support/temp_dir.hpp"

#include <pfar/credential_store.hpp>
#include <pfar/server_registry.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

namespace {

struct World {
    test::TempDir home;
    config::HostSettings settings;
    loader::PluginSet plugins =
        loader::PluginSet::load({PFAR_BUILD "/lib/pfar/plugins", home.path(), PFAR_BUILD "/share/pfar",
                                 PFAR_BUILD "/libexec/pfar/pfar-shim", &settings});
};

} // namespace

TEST_CASE("the shipped credential store keeps, finds, lists and removes") {
    World world;
    auto* const store = world.plugins.get<CredentialStore>("vault-file").value();
    REQUIRE(store->list());
    CHECK(store->list()->empty());
    REQUIRE(store->keep("notion_token", Secret("ntn_0123456789")));
    auto const found = store->find("notion_token");
    REQUIRE(found);
    CHECK(found->same_as(Secret("ntn_0123456789")));
    REQUIRE(store->list()->size() == 1);
    CHECK(store->remove("notion_token"));
    CHECK(store->find("notion_token").error().code == Errc::not_found);
    CHECK(store->unlock(Secret("x")).error().code == Errc::unsupported);
}

TEST_CASE("the shipped registry finds, searches and lists") {
    World world;
    auto const* const registry = world.plugins.get<ServerRegistry>("known").value();
    auto const notion = registry->find("notion");
    REQUIRE(notion);
    CHECK(notion->domains == std::vector<std::string>{"api.notion.com"});
    CHECK(registry->find("nothing-like-it").error().code == Errc::not_found);
    CHECK_FALSE(registry->search("notion")->empty());
    CHECK(registry->list()->size() >= 6);
}
