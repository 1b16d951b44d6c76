// One connection at a peer, from its first byte to its end.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <string>
#include <vector>

namespace test {

/// Where a connection arrived; `peer` is "good" or "evil".
struct Place {
    std::string peer, address, from;
    unsigned port = 0;
};

using Record = std::vector<std::string>;
using Socket = boost::asio::ip::tcp::socket;
using Session = boost::asio::awaitable<void>;

Session serve_http(Socket socket, Place place, Record& record);
/// HTTP inside; what is not TLS is answered too, as evil.
Session serve_tls(Socket socket, Place place, Record& record, boost::asio::ssl::context& context);
/// Speaks first, then gives back what it gets: a database that does not speak HTTP.
Session serve_echo(Socket socket, Place place, Record& record);
Session serve_redis(Socket socket, Place place, Record& record);
/// Reads to the end and only then says how much it was.
Session serve_tally(Socket socket, Place place, Record& record);
/// A proxy that others have to go through; dials from its own address.
Session serve_proxy(Socket socket, Place place, Record& record);

} // namespace test
