// Who may touch the vault's files: nobody but the owner, and the refusal says how to put it right.
#include "temp_home.hpp"

#include <sys/stat.h>

#include <thread>

namespace pfar::vault_file {

namespace {

unsigned mode_of(std::filesystem::path const& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

Settings with_key_file(std::string path) {
    Settings settings;
    settings["key_file"] = Setting{std::move(path)};
    return settings;
}

} // namespace

TEST_CASE("files are made for the owner only, whatever the umask") {
    TempHome home;
    auto const before = ::umask(0);
    auto const kept = home.vault()->keep("a", Secret("12345678"));
    ::umask(before);
    REQUIRE(kept);
    CHECK(mode_of(home.path / "vault") == 0700);
    CHECK(mode_of(home.path / "vault/entries") == 0700);
    CHECK(mode_of(home.path / "vault/key") == 0600);
    CHECK(mode_of(home.files().at(0)) == 0600);
    CHECK(std::filesystem::file_size(home.path / "vault/key") == 32);
}

TEST_CASE("a key or directory that others can touch is refused with the command that mends it") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    for (auto const* const part : {"vault", "vault/entries", "vault/key"}) {
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

TEST_CASE("a key that belongs to somebody else is refused") {
    TempHome home;
    auto const key = home.path / "key";
    overwrite(key, std::string(32, 'k'));
    REQUIRE(::chmod(key.c_str(), 0600) == 0);
    // Only root can give a file away; everybody else finds one that is root's.
    bool const root = ::geteuid() == 0;
    if (root) REQUIRE(::chown(key.c_str(), 4242, 4242) == 0);
    auto const vault = home.vault(with_key_file(root ? "key" : "/etc/passwd"));
    auto const error = vault->keep("a", Secret("12345678")).error();
    CHECK(error.code == Errc::refused);
    CHECK(mentions(error.what, "not to you"));
}

TEST_CASE("key_file puts the key elsewhere, and its directory has to be private too") {
    TempHome home;
    auto const keys = home.path / "keys";
    auto const vault = home.vault(with_key_file((keys / "pfar.key").string()));
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
    for (auto const* const bad : {"", "~/key", "keys/"}) {
        context.settings = with_key_file(bad);
        CHECK(mentions(FileVault().configure(context).error().what, "key_file"));
    }
    context.settings["key_file"] = Setting{true};
    CHECK(mentions(FileVault().configure(context).error().what, "key_file has the wrong type"));
}

TEST_CASE("a file that is no key is not taken for one") {
    TempHome home;
    overwrite(home.path / "short", "too short");
    REQUIRE(::chmod((home.path / "short").c_str(), 0600) == 0);
    auto const error = home.vault(with_key_file("short"))->keep("a", Secret("12345678")).error();
    CHECK(error.code == Errc::io);
    CHECK(mentions(error.what, "is no vault key"));
}

TEST_CASE("writers take turns") {
    TempHome home;
    std::vector<std::jthread> writers;
    std::atomic<int> failed = 0;
    for (int writer = 0; writer < 4; ++writer)
        writers.emplace_back([&home, &failed, writer] {
            FileVault vault;
            PluginContext context;
            context.home = home.path;
            if (!vault.configure(context)) ++failed;
            for (int i = 0; i < 8; ++i)
                if (!vault.keep("w" + std::to_string(writer) + "-" + std::to_string(i), Secret("12345678"))) ++failed;
        });
    writers.clear();
    CHECK(failed == 0);
    CHECK(home.vault()->list().value().size() == 32);
}

} // namespace pfar::vault_file
