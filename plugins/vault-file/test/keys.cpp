// The kinds of keys, and every change from one to another.
#include "temp_home.hpp"

#include <catch2/generators/catch_generators.hpp>

namespace pfar::vault_file {

namespace {

constexpr char old_words[] = "old passphrase", new_words[] = "new passphrase";

/// A command can always be run, so that a vault that still opens with one does.
Settings settings_for(std::string const& kind) {
    return with("key_from", kind, with("key_command", "echo what the command prints", unlocked_for(0)));
}

struct Opened {
    Opened(TempHome const& home, std::string const& kind, std::string_view passphrase)
        : vault(home.vault(settings_for(kind))) {
        if (kind == "passphrase") REQUIRE(vault->unlock(Secret(passphrase)));
    }
    std::unique_ptr<FileVault> vault;
};

} // namespace

TEST_CASE("a vault changes from every kind of key to every kind without losing an entry") {
    auto const from = GENERATE(as<std::string>(), "file", "passphrase", "command");
    auto const to = GENERATE(as<std::string>(), "file", "passphrase", "command");
    INFO(from << " to " << to);
    TempHome home;
    auto const before = Opened(home, from, old_words).vault;
    REQUIRE(before->keep("a", Secret("value of a")));
    REQUIRE(before->keep("b", Secret("value of b")));
    auto const list = before->list().value();
    auto const old_file = content_of(home.secrets()), old_key = content_of(home.path / "vault/key");

    auto const changing = home.vault(settings_for(to));
    if (from == "passphrase") REQUIRE(changing->unlock(Secret(old_words)));
    CHECK(changing->status().value().changes_to_one == (to == "passphrase"));
    CHECK(mentions(changing->status().value().advice, "run: pfar vault change-key") == (from != to));
    REQUIRE(changing->change_key(to == "passphrase" ? Secret(new_words) : Secret()));
    CHECK(text_of(changing->find("a")) == "value of a");
    CHECK(changing->status().value().advice.empty());

    auto const after = Opened(home, to, new_words).vault;
    CHECK(text_of(after->find("b")) == "value of b");
    CHECK(after->list().value().at(0).set_at == list.at(0).set_at);
    CHECK(home.files().contains("key") == (to == "file"));
    CHECK_FALSE(home.files().contains("key.new"));
    CHECK((content_of(home.secrets()).substr(20, 32) != old_file.substr(20, 32))); // salt and vault id
    if (from == "file") CHECK((content_of(home.path / "vault/key") != old_key));
    if (from == "passphrase" && to == "passphrase")
        CHECK(home.vault(settings_for(to))->unlock(Secret(old_words)).error().code == Errc::refused);
}

TEST_CASE("a vault with a passphrase is begun by unlocking and locked until then") {
    TempHome home;
    auto const vault = home.vault(by_passphrase());
    auto const status = vault->status().value();
    CHECK(status.new_passphrase);
    CHECK(status.how == "passphrase, not chosen yet");
    CHECK(vault->keep("a", Secret("12345678")).error().code == Errc::locked);
    CHECK(vault->unlock(Secret("1234567")).error().code == Errc::invalid);
    CHECK(std::filesystem::is_empty(home.path));
    REQUIRE(vault->unlock(Secret("12345678")));
    CHECK_FALSE(vault->status().value().new_passphrase);
    CHECK(vault->list().value().empty());
    REQUIRE(vault->keep("a", Secret("12345678")));
    CHECK(home.files() == std::set<std::string>{"lock", "secrets"});
}

TEST_CASE("a locked vault says so for every operation, and opens with its passphrase only") {
    TempHome home;
    auto const opened = Opened(home, "passphrase", old_words).vault;
    REQUIRE(opened->keep("a", Secret("12345678")));
    auto const vault = home.vault(by_passphrase());
    CHECK(vault->status().value().locked);
    CHECK(vault->status().value().how == "passphrase, locked");
    for (auto const& error :
         {vault->find("a").error(), vault->list().error(), vault->keep("a", Secret("x")).error(),
          vault->remove("a").error(), vault->rename("a", "b").error(), vault->change_key(Secret(new_words)).error()}) {
        CHECK(error.code == Errc::locked);
        CHECK(mentions(error.what, "run: pfar vault unlock"));
    }
    for (auto const* const wrong : {"", "old passphras", "Old passphrase"}) {
        auto const refused = vault->unlock(Secret(wrong));
        CHECK(refused.error().code == Errc::refused);
        CHECK(mentions(refused.error().what, "that is not the vault's passphrase"));
    }
    REQUIRE(vault->unlock(Secret(old_words)));
    CHECK(text_of(vault->find("a")) == "12345678");
    CHECK(vault->status().value().how == "passphrase, unlocked for this process only");
    REQUIRE(vault->lock());
    CHECK(vault->find("a").error().code == Errc::locked);
}

TEST_CASE("a damaged header is not taken for a wrong passphrase") {
    TempHome home;
    auto const vault = Opened(home, "passphrase", old_words).vault;
    auto file = content_of(home.secrets());
    for (auto const at : {std::size_t{80}, file.size() - 80}) file[at] = static_cast<char>(file[at] ^ 1);
    overwrite(home.secrets(), file);
    CHECK(vault->unlock(Secret(old_words)).error().code == Errc::io);
}

TEST_CASE("a new passphrase that is too short changes nothing") {
    TempHome home;
    REQUIRE(home.vault()->keep("a", Secret("12345678")));
    auto const before = content_of(home.secrets());
    CHECK(home.vault(by_passphrase())->change_key(Secret("1234567")).error().code == Errc::invalid);
    CHECK((content_of(home.secrets()) == before));
    CHECK(home.files() == std::set<std::string>{"key", "lock", "secrets"});
}

TEST_CASE("changing the key of a vault that was never used begins it") {
    auto const kind = GENERATE(as<std::string>(), "file", "passphrase", "command");
    TempHome home;
    REQUIRE(home.vault(settings_for(kind))->change_key(Secret(kind == "passphrase" ? new_words : "")));
    auto const vault = Opened(home, kind, new_words).vault;
    REQUIRE(vault->keep("a", Secret("12345678")));
    CHECK(text_of(vault->find("a")) == "12345678");
}

TEST_CASE("a vault without its key file, or with another's, says so and makes no second one") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    auto const key = home.path / "vault/key";
    auto const right = content_of(key);

