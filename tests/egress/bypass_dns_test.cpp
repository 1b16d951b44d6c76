// Names: what they may answer, what is asked of the world on their behalf, and what else could carry bytes out.
#include "egress/attempts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace std::string_literals;
using test::Attempt;
using test::by_question;
using test::WorldStage;

namespace {

constexpr unsigned a = 1, cname = 5, mx = 15, txt = 16, aaaa = 28, srv = 33, https = 65;

/// An allowed name whose answers are of this kind, by each way to connect to it.
void add_answers(std::vector<Attempt>& table, std::string const& kind) {
    auto const name = kind + ".answers.example";
    std::string const get = "GET / HTTP/1.1\r\nHost: " + name + "\r\n\r\n";
    table.push_back(test::by_connect("CONNECT to a name that is " + kind, name + ":80", "403"));
    table.push_back(test::by_absolute("GET from a name that is " + kind, name + ":80", "403"));
    table.push_back(test::by_tcp("port 80 of a name that is " + kind, name, 80, get, "403|closed"));
    table.push_back(test::by_tls("port 443 of a name that is " + kind, name, 443, name,
                                 "closed|ConnectionResetError|"
                                 "alert tlsv1_unrecognized_name|alert tlsv1_alert_access_denied"));
}

Attempt datagram(std::string name, char const* host, unsigned port) {
    boost::json::array step{"udp", host, port, "out", 0.5}; // it listens for half a second: nothing is to come
    boost::json::array steps;
    steps.push_back(std::move(step));
    return {std::move(name), std::move(steps), "silent|ConnectionRefusedError|errno 99|errno 101|PermissionError"};
}

} // namespace

TEST_CASE("an allowed name that answers with an address of the inside is refused") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    for (auto const* const kind : {"loopback", "other-loopback", "loopback6", "ten", "seventeen", "nineteen",
                                   "metadata", "link-local", "cgnat", "unspecified", "unspecified6", "ula", "mapped",
                                   "mapped-private", "nat64", "six-to-four", "teredo", "compatible", "site-local"})
        add_answers(table, kind);
    check_attempts(stage, {"*.answers.example"}, table);
}

TEST_CASE("an address of the inside may be listed") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> const table{test::by_connect("listed", "10.9.8.7:80", "evil")}; // the peer's word for it
    CHECK(perform_inside(stage, {"10.9.8.7"}, table)["listed"] == "evil");
}

TEST_CASE("the address that was judged is the one that is dialled, whatever the name answers next") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    std::string const name = "rebinding.answers.example";
    for (auto const& attempt :
         {test::by_connect("rebinding", name + ":80", "good"), test::by_absolute("rebinding", name, "good"),
          test::by_tls("rebinding", name, 443, name, "good")}) {
        auto const first = perform_inside(stage, {name}, {attempt});
        auto const seen = test::World::here().seen(); // and the name server forgets
        CHECK(first.at("rebinding") == "good");
        CHECK(seen.count("good dns A ") <= 1);
        CHECK(seen.evil() == std::vector<std::string>());
    }
    std::vector<Attempt> many;
    for (int i = 0; i < 8; ++i)
        many.push_back(test::by_connect("rebinding " + std::to_string(i), name + ":80", "good|403"));
    check_inside(stage, {name}, many);
    CHECK(perform_outside(stage, many).at("rebinding 7") == "evil"); // the control
    CHECK_FALSE(test::World::here().seen().evil().empty());
}

TEST_CASE("of several addresses none of the inside is dialled") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_inside(stage, {"*.answers.example"}, {test::by_connect("mixed", "mixed.answers.example:80", "good|403")});
}

