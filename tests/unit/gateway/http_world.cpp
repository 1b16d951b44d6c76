#include "unit/gateway/http_world.hpp"

#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

#include <csignal>

namespace test {

using namespace pfar;

void FakeParty::send(std::string message, std::string about, bool last) {
    arrival_.outlet->send(std::move(message), {about, last});
}

void FakeParty::answer(std::string const& id) {
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"answered":true}}}})", id), id, true);
}

void FakeParty::end(std::string const& why) {
    ended = why;
    arrival_.outlet.reset();
}

void FakeParty::hear(std::string_view text) {
    heard.emplace_back(text);
    auto const self = shared_from_this();
    wire::read_messages(
        text,
        [&](wire::Message const& message) {
            if (message.kind != wire::Message::Kind::request) return;
            std::string const id(message.id), method(message.method);
            if (method == "initialize") {
                protocol_ = wire::string_in(wire::member_of(message.payload, "protocolVersion"));
                if (protocol_.empty())
                    return send(
                        fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":-32602,"message":"no"}}}})", id), id,
                        true);
            }
            if (method == "slow") return;
            if (method == "noisy")
                send(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}})", id);
            if (method == "big")
                return send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":"{}"}})", id,
                                        std::string(*wire::number_in(wire::member_of(message.payload, "bytes")), 'x')),
                            id, true);
            answer(id);
        },
        [](auto const&) {});
}

gateway::HttpRooms fake_rooms(std::vector<std::shared_ptr<FakeParty>>& parties) {
    gateway::HttpRooms rooms;
    rooms.admit = [&parties](gateway::Arrival arrival) -> Result<std::shared_ptr<gateway::Party>> {
        if (arrival.server == "absent") return fail(Errc::not_found, "there is no server absent; see pfar list");
        parties.push_back(std::make_shared<FakeParty>(std::move(arrival), fmt::format("http-{}", parties.size())));
        return std::shared_ptr<gateway::Party>(parties.back());
    };
    rooms.metrics = [] { return std::string("pfar_other 1\n"); };
    return rooms;
}

HttpWorld::HttpWorld(Wish const& wish) : busy_(boost::asio::make_work_guard(context_)) {
    std::signal(SIGPIPE, SIG_IGN);
    auto rooms = fake_rooms(parties_);
    rooms.servers = [this] { return servers; };
    rooms.approvals = [this] { return approvals; };
    rooms.blocked = [this] { return blocked; };
    rooms.approve = [this](std::string const& id, bool for_session) -> Result<void> {
        if (id == "gone") return fail(Errc::not_found, "there is no <approval> gone");
        decided.push_back(fmt::format("approve {}{}", id, for_session ? " for session" : ""));
        approvals = "[]";
        return {};
    };
    rooms.deny = [this](std::string const& id) -> Result<void> {
        decided.push_back("deny " + id);
        approvals = "[]";
        return {};
    };
    gateway::HttpSettings settings;
    settings.auth = wish.auth;
    settings.origins = wish.origins;
    settings.hosts = wish.hosts;
    settings.certificate = wish.certificate;
    settings.key = wish.key;
    settings.agents_token = Secret(agents_token);
    settings.owners_token = Secret(owners_token);
    server_ =
        gateway::HttpServer::open(context_.get_executor(), std::move(settings), std::move(rooms), wish.limits).value();
    port_ = server_->port();
    thread_ = std::thread([this] { context_.run(); });
}

HttpWorld::~HttpWorld() {
    on_thread([this] { server_.reset(); });
    busy_.reset();
    thread_.join();
}

bool HttpWorld::becomes(std::function<bool()> const& so) {
    for (int i = 0; i < 3000; ++i) {
        if (on_thread(so)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

HttpAnswer HttpWorld::ask(std::string const& method, std::string const& path, Fields const& fields,
                          std::string const& body) const {
    auto client = talk();
    client.say(request_text(method, path, fields, body));
    return client.hear();
}

namespace {

/// Unless the test says another.
void add(Fields& fields, std::string const& name, std::string const& value) {
    for (auto const& field : fields)
        if (field.first == name) return;
    fields.emplace_back(name, value);
}

} // namespace

Fields agent(Fields more) {
    add(more, "Authorization", std::string("Bearer ") + agents_token);
    return more;
}

Fields poster(Fields more) {
    add(more, "Content-Type", "application/json");
    add(more, "Accept", "application/json, text/event-stream");
    return agent(std::move(more));
}

std::string initialize_text(std::string const& revision) {
    return call(
        "0", "initialize",
        fmt::format(R"({{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}})",
                    revision));
}

std::string call(std::string const& id, std::string const& method, std::string const& params) {
    auto out = wire::request_line(id, method, params);
    out.pop_back();
    return out;
}

HttpAgent::HttpAgent(HttpWorld& where, std::string const& revision, std::string at)
    : world(where), path(std::move(at)) {
    id = world.ask("POST", path, poster(), initialize_text(revision)).field("mcp-session-id");
}

Fields HttpAgent::fields(Fields more) const {
    more.emplace_back("Mcp-Session-Id", id);
    return more;
}

HttpAnswer HttpAgent::post(std::string const& body, Fields more) const {
    return world.ask("POST", path, poster(fields(std::move(more))), body);
}

HttpTalk HttpAgent::posting(std::string const& body, Fields more) const {
    auto out = world.talk();
    out.say(request_text("POST", path, poster(fields(std::move(more))), body));
    return out;
}

HttpTalk HttpAgent::listening(Fields more) const {
    more.emplace_back("Accept", "text/event-stream");
    auto out = world.talk();
    out.say(request_text("GET", path, agent(fields(std::move(more)))));
    return out;
}

} // namespace test
