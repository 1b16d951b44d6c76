// The format itself: every byte of a sealed entry counts.
#include "sealed_entry.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pfar::vault_file {

namespace {

Keys keys_of(char fill) {
    return derive_keys(Secret(std::string(32, fill))).value();
}

Entry entry_named(std::string name) {
    return Entry{std::move(name), std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000000123)),
                 Secret("12345678")};
}

} // namespace

TEST_CASE("an entry comes back as it was sealed") {
    auto const keys = keys_of('k');
    auto const entry = unseal(keys, file_name_of(keys, "name"), seal(keys, entry_named("name"))).value();
    CHECK(entry.name == "name");
    CHECK(entry.set_at == entry_named("x").set_at);
    CHECK(entry.value.reveal() == "12345678");
}

TEST_CASE("no changed bit and no cut goes unnoticed") {
    auto const keys = keys_of('k');
    auto const file = file_name_of(keys, "name");
    auto const sealed = seal(keys, entry_named("name"));
    for (std::size_t at = 0; at < sealed.size(); ++at) {
        auto changed = sealed;
        changed[at] = static_cast<char>(changed[at] ^ 0x10);
        CHECK_FALSE(unseal(keys, file, changed));
        CHECK_FALSE(unseal(keys, file, sealed.substr(0, at)));
    }
    CHECK_FALSE(unseal(keys, file, sealed + "x"));
}

TEST_CASE("an entry opens neither under another's file name nor with another key") {
    auto const keys = keys_of('k');
    auto const others = keys_of('o');
    auto const sealed = seal(keys, entry_named("name"));
    CHECK_FALSE(unseal(keys, file_name_of(keys, "other"), sealed));
    CHECK(unseal(others, file_name_of(keys, "name"), sealed).error().what == "was sealed with another key");
    CHECK_FALSE(claims_key(others, sealed));
}

TEST_CASE("file names depend on the key and sealing the same twice differs") {
    auto const keys = keys_of('k');
    CHECK(is_entry_file(file_name_of(keys, "name")));
    CHECK(file_name_of(keys, "name") == file_name_of(keys_of('k'), "name"));
    CHECK(file_name_of(keys, "name") != file_name_of(keys_of('o'), "name"));
    CHECK(seal(keys, entry_named("name")) != seal(keys, entry_named("name")));
    CHECK(seal(keys, Entry{std::string(max_name, 'n'), {}, Secret(std::string(max_value, 'v'))}).size() ==
          max_sealed());
}

TEST_CASE("a key of another length is refused") {
    CHECK(derive_keys(Secret("short")).error().code == Errc::invalid);
}

} // namespace pfar::vault_file
