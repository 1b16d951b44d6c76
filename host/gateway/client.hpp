// Client: an agent's session: what it may see, what it asks, and what servers ask it.
//
// One for each connection, on whatever transport. It cuts messages and finds whose they are; whether a call may run is the pipeline's.
#pragma once

#include "gateway/catalogue.hpp"
#include "gateway/party.hpp"
#include "pipeline/pipeline.hpp"
#include "wire/message.hpp"

#include <boost/asio/steady_timer.hpp>

#include <set>

namespace pfar::gateway {

class Client;

/// What the house does for a session. [main thread]
struct ClientMeans {
    boost::asio::any_io_executor executor;
    pipeline::Pipeline& pipeline;
    /// Of the servers that are seen from there, in the order of their names.
    std::function<std::vector<OfferPtr>(std::filesystem::path const& directory)> offers;
    /// Until every server that is starting has told what it offers, or the time is over.
    std::function<boost::asio::awaitable<void>(std::filesystem::path directory, std::chrono::milliseconds most)> settle;
    /// Starts one that waits for its first call, and waits until it has told what it offers.
    std::function<boost::asio::awaitable<void>(std::string identity)> wake;
    wire::Forward forward; // for what needs no judging: subscriptions
    std::function<void(Client const&)> gone, level_changed;
    std::function<void(Client const&)> leaving{}; // it says nothing more, and can be asked nothing; may be empty
};

class Client final : public Party, public std::enable_shared_from_this<Client> {
public:
    Client(std::shared_ptr<ClientMeans const> means, Arrival arrival, std::string id);
    ~Client() override;

    void hear(std::string_view text) override;
    void hear_end() override;
    void end(std::string const& why) override;
    [[nodiscard]] std::string const& protocol() const override { return protocol_; }
    [[nodiscard]] std::size_t in_flight() const override { return pending_.size(); }
    [[nodiscard]] std::string const& id() const override { return standing_->id; }

    [[nodiscard]] pipeline::Standing const& standing() const { return *standing_; }
    [[nodiscard]] Arrival const& arrival() const { return arrival_; }
    [[nodiscard]] std::string const& client_name() const { return name_; }
    [[nodiscard]] std::string const& client_version() const { return version_; }
    [[nodiscard]] std::string const& level() const { return level_; } // empty: it has not said
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] std::chrono::steady_clock::time_point since() const { return since_; }
    [[nodiscard]] bool sees(std::string const& identity) const;

    /// A list has changed: "tools", "resources", "prompts". Told soon, and once for many.
    void list_changed(std::string_view kind);
    /// A notification of a server, if this client wants it.
    void notified(std::string const& identity, std::string_view uri, std::string_view method, std::string_view params);
    /// A word of pfar's own, as a log message.
    void say(std::string_view level, std::string const& words);

private:
    struct Batch {
        std::string text;
        std::vector<std::string> complaints;
        std::size_t left = 0, heard = 0;
    };
    struct Pending { // a request of the client
        std::shared_ptr<wire::CancelSlot> cancel;
        std::shared_ptr<Batch> batch;
    };
    struct Asked { // a request to the client
        std::function<void(bool is_error, std::string_view payload)> answered;
        std::string about;
    };
    using Id = std::string;
    using Answer = boost::asio::awaitable<void>;

    // client.cpp
    void complain(std::string_view text, std::string const& what, std::shared_ptr<Batch> const& batch);
    void hear_message(wire::Message const& message, std::shared_ptr<Batch> const& batch);
    void hear_request(wire::Message const& message, std::shared_ptr<Batch> const& batch);
    void hear_notification(wire::Message const& message);
    void hear_answer(wire::Message const& message);
    void initialize(Id const& id, std::string_view params);
    void set_level(Id const& id, std::string_view params);
    void cancel(std::string_view params);
    void begin(Id const& id, Answer work);
    void answer(std::string_view id, std::string const& result);
    void refuse(std::string_view id, int code, std::string_view words);
    void refuse(std::string_view id, std::string const& error);
    void finish(std::string_view id, std::string line);
    void tell(std::string_view method, std::string_view params, std::string_view about = {});
    void close_if_done();
    [[nodiscard]] Catalogue catalogue() const;
    [[nodiscard]] std::string capabilities() const;

    // client_calls.cpp
    Answer list(Id id, Kind kind, std::string cursor);
    Answer call_tool(Id id, std::string params);
    Answer read_resource(Id id, std::string params);
    Answer get_prompt(Id id, std::string params);
    Answer complete(Id id, std::string params);
    Answer subscribe(Id id, std::string method, std::string params);
    Answer run(Id id, std::shared_ptr<pipeline::Call> call);
    Answer until_read();
    std::function<void(std::string_view, std::string_view)> hearer(Id const& id);
    void remember_links(Offer const& offer, std::string_view result);
    [[nodiscard]] Result<Catalogue::Found> resource(std::string const& uri) const;
    [[nodiscard]] std::shared_ptr<pipeline::Call> make_call(Id const& id, OfferPtr offer, std::string method);
    void use_token(Id const& id, pipeline::Call& call, std::string_view token);

    // client_asks.cpp
    std::string hear_server(pipeline::Call const& call, Id const& id, wire::ServerRequest request);
    std::uint64_t ask(std::string_view method, std::string_view params, Asked asked);
    void take_back(std::uint64_t number, std::string_view why);
    pipeline::Approvals::AskClient approval_asker(Id const& id);
    [[nodiscard]] std::string lacks(std::string_view method, std::string_view params) const;

    std::shared_ptr<ClientMeans const> means_;
    Arrival arrival_;
    pipeline::StandingPtr standing_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    std::string protocol_, name_, version_, level_;
    bool samples_ = false, elicits_forms_ = false, elicits_urls_ = false, ended_ = false, leaving_ = false;
    std::map<Id, Pending, std::less<>> pending_;
    std::map<std::uint64_t, Asked> asked_;
    std::map<std::uint64_t, std::function<void(std::string_view params)>> tokens_; // of what servers ask the client
    std::map<std::pair<std::string, std::string>, std::string> subscribed_; // identity and URI: as the client says it
    std::map<std::string, std::string> links_;                              // URIs that results spoke of: identity
    std::set<std::string, std::less<>> changed_;
    boost::asio::steady_timer telling_;
    std::uint64_t next_ = 0, calls_ = 0;
    bool will_tell_ = false;
};

} // namespace pfar::gateway
