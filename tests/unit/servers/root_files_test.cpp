#include "servers/root_files.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>

using namespace pfar;
using pfar::Link;
namespace fs = std::filesystem;

namespace {

Grant const* grant_at(servers::SystemFiles const& files, fs::path const& inside) {
    auto const found = std::find_if(files.grants.begin(), files.grants.end(),
                                    [&](auto const& grant) { return grant.inside == inside; });
    return found == files.grants.end() ? nullptr : &*found;
}

bool has_link(servers::SystemFiles const& files, Link const& link) {
    return std::find(files.links.begin(), files.links.end(), link) != files.links.end();
}

std::map<std::string, std::string> made(servers::RootFacts const& facts) {
    std::map<std::string, std::string> out;
    for (auto const& file : servers::made_files(facts).value()) out[file.inside] = file.content;
    return out;
}

servers::RootFacts facts() {
    return {{1000, 1001, "notion", {}}, "/home/notion", "pfar-notion", false};
}

} // namespace

TEST_CASE("where /bin and /lib are links they are links inside, and the rest is granted") {
    test::TempDir const dir;
    for (auto const* name : {"usr/bin", "usr/lib", "lib64", "etc/alternatives", "usr/share/zoneinfo/Etc"})
        fs::create_directories(dir / name);
    dir.write("usr/share/zoneinfo/Etc/UTC", "x");
    fs::create_symlink("usr/bin", dir / "bin");
    fs::create_symlink(dir / "usr/lib", dir / "lib"); // absolute, and elsewhere seen from inside
    fs::create_symlink("../usr/share/zoneinfo/Etc/UTC", dir / "etc/localtime");
    fs::create_directory(dir / "opt");
    fs::create_symlink("opt", dir / "sbin"); // not in /usr: shown by content
    auto const files = servers::system_grants(dir.path());
    CHECK(has_link(files, {"/bin", "usr/bin"}));
    CHECK(has_link(files, {"/lib", "usr/lib"}));
    CHECK(has_link(files, {"/etc/localtime", "../usr/share/zoneinfo/Etc/UTC"}));
    REQUIRE(grant_at(files, "/usr") != nullptr);
    CHECK(grant_at(files, "/usr")->rights.execute);
    CHECK_FALSE(grant_at(files, "/usr")->rights.writes());
    CHECK(grant_at(files, "/lib64")->host == dir / "lib64");
    CHECK(grant_at(files, "/sbin")->host == dir / "opt");
    CHECK_FALSE(grant_at(files, "/etc/alternatives")->rights.execute);
    CHECK(grant_at(files, "/lib32") == nullptr);
    CHECK(files.grants.size() == 4);
    CHECK(files.links.size() == 3);
}

TEST_CASE("private keys beside the certificates are not shown") {
    test::TempDir const dir;
    for (auto const* name : {"usr", "etc/ssl/certs", "etc/ssl/private", "etc/pki/tls/certs", "etc/pki/tls/private",
                             "etc/pki/ca-trust", "etc/crypto-policies"})
        fs::create_directories(dir / name);
    dir.write("etc/ssl/openssl.cnf", "x");
    dir.write("etc/localtime", "TZif");
    dir.write("etc/shadow", "secret");
    auto const files = servers::system_grants(dir.path());
    std::vector<fs::path> shown;
    for (auto const& grant : files.grants) shown.push_back(grant.inside);
    CHECK(shown == std::vector<fs::path>{"/usr", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/ca-trust",
                                         "/etc/pki/tls/certs", "/etc/crypto-policies", "/etc/localtime"});
}

TEST_CASE("this machine's own root has a shell and a loader by grants and links") {
    auto const files = servers::system_grants();
    REQUIRE(grant_at(files, "/usr") != nullptr);
    CHECK(grant_at(files, "/usr")->host == "/usr");
    CHECK((grant_at(files, "/bin") != nullptr || has_link(files, {"/bin", "usr/bin"})));
    for (auto const& grant : files.grants) CHECK(fs::exists(grant.host));
}

TEST_CASE("system directories are known by their names") {
    CHECK(servers::is_system("/usr/bin/node"));
    CHECK(servers::is_system("/lib64"));
    CHECK_FALSE(servers::is_system("/usrlocal"));
    CHECK_FALSE(servers::is_system("/home/usr/bin"));
    CHECK_FALSE(servers::is_system("/"));
}

TEST_CASE("the made files of /etc know one user, and the network as it is") {
    auto files = made(facts());
    CHECK(files["/etc/passwd"] == "notion:x:1000:1001::/home/notion:/bin/sh\n"
                                  "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n");
    CHECK(files["/etc/group"] == "notion:x:1001:\nnogroup:x:65534:\n");
    CHECK(test::has(files["/etc/hosts"], "127.0.0.1 localhost pfar-notion\n"));
    CHECK(test::has(files["/etc/hosts"], "::1 localhost"));
    CHECK(test::has(files["/etc/nsswitch.conf"], "hosts: files dns\n"));
    CHECK(test::has(files["/etc/nsswitch.conf"], "passwd: files\n"));
    CHECK_FALSE(test::has(files["/etc/resolv.conf"], "nameserver"));
    CHECK(files["/etc/hostname"] == "pfar-notion\n");
    auto transparent = facts();
    transparent.transparent = true;
    CHECK(made(transparent)["/etc/resolv.conf"] == "nameserver 127.0.0.1\n");
}

TEST_CASE("a machine id is 32 hexadecimal digits, and another one each time") {
    auto const one = made(facts())["/etc/machine-id"], two = made(facts())["/etc/machine-id"];
    CHECK(one.size() == 33);
    CHECK(one.find_first_not_of("0123456789abcdef") == 32);
    CHECK(one != two);
}

TEST_CASE("names from outside cannot add a line or a field") {
    auto odd = facts();
    odd.identity.user = "x:0:0::/:/bin/sh\nroot";
    odd.home = "/a:b\nroot:x:0:0::/:/bin/sh";
    odd.hostname = "host\n10.0.0.1 bank";
    auto files = made(odd);
    CHECK(std::count(files["/etc/passwd"].begin(), files["/etc/passwd"].end(), '\n') == 2);
    CHECK(std::count(files["/etc/passwd"].begin(), files["/etc/passwd"].end(), ':') == 12);
    CHECK(std::count(files["/etc/group"].begin(), files["/etc/group"].end(), '\n') == 2);
    CHECK(std::count(files["/etc/hosts"].begin(), files["/etc/hosts"].end(), '\n') == 2);
    CHECK(files["/etc/hostname"] == "host-10.0.0.1-bank\n");
    odd.identity.user = "";
    odd.hostname = "--";
    files = made(odd);
    CHECK(files["/etc/passwd"].starts_with("server:x:1000:1001::/:/bin/sh\n"));
    CHECK(files["/etc/hostname"] == "sandbox\n");
}

TEST_CASE("nobody is not there twice") {
    auto odd = facts();
    odd.identity = {65534, 65534, "nobody", {}};
    CHECK(made(odd)["/etc/passwd"] == "nobody:x:65534:65534::/home/notion:/bin/sh\n");
    CHECK(made(odd)["/etc/group"] == "nobody:x:65534:\n");
}
