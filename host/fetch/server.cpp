#include "fetch/server.hpp"

#include "fetch/reply.hpp"
#include "fetch/tools.hpp"
#include "wire/json_text.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pfar::fetch {
namespace {

constexpr std::size_t most_line = 4U << 20U, most_at_once = 16, most_waiting = 256;

} // namespace

Server::Server(Settings settings, int in, int out)
    : settings_(std::move(settings)), in_(in), out_(out), multi_(curl_multi_init(), curl_multi_cleanup) {}

Server::~Server() {
    while (!running_.empty()) end(running_.begin());
}

void Server::run() {
    while (!over_) {
        wait();
        if (pollfd input{in_, POLLIN, 0}; ::poll(&input, 1, 0) > 0 && !read_input()) return;
        finish_some();
        begin_some();
    }
}

/// curl says nothing of an input that was closed, so the input is looked at afterwards, whatever has ended the wait.
void Server::wait() {
    if (running_.empty()) {
        pollfd input{in_, POLLIN, 0};
        ::poll(&input, 1, -1);
        return;
    }
    int active = 0;
    curl_multi_perform(multi_.get(), &active);
    curl_waitfd input{in_, CURL_WAIT_POLLIN, 0};
    if (active > 0) curl_multi_poll(multi_.get(), &input, 1, 1000, nullptr);
    curl_multi_perform(multi_.get(), &active);
}

bool Server::read_input() {
    std::array<char, 64U << 10U> place;
    auto const got = ::read(in_, place.data(), place.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) return false;
    unread_.append(place.data(), static_cast<std::size_t>(got));
    take_lines();
    return true;
}

void Server::take_lines() {
    std::size_t begin = 0;
    for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n', begin)) {
        auto const line = std::string_view(unread_).substr(begin, end - begin);
        if (!std::exchange(skipping_, false)) take_line(line);
        begin = end + 1;
    }
    unread_.erase(0, begin);
    if (unread_.size() <= most_line) return;
    if (!std::exchange(skipping_, true))
        say(wire::error_line("null", wire::invalid_request, "the line is longer than 4 MiB"));
    unread_.clear();
}

void Server::take_line(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    wire::read_messages(
        line, [this](auto const& message) { take(message); },
        [this](auto const& what) { say(wire::error_line("null", wire::parse_error, what)); });
}

void Server::take(wire::Message const& message) {
    using Kind = wire::Message::Kind;
    if (message.kind == Kind::notification && message.method == "notifications/cancelled")
        return cancel(message.payload);
    if (message.kind != Kind::request) return;
    if (message.method == "initialize") {
        auto const revision = wire::string_in(wire::member_of(message.payload, "protocolVersion"));
        say(wire::result_line(message.id, greeting_text(settings_, revision)));
    } else if (message.method == "ping")
        say(wire::result_line(message.id, "{}"));
    else if (message.method == "tools/list")
        say(wire::result_line(message.id, tools_text(settings_)));
    else if (message.method == "tools/call")
        call(message);
    else
        say(wire::error_line(message.id, wire::method_not_found, "there is no such method here"));
}

/// Wrong arguments are an error of the tool, so that the model reads it and can do better.
void Server::call(wire::Message const& message) {
    auto const name = wire::string_in(wire::member_of(message.payload, "name"));
    if (name != "fetch" && name != "request")
        return say(
            wire::error_line(message.id, wire::invalid_params, "there is no such tool; there are fetch and request"));
    auto const arguments = wire::member_of(message.payload, "arguments");
    auto wanted =
        read_arguments(name == "fetch" ? Tool::fetch : Tool::request, arguments.empty() ? "{}" : arguments, settings_);
    if (!wanted) return say(wire::result_line(message.id, failed_text(wanted.error())));
    if (running_.size() >= most_waiting)
        return say(wire::result_line(
            message.id, failed_text(fail(Errc::unavailable, "too many requests wait here; try again later"))));
    running_.emplace_back(std::string(message.id), std::move(*wanted), settings_);
}

void Server::cancel(std::string_view params) {
    auto const id = wire::member_of(params, "requestId");
    auto const found = std::find_if(running_.begin(), running_.end(), [&](auto const& one) { return one.id == id; });
    if (found != running_.end()) end(found);
}

void Server::begin_some() {
    auto const begun = std::count_if(running_.begin(), running_.end(), [](auto const& one) { return one.begun; });
    auto room = most_at_once - static_cast<std::size_t>(begun);
    for (auto at = running_.begin(); at != running_.end() && room > 0;) {
        auto const here = at++;
        if (here->begun) continue;
        --room;
        begin(here);
    }
}

void Server::begin(std::list<Running>::iterator running) {
    auto const ready = running->transfer.leg();
    if (ready) {
        running->begun = true;
        curl_multi_add_handle(multi_.get(), running->transfer.handle());
        return;
    }
    say(wire::result_line(running->id, failed_text(ready.error())));
    end(running);
}

void Server::finish_some() {
    int left = 0;
    while (auto const* const message = curl_multi_info_read(multi_.get(), &left)) {
        auto* const handle = message->easy_handle;
        auto const code = message->data.result;
        auto const found =
            std::find_if(running_.begin(), running_.end(), [&](auto& one) { return one.transfer.handle() == handle; });
        if (found != running_.end()) finish(found, code);
    }
}

void Server::finish(std::list<Running>::iterator running, CURLcode code) {
    curl_multi_remove_handle(multi_.get(), running->transfer.handle());
    running->begun = false;
    auto const more = running->transfer.ended(code);
    if (more && *more) return begin(running);
    say(wire::result_line(running->id, more ? result_text(running->transfer.response()) : failed_text(more.error())));
    end(running);
}

void Server::end(std::list<Running>::iterator running) {
    if (running->begun) curl_multi_remove_handle(multi_.get(), running->transfer.handle());
    running_.erase(running);
}

void Server::say(std::string_view line) {
    while (!line.empty() && !over_) {
        auto const gone = ::write(out_, line.data(), line.size());
        if (gone > 0)
            line.remove_prefix(static_cast<std::size_t>(gone));
        else if (errno != EINTR)
            over_ = true;
    }
}

} // namespace pfar::fetch
