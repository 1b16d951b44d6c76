// What a person is told: in the answer, at the end of pfar exec, and in the record.
#include "egress/world.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sstream>

namespace json = boost::json;
using test::has;
using test::WorldStage;

namespace {

/// The lines of the record that are about egress.
std::vector<json::object> recorded(WorldStage const& stage) {
    std::vector<json::object> found;
    for (auto const& file : std::filesystem::directory_iterator(stage.pfar_home() / "audit")) {
        if (file.path().extension() != ".jsonl") continue;
        std::istringstream in(test::read(file.path()));
        for (std::string line; std::getline(in, line);)
            if (auto object = json::parse(line).as_object(); object.at("kind") == "egress") found.push_back(object);
    }
    return found;
}

std::vector<json::object> about(std::vector<json::object> const& all, std::string const& domain, char const* outcome) {
    std::vector<json::object> found;
    for (auto const& one : all)
        if (one.at("domain").as_string() == domain && one.at("outcome") == outcome) found.push_back(one);
    return found;
}

std::string line_with(std::string const& text, std::string const& part) {
    std::istringstream in(text);
    std::string found;
    for (std::string line; std::getline(in, line);)
        if (line.find(part) != std::string::npos) found += line + "\n";
    return found;
}

} // namespace

TEST_CASE("a refusal names the server, the domain and what to add") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const plain = stage.reaching({"good.example"}, {"curl", "-sS", "-i", "-m", "20", "http://evil.test/"}).out;
    CHECK(has(plain, "HTTP/1.1 403"));
    CHECK(has(plain, "exec"));
    CHECK(has(plain, "--allow-domain 'evil.test'"));
    auto const tunnel = stage
                            .reaching({"good.example"},
                                      {"sh", "-c",
                                       "printf 'CONNECT evil.test:443 HTTP/1.1\\r\\nHost: evil.test:443\\r\\n\\r\\n' |"
                                       " curl -sS -m 20 telnet://127.0.0.1:3128 --noproxy '*'"})
                            .out;
    CHECK(has(tunnel, "HTTP/1.1 403"));
    CHECK(has(tunnel, "--allow-domain 'evil.test'"));
    auto const port = stage.reaching({"good.example"}, {"curl", "-sS", "-m", "20", "http://good.example:8080/"}).out;
    CHECK(has(port, "--allow-domain 'good.example:8080'"));
    CHECK(test::World::here().seen().evil() == std::vector<std::string>());
}

TEST_CASE("at its end pfar exec says what was blocked, how often, and what would allow it") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching(
        {"good.example"}, {"sh", "-c",
                           "for i in 1 2 3; do curl -s http://evil.test/ >/dev/null; done\n"
                           "curl -s --noproxy '*' http://other.evil.test/; curl -s http://good.example/; exit 5"});
    CHECK(outcome.status == 5);
    CHECK(outcome.out.starts_with("peer=good")); // nothing of it on stdout
    auto const thrice = line_with(outcome.err, "--allow-domain 'evil.test'");
    CHECK(has(thrice, "3"));
    CHECK(std::count(thrice.begin(), thrice.end(), '\n') == 1);
    CHECK_FALSE(line_with(outcome.err, "--allow-domain 'other.evil.test'").empty());
    CHECK_FALSE(has(outcome.err, "--allow-domain 'good.example"));
    auto const quiet = stage.reaching({"good.example"}, {"curl", "-s", "http://good.example/"});
    CHECK(quiet.err.empty());
}

TEST_CASE("blocked attempts are on record once for a domain and minute, with their number") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    REQUIRE(stage
                .reaching({"good.example"},
                          {"sh", "-c", "for i in 1 2 3 4 5 6 7; do curl -s http://evil.test/ >/dev/null; done"})
                .status == 0);
    auto const lines = about(recorded(stage), "evil.test", "blocked");
    REQUIRE_FALSE(lines.empty());
    CHECK(lines.size() <= 2); // a minute may have begun
    std::int64_t count = 0;
    for (auto const& line : lines) {
        count += line.at("count").to_number<std::int64_t>();
        CHECK(line.at("server") == "exec");
    }
    CHECK(count == 7);
}

