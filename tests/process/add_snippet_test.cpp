// pfar add < a client's configuration
#include "vault/vault_stage.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using test::has;
using test::VaultStage;
namespace json = boost::json;

namespace {

constexpr auto token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4";
constexpr auto password = "correct-horse";

struct World : VaultStage {
    explicit World(test::Setting setting = test::people().front()) : VaultStage(std::move(setting)) {}

    [[nodiscard]] test::Outcome add(std::string input, std::vector<std::string> words = {},
                                    std::filesystem::path const& directory = "/") const {
        words.insert(words.begin(), "add");
        return test::run({this->words(std::move(words)), {}, directory, std::move(input), setting().uid});
    }
    [[nodiscard]] std::string text(std::string const& name) const {
        return test::read(pfar_home() / "mcp" / (name + ".toml"));
    }
    [[nodiscard]] std::size_t count() const {
        std::error_code error;
        std::size_t files = 0;
        for (auto const& entry : std::filesystem::directory_iterator(pfar_home() / "mcp", error))
            files += entry.path().extension() == ".toml" ? 1 : 0;
        return files;
    }
    [[nodiscard]] std::size_t entries() const {
        std::size_t kept = 0;
        auto const all = json::parse(vault({"list", "--json"}).out);
        for (auto const& entry : all.as_array()) kept += entry.as_object().at("state").as_string() == "ok" ? 1 : 0;
        return kept;
    }
};

std::string server(std::string const& rest) {
    return R"({"mcpServers": {"a": {"command": "sh")" + (rest.empty() ? "" : ", " + rest) + "}}}";
}

} // namespace

TEST_CASE("all servers of a snippet are added, and their secrets go to the vault") {
    World const world(GENERATE(from_range(test::people())));
    auto const snippet = std::string(R"({ // from the documentation
      "servers": {
        "GitHub_MCP": {"type": "stdio", "command": "sh", "args": ["-c", "printf %s \"$GITHUB_TOKEN\""], "env": {"GITHUB_TOKEN": ")") +
                         token + R"(", "LEVEL": "info"}, "gallery": true,},
        "db": {"command": "sh", "args": ["-c", "printf %s \"$URL\""], "env": {"URL": "postgres://me:)" +
                         password +
                         R"(@db.example.com/x"}, "disabled": true, "alwaysAllow": ["q"]},
      }, })";
    auto const added = world.add(snippet);
    INFO(added.err);
    REQUIRE(added.status == 0);
    CHECK(has(added.err, "\"GitHub_MCP\" is called github-mcp here"));
    CHECK(has(added.err, "gallery is left out"));
    CHECK(has(added.err, "alwaysAllow is left out"));
    CHECK(
        has(added.err, "URL leads to db.example.com:5432, which it does not reach; pfar allow db db.example.com:5432"));
    CHECK(has(world.text("github-mcp"), "GITHUB_TOKEN = \"vault:github_mcp_github_token\""));
    CHECK(has(world.text("github-mcp"), "LEVEL = \"info\""));
    CHECK(has(world.text("db"), "URL = \"postgres://me:${vault:db_url}@db.example.com/x\""));
    CHECK(has(world.text("db"), "autostart = false"));
    CHECK(world.run_server("github-mcp").out == token);
    CHECK(world.run_server("db").out == std::string("postgres://me:") + password + "@db.example.com/x");
    CHECK(has(added.out, "next: pfar list"));
    for (auto const& [path, text] : test::files_below(world.path()))
        for (auto const* const secret : {token, password}) CHECK(text.find(secret) == std::string::npos);
    for (auto const* const secret : {token, password}) CHECK_FALSE(has(added.out + added.err, secret));
    CHECK(world.add(snippet).status == 69);
    CHECK(world.add(snippet, {"--force"}).status == 0); // the same values are no conflict
}

TEST_CASE("one server takes the name it is given, and one without a name needs it") {
    World const world;
    CHECK(has(world.add(R"({"command": "sh"})").err, "say pfar add NAME"));
    CHECK(world.add(R"({"command": "sh"})", {"mine"}).status == 0);
    CHECK(world.add(server(""), {"other", "--domain", "x.example.com"}).status == 0);
    CHECK(has(world.text("other"), "x.example.com"));
    auto const two = R"({"x": {"command": "sh"}, "y": {"command": "sh"}})";
    CHECK(has(world.add(two, {"name"}).err, "leave the name out"));
    CHECK(has(world.add(two, {"--domain", "x.example.com"}).err, "--domain is for one"));
    CHECK(world.count() == 2);
}