    overwrite(key, std::string(32, 'k'));
    for (auto const& error : {vault->find("a").error(), vault->keep("b", Secret("12345678")).error()}) {
        CHECK(error.code == Errc::refused);
        CHECK(mentions(error.what, "put the right key back"));
    }
    std::filesystem::remove(key);
    for (auto const& error : {vault->list().error(), vault->keep("b", Secret("12345678")).error(),
                              vault->change_key({}).error(), home.vault(by_passphrase())->change_key({}).error()})
        CHECK(mentions(error.what, "is missing"));
    CHECK_FALSE(std::filesystem::exists(key));

    overwrite(key, right);
    std::filesystem::permissions(key, std::filesystem::perms(0600));
    CHECK(text_of(vault->find("a")) == "12345678");
}

TEST_CASE("a vault that opens without a person has nothing to unlock or to lock") {
    for (auto const* const kind : {"file", "command"}) {
        TempHome home;
        auto const vault = home.vault(settings_for(kind));
        for (int i = 0; i < 2; ++i) {
            CHECK(vault->unlock(Secret("x")).error().code == Errc::unsupported);
            CHECK(vault->lock().error().code == Errc::unsupported);
            REQUIRE(vault->keep("a", Secret("12345678")));
        }
        CHECK(text_of(vault->find("a")) == "12345678");
    }
}

TEST_CASE("a change of key that was cut short is finished, and what it left is removed") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    auto const key = home.path / "vault/key", next = home.path / "vault/key.new";
    SECTION("the vault is the new one: KEYFILE.new opens it and takes its place, even for a reader") {
        std::filesystem::rename(key, next);
        if (GENERATE(true, false))
            std::filesystem::copy_file(home.secrets(), key), overwrite(key, std::string(32, 'k'));
        CHECK(text_of(home.vault()->find("a")) == "12345678");
    }
    SECTION("the vault is the old one: the next writer removes KEYFILE.new, whole or not") {
        overwrite(next, std::string(GENERATE(0U, 7U, 32U), 'k'));
        CHECK(text_of(home.vault()->find("a")) == "12345678");
        REQUIRE(home.vault()->keep("b", Secret("12345678")));
    }
    CHECK(std::filesystem::exists(key));
    CHECK_FALSE(std::filesystem::exists(next));
    CHECK(text_of(home.vault()->find("a")) == "12345678");
}

TEST_CASE("a key file that a change of key could not remove is told of") {
    TempHome home;
    REQUIRE(home.vault(settings_for("command"))->keep("a", Secret("12345678")));
    CHECK(home.vault(settings_for("command"))->status().value().advice.empty());
    overwrite(home.path / "vault/key", std::string(32, 'k'));
    CHECK(mentions(home.vault(settings_for("command"))->status().value().advice, "vault/key opens only older copies"));
}

TEST_CASE("a file of somebody's that is called like the next key is not removed or written over") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    auto const next = home.path / "vault/key.new";
    overwrite(next, std::string(33, 'x'));
    REQUIRE(vault->keep("b", Secret("12345678")));
    CHECK(mentions(vault->change_key({}).error().what,
                   "key.new cannot be made: something is there already; move it away"));
    CHECK(content_of(next) == std::string(33, 'x'));
    CHECK(text_of(vault->find("a")) == "12345678");
}

} // namespace pfar::vault_file
