// pfar import on the files that Claude Code, Cursor and VS Code document, in a home directory of the test's own. Afterwards what stands in the client's file
// is run, as that client would, and has to be the same server.
#include "process/host_home.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

using test::has;
using test::read;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr char const* token = "tok_live_9f8e7d6c5b4a39281706";

/// A person's home, with pfar's in it.
struct Person {
    test::TempDir home;
    Person() { fs::create_directories(home / "work"); }
    Person(Person const&) = delete;
    Person& operator=(Person const&) = delete;
    ~Person() { (void)pfar({"host", "stop"}, ""); }

    [[nodiscard]] test::Outcome pfar(std::vector<std::string> words, std::string const& input) const {
        test::Invocation call;
        call.argv = {std::string(PFAR_BUILD) + "/bin/pfar"};
        call.argv.insert(call.argv.end(), words.begin(), words.end());
        call.environment = environment();
        call.directory = home / "work";
        call.input = input;
        return test::run(call);
    }
    [[nodiscard]] std::map<std::string, std::string> environment() const {
        return {{"HOME", home.path()},
                {"PFAR_HOME", home / ".pfar"},
                {"PATH", std::string(PFAR_BUILD) + "/fixtures:/usr/local/bin:/usr/bin:/bin"}};
    }
    /// Runs what a client's file has under this name, as the client would, and calls a tool.
    [[nodiscard]] std::string call(json::value const& entry, std::string const& tool,
                                   std::string const& arguments) const {
        test::Invocation client;
        client.argv = {std::string(entry.at("command").as_string())};
        for (auto const& word : entry.at("args").as_array()) client.argv.emplace_back(word.as_string());
        client.environment = environment();
        client.input =
            R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
            R"("clientInfo":{"name":"t","version":"1"}}})"
            "\n"
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
            "\n" +
            fmt::format(R"({{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{}","arguments":{}}}}})",
                        tool, arguments) +
            "\n";
        return test::run(client).out;
    }
};

std::string fixture() {
    return std::string(PFAR_BUILD) + "/fixtures/fixture-server";
}

/// How often a text stands in any file below a directory, but for these.
std::size_t occurrences(fs::path const& below, std::string const& text, std::string const& but_for) {
    std::size_t count = 0;
    for (auto const& entry : fs::recursive_directory_iterator(below))
        if (entry.is_regular_file() && !entry.path().native().ends_with(but_for) &&
            read(entry.path()).find(text) != std::string::npos)
            ++count;
    return count;
}

} // namespace

TEST_CASE("a server of Claude Code's file is the same server through pfar, and its token is in the vault alone") {
    Person person;
    auto const file = person.home.write(
        ".claude.json",
        fmt::format(
            R"({{"numStartups": 3, "mcpServers": {{"Guarded": {{"type": "stdio", "command": "{}", "args": ["--only", "login,env"],)"
            R"( "env": {{"FIXTURE_TOKEN": "right-{}", "MODE": "plain"}}}}, "far": {{"type": "http", "url": "https://mcp.example.com/mcp"}}}}}})",
            fixture(), token));
    auto const before = read(file);
    auto const end = person.pfar({"import"}, "yes\n\nyes\n");
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    CHECK(has(end.out, "guarded is imported: 2 tools."));
    CHECK(has(end.out, "remote server"));

    auto const after = json::parse(read(file));
    CHECK(after.at("numStartups") == 3);
    CHECK(after.at("mcpServers").at("far").at("url") == "https://mcp.example.com/mcp");
    auto const& entry = after.at("mcpServers").at("Guarded");
    CHECK(entry.at("type") == "stdio");
    CHECK(entry.as_object().contains("env") == false);
    CHECK(has(person.call(entry, "login", "{}"), "hello"));
    CHECK(has(person.call(entry, "env", R"({"name":"MODE"})"), "plain"));

    CHECK(read(file.native() + ".pfar-backup") == before);
    CHECK(occurrences(person.home.path(), token, ".pfar-backup") == 0);
}

