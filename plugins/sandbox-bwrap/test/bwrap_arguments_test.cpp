// The command line as a pure function of the policy.
#include "bwrap_arguments.hpp"

#include <pfar/sandbox_layout.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace pfar;

namespace {

using Words = std::vector<std::string>;
constexpr Rights look{.read = true}, change{true, true, true, true, false};

SandboxPolicy small_policy() {
    SandboxPolicy policy;
    policy.grants = {{"/srv/notes/inbox", "/srv/notes/inbox", change, "grant"},
                     {"/usr", "/usr", {.read = true, .execute = true}, "system"},
                     {"/srv/notes", "/srv/notes", look, "grant"}};
    policy.identity = {1000, 1001, "me", {}};
    policy.limits.tmp_bytes = 1U << 20U;
    policy.limits.shm_bytes = 1U << 19U;
    return policy;
}

Words words_for(SandboxPolicy const& policy) {
    std::vector<DataFd> data;
    return bwrap::arguments(policy, "/opt/pfar-shim", data);
}

/// Where these words stand one after the other; the end if they do not.
std::size_t place(Words const& words, Words const& part) {
    return static_cast<std::size_t>(std::search(words.begin(), words.end(), part.begin(), part.end()) - words.begin());
}
bool has(Words const& words, Words const& part) {
    return place(words, part) < words.size();
}

Words capabilities(Words const& words) {
    Words out;
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (words[i] == "--cap-add") out.push_back(words[i + 1]);
    return out;
}

} // namespace

TEST_CASE("the most specific path is mounted last, so that it wins") {
    auto const words = words_for(small_policy());
    auto const outer = place(words, {"--ro-bind", "/srv/notes", "/srv/notes"});
    auto const inner = place(words, {"--bind", "/srv/notes/inbox", "/srv/notes/inbox"});
    REQUIRE(inner < words.size());
    CHECK(outer < inner);
}

TEST_CASE("the root of the machine is never mounted as a whole") {
    auto policy = small_policy();
    for (bool const read_only : {true, false}) {
        policy.read_only_root = read_only;
        auto const words = words_for(policy);
        for (std::size_t i = 0; i + 2 < words.size(); ++i)
            if (words[i].find("bind") != std::string::npos) {
                CHECK(words[i + 1] != "/");
                CHECK(words[i + 2] != "/");
            }
    }
}

TEST_CASE("the last word is the shim, and nothing of the command is on the command line") {
    auto const words = words_for(small_policy());
    REQUIRE(words.size() > 2);
    CHECK(words.back() == bwrap::shim_inside);
    CHECK(words[words.size() - 2] == "--");
    CHECK(has(words, {"--ro-bind", "/opt/pfar-shim", bwrap::shim_inside}));
}

TEST_CASE("every namespace is left, whoever asks") {
    auto policy = small_policy();
    for (bool const root : {false, true}) {
        if (root) policy.identity.kernel_uid = 61184;
        auto const words = words_for(policy);
        for (auto const* const word :
             {"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--as-pid-1"})
            CHECK(has(words, {word}));
        CHECK(has(words, {"--unshare-user"}) == !root);
        CHECK_FALSE(has(words, {"--share-net"}));
    }
}

TEST_CASE("capabilities are dropped, and those that the shim needs are few") {
    auto policy = small_policy();
    auto const words = words_for(policy);
    CHECK(has(words, {"--cap-drop", "ALL"}));
    CHECK(capabilities(words).empty());
    CHECK(has(words, {"--disable-userns"}));
    CHECK(has(words, {"--uid", "1000", "--gid", "1001"}));

    policy.network = {.egress = true, .proxy_port = 3128, .transparent = false, .ports = {}};
    CHECK(capabilities(words_for(policy)).empty());
    policy.network.transparent = true;
    CHECK(capabilities(words_for(policy)) == Words{"CAP_NET_ADMIN", "CAP_NET_BIND_SERVICE", "CAP_SETFCAP"});
    CHECK_FALSE(has(words_for(policy), {"--disable-userns"})); // the shim makes one more, and refuses the next itself

    policy.identity.kernel_uid = 61184;
    CHECK(capabilities(words_for(policy)) ==
          Words{"CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_NET_ADMIN", "CAP_NET_BIND_SERVICE"});
    policy.network = {};
    CHECK(capabilities(words_for(policy)) == Words{"CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"});
}

