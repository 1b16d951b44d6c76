// Two at once: neither reaches what the other may, nor the other itself.
#include "egress/attempts.hpp"
#include "sandbox/live.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using test::Attempt;
using test::WorldStage;

namespace {

/// Listens, reaches what it may, says the synthetic address of it, and stays.
constexpr char neighbour[] = R"(
import socket, sys, urllib.request as u
listeners = [socket.create_server(('0.0.0.0', 9000)), socket.create_server(('127.0.0.1', 9001))]
for port in 9000, 9001: socket.create_connection(('127.0.0.1', port), 5).close()
print(u.build_opener(u.ProxyHandler({})).open('https://other.example/', timeout=20).read().decode())
print('address', socket.gethostbyname('other.example'), 'ready', flush=True)
sys.stdin.readline()
)";

} // namespace

TEST_CASE("two sandboxes share no listener, no address and no list") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    test::Live other(stage, stage.exec_words(stage.options({"other.example"}), {"/usr/bin/python3", "-c", neighbour}));
    REQUIRE(other.says(" ready\n"));
    CHECK(test::has(other.heard(), "peer=good"));
    auto const at = other.heard().find("address ") + 8;
    auto const address = other.heard().substr(at, other.heard().find(' ', at) - at);
    CHECK(address.starts_with("198.18."));
    test::World::here().seen();

    std::string const ended = "closed|alert tlsv1_unrecognized_name|ConnectionResetError";
    check_inside(stage, {"good.example"},
                 {test::by_tcp("a listener of its", "127.0.0.1", 9000, "", "ConnectionRefusedError"),
                  test::by_tcp("another listener of its", "127.0.0.1", 9001, "", "ConnectionRefusedError"),
                  test::by_tls("its synthetic address", address, 443, "other.example", ended),
                  test::by_tunnel("its name", "other.example:443", "other.example", "403"),
                  test::by_question("its name by DNS", "127.0.0.1", "udp", "other.example", 1, "NXDOMAIN"),
                  test::by_connect("a proxy through the proxy", "127.0.0.1:3128", "403"),
                  test::by_connect("a proxy through the proxy, by name", "localhost:3128", "403"),
                  test::by_tls("one's own", "good.example", 443, "good.example", "good")});
    CHECK(test::World::here().seen().count("good dns A other.example") == 0);
    other.type("\n");
    CHECK(other.end() == 0);
}

TEST_CASE("without an allowed domain there is no proxy, no name and no way") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::string const nowhere = "ConnectionRefusedError|errno 101|no such name|errno 99";
    check_inside(stage, {},
                 {test::by_connect("the proxy", "good.example:80", nowhere),
                  test::by_tls("a name", "good.example", 443, "good.example", nowhere),
                  test::by_tcp("an address", "203.0.113.10", 80, "", nowhere),
                  test::by_question("a question", "127.0.0.1", "udp", "good.example", 1, nowhere)});
}
