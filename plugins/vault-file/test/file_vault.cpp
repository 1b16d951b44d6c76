// The store as the host uses it, on real files and with a key file.
#include "child.hpp"
#include "temp_home.hpp"

#include <catch2/generators/catch_generators.hpp>

namespace pfar::vault_file {

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
        CHECK((text_of(vault->find("a")) == value));
    }
    CHECK(vault->keep("a", Secret(std::string(max_value + 1, 'x'))).error().code == Errc::invalid);
}

TEST_CASE("neither names nor values are readable on disk, nor how long a name is") {
    TempHome home, other;
    for (auto const* const at : {&home, &other}) {
        REQUIRE(at->vault()->keep(at == &home ? "notion_token" : "n", Secret("ntn_0123456789")));
        REQUIRE(at->vault()->find(at == &home ? "notion_token" : "n"));
    }
    for (auto const& file : std::filesystem::recursive_directory_iterator(home.path)) {
        CHECK_FALSE(mentions(file.path().string(), "notion"));
        if (!file.is_regular_file()) continue;
        CHECK_FALSE(mentions(content_of(file.path()), "notion"));
        CHECK_FALSE(mentions(content_of(file.path()), "ntn_"));
        CHECK(file.file_size() == std::filesystem::file_size(other.path / "vault" / file.path().filename()));
    }
}

TEST_CASE("an untouched store is empty and stays untouched by looking, whatever its key") {
    for (auto const& settings : {Settings(), by_passphrase(), with("key_command", "echo never-run > ran")}) {
        TempHome home;
        auto const vault = home.vault(settings);
        CHECK(vault->list().value().empty());
        CHECK_FALSE(vault->status().value().locked);
        CHECK(vault->find("a").error().code == Errc::not_found);
        CHECK(vault->remove("a").error().code == Errc::not_found);
        CHECK(vault->rename("a", "b").error().code == Errc::not_found);
        CHECK(std::filesystem::is_empty(home.path));
    }
}

TEST_CASE("the list is sorted by name and has the time of setting") {
    TempHome home;
    auto const vault = home.vault();
    auto const before = std::chrono::system_clock::now();
    for (auto const* const name : {"b", "c", "a"}) REQUIRE(vault->keep(name, Secret("12345678")));
    auto const list = vault->list().value();
    REQUIRE(list.size() == 3);
    CHECK((list[0].name == "a" && list[1].name == "b" && list[2].name == "c"));
    CHECK((list[0].set_at >= before && list[0].set_at <= std::chrono::system_clock::now()));
    CHECK(list[0].trouble.empty());
}

TEST_CASE("the time of setting moves with every value, even if the clock does not") {
    TempHome home;
    auto const vault = home.vault();
    Time last{};
    for (int i = 0; i < 20; ++i) {
        REQUIRE(vault->keep("a", Secret("the same")));
        auto const now = *vault->list().value().at(0).set_at;
        CHECK(now > last);
        last = now;
    }
}

TEST_CASE("what is removed is gone") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    REQUIRE(vault->remove("a"));
    CHECK(vault->find("a").error().code == Errc::not_found);
    CHECK(vault->remove("a").error().code == Errc::not_found);
    CHECK(vault->list().value().empty());
}

TEST_CASE("a rename keeps value and time and never replaces") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    REQUIRE(vault->keep("b", Secret("other")));
    auto const set_at = vault->list().value()[0].set_at;
    CHECK(vault->rename("a", "b").error().code == Errc::conflict);
    CHECK(vault->rename("a", "a").error().code == Errc::conflict);
    CHECK(vault->rename("x", "c").error().code == Errc::not_found);
    REQUIRE(vault->rename("a", "c"));
    CHECK(vault->find("a").error().code == Errc::not_found);
    CHECK(text_of(vault->find("c")) == "12345678");
    CHECK(vault->list().value()[1].set_at == set_at);
    CHECK(vault->list().value().size() == 2);
}

TEST_CASE("the last use is remembered, follows a rename and goes with its entry") {
    TempHome home;
    auto const vault = home.vault();
    auto const used = [&] { return home.vault()->list().value().at(0).used_at; };
    REQUIRE(vault->keep("a", Secret("12345678")));
    CHECK_FALSE(used());
    REQUIRE(vault->find("a"));
    auto const first = used();
    REQUIRE(first);
    REQUIRE(vault->find("a"));
    CHECK(*used() > *first);
    REQUIRE(vault->rename("a", "b"));
    CHECK(*used() > *first);
    REQUIRE(vault->change_key({}));
    CHECK(*used() > *first);
    REQUIRE(vault->remove("b"));
    REQUIRE(vault->keep("b", Secret("12345678")));
    CHECK_FALSE(used());
}

TEST_CASE("a damaged file of uses only means that nothing was used") {
    TempHome home;
    auto const vault = home.vault();
    REQUIRE(vault->keep("a", Secret("12345678")));
    REQUIRE(vault->find("a"));
    overwrite(home.path / "vault/used", "rubbish");
    CHECK_FALSE(vault->list().value().at(0).used_at);
    CHECK(text_of(vault->find("a")) == "12345678");
    CHECK(vault->list().value().at(0).used_at);
}

TEST_CASE("a name that no host would pass is refused") {
    TempHome home;
    auto const vault = home.vault();
    for (auto const& name : {std::string(), std::string("a/b"), std::string("a b"), std::string(65, 'a')}) {
        CHECK(vault->keep(name, Secret("12345678")).error().code == Errc::invalid);
        CHECK(vault->find(name).error().code == Errc::invalid);
        CHECK(vault->rename("a", name).error().code == Errc::invalid);
    }
}

TEST_CASE("more than a vault can hold is refused, and what it has stays") {
    bool const large = GENERATE(true, false);
    TempHome home;
    check_well(in_child([&]() -> std::string { // it takes much memory, and later tests fork
        auto const vault = home.vault();
        if (!vault->keep("a", Secret("12345678"))) return "nothing is kept";
        KeyHolder keys;
        keys.configure(options_from(home.context()).value());
        auto opened = open_to_write(keys).value().value();
        for (std::size_t i = 0; i < (large ? 64 : max_entries); ++i)
            opened.contents.put(Entry{"e" + std::to_string(i), {}, Secret(std::string(large ? max_value : 0, 'x'))});
        auto const refused = save(opened);
        if (refused || !mentions(refused.error().what, "remove some first")) return "not refused";
        opened.contents.erase("e0");
        if (auto const saved = save(opened); !saved) return saved.error().what;
        return text_of(vault->find("a")) == "12345678" ? "" : "it is lost";
    }));
}

} // namespace pfar::vault_file
