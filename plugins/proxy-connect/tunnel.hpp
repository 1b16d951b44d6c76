// Tunnel: one client connection, from its first byte to its record.
//
// Everything runs on the session's executor, one thread, so there is no lock. Its coroutines keep it alive; close() ends every
// wait it has. One timer watches the phase it is in, because a timer per wait would cost more than the relaying.
#pragma once

#include "connect_request.hpp"
#include "http_answer.hpp"

#include <pfar/egress_filter.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>
#include <set>

namespace pfar::proxy_connect {

namespace asio = boost::asio;

struct Limits {
    std::size_t header_bytes = 8192, tunnels = 256;
    std::chrono::milliseconds header{10'000}, idle{300'000}, decision{30'000}, dial{10'000}, farewell{2'000};
};

class Tunnel;

/// What a session's tunnels share. It outlives the session for as long as a tunnel unwinds; then `alive` is false and neither
/// `decide` nor `record` is called any more.
struct SessionState {
    asio::any_io_executor executor;
    decltype(EgressTask::decide) decide;
    decltype(EgressTask::record) record;
    Limits limits;
    std::function<void(LogLevel, std::string_view)> log;
    std::set<Tunnel*> connections;
    std::size_t relaying = 0;
    bool alive = true;
};

class Tunnel : public std::enable_shared_from_this<Tunnel> {
public:
    Tunnel(std::shared_ptr<SessionState> session, asio::ip::tcp::socket client);
    Tunnel(Tunnel const&) = delete;
    Tunnel& operator=(Tunnel const&) = delete;
    ~Tunnel() = default;

    /// Begins to serve; the record is made when everything about it is over. [executor]
    void start();
    /// Ends it; the first reason given is the one on record. [executor]
    void close(std::string why);

private:
    using Socket = asio::ip::tcp::socket;
    enum class Phase { header, decision, dial, relay, farewell };

    static asio::awaitable<void> serve(std::shared_ptr<Tunnel> self);
    static asio::awaitable<void> receive(std::shared_ptr<Tunnel> self);
    asio::awaitable<bool> read_header();
    asio::awaitable<bool> obtain_verdict();
    asio::awaitable<bool> dial();
    asio::awaitable<bool> dial_one(asio::ip::tcp::endpoint endpoint);
    asio::awaitable<void> send();
    asio::awaitable<void> pump(Socket& from, Socket& to, std::uint64_t& count);
    asio::awaitable<void> refuse(Status status, std::string sentence, std::string ended);

    void spawn(asio::awaitable<void> part);
    void part_done();
    void ask();
    void enter(Phase phase, std::chrono::milliseconds limit);
    void watch();
    void expired();

    std::shared_ptr<SessionState> session_;
    Socket client_, upstream_;
    asio::steady_timer deadline_timer_, answered_;
    std::chrono::steady_clock::time_point const started_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point deadline_;
    Phase phase_ = Phase::header;
    std::string early_; // the header, and after it what the client sent behind it
    std::optional<Verdict> verdict_;
    EgressRecord record_;
    std::size_t parts_ = 0;
    bool closed_ = false, relaying_ = false, watched_ = false;
};

} // namespace pfar::proxy_connect
