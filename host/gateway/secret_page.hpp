// SecretPage: a page on 127.0.0.1 that asks a person for one secret, once. It is how a secret gets past an agent: the agent sees the address at most,
// never what was typed there.
//
// Whoever knows the address may answer, so it cannot be guessed, it does not live long, and a page of another origin gets nowhere: not by its name
// (Host), not by a form (Origin and the form's mark), not in a frame.
#pragma once

#include "gateway/http_connection.hpp"

#include <pfar/secret.hpp>

#include <boost/asio/steady_timer.hpp>

#include <unordered_set>

namespace pfar::gateway {

/// What the page says. All of it is text, nothing is markup.
struct SecretRequest {
    std::string title, prompt;
    std::string help{};        // a sentence; or a https:// address, which becomes a link
    std::string wrong{};       // why it is asked again
    bool multiline = false;    // such as a key in PEM
    std::string starts_with{}; // anything else is asked again
    std::chrono::seconds life{600};
    std::string about{}; // what it is for: a sentence
    std::function<std::string(Secret const&)>
        fault{}; // why a value cannot be right, which is asked again then; may be empty
};

class SecretPage final : private HttpSite, public std::enable_shared_from_this<SecretPage> {
public:
    /// Heard once, never from within another function of the page: the value; Errc::timeout when its time was over; Errc::refused if the person
    /// cancelled, or it was closed.
    using Got = std::function<void(Result<Secret>)>;

    /// Errc::io if no port can be had. It lives as long as somebody holds it. [main thread, as all of it]
    static Result<std::shared_ptr<SecretPage>> open(boost::asio::any_io_executor const& executor, SecretRequest request,
                                                    Got got);
    SecretPage(boost::asio::any_io_executor const& executor, base::Fd socket, SecretRequest request, Got got);
    ~SecretPage() override;

    /// http://127.0.0.1:PORT/RANDOM
    [[nodiscard]] std::string const& url() const { return url_; }
    /// What became of the value, for whoever looks at the page again.
    void done(Result<void> const& outcome);
    /// Nobody can answer any more.
    void close();

private:
    enum class State { asking, taken, cancelled, expired };
    Verdict judge(HttpRequest const& head) override;
    void serve(HttpClient const& client, HttpRequest request) override;
    bool may_read_bulk(HttpClient const& /*client*/) override { return true; }
    void count_bulk(std::size_t /*bytes*/) override {}
    void refuse_later(HttpClient const& client) override;
    void count_reply(unsigned /*status*/) override {}
    void count_bytes(std::ptrdiff_t /*body*/, std::ptrdiff_t /*waiting*/) override {}
    void gone(HttpClient const& client) override;
    [[nodiscard]] bool asks_for_secrets() const override { return true; }

    void start();
    void accept_soon();
    void accept_some();
    bool make_room();
    void look_later();
    void look();
    [[nodiscard]] HttpReply answer(HttpRequest const& request);
    [[nodiscard]] HttpReply over() const;
    void settle(State state, Result<Secret> result);

    HttpLimits limits_;
    boost::asio::posix::stream_descriptor socket_;
    boost::asio::steady_timer tick_;
    SecretRequest request_;
    Got got_;
    std::string authority_, path_, mark_, url_, last_word_;
    HttpConnection::Clock::time_point until_;
    std::unordered_set<HttpClient> connections_;
    State state_ = State::asking;
    bool accepting_ = false;
};

} // namespace pfar::gateway
