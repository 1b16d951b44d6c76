#include "spawn/orders.hpp"
#include "support/child.hpp"
#include "support/shim_orders.hpp"

#include <pfar/egress_filter.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

using namespace pfar;
using Kind = MountOrder::Kind;

namespace {

/// Every order there is.
ShimOrders sample() {
    ShimOrders orders;
    orders.namespaces = CLONE_NEWUSER | CLONE_NEWNS;
    orders.seen_as = Identity{1000, 1001, "me", {}};
    orders.new_root = orders.scoped = orders.seccomp = true;
    orders.mounts = {{Kind::bind, "/srv/from", "/srv/to", "", true, 0, Owner{7, 8}},
                     {.kind = Kind::tmpfs, .target = "/tmp", .size = 5ULL << 32U},
                     {.kind = Kind::file, .target = "/etc/hostname", .content = std::string("a\0b", 3)},
                     {.kind = Kind::link, .target = "/bin", .content = "usr/bin"}};
    orders.network = {.egress = true, .proxy_port = 3128, .transparent = true, .ports = {5432}};
    orders.then_as = Identity{1002, 1003, "me", {}};
    orders.become = Identity{0, 0, "me", 61184};
    orders.limits = {.memory = 6ULL << 32U, .processes = 64, .descriptors = 256};
    orders.landlock = {{"/usr", {.read = true, .execute = true}},
                       {"/tmp/x", {.read = true, .create = true, .update = true, .remove = true}}};
    orders.command = {"/bin/echo", {"", "two words"}, "/tmp", {{"A", "1"}, {"B", ""}}};
    return orders;
}

/// Behind the length; on the heap and of exactly this size, so that ASan sees every byte beyond.
std::vector<char> bytes_of(ShimOrders const& orders, spawn::Additions const& additions = {}) {
    auto const message = spawn::encode(orders, additions).value();
    auto const text = message.reveal();
    return {text.begin() + 4, text.end()};
}

test::ParsedOrders parse(std::vector<char>& bytes) {
    return test::parse_orders(bytes.data(), bytes.size());
}

test::ParsedOrders parse(std::string const& text) {
    static std::vector<char> bytes;
    bytes.assign(text.begin(), text.end());
    bytes.shrink_to_fit();
    return parse(bytes);
}

std::string record(char tag, std::string const& body) {
    return std::string(1, tag) + static_cast<char>(body.size()) + std::string(3, '\0') + body;
}

bool is(shim::Ids const& ids, std::uint32_t uid, std::uint32_t gid) {
    return ids.given && ids.uid == uid && ids.gid == gid;
}

std::uint64_t limit(shim::Orders const& orders, unsigned resource) {
    for (auto const& one : orders.limits)
        if (one.resource == resource) return one.value;
    return ~0ULL;
}

} // namespace

TEST_CASE("the shim understands flags, namespaces and identities as the host writes them") {
    auto bytes = bytes_of(sample(), {.terminal = true, .count_memory = false, .secrets = {}});
    auto const orders = parse(bytes);
    REQUIRE(orders);
    CHECK(orders->flags ==
          (shim_flag_stay | shim_flag_new_root | shim_flag_scoped | shim_flag_terminal | shim_flag_routes));
    CHECK(orders->namespaces == (CLONE_NEWUSER | CLONE_NEWNS));
    CHECK(is(orders->seen_as, 1000, 1001));
    CHECK(is(orders->then_as, 1002, 1003));
    CHECK(is(orders->become, 61184, 61184)); // the uid outside, as user and as group
}

TEST_CASE("the shim understands mounts as the host writes them") {
    auto bytes = bytes_of(sample());
    auto const orders = parse(bytes);
    REQUIRE(orders);
    REQUIRE(orders->mounts.count == 4);
    auto const* const mounts = orders->mounts.items;
    CHECK(mounts[0].kind == static_cast<unsigned>(Kind::bind));
    CHECK(mounts[0].writable);
    CHECK(is(mounts[0].owner, 7, 8));
    CHECK(std::string(mounts[0].target) == "/srv/to");
    CHECK(std::string(mounts[0].rest) == "/srv/from");
    CHECK(mounts[1].size == 5ULL << 32U);
    CHECK_FALSE(mounts[1].writable);
    CHECK_FALSE(mounts[1].owner.given);
    CHECK(std::string(mounts[1].rest).empty());
    CHECK(std::string(mounts[2].rest, mounts[2].rest_size) == std::string("a\0b", 3));
    CHECK(std::string(mounts[3].target) == "/bin");
    CHECK(std::string(mounts[3].rest) == "usr/bin");
}