TEST_CASE(
    "Cursor's file: what the person does not want stays as it is, and what is there already is not asked for again") {
    Person person;
    auto const text =
        fmt::format(R"({{"mcpServers": {{"one": {{"command": "{0}"}}, "two": {{"command": "{0}"}}}}}})", fixture());
    auto const file = person.home.write(".cursor/mcp.json", text);
    auto const end = person.pfar({"import"}, "no\nyes\n\nno\n");
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    CHECK(read(file) == text);
    CHECK_FALSE(fs::exists(person.home / ".pfar/mcp/one.toml"));
    CHECK(fs::exists(person.home / ".pfar/mcp/two.toml"));
    CHECK_FALSE(fs::exists(file.native() + ".pfar-backup"));

    auto const again = person.pfar({"import", "--rewrite", file}, "yes\n\nno\n");
    CHECK(json::parse(read(file)).at("mcpServers").at("one").at("args").as_array().size() == 3);
    CHECK(json::parse(read(file)).at("mcpServers").at("two").at("command") == json::string(fixture()));
    CHECK(has(again.out, "is imported already, as two. Import it once more? [y/N]"));
    CHECK_FALSE(fs::exists(person.home / ".pfar/mcp/two-2.toml"));
    auto const third = person.pfar({"import"}, "no\n");
    CHECK_FALSE(has(third.out, "Import one"));
}

TEST_CASE("VS Code's file keeps its comments, and what it would have asked for is asked for") {
    Person person;
    auto const file = person.home.write("work/.vscode/mcp.json", fmt::format(R"({{
  // ours
  "inputs": [{{"type": "promptString", "id": "tok", "description": "Token", "password": true}}],
  "servers": {{
    "guarded": {{"type": "stdio", "command": "{}", "args": ["--only", "login"], "env": {{"FIXTURE_TOKEN": "${{input:tok}}"}},}}, // this one
  }},
}}
)",
                                                                             fixture()));
    auto const end = person.pfar({"import", "--rewrite"}, fmt::format("yes\n\nright-{}\n", token));
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    auto const text = read(file);
    CHECK(has(text, "  // ours\n"));
    CHECK(has(text, "// this one"));
    CHECK(has(text, R"("args":["serve","--server","guarded"])"));
    CHECK(has(person.pfar({"call", "guarded.login"}, "").out, "hello"));
    CHECK(occurrences(person.home.path(), token, "-") == 0);
}

TEST_CASE("what a client fills in is filled in once: its inputs, the person's variables, the project") {
    Person person;
    auto const file = person.home.write("work/.vscode/mcp.json", fmt::format(R"({{
  "inputs": [{{"type": "pickString", "id": "mode", "description": "Which mode?", "options": ["a", "b"], "default": "a"}}],
  "servers": {{"filled": {{"command": "{}", "args": ["--only", "env", "--mark", "${{workspaceFolder}}/${{input:mode}}"],
    "env": {{"MODE": "${{input:mode}}", "FROM": "${{env:PFAR_TEST_FROM}}", "OTHER": "${{PFAR_TEST_NOT_SET:-fallback}}"}}}}}}
}})",
                                                                             fixture()));
    ::setenv("PFAR_TEST_FROM", "the outside", 1);
    auto const end = person.pfar({"import", "--rewrite"}, "yes\nb\n\n");
    ::unsetenv("PFAR_TEST_FROM");
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    CHECK(has(end.out, "Which mode?"));
    auto const written = read(person.home / ".pfar/mcp/filled.toml");
    CHECK(has(written, (person.home / "work/b").native()));
    auto const entry = json::parse(read(file)).at("servers").at("filled");
    CHECK(has(person.call(entry, "env", R"({"name":"MODE"})"), "\"b\""));
    CHECK(has(person.call(entry, "env", R"({"name":"FROM"})"), "the outside"));
    CHECK(has(person.call(entry, "env", R"({"name":"OTHER"})"), "fallback"));
}

TEST_CASE(
    "each rewriting keeps the file as it was, what was disabled stays so, and an unusual home is told to the client") {
    Person person;
    auto const one = fmt::format(R"({{"mcpServers": {{"one": {{"command": "{}", "disabled": true}}}}}})", fixture());
    auto const file = person.home.write(".cursor/mcp.json", one);
    fs::create_directories(person.home / "elsewhere");
    test::Invocation call;
    call.argv = {std::string(PFAR_BUILD) + "/bin/pfar", "import", "--rewrite"};
    call.environment = person.environment();
    call.environment["PFAR_HOME"] = person.home / "elsewhere";
    call.directory = person.home / "work";
    call.input = "yes\n\nyes\n";
    auto const end = test::run(call);
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    CHECK(has(end.out, "which is disabled there?"));
    auto const entry = json::parse(read(file)).at("mcpServers").at("one");
    CHECK(entry.at("disabled") == json::value(true));
    CHECK(entry.at("env").at("PFAR_HOME") == json::string((person.home / "elsewhere").native()));
    call.argv = {std::string(PFAR_BUILD) + "/bin/pfar", "host", "stop"};
    (void)test::run(call);

    auto const two = fmt::format(R"({{"mcpServers": {{"two": {{"command": "{}"}}}}}})", fixture());
    person.home.write(".cursor/mcp.json", two);
    REQUIRE(person.pfar({"import", "--rewrite"}, "yes\n\n").status == 0);
    CHECK(read(file.native() + ".pfar-backup") == one);
    CHECK(read(file.native() + ".pfar-backup-2") == two);
    CHECK_FALSE(json::parse(read(file)).at("mcpServers").at("two").as_object().contains("env"));
}

