// The two ends of a connection: ours, for a stream or a peer, and the far one, which a test holds raw.
#pragma once

#include "wire/line_stream.hpp"

#include <boost/asio/io_context.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace test {

enum class Over { pipes, socket, shared_socket }; // the last: ours blocks, as an agent's does that has it too

class FarEnd {
public:
    FarEnd() = default;

    /// Ours; the far one stays here.
    pfar::wire::Ends open(Over over) {
        ::signal(SIGPIPE, SIG_IGN);
        auto ends = over == Over::pipes ? open_pipes() : open_socket();
        for (auto const* const fd : {&in_, &out_}) pfar::wire::never_block(*fd);
        if (over != Over::shared_socket)
            for (auto const* const fd : {&ends.in, &ends.out}) pfar::wire::never_block(*fd);
        return ends;
    }

    /// As much as goes in now.
    std::size_t write_some(std::string_view text) const {
        auto const put = ::write(out_.number(), text.data(), text.size());
        return put > 0 ? static_cast<std::size_t>(put) : 0;
    }
    /// All there is now.
    std::string read_some() const {
        std::string all(65536, '\0');
        auto const got = ::read(in_.number(), all.data(), all.size());
        all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return all;
    }
    [[nodiscard]] bool sees_end() const {
        char byte = 0;
        return ::read(in_.number(), &byte, 1) == 0;
    }
    void write(std::string_view text) const {
        while (!text.empty()) {
            auto const put = write_some(text);
            if (put == 0) throw std::runtime_error("the far end's text does not fit");
            text.remove_prefix(put);
        }
    }
    void send_descriptor(std::string_view text, int descriptor) const {
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        iovec part{const_cast<char*>(text.data()), text.size()};
        msghdr message{};
        message.msg_iov = &part, message.msg_iovlen = 1;
        message.msg_control = control.data(), message.msg_controllen = control.size();
        auto* const beside = CMSG_FIRSTHDR(&message);
        beside->cmsg_level = SOL_SOCKET, beside->cmsg_type = SCM_RIGHTS, beside->cmsg_len = CMSG_LEN(sizeof(int));
        *reinterpret_cast<int*>(CMSG_DATA(beside)) = descriptor;
        if (::sendmsg(out_.number(), &message, 0) < 0) throw std::runtime_error("sendmsg");
    }
    void close_output() { out_ = {}, shut(SHUT_WR); }
    void close() { in_ = {}, out_ = {}; }
    [[nodiscard]] int out() const { return out_.number(); }

private:
    pfar::wire::Ends open_pipes() {
        int there[2], back[2];
        if (::pipe2(there, O_CLOEXEC) != 0 || ::pipe2(back, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        in_ = pfar::base::Fd(there[0]), out_ = pfar::base::Fd(back[1]);
        return {pfar::base::Fd(back[0]), pfar::base::Fd(there[1])};
    }
    pfar::wire::Ends open_socket() {
        int pair[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) throw std::runtime_error("no socket");
        in_ = pfar::base::Fd(pair[1]), out_ = pfar::base::Fd(::dup(pair[1]));
        auto const copy = ::dup(pair[0]);
        return {pfar::base::Fd(pair[0]), pfar::base::Fd(copy)};
    }
    void shut(int how) const { ::shutdown(in_.number(), how); } // does nothing to a pipe

    pfar::base::Fd in_, out_;
};

/// Turns the context until it holds; false after 20 s.
inline bool turn_until(boost::asio::io_context& context, std::function<bool()> const& holds) {
    auto const late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (; !holds(); context.restart()) {
        if (std::chrono::steady_clock::now() > late) return false;
        context.run_for(std::chrono::milliseconds(1));
    }
    return true;
}
/// Whatever is ready now.
inline void turn(boost::asio::io_context& context) {
    for (int i = 0; i < 3; ++i) context.restart(), context.poll();
}

} // namespace test
