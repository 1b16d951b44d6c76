#include "servers/uids.hpp"
#include "support/child.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <set>
#include <vector>

using namespace pfar;

TEST_CASE("leases differ as long as they are held, and are given back") {
    test::TempDir const home;
    std::optional<servers::UidLease> first = servers::lease_uid(home.path()).value();
    auto const second = servers::lease_uid(home.path()).value();
    CHECK(first->uid != second.uid);
    auto const uid = first->uid;
    first.reset();
    CHECK(servers::lease_uid(home.path())->uid == uid);
}

TEST_CASE("leases are in their own range, apart from servers, accounts and the probe") {
    test::TempDir const home;
    std::set<uid_t> seen;
    std::vector<servers::UidLease> held;
    for (int i = 0; i < 50; ++i) {
        held.push_back(servers::lease_uid(home.path()).value());
        CHECK(held.back().uid >= 65000);
        CHECK(held.back().uid < 65519);
        seen.insert(held.back().uid);
    }
    CHECK(seen.size() == held.size());
}

TEST_CASE("when all leases are taken, that is an error with the remedy") {
    test::TempDir const home;
    std::vector<servers::UidLease> held;
    for (int i = 0; i < 519; ++i) held.push_back(servers::lease_uid(home.path()).value());
    auto const more = servers::lease_uid(home.path());
    REQUIRE_FALSE(more);
    CHECK(more.error().code == Errc::unavailable);
}

TEST_CASE("a lease of another process counts, until that process is killed") {
    test::TempDir const home;
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid_t const other = ::fork();
    if (other == 0) {
        ::alarm(60);
        auto const lease = servers::lease_uid(home.path());
        auto const uid = lease ? lease->uid : 0;
        if (::write(ends[1], &uid, sizeof uid) < 0) ::_exit(1);
        for (;;) ::pause();
    }
    uid_t theirs = 0;
    REQUIRE(::read(ends[0], &theirs, sizeof theirs) == static_cast<ssize_t>(sizeof theirs));
    CHECK(servers::lease_uid(home.path())->uid != theirs);
    ::kill(other, SIGKILL);
    test::ended(other);
    CHECK(servers::lease_uid(home.path())->uid == theirs);
    ::close(ends[0]), ::close(ends[1]);
}

TEST_CASE("a server's uid is its own, the same at every start, and nobody's account") {
    test::TempDir const home;
    auto const notes = servers::uid_of(home.path(), "/etc/pfar/mcp/notes.toml").value();
    auto const mail = servers::uid_of(home.path(), "/home/me/with a space.toml").value();
    CHECK(notes != mail);
    for (auto const uid : {notes, mail}) {
        CHECK(uid >= 61184);
        CHECK(uid <= 64999);
    }
    CHECK(servers::uid_of(home.path(), "/etc/pfar/mcp/notes.toml").value() == notes);
    CHECK(servers::uid_of(home.path(), "/home/me/with a space.toml").value() == mail);
}

TEST_CASE("garbage in the file of uids is survived, and gives nobody a uid outside of the range or a second time") {
    test::TempDir const home;
    for (auto const* const garbage : {"", "\n\n", "garbage", "0 a\n1000 b\n65534 c\n", "99999999999999999999 a\n",
                                      "-1 a\n61184\n", "61184 a", "61184a\n 61184 b\n", "61184 x\n61184 a\n"}) {
        home.write("uids", garbage);
        INFO(garbage);
        auto const a = servers::uid_of(home.path(), "a").value();
        auto const b = servers::uid_of(home.path(), "b").value();
        CHECK(a >= 61184);
        CHECK(b >= 61184);
        CHECK(b <= 64999);
        CHECK(a != b);
        CHECK(servers::uid_of(home.path(), "a").value() == a);
        CHECK(servers::uid_of(home.path(), "b").value() == b);
    }
    home.write("uids", std::string("61184 a\0b\n\xff\xfe", 13));
    CHECK(servers::uid_of(home.path(), "c").value() == 61185);
}

TEST_CASE("an identity that would break the file is refused") {
    test::TempDir const home;
    CHECK_FALSE(servers::uid_of(home.path(), "a\n0 root"));
}

TEST_CASE("when all uids are given away, that is an error with the remedy") {
    test::TempDir const home;
    std::string full;
    for (int uid = 61184; uid < 65000; ++uid) full += std::to_string(uid) + " s" + std::to_string(uid) + "\n";
    home.write("uids", full);
    auto const more = servers::uid_of(home.path(), "one more");
    REQUIRE_FALSE(more);
    CHECK(more.error().what.find("remove lines of servers that are gone") != std::string::npos);
    CHECK(servers::uid_of(home.path(), "s64999").value() == 64999);
}
