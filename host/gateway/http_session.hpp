// HttpSession: one client's session over HTTP, on however many connections. Routes what the Party says to the POST it belongs to, or to GET's stream.
#pragma once

#include "gateway/http_posted.hpp"
#include "gateway/http_stream.hpp"
#include "gateway/party.hpp"

#include <map>

namespace pfar::gateway {

class HttpSession final : public Outlet, public std::enable_shared_from_this<HttpSession> {
public:
    using Clock = HttpConnection::Clock;
    static constexpr std::string_view id_field = "Mcp-Session-Id";
    struct Beginning {
        std::string id, server; // the only server it sees; empty: all
        boost::asio::any_io_executor executor;
        std::function<void(std::string const& id)> over; // once, when it is
    };
    HttpSession(Beginning beginning, HttpLimits const& limits);
    /// Who answers. [main thread, as all of it]
    void begin(std::shared_ptr<Party> party) { party_ = std::move(party); }

    void send(std::string message, Place place) override;
    [[nodiscard]] std::size_t waiting() const override { return *account_ + replay_.unsent(); }
    void close(std::string const& why) override;

    /// A POST that was read and found to be whole. `fields` go with the reply.
    void post(HttpClient const& client, HttpRequest const& request, Posted const& posted, HttpFields fields);
    /// A GET; of another stream if `last_event` names one.
    void listen(HttpClient const& client, std::string_view last_event, HttpFields fields);
    /// The client goes, or is gone.
    void end(std::string const& why);
    void look(Clock::time_point now);

    [[nodiscard]] std::string const& server() const { return beginning_.server; }
    [[nodiscard]] Clock::time_point last_used() const { return used_; }
    [[nodiscard]] bool is_over() const { return over_; }

private:
    [[nodiscard]] std::optional<HttpReply> refuse(Posted const& posted) const;
    [[nodiscard]] HttpStream* stream_of(std::string_view request);
    void tell(std::string const& message, std::string_view about);
    void end_soon(std::string why);
    void refuse_request(std::string const& message);
    void attach(HttpStream& stream, HttpClient const& client);
    void finish(std::uint32_t number);
    void end_streams(std::string const& why);

    Beginning beginning_;
    HttpLimits const& limits_;
    std::shared_ptr<Party> party_;
    HttpReplay replay_;
    HttpStream listener_; // of GET
    std::map<std::uint32_t, HttpStream> posts_;
    std::uint32_t next_ = 1;
    HttpConnection::Account account_ = std::make_shared<std::size_t>(0);
    Clock::time_point used_ = Clock::now();
    bool begun_ = false, over_ = false; // initialize was answered
};

/// Which of JSON and events an Accept field takes; neither if it names others only.
HttpWay way_of(std::string_view accept);

} // namespace pfar::gateway
