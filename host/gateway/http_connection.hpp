// HttpConnection: one client's connection. Reads a request, hands it over, writes what is said to it, whole or as a stream, and reads the next.
//
// Nothing is kept while nothing happens: bytes are read into a place that all share, and buffers go with the request they were for.
#pragma once

#include "base/fd.hpp"
#include "gateway/http_channel.hpp"
#include "gateway/http_reader.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>

namespace pfar::gateway {

class HttpConnection;
using HttpClient = std::shared_ptr<HttpConnection>;

/// What stands behind all connections.
class HttpSite {
public:
    /// What the head alone decides: a refusal, or how large the body may be.
    struct Verdict {
        std::optional<HttpReply> refusal{};
        std::size_t most_body = 0;
        bool known = false; // it has shown who it is
    };
    HttpSite() = default;
    HttpSite(HttpSite const&) = delete;
    HttpSite& operator=(HttpSite const&) = delete;
    virtual ~HttpSite() = default;

    virtual Verdict judge(HttpRequest const& head) = 0;
    /// Replies to it by the client, now or later.
    virtual void serve(HttpClient const& client, HttpRequest request) = 0;
    /// Whether it is its turn to read more of a large body; if not, client->go_on() is called when it is.
    virtual bool may_read_bulk(HttpClient const& client) = 0;
    virtual void count_bulk(std::size_t bytes) = 0;
    /// Calls client->speak() after the penance.
    virtual void refuse_later(HttpClient const& client) = 0;
    virtual void count_reply(unsigned status) = 0;
    /// It holds more (or less) memory than before: for a body that arrives, and for what waits to be read.
    virtual void count_bytes(std::ptrdiff_t body, std::ptrdiff_t waiting) = 0;
    virtual void gone(HttpClient const& client) = 0;
    /// What is read is wiped where it was read, as soon as it has been understood.
    [[nodiscard]] virtual bool asks_for_secrets() const { return false; }
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
    using Clock = std::chrono::steady_clock;
    /// Bytes that wait for a session's client, over all its connections.
    using Account = std::shared_ptr<std::size_t>;

    /// `site` outlives it, or closes it. [main thread, as all of it]
    HttpConnection(boost::asio::any_io_executor const& executor, base::Fd socket, HttpTls const* tls, HttpSite& site,
                   HttpLimits const& limits);
    void start();

    /// A reply as a whole. The first word of it to a request counts; later ones are ignored.
    void reply(HttpReply reply);
    /// Or one in pieces, whose body is as long as it gets.
    void begin_stream(HttpReply const& head);
    void stream(std::string_view bytes);
    void end_stream();
    /// What is written from here on counts there too; `gone` is told once if the client goes before the reply is complete, never from within.
    void belong(Account account, std::function<void()> gone);

    /// A refusal has waited long enough.
    void speak();
    /// It may read more of a large body.
    void go_on();
    /// Its deadlines.
    void look(Clock::time_point now);
    /// Ends a request that is still arriving.
    void give_up(HttpReply const& refusal);
    /// At once. No more is heard of it but Site::gone, later.
    void close();
    /// After what waits is written.
    void close_soon();
    /// The site is no more. It has to be closed before.
    void forget_site() { site_ = nullptr; }

    [[nodiscard]] bool open() const { return phase_ != Phase::closed; }
    [[nodiscard]] std::size_t waiting() const { return out_.size() - written_; }
    [[nodiscard]] std::size_t arriving() const { return body_bytes_; }
    [[nodiscard]] Clock::time_point since() const { return since_; }
    /// How well it could be done without: 0 not at all, 1 idle, 2 nobody knows who it is.
    [[nodiscard]] int dispensable() const;

private:
    enum class Phase { reading, serving, streaming, refusing, finishing, lingering, closed };
    void read_soon();
    void read_some();
    void heard(std::string_view bytes);
    void forget(std::size_t used);
    void feed();
    bool judge();
    void refuse(HttpReply said);
    void serve();
    void done();
    void put(std::string bytes);
    void append(std::string bytes);
    void write_some();
    void write_soon(bool when_writable);
    void drained();
    void charge(std::ptrdiff_t bytes);
    void count_body(std::size_t now);
    [[nodiscard]] bool wants_bytes() const;
    bool has_turn();
    void look_at_reading(Clock::time_point now);

    boost::asio::posix::stream_descriptor socket_;
    HttpChannel channel_;
    HttpSite* site_;
    HttpLimits const& limits_;
    std::unique_ptr<HttpReader> reader_;
    std::string in_, out_;
    std::size_t written_ = 0, body_bytes_ = 0, discarded_ = 0;
    Account account_;
    std::function<void()> gone_;
    Clock::time_point since_ = Clock::now(), moved_ = since_, wrote_ = since_; // phase, last byte read and written
    Phase phase_ = Phase::reading;
    bool judged_ = false, known_ = false, is_new_ = true, keeps_ = true, reading_ = false, writing_ = false,
         read_when_writable_ = false, fresh_ = true;
    bool behind_ = false, granted_ = false; // nothing is read for now; a piece of a large body may be
};

} // namespace pfar::gateway
