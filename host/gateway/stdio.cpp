// A client that does not read is not read from; what it makes us keep meanwhile is bounded, or it is sent away.
#include "gateway/stdio.hpp"

#include "wire/message.hpp"

#include <boost/asio/post.hpp>

namespace pfar::gateway {
namespace {

constexpr std::size_t pause_above = std::size_t{1} << 20U, busy_above = 60, most_waiting = std::size_t{48} << 20U;

} // namespace

Stdio::Stdio(boost::asio::any_io_executor const& executor, wire::Ends ends, Ended ended)
    : executor_(executor), stream_(wire::LineStream::make(executor, std::move(ends), wire::LineLimits())),
      ended_(std::move(ended)) {}

Stdio::~Stdio() {
    stream_->close();
}

void Stdio::start(std::shared_ptr<Party> party) {
    party_ = std::move(party);
    auto const weak = weak_from_this();
    wire::LineStream::Heard heard;
    heard.line = [weak](std::string_view line) {
        if (auto const self = weak.lock()) self->hear(line);
    };
    heard.too_long = [weak] {
        if (auto const self = weak.lock())
            self->send(
                R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message of more than 16 MiB was left out"}})",
                {});
    };
    heard.ended = [weak](bool half) {
        auto const self = weak.lock();
        if (!self || !self->party_) return;
        if (half)
            self->send(
                R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the input ended in the middle of a line"}})",
                {});
        auto const kept = self->party_;
        kept->hear_end();
    };
    heard.drained = [weak] {
        if (auto const self = weak.lock()) self->drained();
    };
    stream_->start(std::move(heard));
}

void Stdio::hear(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || !party_) return;
    auto const kept = party_;
    kept->hear(line);
    if (stream_->waiting() > pause_above || kept->in_flight() >= busy_above) stream_->pause();
}

void Stdio::drained() {
    if (closing_) return finish(*closing_);
    if (!party_ || party_->in_flight() < busy_above) stream_->resume();
}

void Stdio::send(std::string message, Place place) {
    if (place.last && stream_->waiting() <= pause_above) stream_->resume();
    if (message.empty() || closing_) return;
    message += '\n';
    bool const fits = stream_->waiting() + message.size() <= most_waiting;
    if (fits && stream_->send(std::move(message))) return;
    boost::asio::post(executor_, [weak = weak_from_this(), fits] { // not from within whoever sends
        if (auto const self = weak.lock())
            self->abandon(fits ? "the client no longer reads" : "the client does not read what it asked for");
    });
}

void Stdio::close(std::string const& why) {
    if (closing_) return;
    closing_ = why;
    party_.reset();
    if (stream_->waiting() == 0)
        boost::asio::post(executor_, [weak = weak_from_this(), why] {
            if (auto const self = weak.lock()) self->finish(why);
        });
}

void Stdio::abandon(std::string const& why) {
    if (auto const party = std::exchange(party_, nullptr)) party->end(why);
    closing_ = why;
    finish(why);
}

void Stdio::finish(std::string const& why) {
    stream_->close();
    if (auto const ended = std::exchange(ended_, nullptr)) ended(why);
}

} // namespace pfar::gateway
