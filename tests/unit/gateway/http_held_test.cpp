// A thousand agents at once: what one of them costs the host.
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <malloc.h>
#include <sys/resource.h>

using test::HttpAgent;
using test::HttpTalk;
using test::HttpWorld;

extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak)); // there under ASan

namespace {

std::size_t held_bytes() {
    if (__sanitizer_get_current_allocated_bytes != nullptr) return __sanitizer_get_current_allocated_bytes();
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

} // namespace

TEST_CASE("a thousand sessions, each with an open stream and a connection for its calls, cost less than 30 KiB each") {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    if (limit.rlim_max < 8192 || ::setrlimit(RLIMIT_NOFILE, &limit) != 0)
        SKIP("fewer than 8192 descriptors are allowed");
    HttpWorld::Wish wish;
    wish.limits.connections = 3000;
    HttpWorld world(wish);
    std::vector<HttpTalk> connections;
    connections.reserve(2000);
    auto const before = held_bytes();
    for (int i = 0; i < 1000; ++i) {
        HttpAgent const client(world);
        connections.push_back(client.listening());
        CHECK(connections.back().hear().status == 200);
        connections.push_back(client.posting(test::call("1", "ping")));
        CHECK(connections.back().hear().status == 200);
    }
    CHECK(world.sessions() == 1000);
    auto const each = (held_bytes() - before) / 1000; // with what the test's own side holds
    CAPTURE(each);
    CHECK(each > 100); // it was measured
    CHECK(each < 30 * 1024);
}
