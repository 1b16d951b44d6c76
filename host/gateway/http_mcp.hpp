// HttpMcp: /mcp and /mcp/NAME as MCP's "Streamable HTTP" has them: POST says something, GET listens, DELETE ends the session.
#pragma once

#include "gateway/http_door.hpp"
#include "gateway/http_sessions.hpp"

namespace pfar::gateway {

class HttpMcp {
public:
    HttpMcp(HttpDoor const& door, HttpSessions& sessions, HttpLimits const& limits)
        : door_(door), sessions_(sessions), limits_(limits) {}

    /// The path is one of ours.
    [[nodiscard]] static bool is_at(std::string_view path);
    [[nodiscard]] HttpSite::Verdict judge(HttpRequest const& head) const;
    void serve(HttpClient const& client, HttpRequest const& request);

private:
    [[nodiscard]] std::optional<HttpReply> refuse(HttpRequest const& head) const;
    [[nodiscard]] std::optional<HttpReply> refuse_post(HttpRequest const& head) const;
    void post(HttpClient const& client, HttpRequest const& request);
    void begin(HttpClient const& client, HttpRequest const& request, Posted const& posted);

    HttpDoor const& door_;
    HttpSessions& sessions_;
    HttpLimits const& limits_;
};

} // namespace pfar::gateway
