// Plain HTTP in all its shapes passes as it is, through the proxy and without it.
#include "egress/attempts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sstream>

using test::Attempt;
using test::WorldStage;

namespace {

std::string const host = "Host: good.example\r\n";

/// The same request in the form for the proxy, and for the server itself.
void add(std::vector<Attempt>& table, std::string const& name, std::string const& method, std::string const& path,
         std::string const& rest, std::string const& inside, int answers = 1) {
    table.push_back(
        test::by_bytes(name, method + " http://good.example" + path + " HTTP/1.1\r\n" + host + rest, inside, answers));
    table.push_back(test::by_tcp(name + ", no proxy", "good.example", 80,
                                 method + " " + path + " HTTP/1.1\r\n" + host + rest, inside, answers));
}

constexpr char shapes[] = R"(
for way in '' '--noproxy *'; do
    set -f; curl="curl -sS -m 20 $way"; at=http://good.example
    $curl $at/chunked | cut -d ' ' -f 1
    $curl $at/close | cut -d ' ' -f 1
    $curl $at/hints | cut -d ' ' -f 1
    $curl -I $at/ | grep -ic '^content-length: [1-9]'
    $curl -w '%{http_code} ' $at/nothing; $curl $at/ $at/ | grep -c peer=good
    printf abc | $curl -T - $at/echo | sed -n 2p | tr -d '\r\n'; printf def | $curl -H 'Expect: 100-continue' -d @- $at/echo; echo
    $curl -w '%{http_code} %{num_connects} ' -o /tmp/a $at/a -o /tmp/b $at/b -o /tmp/c -I $at/c; echo
done
)";

} // namespace

TEST_CASE("answers and bodies of every shape arrive") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.reaching({"good.example"}, {"sh", "-c", shapes});
    std::string const once = "peer=good\npeer=good\npeer=good\n1\n204 2\nabcdef\n200 1 200 0 200 0 \n";
    CHECK(outcome.out == once + once);
    CHECK(outcome.err.empty());
    CHECK(test::World::here().seen().evil() == std::vector<std::string>());
}

TEST_CASE("requests in a row, halves of connections and upgrades work") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    add(table, "an upgrade", "GET", "/upgrade", "Connection: Upgrade\r\nUpgrade: test\r\n\r\n", "101 good", 2);
    add(table, "a body by its length", "POST", "/", "Content-Length: 4\r\n\r\nbody", "good");
    add(table, "a body in chunks", "POST", "/", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "good");
    add(table, "a body in chunks with a trailer", "POST", "/",
        "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX: y\r\n\r\n", "good");
    std::string const absolute = "GET http://good.example/ HTTP/1.1\r\n" + host + "\r\n",
                      origin = "GET / HTTP/1.1\r\n" + host + "\r\n";
    table.push_back(test::by_bytes("three in a row", absolute + absolute + absolute, "good good good", 3));
    table.push_back(
        test::by_tcp("three in a row, no proxy", "good.example", 80, origin + origin + origin, "good good good", 3));
    for (std::size_t i = 0, count = table.size(); i < count; ++i) { // nothing follows the request
        auto attempt = table[i];
        attempt.name += ", and no more";
        attempt.steps.insert(attempt.steps.end() - 1, boost::json::array{"end"});
        table.push_back(std::move(attempt));
    }
    table.push_back(test::by_bytes("two hosts in a row",
                                   absolute + "GET http://other.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n",
                                   "good good", 2));
    check_inside(stage, {"good.example", "other.example"}, table);
}
