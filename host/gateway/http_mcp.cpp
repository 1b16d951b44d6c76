#include "gateway/http_mcp.hpp"

#include "wire/message.hpp"
#include "wire/revisions.hpp"

namespace pfar::gateway {
namespace {

constexpr std::string_view place = "/mcp";
constexpr int no_session = -32001;

std::string server_at(std::string_view path) {
    return path.size() > place.size() ? std::string(path.substr(place.size() + 1)) : std::string();
}

HttpReply refusal(unsigned status, std::string_view sentence) {
    return rpc_reply(status, wire::server_error, sentence);
}

HttpReply unknown_session() {
    return rpc_reply(404, no_session, "there is no such session here; begin one with initialize");
}

HttpReply preflight(HttpFields fields) {
    fields.emplace_back("Access-Control-Allow-Methods", "GET, POST, DELETE");
    fields.emplace_back("Access-Control-Allow-Headers",
                        "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID");
    fields.emplace_back("Access-Control-Allow-Private-Network", "true");
    fields.emplace_back("Access-Control-Max-Age", "600");
    return {204, {}, {}, std::move(fields)};
}

} // namespace

bool HttpMcp::is_at(std::string_view path) {
    if (path == place) return true;
    if (!path.starts_with("/mcp/")) return false;
    auto const name = path.substr(place.size() + 1);
    return !name.empty() && name.size() <= 20 && name.front() != '-' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

HttpSite::Verdict HttpMcp::judge(HttpRequest const& head) const {
    auto const cors = door_.cors(head);
    if (head.method == "OPTIONS" && !cors.empty()) return {{}, 0};
    bool const known = door_.is_agent(head);
    HttpSite::Verdict out{refuse(head), head.method == "POST" ? limits_.body : limits_.form, known};
    if (out.refusal) out.refusal->fields.insert(out.refusal->fields.end(), cors.begin(), cors.end());
    return out;
}

std::optional<HttpReply> HttpMcp::refuse(HttpRequest const& head) const {
    if (!door_.is_agent(head)) {
        auto out = refusal(401, "the agents' token is missing or wrong; send it as Authorization: Bearer TOKEN");
        out.fields.emplace_back("WWW-Authenticate", "Bearer");
        return out;
    }
    if (head.method != "POST" && head.method != "GET" && head.method != "DELETE") {
        auto out = refusal(405, "use POST, GET or DELETE here");
        out.fields.emplace_back("Allow", "POST, GET, DELETE");
        return out;
    }
    if (auto const revision = head.field("mcp-protocol-version"); !revision.empty() && !wire::is_revision(revision))
        return refusal(400, "this MCP-Protocol-Version is not spoken here; use 2025-11-25 or an earlier one");
    if (head.method == "GET" && !way_of(head.field("accept")).events)
        return refusal(406, "GET gives text/event-stream; accept it");
    if (head.method == "POST")
        if (auto out = refuse_post(head)) return out;
    if (!head.has("mcp-session-id"))
        return head.method == "POST" ? std::nullopt
                                     : std::optional(refusal(400, "the Mcp-Session-Id field is missing"));
    if (!sessions_.find(head.field("mcp-session-id"), server_at(head.path))) return unknown_session();
    return {};
}

std::optional<HttpReply> HttpMcp::refuse_post(HttpRequest const& head) const {
    auto const type = head.field("content-type");
    if (lower_case(trimmed(type.substr(0, type.find(';')))) != "application/json")
        return refusal(415, "the Content-Type has to be application/json");
    auto const way = way_of(head.field("accept"));
    if (!way.json && !way.events) return refusal(406, "answers are application/json or text/event-stream; accept both");
    return {};
}

void HttpMcp::serve(HttpClient const& client, HttpRequest const& request) {
    auto cors = door_.cors(request);
    if (request.method == "OPTIONS") return client->reply(preflight(std::move(cors)));
    if (request.method == "POST") return post(client, request);
    auto const session = sessions_.find(request.field("mcp-session-id"), server_at(request.path));
    if (!session) return client->reply(unknown_session()); // it ended while the request arrived
    if (request.method == "GET") return session->listen(client, request.field("last-event-id"), std::move(cors));
    session->end("its client ended it");
    client->reply({204, {}, {}, std::move(cors)});
}

void HttpMcp::post(HttpClient const& client, HttpRequest const& request) {
    auto const posted = read_posted(request.body.view());
    if (!posted.trouble.empty())
        return client->reply(rpc_reply(400, posted.messages == 0 ? wire::parse_error : wire::invalid_request,
                                       "the body is no JSON-RPC message: " + posted.trouble));
    if (!request.has("mcp-session-id")) return begin(client, request, posted);
    auto const session = sessions_.find(request.field("mcp-session-id"), server_at(request.path));
    if (!session) return client->reply(unknown_session());
    session->post(client, request, posted, door_.cors(request));
}

void HttpMcp::begin(HttpClient const& client, HttpRequest const& request, Posted const& posted) {
    if (!posted.initializes || posted.is_batch)
        return client->reply(refusal(400, "the Mcp-Session-Id field is missing; a session begins with initialize"));
    auto const begun = sessions_.begin(server_at(request.path));
    if (!begun) {
        bool const absent = begun.error().code == Errc::not_found;
        auto out = rpc_reply(absent ? 404 : 503, wire::server_error, begun.error().what, posted.asked.front());
        if (!absent) out.fields.emplace_back("Retry-After", "30");
        return client->reply(std::move(out));
    }
    auto fields = door_.cors(request);
    fields.emplace_back(HttpSession::id_field, begun->id);
    begun->session->post(client, request, posted, std::move(fields));
}

} // namespace pfar::gateway
