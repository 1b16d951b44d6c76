// What a template may not say, row by row: each is one line away from a template that is accepted.
#include "template_file.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pfar::registry_known {

namespace {

std::string sample_with(std::string const& lines) {
    return "[sample]\ntitle = \"Sample\"\ndescription = \"Does samples.\"\n"
           "package = { npm = \"@a/b\", version = \"1.2.3\", entry = \"b\" }\n" +
           lines + "\n";
}

std::string credential_with(std::string const& lines) {
    return sample_with("[[sample.credentials]]\nvariable = \"TOKEN\"\nprompt = \"x\"\n" + lines);
}

/// The parameter p, used in an argument.
std::string parameter_with(std::string const& lines) {
    return sample_with("args = [\"${p}\"]\n[[sample.parameters]]\nname = \"p\"\nprompt = \"x\"\n" + lines);
}

void check_accepted(std::string const& text) {
    INFO(text);
    auto const read = parse_templates(text, "own.toml");
    INFO((read.left_out.empty() ? std::string() : read.left_out[0].why.what));
    CHECK((read.left_out.empty() && read.servers.size() == 1));
}

struct Refusal {
    std::string text, why;
};

void check_refused(Refusal const& row) {
    INFO(row.text);
    auto const read = parse_templates(row.text, "own.toml");
    CHECK(read.servers.empty());
    REQUIRE(read.left_out.size() == 1);
    auto const& why = read.left_out[0].why;
    INFO(why.what);
    CHECK(why.code == Errc::invalid);
    CHECK(why.what.starts_with("own.toml:"));
    CHECK(why.what.find(row.why) != std::string::npos);
}

} // namespace

TEST_CASE("templates without a mistake are accepted") {
    for (auto const& text : {
             sample_with(""),
             credential_with("value = \"Bearer ${secret}\""),
             credential_with("file = \"key.json\"\nmultiline = true"),
             credential_with("pattern = '(rk|sk)_\\S+'"),
             parameter_with("pattern = '[a-z]+'\nfallback = \"main\""),
             parameter_with("kind = \"choice\"\nchoices = [\"a\", \"b\"]\nfallback = \"b\""),
             sample_with("args = [\"--key-file\", \"${auth.files}/key.json\", \"--token\", \"${auth.files}/token\"]"),
             sample_with("args = [\"--max-tokens\", \"5\", \"--key-column\", \"id\", \"--verbose\", \"--no-token\"]"),
             sample_with("args = [\"redis://db.example.com:6379/0\", \"--project-key\", \"ABC\"]"),
             sample_with("environment = { TOKEN_PATH = \"${HOME}/t\", DSN = \"sqlite:///srv/x.db\", API_TOKEN_FILE = "
                         "\"${auth.files}/t\" }"),
             sample_with("domains = [\"a.example.com\", \"*.example.com\", \"db.example.com:5432\", \"192.0.2.1\", "
                         "\"[2001:db8::1]:443\"]"),
             sample_with("verify = { tool = \"x\" }"),
         })
        check_accepted(text);
}

TEST_CASE("what is installed is one exact version of one package, or one program") {
    auto const package = [](std::string const& text) {
        return "[sample]\ntitle = \"x\"\ndescription = \"x\"\npackage = " + text + "\n";
    };
    for (auto const& row : {
             Refusal{"[sample]\ntitle = \"x\"\ndescription = \"x\"\n",
                     "sample needs a package or a command, or not_yet"},
             Refusal{package("{ npm = \"b\", version = \"^1.2.3\", entry = \"b\" }"), "is not one exact version"},
             Refusal{package("{ npm = \"b\", version = \"latest\", entry = \"b\" }"), "is not one exact version"},
             Refusal{package("{ npm = \"b\", version = \"1.x\", entry = \"b\" }"), "is not one exact version"},
             Refusal{package("{ pypi = \"b\", version = \">=1\", entry = \"b\" }"), "is not one exact version"},
             Refusal{package("{ npm = \"b; rm\", version = \"1.2.3\", entry = \"b\" }"), "no package name"},
             Refusal{package("{ npm = \"../b\", version = \"1.2.3\", entry = \"b\" }"), "no package name"},
             Refusal{package("{ npm = \"--b\", version = \"1.2.3\", entry = \"../../bin/sh\" }"), "no program's name"},
             Refusal{sample_with("command = \"b\""), "sample.command stands beside a package"},
             Refusal{"[sample]\ntitle = \"x\"\ndescription = \"x\"\ncommand = \"/bin/sh\"\n", "without a path"},
         })
        check_refused(row);
}