TEST_CASE("made files travel by descriptors that the orders do not need") {
    auto policy = small_policy();
    policy.made_files = {{"/etc/passwd", "me:x:1000\n"}, {"/etc/hostname", "pfar\n"}};
    std::vector<DataFd> data;
    auto const words = bwrap::arguments(policy, "/opt/pfar-shim", data);
    REQUIRE(data.size() == 2);
    for (auto const& one : data) CHECK(one.fd > orders_fd);
    CHECK(data[0].fd != data[1].fd);
    CHECK(data[1].content == "pfar\n");
    CHECK(has(words, {"--file", std::to_string(data[0].fd), "/etc/passwd"}));
    CHECK(std::find(words.begin(), words.end(), "me:x:1000\n") == words.end());
}

TEST_CASE("links are made inside") {
    auto policy = small_policy();
    policy.links = {{"/bin", "usr/bin"}};
    CHECK(has(words_for(policy), {"--symlink", "usr/bin", "/bin"}));
}

TEST_CASE("the root and /dev are sealed at the end, after everything was mounted in them") {
    auto policy = small_policy();
    auto const words = words_for(policy);
    auto const last_mount = place(words, {"--ro-bind", "/opt/pfar-shim"});
    CHECK(place(words, {"--remount-ro", "/"}) > last_mount);
    CHECK(has(words, {"--remount-ro", "/"}));
    CHECK(place(words, {"--remount-ro", "/dev"}) > last_mount);
    CHECK(has(words, {"--remount-ro", "/dev"}));
    policy.read_only_root = false;
    CHECK_FALSE(has(words_for(policy), {"--remount-ro", "/"}));
    CHECK(has(words_for(policy), {"--remount-ro", "/dev"}));
}

TEST_CASE("/tmp and /dev/shm are private and sized, and a /tmp that is not allowed is sealed") {
    auto policy = small_policy();
    CHECK(has(words_for(policy), {"--perms", "1777", "--size", "1048576", "--tmpfs", "/tmp"}));
    CHECK(has(words_for(policy), {"--perms", "1777", "--size", "524288", "--tmpfs", "/dev/shm"}));
    CHECK_FALSE(has(words_for(policy), {"--remount-ro", "/tmp"}));
    policy.private_tmp = false;
    CHECK(has(words_for(policy), {"--remount-ro", "/tmp"}));
}

TEST_CASE("a grant below /tmp is mounted after /tmp, and so it is there") {
    auto policy = small_policy();
    policy.grants.push_back({"/tmp/work", "/tmp/work", change, "grant"});
    auto const words = words_for(policy);
    CHECK(place(words, {"--tmpfs", "/tmp"}) < place(words, {"--bind", "/tmp/work", "/tmp/work"}));
}

TEST_CASE("what is masked is covered after the grant above it and before the grant below it, and sealed") {
    auto policy = small_policy();
    policy.grants = {{"/home/me/.pfar/mcp-servers/x", "/home/me/.pfar/mcp-servers/x", look, "code"},
                     {"/home/me", "/home/me", change, "grant"}};
    policy.masked = {"/home/me/.pfar"};
    auto const words = words_for(policy);
    auto const outer = place(words, {"--bind", "/home/me", "/home/me"});
    auto const mask = place(words, {"--tmpfs", "/home/me/.pfar"});
    auto const inner = place(words, {"--ro-bind", "/home/me/.pfar/mcp-servers/x"});
    REQUIRE(inner < words.size());
    CHECK(outer < mask);
    CHECK(mask < inner);
    CHECK(place(words, {"--remount-ro", "/home/me/.pfar"}) > inner);
    CHECK(has(words, {"--remount-ro", "/home/me/.pfar"}));
}

TEST_CASE("/proc/sys is read-only, and what tells of the machine is covered") {
    auto const words = words_for(small_policy());
    CHECK(place(words, {"--proc", "/proc"}) < place(words, {"--ro-bind", "/proc/sys", "/proc/sys"}));
    for (auto const& path : covered_in_proc()) CHECK(has(words, {"--ro-bind", "/dev/null", path.native()}));
}