TEST_CASE("questions are answered for allowed names only, and nobody outside hears of any") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::string const data(63, 'x'), longest = data + "." + data + "." + data + ".evil.wild.example";
    std::vector<Attempt> table;
    for (auto const* const transport : {"udp", "tcp"}) {
        for (auto const& [name, about] : {std::pair{"another name", "evil.test"},
                                          {"a prefix", "evil-good.example"},
                                          {"a suffix", "good.example.evil.test"},
                                          {"below an exact name", "data.evil.good.example"},
                                          {"a wildcard's apex", "wild.example"},
                                          {"metadata", "metadata.google.internal"}})
            table.push_back(by_question("the address of "s + name + " by " + transport, "127.0.0.1", transport, about,
                                        a, "NXDOMAIN"));
        table.push_back(by_question("a text of another name by "s + transport, "127.0.0.1", transport, "evil.test", txt,
                                    "NXDOMAIN"));
        table.push_back(by_question("a text below a wildcard by "s + transport, "127.0.0.1", transport,
                                    "evil.wild.example", txt, "empty"));
        table.push_back(by_question("a server of another address by "s + transport, "203.0.113.66", transport,
                                    "evil.test", a, "silent|ConnectionRefusedError|NXDOMAIN"));
        table.push_back(by_question("a public server by "s + transport, "8.8.8.8", transport, "evil.test", a,
                                    "silent|ConnectionRefusedError|NXDOMAIN"));
        auto exfiltration = by_question("bytes in long labels below a wildcard by "s + transport, "127.0.0.1",
                                        transport, longest, a, "");
        table.push_back(std::move(exfiltration));
    }
    auto controls = perform_outside(stage, table);
    for (auto const& [name, outcome] : controls) {
        INFO(name << ", outside: " << outcome);
        CHECK(outcome.starts_with("answered"));
    }
    CHECK(test::World::here().seen().evil().size() >= table.size());
    auto found = perform_inside(stage, {"good.example", "*.wild.example"}, table);
    auto const seen = test::World::here().seen();
    CHECK(seen.evil() == std::vector<std::string>());
    CHECK(seen.count("good dns") == 0); // not a single question
    for (auto const& attempt : table) {
        INFO(attempt.name << ": " << found[attempt.name] << ", not " << attempt.inside);
        if (attempt.inside.empty())
            CHECK(found[attempt.name].starts_with("answered 198.18."));
        else
            CHECK(("|" + attempt.inside + "|").find("|" + found[attempt.name] + "|") != std::string::npos);
    }
}

TEST_CASE("an allowed name has one synthetic address, and no record of another type") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    for (unsigned const kind : {aaaa, cname, mx, txt, srv, https})
        for (auto const* const transport : {"udp", "tcp"})
            table.push_back(by_question("type " + std::to_string(kind) + " by " + transport, "127.0.0.1", transport,
                                        "good.example", kind, "empty"));
    table.push_back(by_question("first", "127.0.0.1", "udp", "good.example", a, ""));
    table.push_back(by_question("again", "127.0.0.1", "tcp", "GOOD.example.", a, ""));
    table.push_back(by_question("another", "127.0.0.1", "udp", "a.wild.example", a, ""));
    auto found = perform_inside(stage, {"good.example", "*.wild.example"}, table);
    CHECK(found["first"].starts_with("answered 198.18."));
    CHECK(found["again"] == found["first"]);
    CHECK(found["another"].starts_with("answered 198.18."));
    CHECK(found["another"] != found["first"]);
    for (auto const& attempt : table)
        if (!attempt.inside.empty()) {
            INFO(attempt.name);
            CHECK(found[attempt.name] == attempt.inside);
        }
    auto const seen = test::World::here().seen();
    CHECK(seen.count("good") + seen.count("evil") == 0);
}

TEST_CASE("datagrams go nowhere") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_attempts(
        stage, {"good.example"},
        {datagram("to an address", "203.0.113.66", 9999), datagram("to an allowed name, as QUIC", "good.example", 443),
         datagram("to the host's loopback", "127.0.0.1", 9999), datagram("to an IPv6 address", "2001:db8::66", 9999),
         datagram("to the metadata service", "169.254.169.254", 9999)});
}

TEST_CASE("the names below a wildcard are bounded, and those that have an address keep it") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching({"*.wild.example"}, {"/usr/bin/python3", "-c", R"(
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(20)
s.connect(('127.0.0.1', 53))
def ask(i):
    label = b'n%d' % i
    s.send(struct.pack('>6H', i, 0x100, 1, 0, 0, 0) + bytes([len(label)]) + label + b'\4wild\7example\0\0\1\0\1')
    answer = s.recv(512)
    return answer[-4:] if answer[7] == 1 else None
first = [ask(i) for i in range(5000)]
known = [a for a in first if a]
print(4000 < len(known) <= 4096, len(set(known)) == len(known), [ask(i) for i in range(4000)] == first[:4000])
)"});
    INFO(outcome.err);
    CHECK(outcome.out == "True True True\n");
    auto const seen = test::World::here().seen();
    CHECK(seen.count("good") + seen.count("evil") == 0);
}
