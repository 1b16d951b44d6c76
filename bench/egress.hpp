// pfar-bench-egress: the server and the client between which ways to the network are measured, how they speak, and the barest way.
//
// The first byte of a connection says what is wanted: `e` one byte back, `r` a small answer to a small request, `s` and a count of
// eight bytes as many bytes. Both are plain epoll and blocking calls, so that what is measured is the way and not its ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <netinet/in.h>

namespace bench {

inline constexpr std::size_t chunk_bytes = std::size_t{256} << 10U, request_bytes = 100, answer_bytes = 200;

/// Says which call failed and ends the program: a measurement with holes is none.
[[noreturn]] void give_up(std::string_view what);

/// The number itself, unless the call failed.
int must(int result, std::string_view what);

/// "ADDRESS:PORT", IPv4.
sockaddr_in endpoint(std::string const& text);

/// A listening socket on a free port of 127.0.0.1; the port is printed.
int listen_somewhere();

/// Serve until they are killed.
[[noreturn]] int serve();
[[noreturn]] int relay();

/// How the client reaches its target. `greeting` is the CONNECT request for it, empty without a proxy.
struct Way {
    sockaddr_in dial;
    std::string greeting;
};

/// Obeys the lines of its standard input and answers each with a line of JSON:
/// `setup N`, `bulk BYTES`, `concurrent N AT_ONCE`, `idle N` (they stay open), `drop` (closes those).
int obey(Way const& way);

/// N requests of which AT_ONCE are under way at any moment; the seconds it took.
double concurrent(Way const& way, int requests, int at_once);

/// In seconds, from any fixed moment on.
double now();

} // namespace bench
