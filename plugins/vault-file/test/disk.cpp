// Disks that are full, read-only or not ours: a sentence with the remedy, and nothing lost. On real file systems, in a
// namespace of a child's own.
#include "child.hpp"
#include "temp_home.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cstring>

namespace pfar::vault_file {

namespace {

struct Trouble : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void need(bool holds, std::string const& what) {
    if (!holds) throw Trouble(what);
}

void need(Result<void> const& result) {
    need(result.has_value(), result ? "" : result.error().what);
}

void need_error(Error const& error, std::string_view part) {
    need(mentions(error.what, part), "no \"" + std::string(part) + "\" in: " + error.what);
}

/// A mount namespace of this process's own; an ordinary user is root in a user namespace of it.
void enter_own_mounts() {
    auto const uid = ::geteuid();
    auto const gid = ::getegid();
    bool const own = ::unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (own && uid != 0) {
        overwrite("/proc/self/setgroups", "deny");
        overwrite("/proc/self/uid_map", std::to_string(uid) + " " + std::to_string(uid) + " 1");
        overwrite("/proc/self/gid_map", std::to_string(gid) + " " + std::to_string(gid) + " 1");
    }
    bool const apart = own && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    if (!apart) throw Trouble(std::string("skip: no mount namespace to be had: ") + std::strerror(errno));
}

void mount_small(std::filesystem::path const& at, char const* options) {
    if (::mount("none", at.c_str(), "tmpfs", 0, options) == 0) return;
    throw Trouble(std::string("skip: no tmpfs to be mounted: ") + std::strerror(errno));
}

void make_read_only(std::filesystem::path const& path) {
    need(::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0, "no bind mount");
    need(::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0, "no remount");
}

/// Until nothing more goes in.
void fill(std::filesystem::path const& directory) {
    Fd const file(::open((directory / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    std::string const block(4096, 'x');
    while (::write(file.number(), block.data(), block.size()) > 0) {}
    need(errno == ENOSPC, "the disk did not get full");
}

} // namespace

TEST_CASE("a full disk is told with the remedy, nothing is lost, and freed space makes it work again") {
    TempHome home;
    check_well(in_child([&]() -> std::string {
        enter_own_mounts();
        mount_small(home.path, "size=256k,mode=0700");
        auto const vault = home.vault();
        need(vault->keep("a", Secret("12345678")));
        fill(home.path);
        auto const before = content_of(home.secrets());
        for (auto const& error :
             {vault->keep("b", Secret(std::string(8192, 'x'))).error(), vault->change_key({}).error(),
              home.vault(by_passphrase())->change_key(Secret("12345678")).error()}) {
            need_error(error, "the disk is full; free some space and try again; nothing was changed");
            need(error.code == Errc::io, "another code");
        }
        need(content_of(home.secrets()) == before, "the vault was changed");
        need(home.files() == std::set<std::string>{"key", "lock", "secrets"}, "something was left");
        need(text_of(vault->find("a")) == "12345678", "an entry was lost");
        std::filesystem::remove(home.path / "filler");
        need(vault->keep("b", Secret("12345678")));
        need(vault->change_key({}));
        need(vault->list().value().size() == 2, "an entry was lost");
        return "";
    }));
}

TEST_CASE("a disk that gets full at any byte of a change leaves the vault as it was or as it should be") {
    TempHome home;
    check_well(in_child([&]() -> std::string {
        enter_own_mounts();
        for (int pages = 3; pages <= 24; ++pages) {
            mount_small(home.path, ("mode=0700,nr_blocks=" + std::to_string(pages)).c_str());
            auto const vault = home.vault();
            int kept = 0;
            for (int i = 0; i < 8; ++i) {
                auto const result = vault->keep("e" + std::to_string(i), Secret(std::string(3000, 'x')));
                if (result) ++kept;
                if (!result) need_error(result.error(), "the disk is full");
                if (!vault->change_key({})) need(!home.files().contains("key.new"), "a key was left");
            }
            auto const list = home.vault()->list();
            need(list.has_value(), list ? "" : list.error().what);
            need(static_cast<int>(list->size()) == kept, "an acknowledged entry is missing");
            for (auto const& entry : *list) need(vault->find(entry.name).value().size() == 3000, "a value is wrong");
            need(::umount(home.path.c_str()) == 0, "no umount");
        }
        return "";
    }));
}

TEST_CASE("a read-only file system is read, and told with the remedy when it should be written") {
    TempHome home;
    auto const first = home.vault();
    REQUIRE(first->keep("a", Secret("12345678")));
    SECTION("as it is") {}
    SECTION("in the middle of a change of key") {
        std::filesystem::rename(home.path / "vault/key", home.path / "vault/key.new");
    }
    auto const files = home.files();
    check_well(in_child([&]() -> std::string {
        enter_own_mounts();
        make_read_only(home.path);
        auto const vault = home.vault();
        need(text_of(vault->find("a")) == "12345678", text_of(vault->find("a")));
        need(vault->list().value().size() == 1, "an entry was lost");
        need(vault->status().value().read_only, "not said to be read-only");
        for (auto const& error :
             {vault->keep("a", Secret("x")).error(), vault->remove("a").error(), vault->rename("a", "b").error()})
            need_error(error, "the file system is read-only; make it writable, or let PFAR_HOME be elsewhere");
        need(!vault->change_key({}), "the key was changed");
        need(home.files() == files, "something was made");
        return "";
    }));
}

TEST_CASE("a home that is read-only from the start is told with the remedy") {
    TempHome home;
    check_well(in_child([&]() -> std::string {
        enter_own_mounts();
        make_read_only(home.path);
        need(home.vault()->list().value().empty(), "not empty");
        need_error(home.vault()->keep("a", Secret("x")).error(), "the file system is read-only");
        return "";
    }));
}

TEST_CASE("a directory without the right to write is told with the command that mends it") {
    TempHome home;
    if (::geteuid() == 0) REQUIRE(::chown(home.path.c_str(), 4242, 4242) == 0);
    check_well(in_child([&]() -> std::string {
        if (::geteuid() == 0) // may do everything everywhere
            need(::setgroups(0, nullptr) == 0 && ::setresgid(4242, 4242, 4242) == 0 &&
                     ::setresuid(4242, 4242, 4242) == 0,
                 "skip: no other user to be had");
        auto const vault = home.vault();
        need(vault->keep("a", Secret("12345678")));
        auto const root = home.path / "vault";
        need(::chmod(root.c_str(), 0500) == 0, "no chmod");
        need(text_of(vault->find("a")) == "12345678", "an entry was lost");
        need(vault->status().value().read_only, "not said to be read-only");
        need_error(vault->keep("b", Secret("x")).error(), "run: chmod u+rwx " + root.string());
        need(::chmod(root.c_str(), 0700) == 0 && ::chmod(home.secrets().c_str(), 0) == 0, "no chmod");
        need_error(vault->find("a").error(), "run: chmod u+rwX " + home.secrets().string());
        need(::chmod(home.secrets().c_str(), 0600) == 0, "no chmod");
        need(vault->keep("b", Secret("x")));
        return "";
    }));
}

} // namespace pfar::vault_file
