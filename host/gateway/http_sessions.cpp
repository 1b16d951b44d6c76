#include "gateway/http_sessions.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>

namespace pfar::gateway {

std::string random_id(std::size_t bytes) {
    std::string random(bytes, '\0');
    randombytes_buf(random.data(), random.size());
    std::string out;
    for (unsigned char const byte : random) out += fmt::format("{:02x}", byte);
    return out;
}

HttpSessions::HttpSessions(boost::asio::any_io_executor executor, Admit admit, std::filesystem::path directory,
                           HttpLimits const& limits)
    : executor_(std::move(executor)), admit_(std::move(admit)), directory_(std::move(directory)), limits_(limits) {}

HttpSessions::~HttpSessions() {
    end_all("the host stops serving HTTP");
    *self_ = nullptr;
}

Result<HttpSessions::Begun> HttpSessions::begin(std::string const& server) {
    if (sessions_.size() >= limits_.sessions && !make_room())
        return fail(Errc::unavailable,
                    fmt::format("{} sessions are open; end one, or try again later", sessions_.size()));
    Begun out{random_id(20), nullptr};
    auto over = [self = self_](std::string const& id) {
        if (*self != nullptr) (*self)->sessions_.erase(id);
    };
    out.session =
        std::make_shared<HttpSession>(HttpSession::Beginning{out.id, server, executor_, std::move(over)}, limits_);
    PFAR_TRY(party, admit_(Arrival{"http", server, directory_, 0, out.session}));
    if (out.session->is_over()) return fail(Errc::unavailable, "the session ended as it began; try again");
    out.session->begin(std::move(party));
    sessions_.emplace(out.id, out.session);
    return out;
}

/// The one that was not used for the longest time, if that is long enough.
bool HttpSessions::make_room() {
    auto const oldest = std::min_element(sessions_.begin(), sessions_.end(), [](auto const& a, auto const& b) {
        return a.second->last_used() < b.second->last_used();
    });
    if (oldest == sessions_.end() || Clock::now() - oldest->second->last_used() < limits_.session_old) return false;
    auto const session = oldest->second;
    session->end("it was not used for a while, and others wait");
    return true;
}

HttpSessions::Session HttpSessions::find(std::string_view id, std::string_view server) const {
    auto const found = sessions_.find(std::string(id));
    return found == sessions_.end() || found->second->server() != server ? nullptr : found->second;
}

void HttpSessions::look(Clock::time_point now) {
    std::vector<Session> idle;
    for (auto const& [id, session] : sessions_) {
        session->look(now);
        if (now - session->last_used() > limits_.session_idle) idle.push_back(session);
    }
    for (auto const& session : idle) session->end("it was idle for too long");
}

void HttpSessions::end_all(std::string const& why) {
    for (auto const& [id, session] : std::exchange(sessions_, {})) session->end(why);
}

} // namespace pfar::gateway
