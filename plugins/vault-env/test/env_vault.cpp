// The store as the host uses it, on this process's own environment.
#include "env_vault.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

namespace pfar::vault_env {
namespace {

/// Set as long as it lives.
struct Variable {
    Variable(char const* variable, char const* value) : name(variable) { ::setenv(name, value, 1); }
    Variable(Variable const&) = delete;
    Variable& operator=(Variable const&) = delete;
    ~Variable() { ::unsetenv(name); }
    char const* name;
};

} // namespace

TEST_CASE("an entry is the variable of its name in upper case") {
    Variable const token("PFAR_SECRET_NOTION_TOKEN", "ntn_0123456789");
    EnvVault vault;
    CHECK(vault.find("notion_token").value().reveal() == "ntn_0123456789");
    CHECK(vault.find("Notion-Token").value().reveal() == "ntn_0123456789");
    CHECK(vault.has("notion.token").value());
    CHECK_FALSE(vault.has("notion").value());
    CHECK(vault.find("other").error().code == Errc::not_found);
    CHECK(vault.find("other").error().what.find("PFAR_SECRET_OTHER") != std::string::npos);
}

TEST_CASE("the list has names and no values, sorted, without what is empty or no name") {
    Variable const b("PFAR_SECRET_B", "12345678"), a("PFAR_SECRET_A_1", "12345678"), empty("PFAR_SECRET_EMPTY", "");
    Variable const odd("PFAR_SECRET_o-d", "12345678"), none("PFAR_SECRET_", "12345678");
    auto const list = EnvVault().list().value();
    REQUIRE(list.size() == 2);
    CHECK((list[0].name == "a_1" && list[1].name == "b"));
    CHECK_FALSE(list[0].set_at);
    CHECK(EnvVault().find("empty").error().code == Errc::not_found);
}

TEST_CASE("it is read-only and says what to do instead") {
    EnvVault vault;
    CHECK(vault.status().value().read_only);
    CHECK_FALSE(vault.status().value().locked);
    for (auto const& error :
         {vault.keep("a", Secret("12345678")).error(), vault.remove("a").error(), vault.rename("a", "b").error()}) {
        CHECK(error.code == Errc::unsupported);
        CHECK(error.what.find("PFAR_SECRET_A") != std::string::npos);
        CHECK(error.what.find("vault-file") != std::string::npos);
    }
    CHECK(vault.unlock(Secret("x")).error().code == Errc::unsupported);
    CHECK(vault.change_key(Secret("x")).error().code == Errc::unsupported);
}

TEST_CASE("it has no settings") {
    PluginContext context;
    CHECK(EnvVault().configure(context));
    context.settings["x"] = Setting{true};
    CHECK(EnvVault().configure(context).error().code == Errc::invalid);
}

} // namespace pfar::vault_env
