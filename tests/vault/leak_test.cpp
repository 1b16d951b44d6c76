// A secret is where it belongs, once, and nowhere else: searched for in every place it could have gone.
#include "vault/vault_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sys/random.h>

#include <csignal>

#include <set>
#include <sstream>

using test::has;
using test::Live;
using test::VaultStage;

namespace {

std::string fresh_canary() {
    unsigned long long random[2];
    if (::getrandom(random, sizeof random, 0) != sizeof random) throw std::runtime_error("getrandom");
    std::ostringstream out;
    out << "canary-" << std::hex << random[0] << random[1];
    return out.str();
}

std::size_t count(std::string const& text, std::string const& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// All processes below, itself included.
std::vector<std::string> tree(std::string const& pid) {
    std::vector<std::string> all{pid};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (auto const& task : std::filesystem::directory_iterator("/proc/" + all[i] + "/task")) {
            std::istringstream children(test::read(task.path() / "children"));
            for (std::string child; children >> child;) all.push_back(child);
        }
    return all;
}

/// Everything a process inside can read, but for programs and libraries: names of files in which a line of stdin stands.
constexpr auto search =
    "grep -rsalF -f - --exclude-dir=sys --exclude=kmsg /etc /run /tmp /state /dev/shm /dev/pts /home /root /var "
    "/proc/self/environ /proc/1/environ /proc/1/cmdline /proc/[0-9]*/environ /proc/[0-9]*/cmdline "
    "/proc/keys /proc/[0-9]*/fd 2>/dev/null; echo searched";

} // namespace

TEST_CASE("a secret is in its own server's environment, once, and nowhere else") {
    VaultStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const canary = fresh_canary(), in_file = fresh_canary();
    stage.server("a", "echo ready; read x", "[auth]\nTOKEN = \"vault:token\"\n[auth.files]\nf = \"vault:file\"\n");
    stage.server("b", "true", "");
    REQUIRE(stage.keep("token", canary) == 0);
    REQUIRE(stage.keep("file", in_file) == 0);
    Live a(stage, stage.exec_server("a"));
    REQUIRE(a.says("ready"));

    std::vector<std::string> holders;
    for (auto const& pid : tree(std::to_string(a.pid()))) {
        auto const environment = test::read("/proc/" + pid + "/environ");
        auto const command_line = test::read("/proc/" + pid + "/cmdline");
        CAPTURE(pid, command_line);
        for (auto const& secret : {canary, in_file}) CHECK(count(command_line, secret) == 0);
        CHECK(count(environment, in_file) == 0);
        if (count(environment, canary) == 0) continue;
        CHECK(count(environment, canary) == 1);
        CHECK(has(environment, "TOKEN=" + canary));
        CHECK(test::read("/proc/" + pid + "/comm") == "sh\n");
        holders.push_back(pid);
    }
    CHECK(holders.size() == 1);

    // The same search in its own sandbox finds it: a control.
    auto const own = stage.run_server("a", {"--", "sh", "-c", search}, canary + "\n");
    CHECK(has(own.out, "/proc/self/environ"));
    CHECK(has(stage.run_server("a", {"--", "sh", "-c", search}, in_file + "\n").out, "/run/auth/f"));
    auto const other = stage.run_server("b", {"--", "sh", "-c", search}, canary + "\n" + in_file + "\n");
    INFO(other.err);
    CHECK(other.out == "searched\n");

    for (auto const& [file, content] : test::files_below(stage.pfar_home())) {
        CAPTURE(file);
        CHECK(count(content, canary) == 0);
        CHECK(count(content, in_file) == 0);
        if (has(file.native(), "/vault/")) CHECK(count(content, "token") == 0); // names neither
    }
    CHECK(a.heard() == "ready\n");
}

TEST_CASE("what is left behind by a killed host has no secret in it") {
    VaultStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const canary = fresh_canary();
    stage.server("a", "echo ready; read x", "[auth]\nTOKEN = \"vault:token\"\n[auth.files]\nf = \"vault:token\"\n");
    REQUIRE(stage.keep("token", canary) == 0);
    Live a(stage, stage.exec_server("a"));
    REQUIRE(a.says("ready"));
    a.signal(SIGKILL);
    CHECK(a.end() == 128 + SIGKILL);
    for (auto const& [file, content] : test::files_below(stage.path())) {
        CAPTURE(file);
        CHECK(count(content, canary) == 0);
    }
}