TEST_CASE("an import that fails or is cancelled leaves the client's file and the home as they were") {
    Person person;
    auto const text = fmt::format(
        R"({{"mcpServers": {{"dying": {{"command": "{}", "args": ["--exit-at-start", "3"], "env": {{"A_TOKEN": "{}"}}}}}}}})",
        fixture(), token);
    auto const file = person.home.write(".cursor/mcp.json", text);
    auto const end = person.pfar({"import", "--rewrite"}, "yes\n\nno\nno\n");
    INFO(end.out << end.err);
    CHECK(end.status == 69);
    CHECK(read(file) == text);
    CHECK_FALSE(fs::exists(person.home / ".pfar/mcp/dying.toml"));
    CHECK(json::parse(person.pfar({"vault", "list", "--json"}, "").out).as_array().empty());
    auto const cancelled = person.pfar({"import"}, "yes\ncancel\n");
    CHECK(cancelled.status == 77);
    CHECK(person.pfar({"import"}, "").status == 77);
    CHECK(person.pfar({"import"}, "no\n").status == 0);
    CHECK(has(cancelled.out, "Cancelled."));
    CHECK_FALSE(fs::exists(person.home / ".pfar/mcp/dying.toml"));

    person.home.write(".cursor/mcp.json", "{\"mcpServers\": {");
    auto const broken = person.pfar({"import"}, "");
    CHECK(broken.status == 69);
    CHECK(has(broken.out, ".cursor/mcp.json: "));
}

TEST_CASE("a file is kept once a run, however many of its servers are imported") {
    Person person;
    auto const text =
        fmt::format(R"({{"mcpServers": {{"one": {{"command": "{0}"}}, "two": {{"command": "{0}"}}}}}})", fixture());
    auto const file = person.home.write(".cursor/mcp.json", text);
    auto const end = person.pfar({"import", "--rewrite"}, "yes\n\nyes\n\n");
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    auto const rewritten = json::parse(read(file));
    auto const& servers = rewritten.at("mcpServers");
    for (auto const* const name : {"one", "two"}) CHECK(servers.at(name).at("args").as_array().size() == 3);
    CHECK(read(file.native() + ".pfar-backup") == text);
    CHECK_FALSE(fs::exists(file.native() + ".pfar-backup-2"));
}

TEST_CASE("what was imported already is imported once more only if that is wanted") {
    Person person;
    auto const entry = [](std::string const& tool) {
        return fmt::format(R"({{"mcpServers": {{"Same": {{"command": "{}", "args": ["--only", "{}"]}}}}}})", fixture(),
                           tool);
    };
    person.home.write(".cursor/mcp.json", entry("login"));
    REQUIRE(person.pfar({"import"}, "yes\n\nno\n").status == 0);
    auto const again = person.pfar({"import"}, "\n");
    INFO(again.out << again.err);
    CHECK(again.status == 0);
    CHECK(has(again.out, "is imported already, as same. Import it once more? [y/N]"));
    CHECK_FALSE(fs::exists(person.home / ".pfar/mcp/same-2.toml"));
    CHECK(person.pfar({"import"}, "yes\n\nno\n").status == 0);
    CHECK(fs::exists(person.home / ".pfar/mcp/same-2.toml"));

    person.home.write(".cursor/mcp.json", entry("env")); // another server of that name
    CHECK(has(person.pfar({"import"}, "no\n").out, "Import Same"));
}

TEST_CASE("a short password is kept only if its owner says so, and the others are imported without it") {
    Person person;
    person.home.write(
        ".cursor/mcp.json",
        fmt::format(
            R"({{"mcpServers": {{"mine": {{"command": "{0}", "env": {{"PASSWORD": "s3cr-t"}}}}, "other": {{"command": "{0}"}}}}}})",
            fixture()));
    auto const refused = person.pfar({"import"}, "yes\n\nno\nyes\n\nno\n");
    INFO(refused.out << refused.err);
    CHECK(refused.status == 69);
    CHECK(has(refused.out, "The value of PASSWORD has less than 8 characters"));
    CHECK(has(refused.out, "mine is not imported, because the value of PASSWORD is too short"));
    CHECK(has(refused.out, "other is imported"));
    CHECK_FALSE(fs::exists(person.home / ".pfar/mcp/mine.toml"));

    auto const kept = person.pfar({"import"}, "yes\n\nyes\nno\nno\n");
    INFO(kept.out << kept.err);
    CHECK(kept.status == 0);
    CHECK(has(person.pfar({"vault", "list", "--json"}, "").out, "mine_password"));
    CHECK(has(read(person.home / ".pfar/mcp/mine.toml"), "vault:mine_password"));
}

