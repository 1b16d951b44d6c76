// What the control socket may ask of sessions, approvals and calls.
#include "base/text.hpp"
#include "house/gateway_room.hpp"
#include "house/tokens.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include "gateway/stdio.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>

namespace pfar::house {
namespace {

std::string text_in(std::string const& params, std::string_view key) {
    return wire::string_in(wire::member_of(params, key));
}

std::vector<std::string> texts_in(std::string const& params, std::string_view key) {
    std::vector<std::string> out;
    for (auto const one : wire::elements_of(wire::member_of(params, key), 100)) out.push_back(wire::string_in(one));
    return out;
}

boost::json::object session_row(gateway::Client const& client) {
    auto const age =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - client.since());
    auto const& standing = client.standing();
    return {{"id", client.id()},
            {"client", client.client_name()},
            {"version", client.client_version()},
            {"transport", client.arrival().transport},
            {"server", client.arrival().server},
            {"pid", client.arrival().pid},
            {"since", age.count()},
            {"label", base::word_for(base::label_words, standing.label)},
            {"taint", base::word_for(base::taint_words, standing.taint)},
            {"in_flight", client.in_flight()},
            {"calls", client.calls()}};
}

/// "127.0.0.1:8900", "[::1]:8900"
Result<std::pair<std::string, std::uint16_t>> host_and_port(std::string const& text) {
    auto const colon = text.rfind(':');
    std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    std::uint16_t port = 0;
    auto const* const end = text.data() + text.size();
    auto const* const begin = colon == std::string::npos ? end : text.data() + colon + 1;
    auto const [stop, error] = std::from_chars(begin, end, port);
    if (host.empty() || error != std::errc() || stop != end)
        return fail(Errc::invalid, fmt::format("\"{}\" is no address to listen on; it looks like 127.0.0.1:8900",
                                               base::printable(text)));
    return std::pair(host, port);
}

} // namespace

std::string row_json(pipeline::ApprovalRow const& row) {
    return fmt::format(
        R"({{"id":{},"session":{},"server":{},"tool":{},"arguments":{},"why":{},"expires_in":{},"once":{}}})",
        wire::quoted(row.id), wire::quoted(row.session), wire::quoted(row.server), wire::quoted(row.tool),
        row.arguments.empty() ? "{}" : row.arguments, wire::quoted(row.why), row.expires_in.count(), row.once);
}

void GatewayRoom::add_methods(control::Methods& methods) {
    methods["serve"] = [this](Request request) { return answer_serve(std::move(request)); };
    methods["serve_http"] = [this](Request request) { return answer_serve_http(std::move(request)); };
    methods["call"] = [this](Request request) { return answer_call(std::move(request)); };
    methods["approvals"] = [this](Request request) { return answer_approvals(std::move(request)); };
    methods["approve"] = [this](Request request) { return answer_decide(std::move(request), true); };
    methods["deny"] = [this](Request request) { return answer_decide(std::move(request), false); };
    methods["sessions"] = [this](Request request) { return answer_sessions(std::move(request)); };
    methods["policy"] = [this](Request request) { return answer_policy(std::move(request)); };
    methods["tool_changes"] = [this](Request request) { return answer_changes(std::move(request)); };
    methods["tools_accept"] = [this](Request request) { return answer_accept(std::move(request)); };
}

Result<std::shared_ptr<servers::Server>> GatewayRoom::named(Request const& request) const {
    return parts_.roster()->find(text_in(request.params, "server"), request.caller->directory());
}

/// The caller's connection is the session's life line, and the session's end is told over it.
GatewayRoom::Answer GatewayRoom::answer_serve(Request request) {
    if (request.descriptors.size() != 2) co_return fail(Errc::invalid, "serve needs the two descriptors of the agent");
    auto ended = [caller =
                      std::weak_ptr(request.caller)](std::string const& why) { // no reason: the agent closed its input
        if (auto const here = caller.lock())
            (void)here->tell("ended", fmt::format(R"({{"why":{},"clean":{}}})", wire::quoted(why), why.empty()));
    };
    wire::Ends ends{std::move(request.descriptors[0]), std::move(request.descriptors[1])};
    auto const stdio = std::make_shared<gateway::Stdio>(parts_.executor, std::move(ends), std::move(ended));
    gateway::Arrival arrival{"stdio", text_in(request.params, "server"), request.caller->directory(),
                             request.caller->pid(), stdio};
    auto const party = gateway_.admit(std::move(arrival));
    if (!party) co_return party.error();
    request.caller->when_gone([stdio] { stdio->abandon("pfar serve has ended"); });
    stdio->start(*party);
    co_return fmt::format(R"({{"session":{}}})", wire::quoted((*party)->id()));
}

