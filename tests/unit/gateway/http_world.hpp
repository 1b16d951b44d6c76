// An HttpServer in a thread of the test's own, in front of sessions that are made up: what they say is in their requests, or the test's word.
#pragma once

#include "gateway/http_server.hpp"
#include "unit/gateway/http_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <future>
#include <set>
#include <thread>

namespace test {

/// ping: an answer at once. slow: none until the test answers. noisy: progress, then an answer. big N: N bytes. mute: says nothing before the test does.
class FakeParty final : public pfar::gateway::Party, public std::enable_shared_from_this<FakeParty> {
public:
    FakeParty(pfar::gateway::Arrival arrival, std::string id) : arrival_(std::move(arrival)), id_(std::move(id)) {}

    void hear(std::string_view text) override;
    void hear_end() override { end("its end was heard"); }
    void end(std::string const& why) override;
    [[nodiscard]] std::string const& protocol() const override { return protocol_; }
    [[nodiscard]] std::size_t in_flight() const override { return 0; }
    [[nodiscard]] std::string const& id() const override { return id_; }

    void send(std::string message, std::string about = {}, bool last = false);
    /// Answers a request, by its id as written.
    void answer(std::string const& id);
    void leave(std::string const& why) { arrival_.outlet->close(why); }
    [[nodiscard]] std::size_t waiting() const { return arrival_.outlet->waiting(); }
    [[nodiscard]] std::string const& server() const { return arrival_.server; }
    std::vector<std::string> heard{};
    std::string ended{};

private:
    pfar::gateway::Arrival arrival_;
    std::string id_, protocol_;
};

inline constexpr char const* agents_token = "agents-token-0123456789";
inline constexpr char const* owners_token = "owners-token-0123456789";

class HttpWorld {
public:
    struct Wish {
        pfar::gateway::HttpLimits limits{};
        bool auth = true;
        std::vector<std::string> origins{}, hosts{};
        std::filesystem::path certificate{}, key{};
    };
    explicit HttpWorld(Wish const& wish);
    HttpWorld() : HttpWorld(Wish{}) {}
    HttpWorld(HttpWorld const&) = delete;
    HttpWorld& operator=(HttpWorld const&) = delete;
    ~HttpWorld();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] HttpTalk talk() const { return HttpTalk(port_); }
    /// One request on a connection of its own.
    HttpAnswer ask(std::string const& method, std::string const& path, Fields const& fields,
                   std::string const& body = {}) const;

    /// Runs `work` where the server lives, and waits.
    template <class Work> auto on_thread(Work work) -> decltype(work()) {
        std::packaged_task<decltype(work())()> task(std::move(work));
        auto done = task.get_future();
        boost::asio::post(context_, [&task] { task(); });
        return done.get();
    }
    /// The party of the session that began last.
    std::shared_ptr<FakeParty> party() {
        return on_thread([this] { return parties_.back(); });
    }
    /// The same, on the thread.
    [[nodiscard]] std::shared_ptr<FakeParty> const& last_party() const { return parties_.back(); }
    [[nodiscard]] std::size_t sessions() {
        return on_thread([this] { return server_->sessions(); });
    }
    /// Waits until it is so, for a while.
    bool becomes(std::function<bool()> const& so);
    void stop(std::string const& why) {
        on_thread([&] { server_->close(why); });
    }

    std::string approvals = "[]", servers = "[]", blocked = "[]"; // changed on the thread only
    std::vector<std::string> decided{};

private:
    boost::asio::io_context context_;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> busy_;
    std::shared_ptr<pfar::gateway::HttpServer> server_;
    std::vector<std::shared_ptr<FakeParty>> parties_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

pfar::gateway::HttpRooms fake_rooms(std::vector<std::shared_ptr<FakeParty>>& parties);

/// What an agent sends along, with its token.
Fields agent(Fields more = {});
/// The same for POST.
Fields poster(Fields more = {});
std::string initialize_text(std::string const& revision = "2025-11-25");
/// `{"jsonrpc":"2.0","id":ID,"method":METHOD}`
std::string call(std::string const& id, std::string const& method, std::string const& params = {});

/// A session that has begun; posts on connections of its own.
struct HttpAgent {
    HttpWorld& world;
    std::string id, path = "/mcp";

    explicit HttpAgent(HttpWorld& where, std::string const& revision = "2025-11-25", std::string at = "/mcp");
    [[nodiscard]] Fields fields(Fields more = {}) const;
    HttpAnswer post(std::string const& body, Fields more = {}) const;
    /// A connection on which this was posted, and nothing read yet.
    HttpTalk posting(std::string const& body, Fields more = {}) const;
    HttpTalk listening(Fields more = {}) const;
};

} // namespace test
