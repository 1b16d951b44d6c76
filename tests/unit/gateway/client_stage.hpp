// A client's session with an agent and servers that a test plays: what the agent hears, and what reaches whom.
#pragma once

#include "gateway/client.hpp"
#include "unit/pipeline/pipeline_stage.hpp"

namespace test {

namespace gateway = pfar::gateway;

/// Everything that was said to an agent.
struct Ear final : gateway::Outlet {
    struct Said {
        std::string text, about;
        bool last;
    };
    std::vector<Said> said;
    std::size_t unread = 0;
    std::optional<std::string> closed;

    void send(std::string message, Place place) override {
        said.push_back({std::move(message), std::string(place.about), place.last});
    }
    [[nodiscard]] std::size_t waiting() const override { return unread; }
    void close(std::string const& why) override { closed = why; }

    /// What answered a request; null if nothing did, and if it was taken back.
    [[nodiscard]] boost::json::value answer_to(std::string_view id) const {
        for (auto const& one : said)
            if (one.last && one.about == id && !one.text.empty()) return boost::json::parse(one.text);
        return nullptr;
    }
    [[nodiscard]] std::vector<boost::json::value> of_method(std::string_view method) const {
        std::vector<boost::json::value> out;
        for (auto const& one : said) {
            auto const parsed = one.text.starts_with('{') ? boost::json::parse(one.text) : boost::json::value();
            if (parsed.is_object() && parsed.as_object().contains("method") &&
                std::string(parsed.at("method").as_string()) == method)
                out.push_back(parsed);
        }
        return out;
    }
    /// All that was said since the last time, as texts.
    std::vector<std::string> take() {
        std::vector<std::string> out;
        for (auto& one : std::exchange(said, {})) out.push_back(std::move(one.text));
        return out;
    }
};

inline constexpr auto look_tool =
    R"({"name":"look","description":"looks","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}})";
inline constexpr auto put_tool = R"({"name":"put","inputSchema":{"type":"object"}})";
inline constexpr auto everything = R"({"sampling":{},"elicitation":{"form":{},"url":{}}})";

struct ClientStage {
    boost::asio::io_context context;
    Servers servers{context};
    pipeline::Pipeline pipeline;
    std::vector<pipeline::OfferPtr> offers; // in the order of their names
    std::function<void()> on_settle, on_wake;
    std::vector<std::string> woken, gone, levels;
    std::shared_ptr<gateway::ClientMeans> means;
    std::shared_ptr<Ear> ear = std::make_shared<Ear>();
    std::shared_ptr<gateway::Client> client;

    explicit ClientStage(std::string const& server = "",
                         pipeline::ApprovalLimits const& limits = PipelineStage::waiting())
        : pipeline(context.get_executor(), servers.means(), limits), means(make_means()),
          client(join("s-1", ear, server)) {}
    ClientStage(ClientStage const&) = delete;
    ClientStage& operator=(ClientStage const&) = delete;
    ~ClientStage() {
        if (client) client->end("the test is over");
        client.reset();
        for (auto const& one : servers.sent)
            if (!one->back) one->lose(pfar::Errc::unavailable, "the test is over");
        turn(context);
    }

    std::shared_ptr<gateway::Client> join(std::string id, std::shared_ptr<Ear> outlet, std::string const& server = "") {
        gateway::Arrival arrival;
        arrival.transport = "stdio", arrival.server = server, arrival.outlet = std::move(outlet);
        return std::make_shared<gateway::Client>(means, std::move(arrival), std::move(id));
    }
    pipeline::OfferPtr offer(std::string const& name, std::vector<std::string> tools = {look_tool, put_tool},
                             std::function<void(pipeline::Offer&, pipeline::Lists&)> const& change = {}) {
        auto one = make_offer(name, std::move(tools), change);
        std::erase_if(offers, [&](auto const& other) { return other->name == name; });
        offers.push_back(one);
        std::sort(offers.begin(), offers.end(), [](auto const& a, auto const& b) { return a->name < b->name; });
        return servers.now[one->identity] = one;
    }
    void hear(std::string_view text) {
        client->hear(text);
        turn(context);
    }
    void ask(std::string_view id, std::string_view method, std::string_view params = "{}") {
        hear(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method, params));
    }
    void tell(std::string_view method, std::string_view params) {
        hear(fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params));
    }
    void open(std::string_view capabilities = "{}", std::string_view revision = "2025-11-25") {
        ask("0", "initialize",
            fmt::format(
                R"({{"protocolVersion":"{}","capabilities":{},"clientInfo":{{"name":"tester","version":"9"}}}})",
                revision, capabilities));
        REQUIRE(ear->answer_to("0").at("result").is_object());
        ear->take();
    }
    boost::json::value answer_to(std::string_view id) const { return ear->answer_to(id); }
    /// The code of the error that answered it; 0 if it was no error.
    std::int64_t code_of(std::string_view id) const {
        auto const answer = answer_to(id);
        return answer.is_object() && answer.as_object().contains("error") ? answer.at("error").at("code").as_int64()
                                                                          : 0;
    }
    Sent& sent(std::size_t which = 0) {
        REQUIRE(servers.sent.size() > which);
        return *servers.sent[which];
    }
    void answer(std::string result, std::size_t which = 0) {
        sent(which).answer(std::move(result));
        turn(context);
    }
    bool until(std::function<bool()> const& holds) { return turn_until(context, holds); }

private:
    static boost::asio::awaitable<void> settle(ClientStage* self) {
        if (self->on_settle) self->on_settle();
        co_return;
    }
    static boost::asio::awaitable<void> wake(ClientStage* self, std::string identity) {
        self->woken.push_back(std::move(identity));
        if (self->on_wake) self->on_wake();
        co_return;
    }
    std::shared_ptr<gateway::ClientMeans> make_means() {
        return std::make_shared<gateway::ClientMeans>(gateway::ClientMeans{
            context.get_executor(), pipeline, [this](std::filesystem::path const&) { return offers; },
            [this](std::filesystem::path const&, std::chrono::milliseconds) { return settle(this); },
            [this](std::string identity) { return wake(this, std::move(identity)); }, servers.forward(),
            [this](gateway::Client const& one) { gone.push_back(one.id()); },
            [this](gateway::Client const& one) { levels.push_back(one.level()); }});
    }
};

} // namespace test