TEST_CASE("an allowed connection is on record when it has ended, with its bytes and its time") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const body = std::string(100000, 'x');
    stage.write("given/body", body);
    auto const outcome =
        stage.reaching({"good.example"}, {"curl", "-sS", "-m", "20", "--data-binary",
                                          "@" + (stage.given() / "body").native(), "https://good.example/echo"});
    REQUIRE((outcome.out == body));
    auto const lines = about(recorded(stage), "good.example", "allowed");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].at("server") == "exec");
    CHECK(lines[0].at("sent").to_number<std::int64_t>() > 100000);
    CHECK(lines[0].at("sent").to_number<std::int64_t>() < 120000);
    CHECK(lines[0].at("received").to_number<std::int64_t>() > 100000);
    CHECK(lines[0].at("received").to_number<std::int64_t>() < 120000);
    CHECK(lines[0].at("ms").to_number<std::int64_t>() >= 0);
}

TEST_CASE("names of an attacker's making are on record as they are, in one line each, and not without bound") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching({"good.example"}, {"/usr/bin/python3", "-c", R"(
import socket
for i in range(300):
    s = socket.create_connection(('127.0.0.1', 3128), 20)
    h = b'n%d.evil.test:443' % i
    s.sendall(b'CONNECT ' + h + b' HTTP/1.1\r\nHost: ' + h + b'\r\n\r\n')
    assert b' 403 ' in s.recv(65536)
for name in 'a\nb', 'a\x1b[31m', '"},{', 'x' * 5000:
    s = socket.create_connection(('127.0.0.1', 3128), 20)
    s.sendall(b'CONNECT ' + name.encode() + b':443 HTTP/1.1\r\nHost: x\r\n\r\n')
    s.recv(65536)
)"});
    CHECK(outcome.status == 0);
    CHECK(recorded(stage).size() <= 110); // 50 domains a minute, then one count; a minute may have begun
    CHECK(outcome.err.find('\x1b') == std::string::npos);
    CHECK(outcome.err.size() < 40000);
}

TEST_CASE("a connection that is open at the end is on record too, and holds nothing up") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching({"db.example:5432"}, {"/usr/bin/python3", "-c", R"(
import os, socket
s = socket.create_connection(('db.example', 5432), 20)
print(s.recv(100).decode().split()[0], flush=True)
if os.fork() == 0: # it goes with the rest
    s.recv(1)
os._exit(0)
)"});
    CHECK(outcome.out == "peer=good\n");
    CHECK(outcome.status == 0);
    CHECK(about(recorded(stage), "db.example", "allowed").size() == 1);
}

TEST_CASE("several at once write one record, a chain without a gap") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    std::string script;
    for (int i = 0; i < 6; ++i) {
        for (auto const& word : stage.exec_words(stage.options({"good.example"}),
                                                 {"curl", "-s", "http://good.example/", "http://evil.test/"}))
            script += "'" + word + "' ";
        script += ">/dev/null 2>&1 &\n";
    }
    REQUIRE(stage.bare(script + "wait").status == 0);
    auto const all = recorded(stage);
    CHECK(about(all, "good.example", "allowed").size() == 6);
    CHECK(about(all, "evil.test", "blocked").size() == 6);
    std::size_t files = 0;
    for (auto const& file : std::filesystem::directory_iterator(stage.pfar_home() / "audit")) {
        if (file.path().extension() != ".jsonl") continue;
        ++files;
        std::istringstream in(test::read(file.path()));
        json::value before;
        for (std::string line; std::getline(in, line);) {
            auto const object = json::parse(line).as_object();
            if (!before.is_null()) CHECK(object.at("prev") == before);
            before = object.at("hash");
        }
    }
    CHECK(files == 1);
}