TEST_CASE("a secret is refused wherever somebody else could read it") {
    auto const with_token = [](std::string const& line) {
        return sample_with(line + "\n[[sample.credentials]]\nvariable = \"SAMPLE_TOKEN\"\nprompt = \"x\"");
    };
    auto const asked = [](std::string const& name, std::string const& use) {
        return sample_with("args = " + use + "\n[[sample.parameters]]\nname = \"" + name + "\"\nprompt = \"x\"");
    };
    std::string const on_command_line = "would put a secret on the command line", in_it = "has a secret in it";
    for (auto const& row : {
             Refusal{with_token("args = [\"${secret}\"]"), in_it},
             Refusal{with_token("args = [\"--login=${SAMPLE_TOKEN}\"]"), in_it},
             Refusal{with_token("environment = { X = \"${secret}\" }"), in_it},
             Refusal{with_token("environment = { X = \"${SAMPLE_TOKEN}\" }"), in_it},
             Refusal{with_token("domains = [\"${secret}.example.com\"]"), in_it},
             Refusal{with_token("grants = [{ path = \"/srv/${secret}\" }]"), in_it},
             Refusal{asked("p", "[\"--token\", \"${p}\"]"), on_command_line},
             Refusal{asked("p", "[\"--api-key\", \"${p}\"]"), on_command_line},
             Refusal{asked("p", "[\"--apiKey=${p}\"]"), on_command_line},
             Refusal{asked("p", "[\"--db_password=${p}\"]"), on_command_line},
             Refusal{asked("p", "[\"API_TOKEN=${p}\"]"), on_command_line},
             Refusal{asked("p", "[\"postgres://me:${p}@db.example.com/x\"]"), on_command_line},
             Refusal{sample_with("args = [\"--access-token\", \"abc\"]"), on_command_line},
             Refusal{asked("api_key", "[\"${api_key}\"]"), "asks for api_key in the open"},
             Refusal{asked("token", "[\"${token}\"]"), "asks for token in the open"},
             Refusal{asked("db_password", "[\"${db_password}\"]"), "asks for db_password in the open"},
             Refusal{asked("client_secret", "[\"${client_secret}\"]"), "asks for client_secret in the open"},
             Refusal{sample_with("environment = { API_TOKEN = \"abc\" }"), "sets API_TOKEN, which is a secret"},
             Refusal{sample_with("environment = { URL = \"https://me:abc@example.com\" }"),
                     "sets URL, which is a secret"},
         })
        check_refused(row);
}

TEST_CASE("every ${NAME} is something that is known there") {
    for (auto const& row : {
             Refusal{sample_with("args = [\"${site}\"]"), "sample.args has ${site}, which is not one of"},
             Refusal{sample_with("environment = { A = \"${site}\" }"), "sample.environment has ${site}"},
             Refusal{sample_with("domains = [\"${site}.example.com\"]"), "sample.domains has ${site}"},
             Refusal{sample_with("allow_private = [\"${site}.example.com\"]"), "sample.allow_private has ${site}"},
             Refusal{sample_with("grants = [{ path = \"${site}\" }]"), "sample.grants has ${site}"},
             Refusal{sample_with("domains = [\"${HOME}.example.com\"]"), "sample.domains has ${HOME}"},
             Refusal{sample_with("args = [\"${PFAR_HOME}/x\"]"), "sample.args has ${PFAR_HOME}"},
             Refusal{sample_with("args = [\"${HOME\"]"), "sample.args has a ${ without a }"},
             Refusal{credential_with("value = \"${secret}@${host}\""), "sample.credentials has ${host}"},
             Refusal{sample_with("[[sample.parameters]]\nname = \"site\"\nprompt = \"x\""),
                     "asks for site, which nothing uses"},
         })
        check_refused(row);
}

