// A damaged vault file as people meet it: the entry is named with the remedy, the others stay usable, nothing is
// written over.
#include "child.hpp"
#include "temp_home.hpp"

#include <catch2/generators/catch_generators.hpp>

namespace pfar::vault_file {

namespace {

/// Two entries; the record of `bad` can be found in the file and damaged.
struct Damaged {
    Damaged() {
        REQUIRE(vault->keep("good", Secret("12345678")));
        auto const before = content_of(home.secrets());
        REQUIRE(vault->keep("bad", Secret("87654321")));
        whole = content_of(home.secrets());
        auto const index = sealed_index_size(2);
        // [header][index][record of good][record of bad][index][header]
        bad_at = whole.size() - header_size - index - (whole.size() - 2 * (header_size + index)) / 2;
    }
    void flip(std::size_t at) {
        auto changed = content_of(home.secrets());
        changed[at] = static_cast<char>(changed[at] ^ 1);
        overwrite(home.secrets(), changed);
    }

    TempHome home;
    std::unique_ptr<FileVault> vault = home.vault();
    std::string whole;
    std::size_t bad_at = 0;
};

} // namespace

TEST_CASE("a damaged entry is listed and named with the remedy, and the others stay usable") {
    Damaged state;
    state.flip(state.bad_at + 30);
    auto const found = state.vault->find("bad");
    CHECK(found.error().code == Errc::io);
    CHECK(found.error().what ==
          "the vault entry bad is damaged: it was changed, cut or swapped; set it anew: pfar vault set bad");
    CHECK(text_of(state.vault->find("good")) == "12345678");
    auto const list = state.vault->list().value();
    REQUIRE(list.size() == 2);
    CHECK(list[0].name == "bad");
    CHECK(list[0].trouble == "was changed, cut or swapped");
    CHECK(list[0].set_at);
    CHECK(list[1].trouble.empty());
}

TEST_CASE("a damaged entry is carried along as it is until it is set anew or removed") {
    Damaged state;
    state.flip(state.bad_at + 30);
    REQUIRE(state.vault->keep("third", Secret("12345678")));
    REQUIRE(state.vault->rename("good", "better"));
    CHECK(state.vault->list().value().at(0).trouble == "was changed, cut or swapped");
    CHECK(state.vault->rename("bad", "worse").error().code == Errc::io);
    CHECK(mentions(content_of(state.home.secrets()), state.whole.substr(state.bad_at + 31, 40)));

    auto const refused = state.vault->change_key({});
    CHECK(refused.error().code == Errc::io);
    CHECK(mentions(refused.error().what,
                   "the vault entry bad was changed, cut or swapped; first run: pfar vault set bad"));
    CHECK(state.home.files() == std::set<std::string>{"key", "lock", "secrets"});
    CHECK(text_of(state.vault->find("better")) == "12345678");

    SECTION("set anew") {
        REQUIRE(state.vault->keep("bad", Secret("mended!!")));
        CHECK(text_of(state.vault->find("bad")) == "mended!!");
    }
    SECTION("removed") {
        REQUIRE(state.vault->remove("bad"));
    }
    for (auto const& entry : state.vault->list().value()) CHECK(entry.trouble.empty());
    CHECK(state.vault->change_key({}));
}

TEST_CASE("a cut entry stays damaged through later writes") {
    Damaged state;
    std::filesystem::resize_file(state.home.secrets(), state.bad_at + 20);
    CHECK(state.vault->list().value().at(0).trouble == "was changed, cut or swapped");
    CHECK(mentions(state.vault->status().value().advice, "the next change mends that"));
    REQUIRE(state.vault->keep("third", Secret("12345678")));
    CHECK(state.vault->status().value().advice.empty());
    CHECK(state.vault->list().value().at(0).trouble == "was changed, cut or swapped");
    CHECK(text_of(state.vault->find("good")) == "12345678");
}

TEST_CASE("one damaged header or index is read from its copy and mended by the next write") {
    Damaged state;
    auto const size = state.whole.size();
    for (auto const at : {std::size_t{3}, header_size + 5, size - header_size - 5, size - 3}) {
        state.flip(at);
        CHECK(text_of(state.home.vault()->find("bad")) == "87654321");
        CHECK(mentions(state.vault->status().value().advice, "damaged"));
        REQUIRE(state.vault->keep("good", Secret("12345678")));
        CHECK(state.vault->status().value().advice.empty());
    }
}

TEST_CASE("a vault whose headers or indexes are both damaged is not written over") {
    Damaged state;
    auto const size = state.whole.size();
    bool const headers = GENERATE(true, false);
    state.flip(headers ? 3 : header_size + 5);
    state.flip(headers ? size - 3 : size - header_size - 5);
    auto const damaged = content_of(state.home.secrets());
    for (auto const& error :
         {state.vault->find("good").error(), state.vault->list().error(), state.vault->remove("good").error(),
          state.vault->keep("new", Secret("12345678")).error(), state.vault->change_key({}).error()}) {
        CHECK(error.code == Errc::io);
        CHECK(mentions(error.what, headers ? "both copies of its header" : "both copies of its index"));
        CHECK(mentions(error.what, "put a backup back, or move the file away to start anew"));
    }
    CHECK((content_of(state.home.secrets()) == damaged));
    std::filesystem::rename(state.home.secrets(), state.home.path / "away");
    CHECK(state.vault->keep("new", Secret("12345678")));
}

TEST_CASE("an empty file, a strange one and one of another version are no vault and are not written over") {
    Damaged state;
    auto other = state.whole;
    other[7] = other[other.size() - header_size + 7] = 9;
    for (auto const& content : {std::string(), std::string(1000, 'x'), other}) {
        overwrite(state.home.secrets(), content);
        CHECK_FALSE(state.vault->list());
        CHECK_FALSE(state.vault->keep("good", Secret("12345678")));
        CHECK(std::filesystem::file_size(state.home.secrets()) == content.size());
    }
    CHECK(mentions(state.vault->list().error().what, "use a newer pfar"));
}

TEST_CASE("a file longer than a vault can be is not read") {
    Damaged state;
    std::filesystem::resize_file(state.home.secrets(), max_file + 1);
    check_well(in_child([&]() -> std::string { // it takes much memory, and later tests fork
        auto const error = state.vault->list().error();
        return mentions(error.what, "it is longer than it may be; put a backup back") ? "" : error.what;
    }));
}

TEST_CASE("a single flipped byte never makes a wrong value, by way of the files") {
    Damaged state;
    int wrong = 0;
    for (std::size_t at = 0; at < state.whole.size(); at += 7) {
        overwrite(state.home.secrets(), state.whole);
        state.flip(at);
        for (auto const& [name, value] : {std::pair("good", "12345678"), std::pair("bad", "87654321")}) {
            auto const found = state.vault->find(name);
            if (found ? found->reveal() != value
                      : !mentions(found.error().what, std::string("the vault entry ") + name))
                ++wrong;
        }
    }
    CHECK(wrong == 0);
}

} // namespace pfar::vault_file
