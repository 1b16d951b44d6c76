// The store as the host uses it, on real files.
#include "temp_home.hpp"

namespace pfar::vault_file {

namespace {

std::string text_of(Result<Secret> const& secret) {
    return secret ? std::string(secret->reveal()) : "error: " + secret.error().what;
}

// The file that is there now and was not among `before`.
std::filesystem::path new_file(TempHome const& home, std::vector<std::filesystem::path> const& before) {
    for (auto const& file : home.files())
        if (std::find(before.begin(), before.end(), file) == before.end()) return file;
    return {};
}

} // namespace

TEST_CASE("what is kept is found by another instance") {
    TempHome home;
    REQUIRE(home.vault()->keep("notion_token", Secret("ntn_0123456789")));
    CHECK(text_of(home.vault()->find("notion_token")) == "ntn_0123456789");
    REQUIRE(home.vault()->keep("notion_token", Secret("second")));
    CHECK(text_of(home.vault()->find("notion_token")) == "second");
}

TEST_CASE("values of every byte, of no byte and of a mebibyte survive") {
    TempHome home;
    auto const vault = home.vault();
    std::string every;
    for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
    for (auto const& value : {every, std::string(), std::string(max_value, 'x')}) {
        REQUIRE(vault->keep("a", Secret(value)));
        CHECK(text_of(vault->find("a")) == value);
    }
    CHECK(vault->keep("a", Secret(std::string(max_value + 1, 'x'))).error().code == Errc::invalid);
}

TEST_CASE("neither names nor values are readable on disk") {
    TempHome home;
    REQUIRE(home.vault()->keep("notion_token", Secret("ntn_0123456789")));
    for (auto const& file : std::filesystem::recursive_directory_iterator(home.path)) {
        CHECK_FALSE(mentions(file.path().string(), "notion"));
        if (!file.is_regular_file()) continue;
        CHECK_FALSE(mentions(content_of(file.path()), "notion"));
        CHECK_FALSE(mentions(content_of(file.path()), "ntn_"));
    }
}

TEST_CASE("an untouched store is empty and stays untouched by looking") {
    TempHome home;
    auto const vault = home.vault();
    CHECK(vault->list().value().empty());
    CHECK_FALSE(vault->status().value().locked);
    CHECK(vault->find("a").error().code == Errc::not_found);
    CHECK(vault->remove("a").error().code == Errc::not_found);
    CHECK(vault->rename("a", "b").error().code == Errc::not_found);
    CHECK(std::filesystem::is_empty(home.path));
}

TEST_CASE("the list is sorted by name and has the time of setting") {
    TempHome home;
    auto const vault = home.vault();
    auto const before = std::chrono::system_clock::now() - std::chrono::milliseconds(1);
    for (auto const* const name : {"b", "c", "a"}) REQUIRE(vault->keep(name, Secret("12345678")));
    auto const list = vault->list().value();
    REQUIRE(list.size() == 3);
    CHECK((list[0].name == "a" && list[1].name == "b" && list[2].name == "c"));
    CHECK((list[0].set_at >= before && list[0].set_at <= std::chrono::system_clock::now()));
}

TEST_CASE("what is removed is gone") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    REQUIRE(vault->remove("a"));
    CHECK(vault->find("a").error().code == Errc::not_found);
    CHECK(vault->remove("a").error().code == Errc::not_found);
    CHECK(home.files().empty());
}

TEST_CASE("a rename keeps value and time and never replaces") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    REQUIRE(vault->keep("b", Secret("other")));
    auto const set_at = vault->list().value()[0].set_at;
    CHECK(vault->rename("a", "b").error().code == Errc::conflict);
    CHECK(vault->rename("x", "c").error().code == Errc::not_found);
    REQUIRE(vault->rename("a", "c"));
    CHECK(vault->find("a").error().code == Errc::not_found);
    CHECK(text_of(vault->find("c")) == "12345678");
    CHECK(vault->list().value()[1].set_at == set_at);
    CHECK(home.files().size() == 2);
}

TEST_CASE("a damaged entry is named and the others stay usable") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("good", Secret("12345678")));
    auto const good = home.files();
    REQUIRE(vault->keep("bad", Secret("12345678")));
    auto const bad = new_file(home, good);
    auto const content = content_of(bad);

    std::string changed = content;
    changed.back() = static_cast<char>(changed.back() ^ 1);
    for (auto const& damage : {changed, content.substr(0, content.size() - 1), content.substr(0, 10), std::string(),
                               content_of(good[0]), std::string(2 * max_value, 'x')}) {
        overwrite(bad, damage);
        auto const found = vault->find("bad");
        REQUIRE_FALSE(found);
        CHECK(found.error().code == Errc::io);
        CHECK(mentions(found.error().what, "the vault entry bad is damaged"));
        CHECK(text_of(vault->find("good")) == "12345678");

        home.log.clear();
        auto const list = vault->list().value();
        REQUIRE(list.size() == 1);
        CHECK(list[0].name == "good");
        REQUIRE(home.log.size() == 1);
        CHECK(mentions(home.log[0], bad.filename().string()));
    }
    REQUIRE(vault->keep("bad", Secret("mended")));
    CHECK(text_of(vault->find("bad")) == "mended");
}

TEST_CASE("entries without their key are not mixed with another key's") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    auto const key = home.path / "vault/key";
    auto const right = content_of(key);

    overwrite(key, std::string(32, 'k'));
    CHECK(mentions(vault->find("a").error().what, "put the right key back"));
    CHECK(mentions(vault->keep("b", Secret("12345678")).error().what, "put the right key back"));
    std::filesystem::remove(key);
    CHECK(mentions(vault->list().error().what, "is missing"));
    CHECK(mentions(vault->keep("b", Secret("12345678")).error().what, "is missing"));
    CHECK_FALSE(std::filesystem::exists(key));

    overwrite(key, right);
    std::filesystem::permissions(key, std::filesystem::perms(0600));
    CHECK(text_of(vault->find("a")) == "12345678");
}

TEST_CASE("a name that no host would pass is refused") {
    TempHome home;
    auto const vault = home.vault();
    for (auto const& name : {std::string(), std::string("a/b"), std::string("a b"), std::string(65, 'a')})
        CHECK(vault->keep(name, Secret("12345678")).error().code == Errc::invalid);
}

TEST_CASE("a store without passphrase says that there is nothing to unlock") {
    TempHome home;
    CHECK(home.vault()->unlock(Secret("x")).error().code == Errc::unsupported);
    CHECK(home.vault()->change_key(Secret("x")).error().code == Errc::unsupported);
}

} // namespace pfar::vault_file