TEST_CASE("what is asked of a person can be answered and checked") {
    for (auto const& row : {
             Refusal{credential_with("pattern = '('"), "no RE2 expression"},
             Refusal{credential_with("pattern = '(?=x)'"), "no RE2 expression"},
             Refusal{credential_with("value = \"Bearer\""), "a value without ${secret}"},
             Refusal{credential_with("file = \"../key\""), "a file that is not a plain name"},
             Refusal{credential_with("file = \"k\"\nvalue = \"x${secret}\""), "a file and a value"},
             Refusal{credential_with("help_url = \"http://example.com\""), "does not begin with https://"},
             Refusal{credential_with("[[sample.credentials]]\nvariable = \"TOKEN\"\nprompt = \"x\""), "a second time"},
             Refusal{
                 sample_with(
                     "environment = { TOKEN = \"\" }\n[[sample.credentials]]\nvariable = \"TOKEN\"\nprompt = \"x\""),
                 "a second time"},
             Refusal{sample_with("[[sample.credentials]]\nvariable = \"A B\"\nprompt = \"x\""), "no variable's name"},
             Refusal{sample_with("environment = { \"A-B\" = \"x\" }"), "no variable's name"},
             Refusal{parameter_with("pattern = '['"), "no RE2 expression"},
             Refusal{parameter_with("pattern = '[a-z]+'\nfallback = \"7\""),
                     "a fallback that does not fit its pattern"},
             Refusal{parameter_with("kind = \"choice\""), "needs two choices"},
             Refusal{parameter_with("choices = [\"a\", \"b\"]"), "its kind is not choice"},
             Refusal{parameter_with("kind = \"choice\"\nchoices = [\"a\", \"b\"]\nfallback = \"c\""),
                     "none of its choices"},
             Refusal{parameter_with("kind = \"colour\""), "kind is one of text, folder, file, host, choice"},
             Refusal{parameter_with("[[sample.parameters]]\nname = \"p\"\nprompt = \"x\""), "asks twice for p"},
             Refusal{sample_with("[[sample.parameters]]\nname = \"Site\"\nprompt = \"x\""), "has the name Site"},
             Refusal{sample_with("homepage = \"example.com\""), "has to begin with https://"},
         })
        check_refused(row);
}

TEST_CASE("domains are host names, and an answer in one has a form") {
    for (auto const* const domain :
         {"https://example.com", "example.com/x", "*", "a.*.com", "", "a..b", "-a.com", "a b.com", "x.com:0",
          "x.com:70000", "x.com:http", "1.2.3", "[::g]", "me@example.com"})
        check_refused({sample_with(std::string("domains = [\"") + domain + "\"]"), "which is no domain"});
    auto const with_part = [](std::string const& lines) {
        return sample_with(
            "domains = [\"${p}.example.com:${port}\"]\n[[sample.parameters]]\nname = \"port\"\nprompt = \"x\"\n"
            "pattern = '[0-9]+'\n[[sample.parameters]]\nname = \"p\"\nprompt = \"x\"\n" +
            lines);
    };
    check_refused({with_part(""), "sample.domains has ${p}, which needs a pattern or kind = \"host\""});
    check_accepted(with_part("pattern = '[a-z]+'"));
    check_accepted(with_part("kind = \"host\""));
}

TEST_CASE("the arguments of the verify call are a JSON object") {
    for (auto const* const arguments : {"[]", "7", "{", "{} {}", "{'a': 1}"})
        check_refused({sample_with(std::string("verify = { tool = \"x\", arguments = \"") + arguments + "\" }"),
                       "no JSON object"});
    check_refused({sample_with("verify = { tool = \"x\", refused = '(' }"), "no RE2 expression"});
}

TEST_CASE("a mistake in one of several is reported with its own line") {
    auto const read = parse_templates(sample_with("args = [\n  \"a\",\n  \"${b}\",\n]"), "own.toml");
    REQUIRE(read.left_out.size() == 1);
    CHECK(read.left_out[0].why.what.starts_with("own.toml:7: sample.args has ${b}"));
}

} // namespace pfar::registry_known
