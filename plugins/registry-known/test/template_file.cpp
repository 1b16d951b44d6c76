// What a template may say, and how a mistake in one is reported.
#include "template_file.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pfar::registry_known {

namespace {

constexpr char complete[] = R"(
[sample]
title = "Sample"
description = "Does samples."
aliases = ["s", "spl"]
homepage = "https://example.com"
notes = ["A community package."]
read_only = true
allow_private = ["${site}.example.com"]
args = ["--site", "${site}", "${mode}"]
environment = { B = "2", A = "1" }
domains = ["${site}.example.com"]
reads = ["search"]
label = "internal"
taint = "raw"
not_yet = "soon"
grants = [{ path = "${folder}", write = true }, { path = "/srv" }]
package = { pypi = "sample-server", version = "1.2.3", entry = "sample" }
verify = { tool = "whoami", arguments = '{"short": true}', refused = "denied" }

[[sample.credentials]]
variable = "SAMPLE_TOKEN"
prompt = "The token"
help_url = "https://example.com/tokens"
starts_with = "smp_"
pattern = "smp_[a-z]+"
value = "token ${secret} of ${site}"
required = false

[[sample.credentials]]
variable = "SAMPLE_KEY"
prompt = "The key"
file = "key.json"
multiline = true

[[sample.parameters]]
name = "site"
prompt = "Which site?"
pattern = "[a-z]+"
fallback = "main"

[[sample.parameters]]
name = "folder"
prompt = "Which folder?"
kind = "folder"
help = "All below it."

[[sample.parameters]]
name = "mode"
prompt = "Which mode?"
kind = "choice"
choices = ["slow", "fast"]
)";

std::string mistake(std::string const& text) {
    auto const read = parse_templates(text, "own.toml");
    CHECK(read.servers.empty());
    REQUIRE(read.left_out.size() == 1);
    CHECK(read.left_out[0].why.code == Errc::invalid);
    return read.left_out[0].why.what;
}

std::string with(std::string const& line) {
    return "[sample]\ntitle = \"Sample\"\ndescription = \"Does samples.\"\ncommand = \"sampled\"\n" + line + "\n";
}

} // namespace

TEST_CASE("a complete template is read to the last key") {
    auto const servers = parse_templates(complete, "own.toml").servers;
    REQUIRE(servers.size() == 1);
    auto const& server = servers[0];
    CHECK(server.name == "sample");
    CHECK(server.title == "Sample");
    CHECK(server.aliases == std::vector<std::string>{"s", "spl"});
    CHECK(server.args == std::vector<std::string>{"--site", "${site}", "${mode}"});
    CHECK(server.environment == std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "2"}});
    CHECK(server.domains == std::vector<std::string>{"${site}.example.com"});
    CHECK(server.reads == std::vector<std::string>{"search"});
    CHECK((server.label == "internal" && server.taint == "raw" && server.not_yet == "soon"));
    REQUIRE(server.grants.size() == 2);
    CHECK((server.grants[0].path == "${folder}" && server.grants[0].write && !server.grants[1].write));
    CHECK(server.package.source == Package::Source::pypi);
    CHECK((server.package.name == "sample-server" && server.package.version == "1.2.3"));
    CHECK(server.package.entry == "sample");
    CHECK((server.verify.tool == "whoami" && server.verify.arguments_json == R"({"short": true})"));
    CHECK(server.verify.refused == "denied");
    CHECK((server.homepage == "https://example.com" && server.notes.size() == 1 && server.read_only));
    CHECK(server.allow_private == std::vector<std::string>{"${site}.example.com"});
    REQUIRE(server.credentials.size() == 2);
    CHECK((server.credentials[0].pattern == "smp_[a-z]+" && !server.credentials[0].multiline));
    CHECK((server.credentials[0].value == "token ${secret} of ${site}" && server.credentials[0].file.empty()));
    CHECK((server.credentials[1].file == "key.json" && server.credentials[1].multiline &&
           server.credentials[1].required));
    CHECK(server.credentials[1].value == "${secret}");
    CHECK((server.credentials[0].variable == "SAMPLE_TOKEN" && server.credentials[0].starts_with == "smp_"));
    CHECK((server.credentials[0].help_url == "https://example.com/tokens" && !server.credentials[0].required));
    REQUIRE(server.parameters.size() == 3);
    CHECK((server.parameters[1].kind == Parameter::Kind::folder && server.parameters[1].help == "All below it."));
    CHECK(server.parameters[2].choices == std::vector<std::string>{"slow", "fast"});
    CHECK((server.parameters[0].name == "site" && server.parameters[0].pattern == "[a-z]+"));
    CHECK(server.parameters[0].fallback == "main");
}

TEST_CASE("a server may be a command of the PATH, and an empty file has no servers") {
    auto const server = parse_templates(with(""), "own.toml").servers.at(0);
    CHECK((server.package.source == Package::Source::none && server.command == "sampled"));
    CHECK(server.verify.tool.empty());
    CHECK((parse_templates("", "own.toml").servers.empty() && parse_templates("", "own.toml").left_out.empty()));
}

