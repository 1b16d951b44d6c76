// HttpStream: one answer that may come in parts: of a POST, until all its requests are answered, or the one of GET, for as long as the session.
//
// It outlives its connection: what comes meanwhile is kept for a client that returns (HttpReplay).
#pragma once

#include "gateway/http_connection.hpp"
#include "gateway/http_replay.hpp"

namespace pfar::gateway {

/// What the client reads, by its Accept.
struct HttpWay {
    bool json = false, events = false;
};

class HttpStream {
public:
    using Clock = HttpConnection::Clock;

    HttpStream(std::uint32_t number, HttpWay way, HttpReplay& replay) : number_(number), way_(way), replay_(replay) {}

    std::vector<std::string> asked{}; // requests without an answer
    bool is_batch = false;
    HttpFields fields{}; // of the reply's head
    bool primed = false; // it begins with an event without a message, so that the client knows an id

    void join(HttpClient client);
    void leave(HttpConnection const* client);
    [[nodiscard]] bool is_heard() const { return client_ != nullptr && client_->open(); }
    /// A message that is no answer can reach its client, now or later.
    [[nodiscard]] bool carries() const { return way_.events && (events_ || is_heard()); }
    [[nodiscard]] std::uint32_t number() const { return number_; }

    /// A message of the stream; becomes events, if it was not yet. False if it could not be sent and not be kept.
    bool say(std::string message, bool request = false);
    /// An answer, which may stay plain JSON if it is the only thing to say.
    void answer(std::string message);
    /// All is answered: the reply is complete.
    void finish();
    /// On a connection that was just joined: what came after that event, or what no client was sent yet, and what follows.
    void resume(std::optional<std::uint64_t> after);
    /// Signs of life; an answer that takes long.
    void look(Clock::time_point now, HttpLimits const& limits);

private:
    void begin_events(bool prime);
    void write(std::uint64_t position, std::string_view message);

    std::uint32_t number_;
    HttpWay way_;
    HttpReplay& replay_;
    HttpClient client_;
    bool events_ = false;
    std::uint64_t position_ = 0, sent_ = 0; // of the last event, and of the last that was written
    std::vector<std::string> held_;         // answers that may stay plain JSON
    Clock::time_point said_ = Clock::now();
};

} // namespace pfar::gateway
