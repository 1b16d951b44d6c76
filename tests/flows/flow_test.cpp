// A flow test is a folder: answers.toml (what is typed, and what is answered) and transcript.txt (everything that was said, and what is left of it in the
// home directory). The real program, a real host, real sandboxes; PFAR_ACCEPT=1 rewrites the transcripts.
#include "config/document.hpp"
#include "process/host_home.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>

using test::has;
using test::read;
namespace config = pfar::config;
namespace fs = std::filesystem;

namespace {

fs::path const cases = fs::path(PFAR_SOURCE) / "tests/flows/cases";

std::vector<std::string> case_names() {
    std::vector<std::string> out;
    for (auto const& entry : fs::directory_iterator(cases)) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
}

struct Run {
    std::vector<std::string> words, answers;
};

std::vector<std::string> texts(config::Node const& node) {
    std::vector<std::string> out;
    for (auto const& item : std::get<config::Array>(node.value)) out.push_back(std::get<std::string>(item.value));
    return out;
}

/// [[run]] words = [...] answers = [...]
std::vector<Run> runs_in(fs::path const& file) {
    auto const document = config::read_document(config::Source(read(file)));
    REQUIRE(document.whole);
    std::vector<Run> out;
    for (auto const& entry : document.root) {
        REQUIRE(entry.key == "run");
        for (auto const& table : std::get<config::Array>(entry.value.value)) {
            Run run;
            for (auto const& member : std::get<config::Table>(table.value))
                (member.key == "words" ? run.words : run.answers) = texts(member.value);
            out.push_back(std::move(run));
        }
    }
    return out;
}

std::string replaced(std::string text, std::string const& what, std::string const& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Server files whole, everything else by name.
std::string left_in(test::HostHome const& home) {
    std::string out;
    std::vector<fs::path> found;
    for (auto const* const part : {"mcp", "mcp-servers", "state", "run/flows"}) {
        std::error_code error;
        for (fs::directory_iterator at(home.dir / part, error); !error && at != fs::directory_iterator(); ++at)
            found.push_back(at->path());
    }
    std::sort(found.begin(), found.end());
    for (auto const& path : found) {
        out += path.lexically_relative(home.dir.path()).native() + "\n";
        if (path.extension() != ".toml") continue;
        std::istringstream lines(read(path));
        for (std::string line; std::getline(lines, line);) out += line.empty() ? "\n" : "    " + line + "\n";
    }
    auto const kept = boost::json::parse(home.pfar({"vault", "list", "--json"}).out);
    for (auto const& entry : kept.as_array()) out += "vault: " + std::string(entry.at("name").as_string()) + "\n";
    return out;
}

test::Outcome talk(test::HostHome const& home, Run const& run) {
    test::Invocation call;
    call.argv = {std::string(PFAR_BUILD) + "/bin/pfar"};
    call.argv.insert(call.argv.end(), run.words.begin(), run.words.end());
    for (auto const& answer : run.answers) call.input += answer + "\n";
    call.environment["PFAR_HOME"] = home.dir.path();
    call.environment["PATH"] = std::string(PFAR_BUILD) + "/fixtures:/usr/local/bin:/usr/bin:/bin";
    call.directory = home.dir.path();
    return test::run(call);
}

std::string play(test::HostHome const& home, Run const& run) {
    auto const end = talk(home, run);
    std::string out = "$ pfar";
    for (auto const& word : run.words) out += " " + word;
    return out + "\n" + end.out + end.err + "= " + std::to_string(end.status) + "\n";
}

} // namespace

TEST_CASE("flows go as their transcripts say, and leave what these say") {
    auto const name = GENERATE(from_range(case_names()));
    INFO(name);
    auto const folder = cases / name;
    test::HostHome home;
    for (auto const* const own : {"templates", "scripts"})
        if (fs::exists(folder / own)) fs::copy(folder / own, home.dir / own, fs::copy_options::recursive);
    if (!fs::exists(home.dir / "templates/fixture.toml")) {
        fs::create_directories(home.dir / "templates");
        fs::copy(cases.parent_path() / "fixture.toml", home.dir / "templates/fixture.toml");
    }
    std::string transcript;
    for (auto const& run : runs_in(folder / "answers.toml")) transcript += play(home, run);
    auto const left = left_in(home);
    transcript += left.empty() ? "nothing is left\n" : "what is left:\n" + left;
    transcript = replaced(transcript, home.dir.path(), "$PFAR_HOME");
    transcript = replaced(transcript, PFAR_BUILD, "$BUILD");
    transcript = replaced(transcript, std::string("? ") + std::getenv("HOME") + " has", "? $HOME has");
    if (std::getenv("PFAR_ACCEPT") != nullptr) std::ofstream(folder / "transcript.txt") << transcript;
    CHECK(transcript == read(folder / "transcript.txt"));
}

TEST_CASE("what is no answer at all is asked for again, with the reason") {
    test::HostHome const home;
    home.dir.write("scripts/flows/asker.lua",
                   "say(ask { name = \"text\", prompt = \"Text\" })\n"
                   "ask { name = \"key\", prompt = \"Key\", secret = true, multiline = true }\n"
                   "report(\"it went on\")\n");
    auto const key = home.dir.write("key.pem", "one\ntwo\nthree\n");
    std::vector<std::string> const answers{"up\x1b[A", "\xff",       std::string("a\0b", 3),   "as text",
                                           "/",        "/not/there", std::string(70'000, 'x'), key.native()};
    auto const end = talk(home, {{"connect", "asker"}, answers});
    INFO(end.out << end.err);
    CHECK(end.status == 0);
    CHECK(has(end.out, "that has keys in it that are no text"));
    CHECK(has(end.out, "that is not UTF-8 text."));
    CHECK(has(end.out, "as text\n"));
    CHECK(has(end.out, "that is a directory; what is needed is the path of a file.\n"));
    CHECK(has(end.out, "there is no such file.\n"));
    CHECK(has(end.out, "that is longer than 64 KiB.\n"));
    CHECK(has(end.out, "it went on\n"));
}

TEST_CASE("a phrase that is too long is told, and the chat goes on behind it") {
    test::HostHome const home;
    auto const end = talk(home, {{"chat"}, {std::string(70'000, 'x'), "help"}});
    INFO(end.out.substr(0, 1000) << end.err);
    CHECK(has(end.out, "That is too long, or no text."));
    CHECK(has(end.out, "Say: connect NAME"));
    CHECK(talk(home, {{"chat"}, {std::string(70'000, 'x')}}).status == 64);
}

TEST_CASE("whatever is the matter with the owner's templates, connect ends with 78") {
    test::HostHome const home;
    auto const text =
        "[twice]\ntitle = \"Twice\"\ndescription = \"Stands in two files.\"\ncommand = \"fixture-server\"\n";
    home.dir.write("templates/one.toml", text);
    auto const second = home.dir.write("templates/two.toml", text);
    auto const twice = talk(home, {{"connect", "twice"}, {}});
    INFO(twice.out << twice.err);
    CHECK(twice.status == 78);
    CHECK(has(twice.out, "has it too; remove one"));
    fs::remove(second);
    fs::create_directory(home.dir / "templates/d.toml");
    auto const directory = talk(home, {{"connect", "d"}, {}});
    INFO(directory.out << directory.err);
    CHECK(directory.status == 78);
    CHECK(has(directory.out, "d.toml"));
}

TEST_CASE("one template with a mistake keeps no other service from being connected, and is told") {
    test::HostHome const home;
    home.dir.write("templates/good.toml",
                   "[good]\ntitle = \"Good\"\ndescription = \"Works.\"\ncommand = \"fixture-server\"\n");
    home.dir.write("templates/torn.toml", "[torn]\ntitle = \n");
    auto const good = talk(home, {{"connect", "good"}, {}});
    INFO(good.out << good.err);
    CHECK(good.status == 0);
    auto const torn = talk(home, {{"connect", "torn"}, {}});
    INFO(torn.out << torn.err);
    CHECK(torn.status == 78);
    auto const list = talk(home, {{"chat"}, {"list"}});
    INFO(list.out << list.err);
    CHECK(has(list.out, "torn.toml:2: "));
    CHECK(has(list.out, "Left out: "));
}

TEST_CASE("a key that no server file has is refused with those that it may have") {
    test::HostHome const home;
    home.dir.write("scripts/flows/writer.lua",
                   "config.write(\"mine\", { evil = true, server = { command = \"fixture-server\" } })\n");
    auto const end = talk(home, {{"connect", "writer"}, {}});
    INFO(end.out << end.err);
    CHECK(end.status == 69);
    CHECK(has(end.out, "unknown key \"evil\"; remove it, or write one of these: "));
    CHECK(has(end.out, "allowed_domains"));
}
