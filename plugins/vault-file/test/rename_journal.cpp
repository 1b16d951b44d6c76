// A rename that was interrupted: the states a crash can leave, and what the next use makes of each.
#include "rename_journal.hpp"

#include "temp_home.hpp"

namespace pfar::vault_file {

namespace {

struct Interrupted {
    Interrupted() {
        REQUIRE(home.vault()->keep("old", Secret("12345678")));
        vault.emplace(open_vault(Places{home.path / "vault", home.path / "vault/key"}, Use::read).value().value());
        renaming = Renaming{file_name_of(vault->keys, "old"), file_name_of(vault->keys, "new")};
        sealed = seal(vault->keys, Entry{"new", {}, Secret("12345678")});
    }

    void check_done() {
        CHECK(home.vault()->find("new").value().reveal() == "12345678");
        CHECK(home.vault()->find("old").error().code == Errc::not_found);
        CHECK(home.files().size() == 1);
        CHECK_FALSE(rename_pending(vault->dir));
    }

    TempHome home;
    std::optional<OpenVault> vault;
    Renaming renaming;
    std::string sealed;
};

} // namespace

TEST_CASE("a rename that was interrupted before its journal has not happened") {
    Interrupted state;
    REQUIRE(write_file(state.vault->entries, ".renamed", state.sealed));
    auto const list = state.home.vault()->list().value();
    REQUIRE(list.size() == 1);
    CHECK(list[0].name == "old");
}

TEST_CASE("a rename that was interrupted after its journal is carried out by whoever comes next") {
    Interrupted state;
    REQUIRE(begin_rename(state.vault->dir, state.vault->entries, state.renaming, state.sealed));
    SECTION("nothing done yet") {}
    SECTION("the new file in place") {
        std::filesystem::rename(state.vault->entries.path / ".renamed", state.vault->entries.path / state.renaming.to);
    }
    SECTION("the old file gone too") {
        std::filesystem::rename(state.vault->entries.path / ".renamed", state.vault->entries.path / state.renaming.to);
        std::filesystem::remove(state.vault->entries.path / state.renaming.from);
    }
    state.check_done();
}

TEST_CASE("a journal without its entry removes nothing") {
    Interrupted state;
    REQUIRE(begin_rename(state.vault->dir, state.vault->entries, state.renaming, state.sealed));
    std::filesystem::remove(state.vault->entries.path / ".renamed");
    CHECK(state.home.vault()->find("old").error().code == Errc::io);
    CHECK(has_file(state.vault->entries, state.renaming.from));
}

TEST_CASE("a damaged journal is an error that names it") {
    Interrupted state;
    overwrite(state.vault->dir.path / "renaming", "../../etc passwd");
    auto const error = state.home.vault()->list().error();
    CHECK(error.code == Errc::io);
    CHECK(mentions(error.what, "renaming is damaged"));
}

} // namespace pfar::vault_file
