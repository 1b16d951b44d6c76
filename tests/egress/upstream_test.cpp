// A machine whose only way out is a proxy: it is asked for what was judged, and nothing is dialled beside it.
#include "egress/attempts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using test::has;
using test::WorldStage;

namespace {

void set_upstream(WorldStage const& stage) {
    stage.write("home/.pfar/pfar.toml", "[egress]\nupstream = \"proxy.example:3128\"\n", 0600);
}

} // namespace

TEST_CASE("with an upstream proxy every connection goes through it, by name") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    set_upstream(stage);
    auto const outcome = stage.reaching({"good.example", "db.example:5432"},
                                        {"sh", "-c",
                                         "curl -sS -m 20 https://good.example/a; curl -sS -m 20 http://good.example/b;"
                                         "curl -sS -m 20 --noproxy '*' https://good.example/c;"
                                         "curl -sS -m 20 --noproxy '*' http://good.example/d;"
                                         "curl -sS -m 20 http://evil.test/; curl -sS -m 20 https://evil.test/; :"});
    for (auto const* const target : {"/a ", "/b ", "/c ", "/d "})
        CHECK(has(outcome.out, std::string("target=") + target));
    auto const seen = test::World::here().seen();
    CHECK(seen.evil() == std::vector<std::string>());
    CHECK(seen.count("good proxy CONNECT good.example:443 ") == 2);
    CHECK(seen.count("good proxy CONNECT good.example:80 ") == 2);
    CHECK(seen.count("good proxy") == 4); // evil.test is not even asked for
    for (auto const& line : seen.beginning("good tcp 203.0.113.10")) CHECK(line.ends_with("from 203.0.113.30"));
    CHECK(seen.count("good tcp 203.0.113.10") == 4);
    CHECK(seen.count("good tcp 2001:db8") == 0);
}

TEST_CASE("an upstream proxy changes nothing about what is refused") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    set_upstream(stage);
    check_attempts(stage, {"good.example"},
                   {test::by_connect("another name", "evil.test:80", "403"),
                    test::by_connect("another port", "good.example:22", "403"),
                    test::by_connect("an address", "203.0.113.66:80", "403"),
                    test::by_connect("loopback", "127.0.0.1:8080", "403"),
                    test::by_tunnel("another server name", "good.example:443", "evil.test",
                                    "closed|alert tlsv1_unrecognized_name|ConnectionResetError")});
}

TEST_CASE("an upstream proxy that is not there is named") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.write("home/.pfar/pfar.toml", "[egress]\nupstream = \"proxy.example:3129\"\n", 0600);
    auto const outcome = stage.reaching({"good.example"}, {"curl", "-sS", "-i", "-m", "20", "http://good.example/"});
    CHECK(has(outcome.out, "HTTP/1.1 502"));
    CHECK(has(outcome.out, "proxy.example:3129"));
    CHECK(test::World::here().seen().count("good tcp 203.0.113.10") == 0);
}
