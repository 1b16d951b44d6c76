// A web service by its host name: nothing is connected that was not asked once, and what is connected is not connected twice.
#include "flows/connect_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using test::as_text;
using test::ConnectStage;
using test::has;

namespace {

constexpr auto right = "r1ght-t0ken-of-the-service", wrong = "wr0ng-t0ken-of-the-service";

class WebService {
public:
    explicit WebService(ConnectStage const& stage)
        : log_(stage.write("given/asked", "", 0666)),
          live_(stage, {"/usr/bin/python3", PFAR_SOURCE "/tests/flows/web_service.py", right, log_.native()}) {
        REQUIRE(live_.says("\n"));
        place = "localhost:" + live_.heard().substr(0, live_.heard().find_first_of("\r\n"));
    }
    [[nodiscard]] std::string asked() const { return test::read(log_); }

    std::string place;

private:
    std::filesystem::path log_;
    test::Live live_;
};

} // namespace

TEST_CASE("a web service is tried out: a wrong token is asked for again, and the right one connects it") {
    ConnectStage stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    WebService const service(stage);
    auto const url = "http://" + service.place + "/v1";
    auto const before = as_text(stage.belongings());

    auto const refused = stage.talk({"connect", url}, fmt::format("yes\nyes\n{0}1\n{0}2\n{0}3\n", wrong));
    INFO(refused.out << refused.err);
    CHECK(refused.status == 69);
    CHECK(has(refused.out, "That did not work: it answers HTTP/1.1 401 Unauthorized\n"));
    CHECK(has(refused.out, "no working credential after three tries"));
    CHECK(service.asked() == "/v1 wrong\n/v1 wrong\n/v1 wrong\n");
    CHECK(as_text(stage.belongings()) == before);

    auto const connected = stage.talk({"connect", url}, fmt::format("yes\nyes\n{}\n{}\n", wrong, right));
    INFO(connected.out << connected.err);
    CHECK(connected.status == 0);
    CHECK(has(connected.out, "localhost is connected: 2 tools, reaching only " + service.place));
    CHECK(has(service.asked(), "/v1 right\n"));
    CHECK(has(stage.pfar({"call", "localhost.fetch", "path=x"}).out, "hello"));

    auto const again = stage.talk({"connect", url}, "\n");
    CHECK(again.status == 0);
    CHECK(has(again.out, service.place + " is connected already, as localhost."));
    CHECK(has(again.out, "localhost stays as it is."));
    auto const rotated = stage.talk({"connect", url}, fmt::format("rotate\n{0}1\n{0}2\n{0}3\n", wrong));
    CHECK(rotated.status == 69);
    CHECK(has(stage.pfar({"call", "localhost.fetch", "path=x"}).out, "hello")); // the old one is back
    CHECK(
        has(stage.talk({"connect", url}, fmt::format("rotate\n{}\n", right)).out, "has its new credential and works"));
}

TEST_CASE("a web service that answers without a token is connected without one") {
    ConnectStage stage(test::people().front());
    WebService const service(stage);
    auto const connected = stage.talk({"connect", "http://" + service.place}, "yes\nno\n");
    INFO(connected.out << connected.err);
    CHECK(connected.status == 0);
    CHECK(has(connected.out, "Its address answers HTTP/1.1 401"));
}

TEST_CASE("a tool that has changed since it was connected is tried out all the same, and is agreed to when it is "
          "connected anew") {
    ConnectStage stage(test::people().back());
    REQUIRE(stage.talk({"connect", "guarded"}, "right-token\n").status == 0);
    auto const file = stage.pfar_home() / "mcp/guarded.toml";
    auto text = test::read(file);
    auto const at = text.find("\"login,counter\"]");
    REQUIRE(at != std::string::npos);
    stage.write("home/.pfar/mcp/guarded.toml", text.insert(at + 15, R"(, "--suffix", " and more")"), 0600);
    auto const is_changed = [&] { return has(stage.pfar({"tools", "guarded"}).out, "!"); };
    CHECK(ConnectStage::soon(is_changed));

    auto const refused = stage.talk({"chat"}, "rotate guarded\nwrong-token-1\nwrong-token-2\nwrong-token-3\n");
    INFO(refused.out << refused.err);
    CHECK(has(refused.out, "401 the token is wrong"));
    CHECK(has(refused.out, "no working credential after three tries"));
    CHECK(is_changed()); // a new credential is no yes to new tools

    auto const anew = stage.talk({"connect", "guarded"}, "reconnect\nright-token\n");
    INFO(anew.out << anew.err);
    CHECK(anew.status == 0);
    CHECK_FALSE(is_changed());
    CHECK(has(test::read(stage.pfar_home() / "mcp/guarded.toml.bak"), "and more"));
}
