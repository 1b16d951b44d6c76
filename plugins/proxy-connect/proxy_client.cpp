#include "clients.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace pfar::proxy_connect {

namespace {

/// What a client says inside is looked at as it would be in transparent mode: the name in its hello, the Host of its requests.
asio::awaitable<void> tunnel(std::shared_ptr<Connection> connection, Destination destination) {
    auto const reached = co_await reach_or_answer(connection, destination);
    if (!reached) co_return;
    auto const greeting = asio::buffer(established);
    auto const [error, size] = co_await asio::async_write(connection->client(), greeting, as_result);
    if (error) co_return connection->close("closed by the client");
    bool const looks = connection->session().require_sni;
    if (looks && destination.port == 443) {
        auto const right = co_await check_server_name(connection);
        if (!right) co_return;
    }
    if (looks && destination.port == 80) {
        auto const head = co_await connection->read_head();
        Meant const meant{connection->verdict().name, destination.port, true};
        if (head != 0) co_await exchange(connection, head, meant);
        co_return;
    }
    co_await connection->relay();
}

std::string unreachable(Verdict const& verdict) {
    return verdict.why.empty() ? verdict.name + " cannot be reached" : verdict.why;
}

} // namespace

asio::awaitable<bool> reach_or_answer(std::shared_ptr<Connection> connection, Destination destination) {
    auto const answer = co_await connection->ask(destination);
    if (answer == Connection::Answer::nobody && !connection->closed())
        co_await connection->refuse(Status::undecided, "nobody decided in time whether this is allowed");
    if (answer == Connection::Answer::refused)
        co_await connection->refuse(Status::forbidden, connection->verdict().why);
    if (answer != Connection::Answer::allowed) co_return false;
    auto const reached = co_await connection->dial();
    if (!reached && !connection->closed()) {
        auto const why = unreachable(connection->verdict());
        co_await connection->refuse(Status::bad_gateway, why);
    }
    co_return reached;
}

asio::awaitable<void> serve_proxy(std::shared_ptr<Connection> connection) {
    auto const head = co_await connection->read_head();
    if (head == 0) co_return;
    auto request = parse_request(std::string_view(connection->early()).substr(0, head));
    if (!request) {
        co_await connection->complain(Status::bad_request, request.error().what);
    } else if (request->form == RequestHead::Form::connect) {
        connection->early().erase(0, head);
        Destination const destination{request->host, request->port, Destination::Said::connect};
        co_await tunnel(connection, destination);
    } else if (request->form == RequestHead::Form::absolute) {
        Meant const anything;
        co_await exchange(connection, head, anything);
    } else {
        co_await connection->complain(Status::bad_request,
                                      "this is a proxy: ask for http://HOST/PATH, or CONNECT HOST:PORT");
    }
}

} // namespace pfar::proxy_connect