TEST_CASE("the shim understands listeners as the host writes them") {
    auto bytes = bytes_of(sample());
    auto const orders = parse(bytes);
    REQUIRE(orders);
    using Role = EgressListener::Role;
    std::vector<std::pair<unsigned, int>> listeners, expected;
    for (auto const& one : orders->listeners) listeners.emplace_back(one.role, one.port);
    for (auto const& [role, port] :
         {std::pair{Role::proxy, 3128}, std::pair{Role::tls, 443}, std::pair{Role::http, 80},
          std::pair{Role::dns_udp, 53}, std::pair{Role::dns_tcp, 53}, std::pair{Role::port, 5432}})
        expected.emplace_back(static_cast<unsigned>(role), port);
    CHECK(listeners == expected);
}

TEST_CASE("without egress there is no listener, and without transparent mode there is the proxy alone") {
    auto orders = sample();
    orders.network.transparent = false;
    auto bytes = bytes_of(orders);
    auto const proxy = parse(bytes);
    CHECK(proxy->listeners.count == 1);
    CHECK((proxy->flags & shim_flag_routes) == 0);
    orders.network.transparent = true;
    orders.network.egress = false;
    bytes = bytes_of(orders);
    auto const nothing = parse(bytes);
    CHECK(nothing->listeners.count == 0);
    CHECK((nothing->flags & shim_flag_routes) == 0);
}

TEST_CASE("memory is limited by the shim only where no control group does it") {
    auto bytes = bytes_of(sample());
    auto const held = parse(bytes);
    CHECK(limit(*held, RLIMIT_DATA) == ~0ULL);
    CHECK(limit(*held, RLIMIT_NPROC) == 64);
    CHECK(limit(*held, RLIMIT_NOFILE) == 256);
    CHECK(limit(*held, RLIMIT_CORE) == 1);
    bytes = bytes_of(sample(), {.terminal = false, .count_memory = true, .secrets = {}});
    auto const counted = parse(bytes);
    CHECK(limit(*counted, RLIMIT_DATA) == 6ULL << 32U);
    CHECK(counted->filter_size > held->filter_size); // memory that hides is denied as well
}

TEST_CASE("a shim that does not stay gets no limits, because the next one would inherit them") {
    auto orders = sample();
    orders.stay = false;
    auto bytes = bytes_of(orders);
    auto const parsed = parse(bytes);
    CHECK(parsed->limits.count == 0);
    CHECK((parsed->flags & shim_flag_stay) == 0);
}

TEST_CASE("the shim understands Landlock rules and the filter as the host writes them") {
    auto bytes = bytes_of(sample());
    auto const orders = parse(bytes);
    REQUIRE(orders);
    REQUIRE(orders->rules.count == 2);
    CHECK(std::string(orders->rules.items[0].path) == "/usr");
    CHECK(orders->rules.items[0].rights == (shim_read | shim_execute));
    CHECK(std::string(orders->rules.items[1].path) == "/tmp/x");
    CHECK(orders->rules.items[1].rights == (shim_read | shim_create | shim_update | shim_remove));
    CHECK(orders->filter_size > 0);
    CHECK(orders->filter_size % 8 == 0);
}

TEST_CASE("the shim understands credential files as the host writes them") {
    Secret const key("{\"a\": 1}"), binary(std::string_view("x\0y", 3));
    auto bytes = bytes_of(sample(), {.files = {{"gcp.json", &key}, {"key", &binary}}});
    auto const orders = parse(bytes);
    REQUIRE(orders);
    REQUIRE(orders->secret_files.count == 2);
    auto const* const files = orders->secret_files.items;
    CHECK(std::string(files[0].path) == std::string(secrets_inside) + "/gcp.json");
    CHECK(std::string(files[0].content, files[0].size) == "{\"a\": 1}");
    CHECK(std::string(files[1].content, files[1].size) == std::string("x\0y", 3));
}

TEST_CASE("a secret takes the place of a variable of the same name") {
    Secret const token("ntn_0123456789");
    auto bytes = bytes_of(sample(), {.secrets = {{"A", &token}}});
    auto const orders = parse(bytes);
    REQUIRE(orders);
    std::vector<std::string> variables;
    for (auto* const* each = orders->variables; *each != nullptr; ++each) variables.emplace_back(*each);
    CHECK(variables == std::vector<std::string>{"B=", "A=ntn_0123456789"});
}

TEST_CASE("the shim understands the command as the host writes it, with secrets behind the variables") {
    Secret const token("ntn_0123456789");
    auto bytes = bytes_of(sample(), {.terminal = false, .count_memory = false, .secrets = {{"TOKEN", &token}}});
    auto const orders = parse(bytes);
    REQUIRE(orders);
    CHECK(std::string(orders->directory) == "/tmp");
    CHECK(std::string(orders->program) == "/bin/echo");
    CHECK(std::string(orders->arguments[0]) == "/bin/echo");
    CHECK(std::string(orders->arguments[1]).empty());
    CHECK(std::string(orders->arguments[2]) == "two words");
    CHECK(orders->arguments[3] == nullptr);
    CHECK(std::string(orders->variables[0]) == "A=1");
    CHECK(std::string(orders->variables[1]) == "B=");
    CHECK(std::string(orders->variables[2]) == "TOKEN=ntn_0123456789");
    CHECK(orders->variables[3] == nullptr);
}

