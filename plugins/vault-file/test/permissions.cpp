// Who may touch the vault's files: nobody but the owner, and the refusal says how to put it right.
#include "temp_home.hpp"

#include <sys/stat.h>

namespace pfar::vault_file {

namespace {

unsigned mode_of(std::filesystem::path const& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

} // namespace

TEST_CASE("files are made for the owner only, whatever the umask") {
    TempHome home;
    auto const before = ::umask(0);
    auto const kept = home.vault()->keep("a", Secret("12345678"));
    ::umask(before);
    REQUIRE(kept);
    CHECK(mode_of(home.path / "vault") == 0700);
    for (auto const* const file : {"key", "lock", "secrets"}) CHECK(mode_of(home.path / "vault" / file) == 0600);
    CHECK(std::filesystem::file_size(home.path / "vault/key") == 32);
}

TEST_CASE("a key, vault or directory that others can touch is refused with the command that mends it") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    for (auto const* const part : {"vault", "vault/key", "vault/secrets"}) {
        auto const path = home.path / part;
        auto const mode = mode_of(path);
        REQUIRE(::chmod(path.c_str(), mode | 040) == 0);
        for (auto const& error : {vault->find("a").error(), vault->keep("b", Secret("12345678")).error(),
                                  vault->remove("a").error(), vault->list().error()}) {
            CHECK(error.code == Errc::refused);
            CHECK(mentions(error.what, mode == 0700 ? "run: chmod 700 " + path.string() : "run: chmod 600 "));
        }
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        CHECK(vault->find("a"));
    }
}

TEST_CASE("a vault or a key that is a link, a directory or somebody else's is refused") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    for (auto const* const part : {"vault/secrets", "vault/key"}) {
        auto const path = home.path / part, away = home.path / "away";
        std::filesystem::rename(path, away);
        std::filesystem::create_symlink(away, path);
        CHECK(mentions(vault->find("a").error().what, "it is a symbolic link"));
        CHECK_FALSE(vault->keep("b", Secret("12345678")));
        std::filesystem::remove(path);
        std::filesystem::create_directory(path);
        CHECK(mentions(vault->find("a").error().what, "it is no file"));
        CHECK_FALSE(vault->keep("b", Secret("12345678")));
        std::filesystem::remove(path);
        std::filesystem::rename(away, path);
        if (::geteuid() != 0) continue; // only root can give a file away
        REQUIRE(::chown(path.c_str(), 4242, 4242) == 0);
        CHECK(mentions(vault->find("a").error().what, "run: sudo chown 0 " + path.string()));
        REQUIRE(::chown(path.c_str(), 0, 0) == 0);
    }
    CHECK(text_of(vault->find("a")) == "12345678");
}

TEST_CASE("a key that belongs to somebody else is refused") {
    TempHome home;
    auto const key = home.path / "key";
    overwrite(key, std::string(32, 'k'));
    REQUIRE(::chmod(key.c_str(), 0600) == 0);
    // Only root can give a file away; everybody else finds one that is root's.
    bool const root = ::geteuid() == 0;
    if (root) REQUIRE(::chown(key.c_str(), 4242, 4242) == 0);
    auto const vault = home.vault(with("key_file", root ? "key" : "/etc/passwd"));
    auto const error = vault->keep("a", Secret("12345678")).error();
    CHECK(error.code == Errc::refused);
    CHECK(mentions(error.what, "not to you"));
}

TEST_CASE("key_file puts the key elsewhere, and its directory has to be private too") {
    TempHome home;
    auto const keys = home.path / "keys";
    auto const vault = home.vault(with("key_file", (keys / "pfar.key").string()));
    CHECK(vault->keep("a", Secret("12345678")).error().code == Errc::io); // there is no such directory
    REQUIRE(::mkdir(keys.c_str(), 0700) == 0);
    REQUIRE(vault->keep("a", Secret("12345678")));
    CHECK(mode_of(keys / "pfar.key") == 0600);
    CHECK_FALSE(std::filesystem::exists(home.path / "vault/key"));
    CHECK(std::distance(std::filesystem::directory_iterator(keys), std::filesystem::directory_iterator()) == 1);
    REQUIRE(::chmod(keys.c_str(), 0777) == 0);
    CHECK(vault->find("a").error().code == Errc::refused);
}

TEST_CASE("settings that make no sense are refused by name") {
    PluginContext context;
    context.settings["keyfile"] = Setting{std::string("x")};
    CHECK(mentions(FileVault().configure(context).error().what, "unknown setting keyfile"));
    for (auto const* const bad :
         {"", "~/key", "keys/", "vault/secrets", "vault/./lock", "x/../vault/used", "vault/.key", ".."}) {
        context.settings = with("key_file", bad);
        CHECK(mentions(FileVault().configure(context).error().what, "key_file"));
    }
    for (auto const& [key, value] : {std::pair("key_from", "keyring"), std::pair("key_from", "command"),
                                     std::pair("key_command", " "), std::pair("unlock_minutes", "8 h")}) {
        context.settings = with(key, value);
        CHECK(mentions(FileVault().configure(context).error().what, key));
    }
    for (auto const minutes : {-1, 43201}) {
        context.settings = unlocked_for(minutes);
        CHECK(mentions(FileVault().configure(context).error().what, "unlock_minutes"));
    }
    for (auto const minutes : {0, 1, 43200}) {
        context.settings = unlocked_for(minutes);
        CHECK(FileVault().configure(context));
    }
    context.settings["key_file"] = Setting{true};
    CHECK(mentions(FileVault().configure(context).error().what, "key_file has the wrong type"));
}

TEST_CASE("a file that is no key is not taken for one") {
    TempHome home;
    overwrite(home.path / "short", "too short");
    REQUIRE(::chmod((home.path / "short").c_str(), 0600) == 0);
    auto const error = home.vault(with("key_file", "short"))->keep("a", Secret("12345678")).error();
    CHECK(error.code == Errc::io);
    CHECK(mentions(error.what, "is no vault key"));
}

TEST_CASE("key_command alone says that the key comes from it") {
    TempHome home;
    CHECK(options_from(home.context(with("key_command", "x")))->key_from == KeyKind::command);
    CHECK(options_from(home.context(with("key_command", "x", with("key_from", "file"))))->key_from == KeyKind::file);
    CHECK(options_from(home.context())->key_from == KeyKind::file);
}

} // namespace pfar::vault_file
