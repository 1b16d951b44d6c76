#include "dns_client.hpp"

#include "clients.hpp"
#include "dns_message.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace pfar::proxy_connect {

using asio::ip::udp;
using boost::system::error_code;

namespace {

constexpr std::size_t largest_datagram = 4096, most_at_once = 64;

std::string answer_to(SessionState& session, DnsQuery const& query, Verdict const& verdict) {
    if (!verdict.allowed) return dns_answer(query, DnsCode::no_such_name);
    if (query.type != dns_type_a) return dns_answer(query, DnsCode::no_error);
    if (auto const address = session.names.address_of(verdict.name)) return dns_answer(query, *address);
    return dns_answer(query, DnsCode::server_failure); // as many names as a process may ever know
}

} // namespace

void answer_dns(std::shared_ptr<SessionState> const& session, std::string_view message,
                std::function<void(std::string const&)> reply) {
    auto const query = parse_dns_query(message);
    if (!query || !session->alive) return;
    if (query->code != DnsCode::no_error) return reply(dns_answer(*query, query->code));
    if (query->name.empty()) return reply(dns_answer(*query, DnsCode::no_such_name));
    Destination question{query->name, 0, Destination::Said::dns_question};
    session->decide(std::move(question), [session, query = *query, reply = std::move(reply)](Verdict const& verdict) {
        if (session->alive) reply(answer_to(*session, query, verdict));
    });
}

asio::awaitable<void> serve_dns_datagrams(std::shared_ptr<SessionState> session, std::shared_ptr<udp::socket> socket) {
    std::array<char, largest_datagram> bytes;
    while (session->alive) {
        auto const [failed] = co_await socket->async_wait(udp::socket::wait_read, as_result);
        if (failed) co_return;
        error_code error;
        for (std::size_t i = 0; i < most_at_once && !error && session->alive; ++i) {
            udp::endpoint from;
            auto const size = socket->receive_from(asio::buffer(bytes), from, 0, error);
            if (error) break;
            answer_dns(session, std::string_view(bytes.data(), size), [socket, from](std::string const& answer) {
                error_code lost; // as datagrams may be
                socket->send_to(asio::buffer(answer), from, 0, lost);
            });
        }
        co_await asio::post(session->executor, asio::use_awaitable); // it is another's turn
    }
}

asio::awaitable<void> serve_dns(std::shared_ptr<Connection> connection) {
    DnsStream stream;
    std::array<char, largest_datagram> bytes;
    for (;;) {
        connection->allow_time(connection->session().limits.header, "no question in time");
        auto const [error, size] = co_await connection->client().async_read_some(asio::buffer(bytes), as_result);
        if (error) co_return connection->close("closed");
        stream.take(std::string_view(bytes.data(), size));
        auto const answers = std::make_shared<std::string>(); // what is decided later is lost, as a datagram would be
        while (auto const message = stream.next())
            answer_dns(connection->shared_session(), *message,
                       [answers](std::string const& answer) { *answers += dns_framed(answer); });
        auto const bytes_out = std::move(*answers);
        auto const [refused, written] =
            co_await asio::async_write(connection->client(), asio::buffer(bytes_out), as_result);
        if (refused) co_return connection->close("closed");
    }
}

} // namespace pfar::proxy_connect
