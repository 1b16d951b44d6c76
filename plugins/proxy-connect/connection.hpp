// Connection: one client connection, from its first byte to its record. The steps that every kind of client goes through: it is
// asked about, dialled for, relayed, refused. Which steps, in which order, is a serve function's business (proxy_client,
// transparent_client, http_exchange, dns_client).
//
// Everything runs on the session's executor, one thread, so there is no lock. Its coroutines keep it alive; close() ends every
// wait it has. One timer watches the phase it is in, because a timer per wait would cost more than the relaying.
#pragma once

#include "dialer.hpp"
#include "http_answer.hpp"
#include "record_walk.hpp"
#include "session_state.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>

namespace pfar::proxy_connect {

inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

class Connection : public std::enable_shared_from_this<Connection> {
public:
    using Socket = asio::ip::tcp::socket;
    using Serve = asio::awaitable<void> (*)(std::shared_ptr<Connection>);
    enum class Answer { allowed, refused, nobody }; // nobody decided, or it is closed

    Connection(std::shared_ptr<SessionState> session, Socket client);
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    ~Connection() = default;

    void start(Serve serve);
    /// Ends it; the first reason given is the one on record.
    void close(std::string why);
    /// The session is over: what there is to record is recorded now.
    void stop();

    /// Reads until early() begins with a complete head and gives its size; 0: it was no head (and was answered), or there was none.
    asio::awaitable<std::size_t> read_head();
    /// Asks the host; the verdict is kept. What is allowed has a record from now on.
    asio::awaitable<Answer> ask(Destination destination);
    /// Asks about a destination that there is a connection to already: by its name alone.
    asio::awaitable<Answer> ask_again(Destination destination);
    /// Dials one of the judged addresses, or the upstream proxy and through it. False: nothing answered, which is not told yet.
    asio::awaitable<bool> dial();
    /// early() begins with a hello: another one that follows it has to be as right.
    void look_again(RecordWalk walk) { walk_ = walk; }
    /// Both ways until both have ended, one is reset, or nothing moves any more. First goes what is in early() and late().
    asio::awaitable<void> relay();
    /// Says why, then listens until the client has gone: closing at once on unread bytes would reset what it has not read yet.
    asio::awaitable<void> refuse(std::string bytes);
    asio::awaitable<void> refuse(Status status, std::string const& sentence) {
        return refuse(http_answer(status, sentence));
    }
    /// A client that is no client of ours: 400, and on record.
    asio::awaitable<void> complain(Status status, std::string sentence);

    /// Time for what comes next; when it is over the connection ends, as `why` says.
    void allow_time(std::chrono::milliseconds limit, std::string why);
    /// Something moved.
    void touch() { deadline_ = std::chrono::steady_clock::now() + limit_; }
    /// Runs beside serve(); the connection lives until all such parts are done.
    void spawn(asio::awaitable<void> part);
    /// Ends the record that is open, if any.
    void settle(std::string const& why);
    /// On record as something that the filter itself refused.
    void blame(Destination destination, std::string why);

    Socket& client() { return client_; }
    Socket& upstream() { return upstream_; }
    std::string& early() { return early_; } // from the client, not yet passed on
    std::string& late() { return late_; }   // from the world, not yet passed on
    SessionState& session() { return *session_; }
    std::shared_ptr<SessionState> const& shared_session() const { return session_; }
    Verdict const& verdict() const { return *verdict_; }
    EgressRecord& record() { return *record_; } // while one is open
    std::uint64_t& sent() { return sent_; }
    std::uint64_t& received() { return received_; }
    bool closed() const { return closed_; }
    /// The address and port that a transparent client meant.
    asio::ip::tcp::endpoint meant() const;

private:
    asio::awaitable<void> obtain_verdict(Destination destination);
    asio::awaitable<bool> ask_upstream();
    asio::awaitable<bool> pass_hellos();
    asio::awaitable<bool> pass_second_hello();
    asio::awaitable<bool> hear_more();
    asio::awaitable<void> pump(Socket& from, Socket& to, std::uint64_t& count);
    asio::awaitable<bool> write_rest(Socket& to, std::string& rest, std::uint64_t& count);
    static asio::awaitable<void> receive(std::shared_ptr<Connection> self);
    void part_done();
    void watch();

    std::shared_ptr<SessionState> session_;
    Socket client_, upstream_;
    asio::steady_timer deadline_timer_, answered_;
    std::shared_ptr<Dialer> dialer_;
    std::chrono::steady_clock::time_point deadline_, record_began_;
    std::chrono::milliseconds limit_{};
    std::string too_late_, why_; // why it would end now; why it ended
    std::string early_, late_;
    std::optional<Verdict> verdict_;
    std::optional<EgressRecord> record_;
    std::optional<RecordWalk> walk_;
    std::uint64_t sent_ = 0, received_ = 0; // of the record that is open
    std::size_t parts_ = 0, question_ = 0;
    bool closed_ = false, relaying_ = false, watched_ = false;
};

} // namespace pfar::proxy_connect
