// OwnTools: pfar's own tools for agents: connect, status, disconnect. An offer like a server's, with the pipeline in front of it; behind it are flows
// in processes of their own instead of a server.
#pragma once

#include "gateway/secret_page.hpp"
#include "house/agent_flow.hpp"
#include "house/house.hpp"
#include "pipeline/pipeline.hpp"
#include "wire/forward.hpp"

namespace pfar::house {

class OwnTools {
public:
    static constexpr char const* identity = "pfar:own"; // no file is called so

    struct Parts {
        boost::asio::any_io_executor executor;
        House& house;
        std::function<std::string()> list_json;
    };
    /// [main thread, as all of it]
    explicit OwnTools(Parts parts);

    [[nodiscard]] pipeline::OfferPtr const& offer() const { return offer_; }
    /// Errc::refused if there is a credential in its arguments: that is kept nowhere.
    [[nodiscard]] static Result<void> screen(pipeline::Call const& call);
    /// What the owner has to know before saying yes; none: it is under way. Errc::refused for what may not even be asked.
    [[nodiscard]] Result<std::optional<std::string>> explain(pipeline::Call const& call) const;
    boost::asio::awaitable<Result<wire::Back>> run(wire::Forwarding task);
    void close_session(std::string const& session);
    [[nodiscard]] bool busy() const;

private:
    struct Running {
        std::shared_ptr<AgentFlow> flow;
        boost::json::object arguments; // what the owner agreed to
        std::shared_ptr<gateway::SecretPage> page;
        std::uint64_t asked = 0; // the question that was passed on
        std::vector<std::string> said;
        std::pair<std::string, std::string> about; // whose credential it is, and what for
        bool attended = false;                     // a call waits for it
        bool dropped = false;                      // it could not be gone on with; the same call again begins anew
    };
    using RunningPtr = std::shared_ptr<Running>;
    using Key = std::pair<std::string, std::string>; // session, and what it is about

    boost::asio::awaitable<Result<wire::Back>> converse(wire::Forwarding task, std::string flow, std::string service);
    boost::asio::awaitable<std::string> attend(wire::Forwarding const& task, RunningPtr running, std::string tool);
    /// Empty: it was passed on. Otherwise what the caller has to be told now.
    std::string pass_on(wire::Forwarding const& task, RunningPtr const& running, std::string const& tool);
    std::string pass_on_secret(wire::Forwarding const& task, RunningPtr const& running, std::string const& tool);
    std::string pass_on_form(wire::Forwarding const& task, RunningPtr const& running);
    /// Nobody waits for it any more. It is heard to its end all the same: who writes into a closed pipe dies before all is undone.
    void part_with(Running& running);
    [[nodiscard]] std::string status_text(std::string_view arguments) const;
    [[nodiscard]] std::string connected_name(std::string const& service, std::string const& known) const;
    [[nodiscard]] std::pair<std::string, std::string> about(std::string const& service,
                                                            std::string_view arguments) const;

    Parts parts_;
    pipeline::OfferPtr offer_;
    std::map<Key, RunningPtr> running_;
    std::vector<std::shared_ptr<AgentFlow>> leaving_;
};

/// Its three tools, agreed to; connect and disconnect ask always, and for one call.
pipeline::OfferPtr own_offer();

} // namespace pfar::house