TEST_CASE("every mistake is reported with file, line and key") {
    struct Row {
        std::string text, report;
    };
    for (auto const& row : {
             Row{with("domain = [\"a.com\"]"), "own.toml:5: sample has an unknown key domain"},
             Row{with("domains = \"a.com\""), "own.toml:5: sample.domains has to be a list of strings"},
             Row{with("domains = [\"a.com\",\n 7]"), "own.toml:6: sample.domains has to be a list of strings"},
             Row{with("label = 3"), "own.toml:5: sample.label has to be a string"},
             Row{with("label = \"hot\""),
                 "own.toml:5: sample.label is one of public, internal, sensitive, regulated, secret"},
             Row{with("taint = \"wet\""), "own.toml:5: sample.taint is one of clean, extracted, raw"},
             Row{with("environment = { A = 1 }"), "own.toml:5: sample.environment has to be a table of strings"},
             Row{with("environment = []"), "own.toml:5: sample.environment has to be a table"},
             Row{with("package = { npm = \"x\", version = \"1\" }"), "own.toml:5: sample.package needs entry"},
             Row{with("package = { npm = \"x\", pypi = \"x\", version = \"1\", entry = \"x\" }"),
                 "own.toml:5: sample.package names one package: npm = \"...\" or pypi = \"...\""},
             Row{with("credentials = { variable = \"X\" }"),
                 "own.toml:5: sample.credentials has to be a list of tables"},
             Row{with("credentials = [1]"), "own.toml:5: sample.credentials has to be a list of tables"},
             Row{with("[[sample.credentials]]\nprompt = \"x\""), "own.toml:5: sample.credentials needs variable"},
             Row{with("[[sample.credentials]]\nvariable = \"X\"\nprompt = \"x\"\nrequired = \"no\""),
                 "own.toml:8: sample.credentials.required has to be true or false"},
             Row{"[sample]\ntitle = \"x\"", "own.toml:1: sample needs description"},
             Row{"\nsample = 1", "own.toml:2: sample has to be a table: [sample] and its keys below it"},
             Row{"[Sample]", "own.toml:1: Sample is no server name: [a-z0-9-], at most 20, no - first"},
             Row{"[\"../x\"]", "own.toml:1: ../x is no server name: [a-z0-9-], at most 20, no - first"},
             Row{with("zebra = 1\nant = 1"), "own.toml:5: sample has an unknown key zebra"},
         })
        CHECK(mistake(row.text) == row.report);
}

TEST_CASE("text that is no TOML is reported with its line and never crashes") {
    CHECK(mistake("[sample]\ntitle = ").starts_with("own.toml:2: "));
    CHECK(mistake("[sample]\n[sample]\n").starts_with("own.toml:2: "));
    CHECK(mistake(std::string("a\0b", 3)).starts_with("own.toml:1: "));
    CHECK(mistake("\xff\xfe").starts_with("own.toml:1: "));
    CHECK(mistake("a = " + std::string(100000, '[')).starts_with("own.toml:1: "));
}

TEST_CASE("a file that is not there is not found, and a directory is no file") {
    auto const none = read_templates("/nonexistent/servers.toml"), directory = read_templates("/usr");
    REQUIRE((none.left_out.size() == 1 && directory.left_out.size() == 1));
    CHECK(none.left_out[0].why.code == Errc::not_found);
    CHECK(none.left_out[0].names == std::vector<std::string>{"servers"});
    CHECK(directory.left_out[0].why.code == Errc::io);
}

TEST_CASE("a table with a mistake is left out alone, by its name and its aliases") {
    auto const read = parse_templates(with("aliases = [\"spl\"]\nargs = [\"--token\", \"x\"]") +
                                          "[good]\ntitle = \"x\"\ndescription = \"x\"\ncommand = \"x\"\n[Bad]\n",
                                      "own.toml");
    REQUIRE(read.servers.size() == 1);
    CHECK(read.servers[0].name == "good");
    REQUIRE(read.left_out.size() == 2);
    CHECK(read.left_out[0].names == std::vector<std::string>{"Bad"});
    CHECK(read.left_out[0].why.what.starts_with("own.toml:11: Bad is no server name"));
    CHECK(read.left_out[1].names == std::vector<std::string>{"sample", "spl"});
    CHECK(read.left_out[1].why.what.starts_with("own.toml:6: sample.args would put a secret on the command line"));
}

TEST_CASE("text that is no TOML is left out whole, by the names that can be seen in it") {
    auto const seen = parse_templates(with("") + "[other]\ntitle = \n", "own.toml");
    CHECK(seen.servers.empty());
    REQUIRE(seen.left_out.size() == 1);
    CHECK(seen.left_out[0].names == std::vector<std::string>{"own", "sample", "other"});
    auto const unseen = parse_templates("= 1\n", "/home/me/tracker.toml");
    CHECK(unseen.left_out.at(0).names == std::vector<std::string>{"tracker"});
}

} // namespace pfar::registry_known
