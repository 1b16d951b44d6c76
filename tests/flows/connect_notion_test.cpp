// Notion from npm, with an API of the test's own at api.notion.com: wrong tokens are undone, the right one works, and none of them is found anywhere.
#include "flows/connect_stage.hpp"

#include "egress/certificates.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sched.h>
#include <sys/mount.h>

using test::as_text;
using test::ConnectStage;
using test::has;
using test::says_at_last;

namespace {

constexpr auto right = "ntn_R1ghtT0kenThatNobodyMayFind00";
constexpr auto wrong = "ntn_Wr0ngT0kenThatNobodyMayFind0"; // and a digit

/// An address of this process's own, so that two runs do not meet.
std::string api_address() {
    auto const pid = static_cast<unsigned>(::getpid());
    return "127." + std::to_string(64 + (pid >> 16U) % 128) + "." + std::to_string((pid >> 8U) & 255U) + "." +
           std::to_string(pid & 255U);
}

/// For this program and what it starts, api.notion.com is there. False if that may not be arranged.
bool lead_notion_to_us(ConnectStage const& stage) {
    if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0) return false;
    auto const hosts =
        stage.write("given/hosts", test::read("/etc/hosts") + "\n" + api_address() + " api.notion.com\n");
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0;
}

std::vector<std::string> api_words(ConnectStage& stage) {
    auto const made = test::make_certificates({"api.notion.com"});
    auto const trusted = stage.write("given/ca.pem", made.authority);
    stage.environment.push_back("NODE_EXTRA_CA_CERTS=" + trusted.native());
    stage.environment.emplace_back("TERM=xterm");
    auto const certificate = stage.write("given/cert.pem", made.certificate),
               key = stage.write("given/key.pem", made.key);
    return {"/usr/bin/python3",
            PFAR_SOURCE "/tests/flows/notion_api.py",
            api_address(),
            certificate.native(),
            key.native(),
            right,
            (stage.path() / "given/asked").native()};
}

std::string files_with(ConnectStage const& stage, std::string const& text) {
    return test::run({{"/usr/bin/env", "grep", "-rlaF", text, stage.path()}, {}, "/", {}}).out;
}

void check_nowhere(ConnectStage const& stage, std::string const& words) {
    CHECK(files_with(stage, "T0kenThatNobodyMayFind").empty());
    CHECK(files_with(stage, "vault:notion_token") ==
          (stage.pfar_home() / "mcp/notion.toml").native() + "\n"); // the control
    CHECK_FALSE(has(words, "T0kenThatNobodyMayFind"));
}

/// A token that is wrong, then the right one. What came of it on the terminal.
std::string connect_at_terminal(ConnectStage const& stage) {
    test::Live live(stage, stage.words({"connect", "notion"}), test::Live::On::terminal);
    auto const echo = live.modes().c_lflag & ECHO;
    REQUIRE(says_at_last(live, "May the server reach it? [y/N]: "));
    live.type("yes\n");
    REQUIRE(says_at_last(live, "(not shown)"));
    REQUIRE(ConnectStage::soon([&] { return (live.modes().c_lflag & ECHO) == 0; }));
    live.type(wrong + std::string("4\n"));
    REQUIRE(says_at_last(live, "it is asked for again."));
    REQUIRE(ConnectStage::soon([&] { return (live.modes().c_lflag & ECHO) == 0; }));
    live.type(right + std::string("\n"));
    CHECK(test::end_at_last(live) == 0);
    CHECK((live.modes().c_lflag & ECHO) == echo);
    return live.heard();
}

} // namespace

TEST_CASE("notion is not connected with three wrong tokens, is with the right one, and no token is found anywhere") {
    NEEDS_NPM();
    ConnectStage stage(test::people().front());
    if (!lead_notion_to_us(stage)) SKIP("a name that leads to the test's own server takes root");
    test::Live api(stage, api_words(stage));
    REQUIRE(api.says("ready."));
    auto const before = as_text(stage.belongings());

    std::string tokens = "yes\n";
    for (char const digit : {'1', '2', '3'}) tokens += wrong + std::string(1, digit) + "\n";
    auto const refused = stage.talk({"connect", "notion"}, tokens);
    if (has(refused.out, "cannot be reached")) SKIP("npm's registry cannot be reached");
    INFO(refused.out << refused.err);
    CHECK(refused.status == 69);
    CHECK(has(refused.out, api_address() + ", a loopback address"));
    CHECK(has(refused.out, "API token is invalid."));
    CHECK(has(refused.out, "no working credential after three tries.\nEverything was undone; nothing is left behind."));
    CHECK(as_text(stage.belongings()) == before);

    auto const seen = connect_at_terminal(stage);
    INFO(seen);
    CHECK(has(seen, "API token is invalid."));
    CHECK(has(seen, "Notion is connected: 24 tools, reaching only api.notion.com."));
    CHECK(has(seen, "  notion.API-post-search  read  "));
    CHECK(stage.has_entry("notion_token"));
    auto const called = stage.pfar({"call", "notion.API-get-self"});
    CHECK(has(called.out, "The fake"));
    std::string asked;
    for (auto const* const with : {"wrong", "wrong", "wrong", "wrong", "right", "right"})
        asked += std::string("api.notion.com /v1/users/me ") + with + "\n";
    CHECK(test::read(stage.path() / "given/asked") == asked);
    check_nowhere(stage, refused.out + refused.err + seen + called.out + called.err);
}
