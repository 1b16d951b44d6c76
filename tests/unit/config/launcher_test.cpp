#include "config/launcher.hpp"

#include <catch2/catch_test_macros.hpp>

using pfar::config::refuse_launcher;

namespace {

std::string why(std::string const& command, std::vector<std::string> const& args) {
    auto const refused = refuse_launcher("x", command, args);
    return refused ? "" : refused.error().what;
}

bool has(std::string const& text, char const* part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("what fetches a package at every start is refused with how to install it") {
    CHECK(has(why("npx", {"-y", "@scope/pkg"}), "x: npx fetches a package"));
    CHECK(has(why("/usr/local/bin/npx", {"pkg"}), "npm install --prefix"));
    CHECK(has(why("C:\\Program Files\\nodejs\\npx.cmd", {"pkg"}), "npx fetches"));
    for (auto const* const command : {"bunx", "pnpx"}) CHECK(has(why(command, {"pkg"}), "node_modules/.bin"));
    CHECK(has(why("npm", {"exec", "--yes", "pkg"}), "npm exec fetches"));
    CHECK(has(why("pnpm", {"--silent", "dlx", "pkg"}), "pnpm dlx fetches"));
    CHECK(has(why("yarn", {"dlx", "pkg"}), "yarn dlx"));
    CHECK(has(why("bun", {"x", "pkg"}), "bun x"));
    for (auto const* const command : {"uvx", "uvx.exe"}) CHECK(has(why(command, {"pkg"}), "pip install"));
    CHECK(has(why("uv", {"tool", "run", "pkg"}), "pip install"));
    CHECK(has(why("pipx", {"run", "pkg"}), "pipx run fetches"));
    CHECK(has(why("npx", {"-y", "pkg@1.2.3"}), "pfar connect npm:pkg"));
    CHECK(has(why("uvx", {"pkg"}), "pfar connect pypi:pkg"));
}

TEST_CASE("it is found behind what only runs it") {
    CHECK(has(why("cmd", {"/c", "npx", "-y", "pkg"}), "npx fetches"));
    CHECK(has(why("cmd.exe", {"/d", "/C", "uvx", "pkg"}), "uvx fetches"));
    CHECK(has(why("env", {"A=b", "-u", "npx", "pkg"}), "npx fetches"));
    CHECK(has(why("bash", {"-lc", "exec npx -y pkg"}), "npx fetches"));
    CHECK(has(why("sh", {"-c", "docker run x"}), "docker run runs it in a container"));
    CHECK(has(why("cmd", {"/c", "node", "x.js"}), "cmd belongs to Windows"));
}

TEST_CASE("containers and Windows are refused, servers are not") {
    CHECK(has(why("docker", {"run", "-i", "--rm", "image"}), "beyond pfar's sandbox"));
    CHECK(has(why("podman", {"run", "image"}), "podman run"));
    CHECK(has(why("powershell", {"-Command", "x"}), "belongs to Windows"));
    CHECK(has(why("cmd", {}), "belongs to Windows"));
    for (auto const* const command :
         {"node", "python3", "uv", "npm", "sh", "/opt/npx-like/server", "dockerd-mcp", "env", ""})
        CHECK(why(command, {"run", "server.js"}).empty());
    CHECK(why("sh", {}).empty());
    CHECK(why("sh", {"-c", ""}).empty());
    CHECK(why("sh", {"npx"}).empty()); // a script of that name
}
