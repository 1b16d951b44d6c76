// HttpSessions: all sessions over HTTP by their ids, which nobody can guess.
#pragma once

#include "gateway/http_session.hpp"

#include <unordered_map>

namespace pfar::gateway {

/// `bytes` random ones as hexadecimal digits.
std::string random_id(std::size_t bytes);

class HttpSessions {
public:
    using Clock = HttpConnection::Clock;
    using Session = std::shared_ptr<HttpSession>;

    HttpSessions(boost::asio::any_io_executor executor, Admit admit, std::filesystem::path directory,
                 HttpLimits const& limits);
    HttpSessions(HttpSessions const&) = delete;
    HttpSessions& operator=(HttpSessions const&) = delete;
    ~HttpSessions();

    struct Begun {
        std::string id;
        Session session;
    };
    /// Errc::not_found if there is no such server, Errc::unavailable if there are too many. [main thread, as all of it]
    Result<Begun> begin(std::string const& server);
    /// Null if there is none of this id at this place.
    [[nodiscard]] Session find(std::string_view id, std::string_view server) const;
    void look(Clock::time_point now);
    void end_all(std::string const& why);
    [[nodiscard]] std::size_t size() const { return sessions_.size(); }

private:
    bool make_room();

    boost::asio::any_io_executor executor_;
    Admit admit_;
    std::filesystem::path directory_;
    HttpLimits const& limits_;
    std::unordered_map<std::string, Session> sessions_;
    std::shared_ptr<HttpSessions*> self_ = std::make_shared<HttpSessions*>(this);
};

} // namespace pfar::gateway
