#include "gateway/http_routes.hpp"

#include "wire/json_text.hpp"

#include <fmt/format.h>

namespace pfar::gateway {
namespace {

constexpr std::size_t most_servers = 10000;

std::string health_text(HttpRooms const& rooms) {
    std::size_t servers = 0, running = 0;
    auto const list = rooms.servers ? rooms.servers() : std::string();
    for (auto const server : wire::elements_of(list, most_servers)) {
        ++servers;
        if (wire::member_of(server, "state") == "\"running\"") ++running;
    }
    return fmt::format(R"({{"status":"healthy","service":"pfar","servers":{},"running":{}}})", servers, running);
}

} // namespace

HttpRoutes::HttpRoutes(boost::asio::any_io_executor const& executor, HttpDoor door, HttpRooms rooms,
                       std::filesystem::path const& directory, HttpLimits const& limits)
    : door_(std::move(door)), rooms_(std::move(rooms)), limits_(limits),
      sessions_(executor, rooms_.admit, directory, limits), mcp_(door_, sessions_, limits),
      owner_(door_, rooms_, limits) {}

HttpSite::Verdict HttpRoutes::judge(HttpRequest const& head) {
    if (auto refusal = door_.refuse_stranger(head)) return {std::move(refusal)};
    return judge_path(head);
}

HttpSite::Verdict HttpRoutes::judge_path(HttpRequest const& head) {
    if (HttpMcp::is_at(head.path)) return mcp_.judge(head);
    if (HttpOwner::is_at(head.path)) return owner_.judge(head);
    if (head.path != "/health" && head.path != "/metrics") return {plain_reply(404, "there is nothing here")};
    if (head.method != "GET") {
        auto out = plain_reply(405, "use GET here");
        out.fields.emplace_back("Allow", "GET");
        return {std::move(out)};
    }
    bool const known = door_.is_agent(head) || door_.is_owner(head);
    if (head.path == "/health" || known) return {{}, limits_.form, known};
    auto out = plain_reply(401, "a token is missing or wrong; send one as Authorization: Bearer TOKEN");
    out.fields.emplace_back("WWW-Authenticate", "Bearer");
    return {std::move(out)};
}

void HttpRoutes::serve(HttpClient const& client, HttpRequest const& request, HttpCounts const& counts) {
    if (HttpMcp::is_at(request.path)) return mcp_.serve(client, request);
    if (HttpOwner::is_at(request.path)) return client->reply(owner_.answer(request));
    client->reply(request.path == "/health" ? health() : metrics(counts));
}

HttpReply HttpRoutes::health() {
    auto const now = HttpConnection::Clock::now();
    if (now >= health_until_) {
        health_ = health_text(rooms_);
        health_until_ = now + std::chrono::seconds(1);
    }
    return {200, "application/json", health_};
}

HttpReply HttpRoutes::metrics(HttpCounts const& counts) const {
    auto out = fmt::format("# HELP pfar_http_sessions Sessions of agents over HTTP.\n# TYPE pfar_http_sessions gauge\n"
                           "pfar_http_sessions {}\n"
                           "# HELP pfar_http_connections Open HTTP connections.\n# TYPE pfar_http_connections gauge\n"
                           "pfar_http_connections {}\n"
                           "# HELP pfar_http_requests_total HTTP requests by the status they were answered with.\n"
                           "# TYPE pfar_http_requests_total counter\n",
                           sessions_.size(), counts.connections);
    for (auto const& [status, count] : counts.replies)
        out += fmt::format("pfar_http_requests_total{{code=\"{}\"}} {}\n", status, count);
    if (rooms_.metrics) out += rooms_.metrics();
    return {200, "text/plain; version=0.0.4; charset=utf-8", std::move(out)};
}

} // namespace pfar::gateway
