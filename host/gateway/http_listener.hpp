// HttpListener: the bound socket and everybody who is connected there, and what all of them together may hold.
#pragma once

#include "gateway/http_routes.hpp"
#include "gateway/http_turns.hpp"

#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <unordered_set>

namespace pfar::gateway {

class HttpListener final : public HttpServer, public HttpSite, public std::enable_shared_from_this<HttpListener> {
public:
    struct Beginning {
        base::Fd socket; // listening, not blocking
        std::uint16_t port;
        std::optional<HttpTls> tls;
        HttpDoor door;
        HttpRooms rooms;
        std::filesystem::path directory;
    };
    HttpListener(boost::asio::any_io_executor const& executor, Beginning beginning, HttpLimits const& limits);
    ~HttpListener() override;
    void start();

    [[nodiscard]] std::uint16_t port() const override { return port_; }
    [[nodiscard]] std::size_t sessions() const override { return routes_.sessions().size(); }
    void close(std::string const& why) override;

    Verdict judge(HttpRequest const& head) override { return routes_.judge(head); }
    void serve(HttpClient const& client, HttpRequest request) override;
    bool may_read_bulk(HttpClient const& client) override { return turns_.ask(client); }
    void count_bulk(std::size_t bytes) override { turns_.count(bytes); }
    void refuse_later(HttpClient const& client) override;
    void count_reply(unsigned status) override { ++counts_.replies[status]; }
    void count_bytes(std::ptrdiff_t body, std::ptrdiff_t waiting) override;
    void gone(HttpClient const& client) override;

private:
    using Clock = HttpConnection::Clock;
    void accept_soon();
    void accept_some();
    void admit(base::Fd socket);
    bool make_room();
    void pause(HttpLimits::Time time);
    void look_later();
    void look();
    void speak_later();

    HttpLimits limits_;
    boost::asio::posix::stream_descriptor socket_;
    boost::asio::steady_timer pause_, tick_, penance_;
    std::uint16_t port_;
    std::optional<HttpTls> tls_;
    HttpCounts counts_;
    HttpTurns turns_;
    HttpRoutes routes_;
    std::unordered_set<HttpClient> connections_;
    std::deque<std::pair<Clock::time_point, std::weak_ptr<HttpConnection>>>
        refused_; // each when it may speak, in order
    std::size_t bodies_ = 0, waiting_ = 0;
    bool accepting_ = false, speaking_ = false;
};

} // namespace pfar::gateway
