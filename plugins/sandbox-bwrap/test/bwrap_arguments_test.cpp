// The command line as a pure function of the policy.
#include "bwrap_arguments.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace pfar;

namespace {

SandboxPolicy small_policy() {
    SandboxPolicy policy;
    policy.grants = {{"/srv/notes/inbox", "/srv/notes/inbox", {true, true, true, true, false}, "grant"},
                     {"/srv/notes", "/srv/notes", {.read = true}, "grant"}};
    policy.identity = {1000, 1000, "me", {}};
    return policy;
}

std::ptrdiff_t place(std::vector<std::string> const& words, std::string const& word) {
    return std::find(words.begin(), words.end(), word) - words.begin();
}

} // namespace

TEST_CASE("the most specific path is mounted last, so that it wins") {
    auto const words = bwrap::arguments(small_policy(), {"/bin/true", {}, "/", {}});
    CHECK(place(words, "/srv/notes") < place(words, "/srv/notes/inbox"));
    CHECK(words[static_cast<std::size_t>(place(words, "/srv/notes")) - 1] == "--ro-bind");
    CHECK(words[static_cast<std::size_t>(place(words, "/srv/notes/inbox")) - 1] == "--bind");
}

TEST_CASE("the root of the machine is never mounted as a whole") {
    auto const words = bwrap::arguments(small_policy(), {"/bin/true", {}, "/", {}});
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (words[i] == "--ro-bind" || words[i] == "--bind") CHECK(words[i + 1] != "/");
}

TEST_CASE("arguments of the command cannot become options of bwrap") {
    auto const words = bwrap::arguments(small_policy(), {"/bin/echo", {"--bind", "/", "/"}, "/", {}});
    auto const end = place(words, "--");
    REQUIRE(end < static_cast<std::ptrdiff_t>(words.size()));
    CHECK(std::vector<std::string>(words.begin() + end + 1, words.end()) ==
          std::vector<std::string>{"/bin/echo", "--bind", "/", "/"});
}

TEST_CASE("what bwrap cannot enforce is refused, not weakened") {
    auto policy = small_policy();
    REQUIRE(bwrap::check_supported(policy));
    SECTION("a memory limit") {
        policy.limits.memory = 1 << 20;
    }
    SECTION("egress") {
        policy.network.egress = true;
    }
    SECTION("creating without deleting") {
        policy.grants[0].rights.remove = false;
    }
    SECTION("a uid of its own") {
        policy.identity.kernel_uid = 61184;
    }
    SECTION("only some commands") {
        policy.commands.emplace();
    }
    auto const result = bwrap::check_supported(policy);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Errc::unsupported);
}