TEST_CASE("a value is asked for in the words of its own input, and of no other") {
    Person person;
    person.home.write(".config/Code/User/mcp.json", fmt::format(R"({{
  "inputs": [{{"type": "promptString", "id": "tok", "description": "Our token", "password": true}}],
  "servers": {{"guarded": {{"command": "{}", "env": {{"DATA": "${{workspaceFolder}}/x", "FIXTURE_TOKEN": "${{input:tok}}"}}}}}}
}})",
                                                                fixture()));
    auto const end = person.pfar({"import"}, fmt::format("yes\n\n/srv/some/data\nright-{}\nno\n", token));
    INFO(end.out << end.err);
    CHECK(end.status == 0);
    CHECK(has(end.out, "The value of DATA, which its client's file does not say\n"));
    CHECK(has(end.out, "The value of FIXTURE_TOKEN, which its client asked for (Our token)\n"));
}

TEST_CASE("an imported server sees what its owner says, and starts where it may see") {
    Person person;
    person.home.write(".pfar/pfar.toml", "[policy]\napprove_without_terminal = true\n");
    for (auto const* const name : {"notes", "here", "db"}) {
        fs::create_directories(person.home / name);
        person.home.write(std::string(name) + "/seen", "words");
    }
    auto const file_entry = [&](std::string const& more) {
        return fmt::format(
            R"({{"mcpServers": {{"mine": {{"command": "{}", "args": ["--only", "read_file,write_file,env", "--mark", "{}"], {}}}}}}})",
            fixture(), (person.home / "notes").native(), more);
    };
    auto const calls = [&](std::string const& tool, fs::path const& path) {
        auto const end = person.pfar({"call", "mine." + tool, "--yes", "--args",
                                      json::serialize(json::object{{"path", path.native()}, {"text", "written"}})},
                                     "");
        return end.out + end.err;
    };
    auto const forget = [&] { REQUIRE(person.pfar({"disconnect", "mine"}, "yes\nyes\n").status == 0); };

    person.home.write(".cursor/mcp.json", file_entry(fmt::format(R"("cwd": "{}")", (person.home / "here").native())));
    auto const none = person.pfar({"import"}, "yes\n\nnothing\nnothing\nno\n");
    INFO(none.out << none.err);
    REQUIRE(none.status == 0);
    CHECK(has(none.out, "It starts in " + (person.home / "here").native() + ". What may it do there?"));
    for (auto const* const name : {"notes", "here"}) {
        CHECK_FALSE(has(calls("read_file", person.home / name / "seen"), "words"));
        CHECK_FALSE(has(calls("write_file", person.home / name / "new"), "written\n"));
        CHECK_FALSE(fs::exists(person.home / name / "new"));
    }
    forget();

    auto const some = person.pfar({"import"}, "yes\n\nread\nread and write\nno\n");
    INFO(some.out << some.err);
    REQUIRE(some.status == 0);
    CHECK(has(calls("read_file", person.home / "here/seen"), "words"));
    (void)calls("write_file", person.home / "here/new");
    CHECK_FALSE(fs::exists(person.home / "here/new"));
    (void)calls("write_file", person.home / "notes/new");
    CHECK(read(person.home / "notes/new") == "written");
    forget();

    person.home.write(".cursor/mcp.json",
                      file_entry(fmt::format(R"("env": {{"MEMORY": "{}", "ALL": "{}"}})",
                                             (person.home / "db/seen").native(), person.home.path().native())));
    auto const named =
        person.pfar({"import"}, "yes\n\nnothing\nread and write\n\nno\n"); // all of the home is no usual answer
    INFO(named.out << named.err);
    REQUIRE(named.status == 0);
    CHECK(has(named.out, "MEMORY"));
    CHECK(has(calls("read_file", person.home / "db/seen"), "words"));
    CHECK_FALSE(has(calls("read_file", person.home / "notes/seen"), "words"));
}

