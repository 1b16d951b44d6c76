// HttpRoutes: which path is whose: /mcp the agents', / the owner's, /health anybody's, /metrics either's.
#pragma once

#include "gateway/http_mcp.hpp"
#include "gateway/http_owner.hpp"

namespace pfar::gateway {

/// What was counted, for /metrics.
struct HttpCounts {
    std::size_t connections = 0;
    std::map<unsigned, std::uint64_t> replies{}; // by status
};

class HttpRoutes {
public:
    HttpRoutes(boost::asio::any_io_executor const& executor, HttpDoor door, HttpRooms rooms,
               std::filesystem::path const& directory, HttpLimits const& limits);

    [[nodiscard]] HttpSite::Verdict judge(HttpRequest const& head);
    void serve(HttpClient const& client, HttpRequest const& request, HttpCounts const& counts);
    [[nodiscard]] HttpSessions& sessions() { return sessions_; }
    [[nodiscard]] HttpSessions const& sessions() const { return sessions_; }

private:
    [[nodiscard]] HttpSite::Verdict judge_path(HttpRequest const& head);
    [[nodiscard]] HttpReply health();
    [[nodiscard]] HttpReply metrics(HttpCounts const& counts) const;

    HttpDoor door_;
    HttpRooms rooms_;
    HttpLimits const& limits_;
    HttpSessions sessions_;
    HttpMcp mcp_;
    HttpOwner owner_;
    std::string health_; // of this second: anybody may ask, as often as they like
    HttpConnection::Clock::time_point health_until_{};
};

} // namespace pfar::gateway