TEST_CASE("a placeholder is not kept, and what to do is said") {
    World const world;
    auto const added = world.add(server(
        R"("env": {"A_TOKEN": "<YOUR_TOKEN>", "A_KEY": "${input:key}", "A_URL": "x://u:<password>@h.example.com/"})"));
    INFO(added.err);
    CHECK(added.status == 0);
    for (auto const* const entry : {"a_token", "a_key", "a_url"})
        CHECK(has(added.out, std::string("pfar vault set ") + entry));
    CHECK(has(world.text("a"), "A_URL = \"x://u:${vault:a_url}@h.example.com/\""));
    CHECK(world.entries() == 0);
}

TEST_CASE("what pfar does not run is refused with what to do instead") {
    World const world;
    auto const refused = [&](std::string const& inside, char const* part) {
        auto const outcome =
            world.add(R"({"mcpServers": {"good": {"command": "sh", "env": {"T_TOKEN": "abcdefghij"}}, "bad": {)" +
                      inside + "}}}");
        CAPTURE(inside);
        CHECK(outcome.status != 0);
        CHECK(has(outcome.err, part));
        CHECK(has(outcome.err, "bad"));
    };
    refused(R"("command": "npx", "args": ["-y", "pkg"])", "npm install --prefix");
    refused(R"("command": "cmd", "args": ["/c", "npx", "pkg"])", "npx fetches");
    refused(R"("command": "uvx", "args": ["pkg"])", "pip install");
    refused(R"("command": "docker", "args": ["run", "x"])", "beyond pfar's sandbox");
    refused(R"("url": "https://x.example.com/mcp")", "remote server");
    refused(R"("command": "sh", "args": ["--api-key", "sk-A1b2C3d4E5f6G7h8"])", "looks like a credential");
    refused(R"("command": "no-such-program")", "no program no-such-program");
    refused(R"("command": "sh", "args": ["${workspaceFolder}/x"])", "${workspaceFolder}, which its client fills in");
    refused(R"("command": "sh", "env": {"P_PASSWORD": "short"})", "--short");
    refused(R"("command": "sh", "env": {"BAD NAME": "x"})", "not the name of an environment variable");
    CHECK(world.count() == 0);
    CHECK(world.entries() == 0);
}

TEST_CASE("hostile input is refused, and nothing is left of it") {
    World const world;
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += "{\"mcp\":";
    auto const long_value = [](std::size_t size) {
        return server("\"env\": {\"A_TOKEN\": \"" + std::string(size, 'x') + "y1Z\"}");
    };
    for (auto const& text :
         {std::string(), std::string("\0\0\0", 3), std::string("garbage"), deep, std::string(10U << 20U, ' '),
          std::string(10U << 20U, '{'), server("\"args\": [\"a\\u0000b\"]"), server("\"env\": {\"A\": \"a\\u0000b\"}"),
          server("\"env\": {\"A\\u0000\": \"b\"}"), server("\"args\": [\"\xff\"]"), long_value(70000),
          server("\"env\": {\"=\": \"x\"}"), std::string(R"({"mcpServers": {"\u0000": {"command": "sh"}}})"),
          std::string(R"({"mcpServers": {"A b": {"command": "sh"}, "a-b": {"command": "sh"}}})")}) {
        auto const outcome = world.add(text);
        CAPTURE(text.substr(0, 60));
        CHECK(outcome.status >= 64);
        CHECK(outcome.status <= 78);
        CHECK(outcome.err.size() < 1000);
    }
    CHECK(world.count() == 0);
    CHECK(world.entries() == 0);
    CHECK(world.add(R"({"mcpServers": {"../../../etc/x": {"command": "sh"}}})").status == 0);
    CHECK(world.count() == 1);
    CHECK_FALSE(world.text("etc-x").empty());
    auto const with_variables = [](int count) {
        std::string many = "\"env\": {";
        for (int i = 0; i < count; ++i)
            many += (i > 0 ? "," : "") + std::string("\"V") + std::to_string(i) + "\": \"v\"";
        return server(many + "}");
    };
    CHECK(has(world.add(with_variables(2000)).err, "more than 1000 entries"));
    CHECK(world.add(with_variables(900)).status == 0);
    CHECK(has(world.pfar({"check", "a"}).out, "0 errors"));
}

TEST_CASE("a credential that the vault has with another value is not replaced unasked") {
    World const world;
    REQUIRE(world.keep("a_token", "the-one-before") == 0);
    auto const snippet = server(R"("args": ["-c", "printf %s \"$A_TOKEN\""], "env": {"A_TOKEN": "the-new-value"})");
    auto const refused = world.add(snippet);
    CHECK(refused.status == 69);
    CHECK(has(refused.err, "--replace"));
    CHECK(world.count() == 0);
    CHECK(world.add(snippet, {"--replace"}).status == 0);
    CHECK(world.run_server("a").out == "the-new-value");
}

TEST_CASE("what was done before an error is undone") {
    if (::geteuid() != 0) SKIP("needs root to mount a small file system");
    World const world;
    auto const place = world.make("home/.pfar/mcp");
    if (::mount("pfar-test", place.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=8k") != 0)
        SKIP("a file system cannot be mounted here");
    REQUIRE(world.keep("b_token", "the-one-before") == 0);
    auto const big =
        R"({"a": {"command": "sh", "env": {"A_TOKEN": "abcdefghij"}}, "b": {"command": "sh", "env": {"B_TOKEN": "klmnopqrst", "BIG": ")" +
        std::string(20000, ' ') + "\"}}}";
    auto const full = world.add(big, {"--replace"});
    auto const left = world.count();
    ::umount2(place.c_str(), MNT_DETACH);
    CHECK(full.status == 74);
    CHECK(has(full.err, "No space left"));
    CHECK(left == 0);
    CHECK(world.entries() == 1);
    world.server("s", "printf %s \"$T\"", "[auth]\nT = \"vault:b_token\"\n");
    CHECK(world.run_server("s").out == "the-one-before");
}

TEST_CASE("killed at any moment it leaves whole files or none, and the next one succeeds") {
    World const world;
    auto const snippet = server(R"("env": {"A_TOKEN": "abcdefghij"})");
    for (int round = 0; round < 12; ++round) {
        auto const input = world.write("home/in.json", snippet);
        auto words = world.shell("exec \"$0\" add < \"$HOME/in.json\" > /dev/null 2>&1");
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        auto const child = ::fork();
        if (child == 0) {
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::usleep(static_cast<useconds_t>(20000 * (round + 1)));
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(has(world.pfar({"check"}).out, " 0 errors"));
        CHECK((world.text("a").empty() || has(world.text("a"), "vault:a_token")));
        CHECK(world.add(snippet, {"--force"}).status == 0);
        REQUIRE(world.pfar({"remove", "a", "--yes", "--purge"}).status == 0);
    }
    CHECK(world.count() == 0);
    CHECK(world.entries() == 0);
}