TEST_CASE("the length in front is that of the orders behind it") {
    auto const message = spawn::encode(sample(), {}).value();
    auto const text = message.reveal();
    std::uint32_t length = 0;
    for (unsigned i = 0; i < 4; ++i)
        length |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
    CHECK(length == text.size() - 4);
}

TEST_CASE("orders that are larger than the shim takes are refused by the host") {
    auto orders = sample();
    orders.command.args.emplace_back(shim_most_bytes, 'x');
    auto const message = spawn::encode(orders, {});
    REQUIRE_FALSE(message);
    CHECK(message.error().code == Errc::invalid);
}

TEST_CASE("orders that are cut off anywhere are refused") {
    auto const whole = bytes_of(sample());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        if (parse(cut)) FAIL("cut to " << size << " of " << whole.size() << " bytes and taken all the same");
    }
}

TEST_CASE("orders without a program, with two, with a relative path or a NUL are refused") {
    std::string const program = record('p', "/bin/true"), done = record('.', "");
    CHECK(parse(program + done));
    for (auto const& bad : {done, program + program + done, record('p', "bin/true") + done,
                            record('p', std::string("/bin\0x", 6)) + done, record('p', "") + done,
                            program + record('a', std::string("\0", 1)) + done, program + record('d', "tmp") + done,
                            program + record('?', "") + done, program + record('e', "NOVALUE") + done,
                            program + record('e', std::string("A=\0", 3)) + done, program + record('l', "x") + done,
                            program + record('l', "\1usr") + done, program + record('.', "x"), program})
        CHECK_FALSE(parse(bad));
}

TEST_CASE("records of a wrong size are refused") {
    std::string const program = record('p', "/bin/true"), done = record('.', "");
    auto const zeros = [](std::size_t count) { return std::string(count, '\0'); };
    for (auto const& [tag, size] : {std::pair{'f', 4}, std::pair{'n', 4}, std::pair{'u', 8}, std::pair{'w', 8},
                                    std::pair{'b', 8}, std::pair{'i', 3}, std::pair{'r', 9}, std::pair{'s', 8}}) {
        CHECK(parse(program + record(tag, zeros(static_cast<std::size_t>(size))) + done));
        CHECK_FALSE(parse(program + record(tag, zeros(static_cast<std::size_t>(size) - 1)) + done));
        CHECK_FALSE(parse(program + record(tag, zeros(static_cast<std::size_t>(size) + 1)) + done));
    }
}

TEST_CASE("a mount without a target, with a relative one or with no end to it is refused") {
    std::string const program = record('p', "/bin/true"), done = record('.', ""), head(shim_mount_head, '\0');
    CHECK(parse(program + record('m', head + "/x" + '\0') + done));
    for (auto const& body :
         {head, head + '\0', head + "x" + '\0', head + "/x", head.substr(1) + "/x" + '\0', std::string()})
        CHECK_FALSE(parse(program + record('m', body) + done));
}

namespace {

struct Sockets {
    int ends[2];
    Sockets() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0); }
    Sockets(Sockets const&) = delete;
    Sockets& operator=(Sockets const&) = delete;
    ~Sockets() {
        ::close(ends[0]);
        if (ends[1] >= 0) ::close(ends[1]);
    }
    void say(std::string_view text) const {
        REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    void hang_up() { ::close(std::exchange(ends[1], -1)); }
};

} // namespace

TEST_CASE("orders are read from a socket even if they arrive in small pieces") {
    Sockets sockets;
    auto const message = spawn::encode(sample(), {}).value();
    auto const text = message.reveal();
    sockets.say(text.substr(0, 3));
    pid_t const writer = ::fork();
    if (writer == 0) {
        for (std::size_t at = 3; at < text.size(); at += 7) {
            auto const part = text.substr(at, 7);
            if (::write(sockets.ends[1], part.data(), part.size()) < 0) ::_exit(1);
        }
        ::_exit(0);
    }
    shim::Stdio stdio;
    auto* const read = shim::read_orders(sockets.ends[0], stdio);
    CHECK(test::ended(writer) == 0);
    REQUIRE(read != nullptr);
    CHECK(std::string(read->program) == "/bin/echo");
    CHECK(stdio.fds[0] == -1);
    std::free(read->bytes);
    test::FreeOrders()(read);
}

TEST_CASE("a host that hangs up, or claims more than 4 MiB, ends the reading") {
    Sockets sockets;
    shim::Stdio stdio;
    SECTION("before the length") {
        sockets.hang_up();
    }
    SECTION("within the length") {
        sockets.say("ab");
        sockets.hang_up();
    }
    SECTION("more than 4 MiB") {
        sockets.say(std::string("\1\0\x40\0", 4));
    }
    CHECK(shim::read_orders(sockets.ends[0], stdio) == nullptr);
}
