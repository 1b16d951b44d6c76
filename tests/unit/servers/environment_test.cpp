#include "servers/environment.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>

using namespace pfar;
using servers::EnvironmentQuery;
namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> variables(EnvironmentQuery const& query) {
    auto const made = servers::environment(query);
    std::map<std::string, std::string> out(made.variables.begin(), made.variables.end());
    CHECK(out.size() == made.variables.size());
    return out;
}

EnvironmentQuery query(std::map<std::string, std::string> owner = {}) {
    EnvironmentQuery out;
    out.owner = std::move(owner);
    out.home = "/home/server";
    out.user = "server";
    return out;
}

} // namespace

TEST_CASE("an empty environment of the owner gives the minimal one") {
    CHECK(variables(query()) == std::map<std::string, std::string>{
                                    {"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"},
                                    {"HOME", "/home/server"},
                                    {"USER", "server"},
                                    {"LOGNAME", "server"},
                                    {"LANG", "C.UTF-8"},
                                    {"TMPDIR", "/tmp"},
                                    {"XDG_CONFIG_HOME", "/home/server/.config"},
                                    {"XDG_CACHE_HOME", "/home/server/.cache"},
                                    {"XDG_DATA_HOME", "/home/server/.local/share"},
                                    {"XDG_STATE_HOME", "/home/server/.local/state"},
                                });
}

TEST_CASE("nothing of the owner's comes along that was not asked for") {
    auto const made = variables(query({{"LD_PRELOAD", "/evil.so"},
                                       {"LD_LIBRARY_PATH", "/evil"},
                                       {"NODE_OPTIONS", "--require /evil.js"},
                                       {"PYTHONPATH", "/evil"},
                                       {"SSH_AUTH_SOCK", "/run/agent"},
                                       {"XDG_RUNTIME_DIR", "/run/user/1000"},
                                       {"XDG_CONFIG_HOME", "/home/owner/.config"},
                                       {"AWS_SECRET_ACCESS_KEY", "secret"},
                                       {"HOME", "/home/owner"},
                                       {"PATH", "/home/owner/bin"},
                                       {"TERM", "xterm"}}));
    CHECK(made == variables(query()));
}

TEST_CASE("language, time zone and what pass names are copied, and set wins") {
    auto ask = query({{"LANG", "de_DE.UTF-8"}, {"LC_TIME", "C"}, {"TZ", "Europe/Berlin"}, {"A", "a"}, {"B", "b"}});
    ask.pass = {"A", "B", "not-there"};
    ask.set = {{"B", "set"}, {"C", "c"}};
    auto made = variables(ask);
    CHECK(made["LANG"] == "de_DE.UTF-8");
    CHECK(made["LC_TIME"] == "C");
    CHECK(made["TZ"] == "Europe/Berlin");
    CHECK(made["A"] == "a");
    CHECK(made["B"] == "set");
    CHECK(made["C"] == "c");
    CHECK_FALSE(made.contains("not-there"));
}

TEST_CASE("pass does not bring the owner's paths inside, set can") {
    auto ask = query({{"HOME", "/home/owner"}, {"PATH", "/home/owner/bin"}, {"LD_PRELOAD", "/x.so"}});
    ask.pass = {"HOME", "PATH", "LD_PRELOAD"};
    CHECK(variables(ask)["HOME"] == "/home/server");
    CHECK(variables(ask)["PATH"] == variables(query())["PATH"]);
    CHECK(variables(ask)["LD_PRELOAD"] == "/x.so"); // by name: the owner's word
    ask.set = {{"HOME", "/elsewhere"}};
    CHECK(variables(ask)["HOME"] == "/elsewhere");
}

TEST_CASE("PATH begins with the directories of mounted programs that can be written in it") {
    auto ask = query();
    ask.bin_dirs = {"/a/bin", "/odd:one/bin", "/b/bin"};
    CHECK(variables(ask)["PATH"].starts_with("/a/bin:/b/bin:/usr/local/bin:"));
}

TEST_CASE("a terminal has its kind") {
    auto ask = query({{"TERM", "xterm-256color"}});
    CHECK_FALSE(variables(ask).contains("TERM"));
    ask.terminal = true;
    CHECK(variables(ask)["TERM"] == "xterm-256color");
    ask.owner.clear();
    CHECK(variables(ask)["TERM"] == "dumb");
}

TEST_CASE("certificates that the owner's environment names are told, by their canonical paths") {
    test::TempDir const dir;
    auto const file = dir.write("real/ca.pem", "x");
    fs::create_directory(dir / "certs");
    fs::create_directory_symlink("real", dir / "link");
    auto ask = query({{"SSL_CERT_FILE", (dir / "link/ca.pem").native()},
                      {"SSL_CERT_DIR", (dir / "certs").native() + ":/no/such:/etc/ssl/certs"},
                      {"NODE_EXTRA_CA_CERTS", "/no/such"},
                      {"REQUESTS_CA_BUNDLE", "relative.pem"}});
    auto made = variables(ask);
    CHECK(made["SSL_CERT_FILE"] == file);
    CHECK(made["SSL_CERT_DIR"] == (dir / "certs").native() + ":/etc/ssl/certs");
    CHECK_FALSE(made.contains("NODE_EXTRA_CA_CERTS"));
    CHECK_FALSE(made.contains("REQUESTS_CA_BUNDLE"));
    CHECK(servers::environment(ask).certificates == std::vector<fs::path>{dir / "certs", file});
    ask.set = {{"SSL_CERT_FILE", "/mine"}};
    CHECK(variables(ask)["SSL_CERT_FILE"] == "/mine");
    CHECK(servers::environment(ask).certificates == std::vector<fs::path>{dir / "certs"});
}

TEST_CASE("a home directory is not shown as a directory of certificates") {
    test::TempDir const dir;
    fs::create_directories(dir / "home/certs");
    auto const made = [&](std::string const& place) {
        return servers::environment(query({{"HOME", (dir / "home").native()}, {"SSL_CERT_DIR", place}})).certificates;
    };
    CHECK(made((dir / "home").native()).empty());
    CHECK(made(dir.path().native()).empty());
    CHECK(made("/").empty());
    CHECK(made("/tmp").empty());
    CHECK(made((dir / "home/certs").native()).size() == 1);
}

TEST_CASE("what cannot be a variable is left out") {
    auto ask = query({{"A=B", "x"}});
    ask.pass = {"A=B", ""};
    ask.set = {{"", "x"}, {"C=D", "x"}, {"E", std::string("a\0b", 3)}};
    CHECK(variables(ask) == variables(query()));
}
