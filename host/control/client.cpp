#include "control/client.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "control/errors.hpp"
#include "wire/message.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace pfar::control {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t most_line = std::size_t{64} << 20U, piece = 64U << 10U, most_descriptors = 8;
constexpr std::chrono::seconds write_patience{5};

Error ended() {
    return fail(Errc::unavailable, "the host ended before it answered; pfar host status tells whether another runs");
}

Error no_sense() {
    return fail(Errc::internal, "what answers on the host's socket makes no sense; run: pfar host restart");
}

/// Blocking, but neither connecting nor writing waits for ever.
base::Fd patient_socket() {
    base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    timeval const patience{write_patience.count(), 0};
    if (socket) ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return socket;
}

Result<Greeting> greeting_in(std::string_view json) {
    boost::system::error_code bad;
    auto const parsed = boost::json::parse(json, bad);
    auto const* const object = bad ? nullptr : parsed.if_object();
    if (object == nullptr) return no_sense();
    auto const text = [&](char const* key) {
        auto const* const value = object->if_contains(key);
        return value != nullptr && value->is_string() ? base::printable(std::string_view(value->get_string())) : "";
    };
    auto const* const pid = object->if_contains("pid");
    auto const* const idle = object->if_contains("idle");
    return Greeting{{text("version"), text("build")},
                    pid != nullptr && pid->is_int64() ? static_cast<pid_t>(pid->get_int64()) : 0,
                    idle != nullptr && idle->is_bool() && idle->get_bool()};
}

} // namespace

Result<Client> Client::connect(RunDirectory const& run) {
    auto socket = patient_socket();
    auto const address = run.socket_address();
    if (!socket) return fail(Errc::io, fmt::format("no socket can be made: {}", base::errno_text(errno)));
    if (::connect(socket.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0)
        return Client(std::move(socket));
    if (errno == ENOENT || errno == ECONNREFUSED) return fail(Errc::not_found, "no host runs");
    if (errno == EAGAIN)
        return fail(Errc::timeout, "the host lets nobody in; pfar host restart ends it and starts another");
    return fail(Errc::io, fmt::format("{} cannot be connected to: {}",
                                      base::printable((run.path() / socket_name).native()), base::errno_text(errno)));
}

Result<Greeting> Client::hello(Identity const& own, std::filesystem::path const& directory,
                               std::chrono::milliseconds patience) {
    auto const params = boost::json::serialize(
        boost::json::object{{"version", own.version}, {"build", own.build}, {"directory", directory.native()}});
    auto const answer = ask({"hello", params, patience});
    if (!answer) return answer.error();
    return greeting_in(*answer);
}

Result<std::string> Client::ask(Question const& question) {
    auto const deadline = steady_clock::now() + question.timeout;
    auto const id = std::to_string(++next_);
    PFAR_CHECK(send(wire::request_line(id, question.method, question.params), question.descriptors));
    while (true) {
        PFAR_TRY(line, next_line(deadline, question.beside));
        std::optional<Result<std::string>> answer;
        auto const hear = [&](wire::Message const& message) {
            if (message.kind == wire::Message::Kind::notification && question.told)
                question.told(message.method, message.payload);
            else if (message.kind == wire::Message::Kind::notification)
                told_.emplace_back(message.method, message.payload);
            if (message.id != id) return;
            if (message.kind == wire::Message::Kind::result) answer = std::string(message.payload);
            if (message.kind == wire::Message::Kind::error) answer = error_in(message.payload);
        };
        bool sensible = true;
        wire::read_messages(line, hear, [&](std::string const&) { sensible = false; });
        if (!sensible) return no_sense();
        if (answer) return std::move(*answer);
    }
}

Result<void> Client::listen(std::function<bool(std::string_view method, std::string_view params)> const& heard,
                            Beside const* beside) {
    while (true) {
        for (; !told_.empty(); told_.pop_front())
            if (!heard(told_.front().first, told_.front().second)) return {};
        PFAR_TRY(line, next_line(Deadline::max(), beside));
        auto const hear = [&](wire::Message const& message) {
            if (message.kind == wire::Message::Kind::notification) told_.emplace_back(message.method, message.payload);
        };
        wire::read_messages(line, hear, [](std::string const&) {});
    }
}

/// The descriptors go with the first byte.
Result<void> Client::send(std::string_view line, std::vector<int> const& descriptors) const {
    alignas(cmsghdr) char control[CMSG_SPACE(most_descriptors * sizeof(int))]{};
    auto const count = std::min(descriptors.size(), most_descriptors);
    for (bool first = true; !line.empty(); first = false) {
        iovec part{const_cast<char*>(line.data()), line.size()};
        msghdr message{};
        message.msg_iov = &part, message.msg_iovlen = 1;
        if (first && count > 0) {
            message.msg_control = control, message.msg_controllen = CMSG_SPACE(count * sizeof(int));
            auto* const beside = CMSG_FIRSTHDR(&message);
            beside->cmsg_level = SOL_SOCKET, beside->cmsg_type = SCM_RIGHTS;
            beside->cmsg_len = CMSG_LEN(count * sizeof(int));
            std::memcpy(CMSG_DATA(beside), descriptors.data(), count * sizeof(int));
        }
        auto sent = ::sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
        while (sent < 0 && errno == EINTR) sent = ::sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN ? fail(Errc::timeout, "the host does not read what it is asked") : ended();
        line.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
}

Result<std::string> Client::next_line(Deadline deadline, Beside const* beside) {
    while (true) {
        auto const stop = heard_.find('\n', searched_);
        if (stop != std::string::npos) {
            auto line = heard_.substr(0, stop);
            heard_.erase(0, stop + 1);
            searched_ = 0;
            return line;
        }
        searched_ = heard_.size();
        if (heard_.size() > most_line) return no_sense();
        PFAR_TRY(is_there, wait(deadline, beside));
        if (is_there) PFAR_CHECK(receive());
    }
}

Result<bool> Client::wait(Deadline deadline, Beside const* beside) const {
    std::vector<pollfd> waits{{socket_.number(), POLLIN, 0}};
    if (beside != nullptr) beside->watch(waits);
    auto const left = deadline == Deadline::max()
                          ? std::chrono::milliseconds(-1)
                          : std::max(std::chrono::milliseconds(0),
                                     std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()));
    auto const ready = ::poll(waits.data(), waits.size(), static_cast<int>(left.count()));
    if (ready == 0)
        return fail(Errc::timeout, "the host has not answered in time; pfar host status tells how it is, "
                                   "pfar host restart starts another");
    if (ready < 0) return errno == EINTR ? Result<bool>(false) : ended();
    if (beside != nullptr && !beside->ready(std::span(waits).subspan(1)))
        return fail(Errc::refused, "it was given up before the host answered");
    return waits[0].revents != 0;
}

Result<void> Client::receive() {
    auto const before = heard_.size();
    heard_.resize(before + piece);
    auto const got = ::recv(socket_.number(), heard_.data() + before, piece, 0);
    heard_.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0 || (got < 0 && errno != EINTR)) return ended();
    return {};
}

} // namespace pfar::control
