// GatewayRoom: joins sessions, pipeline and servers: what agents see, what they ask, and what the control socket may ask about that.
#pragma once

#include "control/methods.hpp"
#include "gateway/gateway.hpp"
#include "gateway/http_server.hpp"
#include "house/offer_room.hpp"
#include "house/own_tools.hpp"
#include "house/record.hpp"
#include "house/semantics_room.hpp"

namespace pfar::house {

class GatewayRoom {
public:
    struct Parts {
        boost::asio::any_io_executor executor;
        House& house;
        Record& record;
        std::function<Roster*()> roster; // null while it is being made
        std::function<std::string()> list_json;
    };
    /// [main thread, as all of it]
    explicit GatewayRoom(Parts parts);
    ~GatewayRoom();

    /// serve, serve_http, call, approvals, approve, deny, sessions, policy, tool_changes, tools_accept.
    void add_methods(control::Methods& methods);

    // what servers tell
    void changed(servers::Server const& server, std::string_view kind);
    void notified(servers::Server const& server, servers::Notice const& notice);
    void happened(servers::Server const& server, servers::Happening const& happening);
    void roster_changed();
    void settings_changed();

    OfferRoom& offers() { return offers_; }
    SemanticsRoom& semantics() { return semantics_; }
    [[nodiscard]] std::size_t sessions() const { return gateway_.count(); }
    [[nodiscard]] bool busy() const;
    void close(std::string const& why);

private:
    using Request = control::Request;
    using Answer = boost::asio::awaitable<Result<std::string>>;

    pipeline::Means pipeline_means();
    gateway::ClientMeans client_means();
    std::vector<pipeline::OfferPtr> const& seen_from(std::filesystem::path const& directory);
    boost::asio::awaitable<Result<wire::Back>> forward(wire::Forwarding task);
    boost::asio::awaitable<Result<void>> record_first(audit::Event event);
    boost::asio::awaitable<void> settle(std::filesystem::path directory, std::chrono::milliseconds most);
    boost::asio::awaitable<void> wake(std::string identity);
    [[nodiscard]] std::shared_ptr<servers::Server> server(std::string const& identity) const;
    [[nodiscard]] Result<std::shared_ptr<servers::Server>> named(Request const& request) const;
    void forget_session(std::string const& id);
    void set_levels();
    void unagreed(servers::Server const& server, std::vector<OfferRoom::Change> const& changes);
    [[nodiscard]] gateway::HttpRooms http_rooms();
    [[nodiscard]] std::string metrics() const;
    [[nodiscard]] std::string approvals_json() const;
    [[nodiscard]] std::string blocked_json() const;

    Answer answer_serve(Request request);
    Answer answer_serve_http(Request request);
    Answer answer_call(Request request);
    Answer answer_approvals(Request request);
    Answer answer_decide(Request request, bool yes);
    Answer answer_sessions(Request request);
    Answer answer_policy(Request request);
    Answer answer_changes(Request request);
    Answer answer_accept(Request request);

    Parts parts_;
    OfferRoom offers_;
    OwnTools own_;
    SemanticsRoom semantics_;
    pipeline::Pipeline pipeline_;
    gateway::Gateway gateway_;
    std::map<std::filesystem::path, std::vector<pipeline::OfferPtr>> seen_; // by directory; cleared by every change
    std::map<std::uint64_t, std::shared_ptr<gateway::HttpServer>> servers_; // of HTTP
    std::uint64_t next_ = 0;
};

/// {id, session, server, tool, arguments, why, expires_in}
std::string row_json(pipeline::ApprovalRow const& row);

} // namespace pfar::house
