// Plain HTTP, request by request: each one is judged, and a connection that names another host the next time gets another connection to
// the world. Bodies are passed on as they come, both ways at once.
#include "clients.hpp"
#include "http_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>

namespace pfar::proxy_connect {

namespace {

using Socket = Connection::Socket;
using boost::system::error_code;

std::string place_of(RequestHead const& request) {
    auto place = request.host + ":" + std::to_string(request.port);
    std::transform(place.begin(), place.end(), place.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return place;
}

/// The origin closes a connection that it has not heard from for a while; one that it has closed, or said more on, is no use.
bool is_stale(Connection& connection) {
    char byte = 0;
    error_code error;
    if (!connection.upstream().is_open() || !connection.late().empty()) return true;
    connection.upstream().read_some(asio::buffer(&byte, 1), error);
    return error != asio::error::would_block;
}

/// A connection to where the request goes: the one there is, if it still may be, or a new one. False: over, and told.
asio::awaitable<bool> reach(std::shared_ptr<Connection> connection, Destination destination, bool reuse) {
    if (reuse && !is_stale(*connection)) {
        auto const answer = co_await connection->ask_again(destination);
        if (answer == Connection::Answer::allowed) co_return true;
    }
    connection->settle("closed");
    connection->late().clear();
    auto const reached = co_await reach_or_answer(connection, destination);
    co_return reached;
}

/// The origin is told the name that was judged: one in letters beyond ASCII is another in DNS.
void name_judged_host(RequestHead& request, Verdict const& verdict) {
    bool const plain = std::none_of(request.host.begin(), request.host.end(), [](char c) { return c < 0; });
    auto const at = plain ? std::string::npos : request.forward.find("\r\nHost: " + request.host);
    if (at != std::string::npos) request.forward.replace(at + 8, request.host.size(), verdict.name);
}

asio::awaitable<bool> finish_upload(std::shared_ptr<Connection> connection, std::shared_ptr<Upload> upload) {
    connection->allow_time(connection->session().limits.farewell, "closed"); // for the rest of what it sends
    if (!upload->finished && !connection->closed()) co_await upload->over.async_wait(as_result);
    co_return upload->finished && !connection->closed();
}

/// The answer to a request that is on its way; true if another request may follow.
asio::awaitable<bool> answer(std::shared_ptr<Connection> connection, RequestHead const& request,
                             std::shared_ptr<Upload> upload) {
    auto const passed = co_await pass_head(connection, request);
    if (!passed.head) {
        upload->abandoned = true;
        if (!connection->closed()) co_await connection->refuse(Status::bad_gateway, passed.why);
        co_return false;
    }
    if (passed.head->status == 101) {
        auto const sent = co_await finish_upload(connection, upload);
        upload->abandoned = true;
        if (sent) co_await connection->relay();
        co_return false;
    }
    connection->allow_time(connection->session().limits.idle, "idle");
    BodyScan scan(passed.head->body);
    BodyStream const down{connection->upstream(), connection->client(), connection->late(), connection->received()};
    bool const until_close = passed.head->body.kind == Body::Kind::until_close;
    auto const whole = co_await pass_body(connection, down, scan, until_close);
    if (!whole) connection->close("cut short");
    if (!whole || until_close || !passed.head->keep_alive || !request.keep_alive) co_return false;
    auto const sent = co_await finish_upload(connection, upload);
    co_return sent;
}

/// One request and its answer; true if another one may follow. If not, the client is let go in an orderly way.
asio::awaitable<bool> one(std::shared_ptr<Connection> connection, RequestHead const& request) {
    connection->allow_time(connection->session().limits.idle, "idle");
    auto const head = asio::buffer(request.forward);
    auto const [refused, written] = co_await asio::async_write(connection->upstream(), head, as_result);
    connection->sent() += written;
    if (refused) {
        co_await connection->refuse(Status::bad_gateway, "the other side closed the connection");
        co_return false;
    }
    auto const upload = std::make_shared<Upload>(connection->session().executor, request.body);
    if (upload->finished)
        connection->spawn(watch_client(connection, upload));
    else
        connection->spawn(send_body(connection, upload));
    auto const more = co_await answer(connection, request, upload);
    upload->abandoned = true;
    if (!more && !connection->closed()) {
        error_code ignored;
        connection->upstream().close(ignored);
        co_await connection->refuse("");
    }
    co_return more;
}

asio::awaitable<bool> wait_for_request(std::shared_ptr<Connection> connection) {
    if (!connection->early().empty()) co_return true;
    std::string().swap(connection->early());
    connection->allow_time(connection->session().limits.idle, "closed");
    auto const [error] = co_await connection->client().async_wait(Socket::wait_read, as_result);
    co_return !error;
}

/// Whether the request is one that this client may make at all; if not it was told.
asio::awaitable<bool> is_meant(std::shared_ptr<Connection> connection, Result<RequestHead> const& request,
                               Meant meant) {
    auto const wanted = meant.name.empty() ? RequestHead::Form::absolute : RequestHead::Form::origin;
    if (!request || request->form != wanted) {
        auto const why = request ? "this form of request does not belong here" : request.error().what;
        co_await connection->complain(Status::bad_request, why);
        co_return false;
    }
    if (meant.name.empty() || (same_name(request->host, meant.name) && request->port == meant.port)) co_return true;
    Destination const destination{request->host, request->port, Destination::Said::http_host};
    connection->blame(destination, "the Host header names another server than the one that was dialled");
    co_await connection->refuse(Status::forbidden,
                                "pfar: the Host header names another server than the one that was dialled");
    co_return false;
}

} // namespace

asio::awaitable<void> exchange(std::shared_ptr<Connection> connection, std::size_t head, Meant meant) {
    std::string at; // where the connection to the world leads
    while (head != 0) {
        auto request = parse_request(std::string_view(connection->early()).substr(0, head));
        auto const right = co_await is_meant(connection, request, meant);
        if (!right) break;
        connection->early().erase(0, head);
        auto place = place_of(*request);
        bool const reuse = at == place || std::exchange(meant.connected, false);
        Destination const destination{request->host, request->port, Destination::Said::http_host};
        auto const reached = co_await reach(connection, destination, reuse);
        if (!reached) break;
        at = std::move(place);
        name_judged_host(*request, connection->verdict());
        auto const more = co_await one(connection, *request);
        if (!more) break;
        auto const another = co_await wait_for_request(connection);
        if (!another) break;
        head = co_await connection->read_head();
    }
    connection->close("closed"); // and with it whoever still watches
}

} // namespace pfar::proxy_connect
