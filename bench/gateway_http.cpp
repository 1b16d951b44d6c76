// The way over Streamable HTTP: a connection for each request in flight, kept open; answers come as JSON or as the one event of a stream.
#include "gateway.hpp"
#include "gateway_client.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace bench {
namespace {

/// Lower case: value of a field in a head, empty if it is not there.
std::string field(std::string_view head, std::string_view name) {
    for (auto at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
        auto const line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
        auto const colon = line.find(':');
        if (colon != name.size() || ::strncasecmp(line.data(), name.data(), colon) != 0) continue;
        auto const value = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
        return std::string(value);
    }
    return "";
}

struct Connection {
    int fd = -1;
    std::string request, text, body; // what was sent; what came and was not used; the body so far
    bool in_body = false, chunked = false, whole = false;
    std::size_t left = 0;

    void begin() { body.clear(), text.clear(), in_body = whole = false; }

    void read_head(std::string& session) {
        auto const end = text.find("\r\n\r\n");
        if (end == std::string::npos) return;
        auto const head = std::string_view(text).substr(0, end);
        if (!head.starts_with("HTTP/1.1 2")) {
            std::fprintf(stderr, "bench gateway: %s\n", text.c_str());
            give_up("not answered with success");
        }
        if (auto given = field(head, "mcp-session-id"); !given.empty()) session = std::move(given);
        chunked = field(head, "transfer-encoding") == "chunked";
        auto const length = field(head, "content-length");
        left = 0;
        std::from_chars(length.data(), length.data() + length.size(), left);
        text.erase(0, end + 4);
        in_body = true;
    }

    void read_body() {
        while (!whole && chunked) {
            auto const end = text.find("\r\n");
            if (end == std::string::npos) return;
            std::size_t size = 0;
            std::from_chars(text.data(), text.data() + end, size, 16);
            if (text.size() < end + 2 + size + 2) return;
            body.append(text, end + 2, size);
            text.erase(0, end + 2 + size + 2);
            whole = size == 0;
        }
        if (chunked) return;
        body.append(text, 0, left - body.size());
        text.clear();
        whole = body.size() >= left;
    }
};

class Http : public Way {
public:
    Http(std::string const& url, std::string const& token) : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        auto const begin = url.find("//") + 2, slash = url.find('/', begin), colon = url.find(':', begin);
        address_.sin_family = AF_INET;
        if (::inet_pton(AF_INET, url.substr(begin, colon - begin).c_str(), &address_.sin_addr) != 1) give_up(url);
        address_.sin_port = htons(static_cast<std::uint16_t>(std::atoi(url.c_str() + colon + 1)));
        head_ = "POST " + url.substr(slash) + " HTTP/1.1\r\nHost: " + url.substr(begin, slash - begin) +
                "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
                (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n");
    }

    void send(std::string_view message) override {
        if (idle_.empty()) idle_.push_back(open());
        auto& to = connections_[idle_.back()];
        idle_.pop_back();
        to.begin();
        to.request = head_;
        if (!session_.empty()) to.request += "Mcp-Session-Id: " + session_ + "\r\nMCP-Protocol-Version: 2025-06-18\r\n";
        to.request += "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n";
        to.request += message;
        write_all(to.fd, to.request);
    }

    std::string_view receive() override {
        for (;;) {
            while (next_ == ready_) wait();
            auto const index = static_cast<std::size_t>(events_[next_++].data.u64);
            auto& from = connections_[index];
            auto const count = ::recv(from.fd, scratch_.data(), scratch_.size(), 0);
            if (count <= 0) {
                again(index);
                continue;
            }
            from.text.append(scratch_.data(), static_cast<std::size_t>(count));
            if (!from.in_body) from.read_head(session_);
            if (from.in_body) from.read_body();
            if (!from.whole) continue;
            idle_.push_back(index);
            return message_in(from.body);
        }
    }

private:
    /// A server may close a connection that rests; who asks just then asks again, once.
    void again(std::size_t index) {
        auto& one = connections_[index];
        bool const rests = std::find(idle_.begin(), idle_.end(), index) != idle_.end();
        ::close(one.fd);
        if (!rests && (one.in_body || !one.text.empty())) give_up("the connection ended");
        one.fd = connect(index);
        if (!rests) write_all(one.fd, one.request);
    }

    std::size_t open() {
        connections_.emplace_back().fd = connect(connections_.size());
        return connections_.size() - 1;
    }

    int connect(std::size_t index) const {
        auto const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int const on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::connect(fd, reinterpret_cast<sockaddr const*>(&address_), sizeof address_) != 0) give_up("connect");
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = index;
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
        return fd;
    }

    void wait() {
        auto const count = ::epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), -1);
        next_ = 0, ready_ = static_cast<std::size_t>(std::max(count, 0));
    }

    /// Of a stream the last event; what comes before are its introduction and notifications.
    static std::string_view message_in(std::string_view body) {
        if (body.empty() || body.front() == '{') return body;
        auto const begin = body.rfind("data: {");
        if (begin == std::string_view::npos) return {};
        auto const text = body.substr(begin + 6);
        return text.substr(0, text.find_first_of("\r\n"));
    }

    int epoll_;
    sockaddr_in address_{};
    std::string head_, session_;
    std::deque<Connection> connections_;
    std::vector<std::size_t> idle_;
    std::array<epoll_event, 128> events_{};
    std::size_t next_ = 0, ready_ = 0;
    std::vector<char> scratch_ = std::vector<char>(std::size_t{1} << 20U);
};

} // namespace

std::unique_ptr<Way> over_http(std::string const& url, std::string const& token) {
    return std::make_unique<Http>(url, token);
}

} // namespace bench