TEST_CASE("what a client reads from an .env file goes to the vault, and what is empty is left out") {
    Person person;
    person.home.write("work/.env", fmt::format("FIXTURE_TOKEN=right-{}\nPLAIN=hello\nOTHER_TOKEN=\n", token));
    person.home.write("work/.vscode/mcp.json", fmt::format(R"({{"servers": {{"guarded": {{"command": "{}",
        "args": ["--only", "login,env"], "envFile": "${{workspaceFolder}}/.env", "env": {{"EMPTY_TOKEN": ""}}}}}}}})",
                                                           fixture()));
    auto const end = person.pfar({"import", "--rewrite"}, "yes\n\n");
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    CHECK(has(end.out, "FIXTURE_TOKEN"));
    CHECK(has(end.out, "EMPTY_TOKEN is empty there, and left out."));
    CHECK(has(person.pfar({"call", "guarded.login"}, "").out, "hello"));
    CHECK(has(person.pfar({"call", "guarded.env", "name=PLAIN"}, "").out, "hello"));
    CHECK(occurrences(person.home / ".pfar", token, "-") == 0);
}

TEST_CASE("a secret is stored with what its client puts around it") {
    Person person;
    person.home.write("work/.vscode/mcp.json", fmt::format(R"({{
  "inputs": [{{"type": "promptString", "id": "tok", "description": "Token", "password": true}}],
  "servers": {{"guarded": {{"command": "{}", "args": ["--only", "login"], "env": {{"FIXTURE_TOKEN": "right-${{input:tok}}"}}}}}}
}})",
                                                           fixture()));
    auto const end = person.pfar({"import"}, fmt::format("yes\n\n{}\nno\n", token));
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    CHECK(has(end.out, "The part of FIXTURE_TOKEN called tok, which its client asked for (Token)"));
    CHECK(has(person.pfar({"call", "guarded.login"}, "").out, "hello"));
}

TEST_CASE("what an earlier server has left is given to an imported one only if its owner says so") {
    Person person;
    person.home.write(".pfar/state/guarded/notes", "of another");
    auto const text = [](std::string const& value) {
        return fmt::format(R"({{"mcpServers": {{"guarded": {{"command": "{}", "env": {{"FIXTURE_TOKEN": "{}"}}}}}}}})",
                           fixture(), value);
    };
    person.home.write(".cursor/mcp.json", text(std::string("right-") + token));
    auto const first = person.pfar({"import"}, "yes\n\n\nno\n");
    INFO(first.out << first.err);
    REQUIRE(first.status == 0);
    CHECK(has(first.out, "May this one have it?"));
    CHECK(read(person.home / ".pfar/state/guarded.before-1/notes") == "of another");
    CHECK_FALSE(fs::exists(person.home / ".pfar/state/guarded/notes"));

    REQUIRE(person.pfar({"remove", "guarded", "--yes"}, "").status == 0); // its credential stays
    fs::remove_all(person.home / ".pfar/state/guarded");
    person.home.write(".cursor/mcp.json", text(std::string("wrong-") + token));
    CHECK(person.pfar({"import"}, "yes\n\nno\n").status == 69);
    CHECK_FALSE(fs::exists(person.home / ".pfar/mcp/guarded.toml"));
    auto const again = person.pfar({"import"}, "yes\n\nyes\nno\n");
    INFO(again.out << again.err);
    REQUIRE(again.status == 0);
    CHECK(has(again.out, "The vault has guarded_fixture_token already, with another value. Replace it? [y/N]"));
    CHECK_FALSE(has(person.pfar({"call", "guarded.login"}, "").out, "hello"));
}

TEST_CASE(
    "words that agree or decline are no domains, and a secret on a command line is refused before anything else") {
    Person person;
    person.home.write(".cursor/mcp.json",
                      fmt::format(R"({{"mcpServers": {{"plain": {{"command": "{}"}}}}}})", fixture()));
    auto const end = person.pfar({"import"}, "yes\nyes\nnone\nno\n");
    INFO(end.out << end.err);
    REQUIRE(end.status == 0);
    CHECK(has(end.out, "what is needed is names such as api.example.com."));
    CHECK(has(read(person.home / ".pfar/mcp/plain.toml"), "allowed_domains = []"));

    person.home.write(".cursor/mcp.json", fmt::format(R"({{"mcpServers": {{"loud": {{"command": "npx",
        "args": ["-y", "no-such-package-{0}", "--token", "ghp_{0}"]}}}}}})",
                                                      token + 9));
    auto const loud = person.pfar({"import"}, "yes\n");
    INFO(loud.out << loud.err);
    CHECK(loud.status == 69);
    CHECK(has(loud.out, "looks like a credential"));
    CHECK_FALSE(has(loud.out, "installed"));
}