GatewayRoom::Answer GatewayRoom::answer_serve_http(Request request) {
    auto const& home = parts_.house.places.home;
    auto const place = host_and_port(text_in(request.params, "listen"));
    if (!place) co_return place.error();
    auto const agents_file = home / "run/http-token", owners_file = home / "run/owner-token";
    auto agents = token_in(agents_file);
    if (!agents) co_return agents.error();
    auto owners = token_in(owners_file);
    if (!owners) co_return owners.error();
    gateway::HttpSettings settings;
    settings.host = place->first, settings.port = place->second;
    settings.auth = wire::member_of(request.params, "auth") != "false";
    settings.certificate = text_in(request.params, "certificate"), settings.key = text_in(request.params, "key");
    settings.origins = texts_in(request.params, "origins"), settings.hosts = texts_in(request.params, "hosts");
    settings.agents_token = std::move(*agents), settings.owners_token = std::move(*owners);
    settings.directory = request.caller->directory();
    bool const tls = !settings.certificate.empty();
    auto opened = gateway::HttpServer::open(parts_.executor, std::move(settings), http_rooms());
    if (!opened) co_return opened.error();
    auto const number = ++next_;
    servers_.emplace(number, *opened);
    request.caller->when_gone([this, number] {
        auto const gone = servers_.extract(number);
        if (!gone.empty()) gone.mapped()->close("pfar serve has ended");
    });
    auto const host = place->first.find(':') == std::string::npos ? place->first : "[" + place->first + "]";
    auto const base = fmt::format("{}://{}:{}/", tls ? "https" : "http", host, (*opened)->port());
    co_return fmt::format(R"({{"url":{},"page":{},"token_file":{},"owner_token_file":{}}})", wire::quoted(base + "mcp"),
                          wire::quoted(base), wire::quoted(agents_file.native()), wire::quoted(owners_file.native()));
}

std::string GatewayRoom::approvals_json() const {
    std::string out = "[";
    for (auto const& row : pipeline_.approvals().rows()) out += (out.size() > 1 ? "," : "") + row_json(row);
    return out + "]";
}

GatewayRoom::Answer GatewayRoom::answer_approvals(Request /*request*/) {
    co_return approvals_json();
}

GatewayRoom::Answer GatewayRoom::answer_decide(Request request, bool yes) {
    bool const session = text_in(request.params, "for") == "session";
    auto const answer = !yes ? pipeline::Answer::no : session ? pipeline::Answer::session : pipeline::Answer::yes;
    auto const row = pipeline_.approvals().decide(text_in(request.params, "id"), answer, "owner");
    if (!row) co_return row.error();
    co_return row_json(*row);
}

GatewayRoom::Answer GatewayRoom::answer_sessions(Request /*request*/) {
    boost::json::array out;
    for (auto const& client : gateway_.clients()) out.push_back(session_row(*client));
    co_return boost::json::serialize(out);
}

GatewayRoom::Answer GatewayRoom::answer_policy(Request /*request*/) {
    co_return fmt::format(R"({{"approve_without_terminal":{}}})", parts_.house.settings.approve_without_terminal);
}

GatewayRoom::Answer GatewayRoom::answer_changes(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    co_return boost::json::serialize(offers_.changes(**server));
}

GatewayRoom::Answer GatewayRoom::answer_accept(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    std::map<std::string, std::string> pins;
    boost::system::error_code bad;
    auto const wanted = boost::json::parse(wire::member_of(request.params, "pins"), bad);
    if (bad || !wanted.is_object()) co_return fail(Errc::invalid, "tools_accept needs pins");
    for (auto const& [tool, pin] : wanted.get_object())
        if (pin.is_string()) pins.emplace(tool, pin.get_string());
    auto const accepted = offers_.accept(**server, pins);
    if (!accepted) co_return accepted.error();
    seen_.clear();
    gateway_.list_changed((*server)->file()->identity.native(), "tools");
    parts_.record.add({"pin", {{"server", (*server)->name()}, {"outcome", "accepted"}, {"count", *accepted}}});
    auto const left = offers_.changes(**server);
    boost::json::array names;
    for (auto const& change : left.at("changes").as_array()) names.push_back(change.at("tool"));
    co_return boost::json::serialize(boost::json::object{{"accepted", *accepted}, {"left", std::move(names)}});
}

} // namespace pfar::house
