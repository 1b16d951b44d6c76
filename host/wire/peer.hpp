// Peer: one JSON-RPC partner over a LineStream: what we ask it and who waits for the answer, what it asks and tells us.
//
// Everything a stranger can make grow is bounded: the requests that wait for its answer, the bytes that wait for it to read, the answers it does not
// fetch (then it is not read from either), its own requests that wait for ours. What it says wrong is told, counted and survived.
#pragma once

#include "wire/line_stream.hpp"
#include "wire/message.hpp"

#include <deque>
#include <map>
#include <set>

namespace pfar::wire {

struct PeerLimits {
    std::size_t line = most_line_bytes, turn = 64; // turn: lines at once; it speaks for many
    std::size_t asked = 1024;                      // requests that wait for its answer
    std::size_t waiting = std::size_t{32} << 20U;  // bytes that wait for it to read
    std::size_t unread = 256;                      // answers that wait for it to read
    std::size_t asking = 256;                      // its own requests that wait for ours
};

/// What came of a request. `payload` is the result, or the error object, good during the call; `lost` says why there is neither.
struct Reply {
    enum class Kind { result, error, lost };
    Kind kind;
    std::string_view payload{};
    Error lost{};
};

class Peer {
public:
    using Answered = std::function<void(Reply const&)>;
    struct Heard {
        std::function<void(Message const&)> request; // answer() or refuse() it, now or later
        std::function<void(Message const&)> notification;
        std::function<void(std::string const&)> trouble; // what it said wrong, for people
        std::function<void()> too_long; // beside `trouble`: a line was left out for its length; may be empty
        std::function<void()> ended;    // it says nothing more; all that was asked is lost
        /// Every line before anything is done with it: what it has become, if it changed. May be empty.
        std::function<std::optional<std::string>(std::string_view line)> clean{};
    };

    /// Not destroyed within anything that it calls. [the executor's thread, as all of it]
    Peer(boost::asio::any_io_executor const& executor, Ends ends, PeerLimits const& limits = {});
    Peer(Peer const&) = delete;
    Peer& operator=(Peer const&) = delete;
    ~Peer();

    void start(Heard heard);

    /// The number it was asked under, for forget(). `answered` is called once, never before this returns; what does not fit is an error.
    Result<std::uint64_t> ask(std::string_view method, std::string_view params, Answered answered);
    /// The number that the next one will have.
    [[nodiscard]] std::uint64_t next() const { return next_ + 1; }
    /// Whoever asked no longer waits; a late answer is no trouble.
    void forget(std::uint64_t number);
    Result<void> tell(std::string_view method, std::string_view params);
    /// Its request of this id. Ids that it did not ask under are left out.
    void answer(std::string_view id, std::string_view result);
    void refuse(std::string_view id, int code, std::string_view message);
    void refuse(std::string_view id, std::string_view error);

    /// It took its request of this id back: nobody answers it.
    void withdrawn(std::string_view id) { (void)take_asking(id); }

    /// All that was asked is lost, with this reason, and nothing more is heard.
    void close(Error const& why);
    /// The other side sees the end; what it still says is heard.
    void close_output() { stream_->close_output(); }
    /// As LineStream's.
    std::vector<base::Fd> take_descriptors() { return stream_->take_descriptors(); }
    [[nodiscard]] std::size_t asked() const { return asked_.size(); }
    [[nodiscard]] std::uint64_t troubles() const { return troubles_; }

private:
    void hear(std::string_view line);
    void hear_clean(std::string_view line);
    void hear(Message const& message);
    void hear_request(Message const& message);
    void hear_answer(Message const& message);
    void complain(std::string const& what);
    void lose_all(Error const& why);
    bool take_asking(std::string_view id);
    void send_answer(std::string_view id, std::string const& line);
    void look_at_unread();
    Result<void> send(std::string_view line);

    std::shared_ptr<LineStream> stream_;
    PeerLimits limits_;
    Heard heard_;
    struct Asked {
        Answered answered;
        std::uint64_t end; // where in the stream it ends
    };
    void lose_unsent(std::uint64_t gone);
    std::map<std::uint64_t, Asked> asked_;
    std::set<std::uint64_t> forgotten_; // answers that may still come; bounded
    std::set<std::string, std::less<>> asking_;
    std::deque<std::uint64_t> unread_; // where in the stream each answer that waits ends
    std::uint64_t next_ = 0, troubles_ = 0;
    bool closed_ = false;
};

} // namespace pfar::wire
