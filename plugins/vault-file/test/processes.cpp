// Several processes at one vault: nobody's entry is lost, and no reader is disturbed.
#include "child.hpp"
#include "temp_home.hpp"

#include <csignal>

namespace pfar::vault_file {

namespace {

std::string keep_many(TempHome const& home, std::string const& prefix, int count) {
    auto const vault = home.vault();
    for (int i = 0; i < count; ++i)
        if (auto const kept = vault->keep(prefix + std::to_string(i), Secret(prefix)); !kept) return kept.error().what;
    return "";
}

} // namespace

TEST_CASE("processes that write at once, from the first use on, lose nothing") {
    TempHome home;
    std::vector<Child> children;
    for (auto const* const prefix : {"a", "b", "c"})
        children.push_back(start_child([&, prefix](int) { return keep_many(home, prefix, 25); }));
    for (auto const& child : children) CHECK(end_of(child) == "");
    auto const list = home.vault()->list().value();
    CHECK(list.size() == 75);
    for (auto const& entry : list) CHECK(text_of(home.vault()->find(entry.name)) == entry.name.substr(0, 1));
}

TEST_CASE("readers and writers are not disturbed by changes of key, nor lose anything to them") {
    TempHome home;
    REQUIRE(home.vault()->keep("a", Secret("12345678")));
    std::vector<Child> children;
    children.push_back(start_child([&](int) -> std::string {
        auto const vault = home.vault();
        for (int i = 0; i < 400; ++i) {
            if (auto const found = vault->find("a"); text_of(found) != "12345678") return text_of(found);
            if (auto const listed = vault->list(); !listed || listed->empty()) return "list failed";
        }
        return "";
    }));
    children.push_back(start_child([&](int) { return keep_many(home, "w", 40); }));
    for (int i = 0; i < 2; ++i)
        children.push_back(start_child([&](int) -> std::string {
            auto const vault = home.vault();
            for (int n = 0; n < 60; ++n)
                if (auto const changed = vault->change_key({}); !changed) return changed.error().what;
            return "";
        }));
    for (auto const& child : children) CHECK(end_of(child) == "");
    CHECK(home.vault()->list().value().size() == 41);
    CHECK(home.files() == std::set<std::string>{"key", "lock", "secrets", "used"});
}

TEST_CASE("a process that holds the lock is waited for, and a reader does not need it") {
    TempHome home;
    REQUIRE(home.vault()->keep("a", Secret("12345678")));
    auto const dir = open_private_dir(home.path / "vault").value();
    auto lock = lock_dir(dir, std::chrono::milliseconds(0)).value();
    CHECK(text_of(home.vault()->find("a")) == "12345678");
    CHECK(lock_dir(dir, std::chrono::milliseconds(20)).error().code == Errc::unavailable);
    auto const writer = start_child([&](int to) -> std::string {
        ::close(lock.release()); // it is the parent's
        static_cast<void>(::write(to, ".", 1));
        return keep_many(home, "b", 1);
    });
    char byte = 0;
    REQUIRE(::read(writer.says.number(), &byte, 1) == 1);
    CHECK(home.vault()->list().value().size() == 1);
    lock = Fd();
    CHECK(end_of(writer) == "");
    CHECK(home.vault()->list().value().size() == 2);
}

} // namespace pfar::vault_file
