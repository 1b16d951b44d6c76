#include "gateway/http_session.hpp"

#include "wire/message.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::gateway {
namespace {

constexpr std::string_view batching = "2025-03-26", priming = "2025-11-25";

} // namespace

HttpWay way_of(std::string_view accept) {
    bool const all = names_token(accept, "*/*");
    return {all || names_token(accept, "application/json") || names_token(accept, "application/*"),
            all || names_token(accept, "text/event-stream") || names_token(accept, "text/*")};
}

HttpSession::HttpSession(Beginning beginning, HttpLimits const& limits)
    : beginning_(std::move(beginning)), limits_(limits), replay_(limits), listener_(0, {false, true}, replay_) {}

HttpStream* HttpSession::stream_of(std::string_view request) {
    for (auto& [number, stream] : posts_)
        if (std::find(stream.asked.begin(), stream.asked.end(), request) != stream.asked.end()) return &stream;
    return nullptr;
}

void HttpSession::send(std::string message, Place place) {
    if (over_) return;
    bool const is_array = message.starts_with('[');
    if (!is_array && !message.empty() && !place.last) return tell(message, place.about);
    auto const answered = is_array ? answered_by(message) : std::vector<std::string>{std::string(place.about)};
    auto* const stream = answered.empty() ? nullptr : stream_of(answered.front());
    if (stream == nullptr) return; // its POST is over
    for (auto const& id : answered) std::erase(stream->asked, id);
    if (message.empty()) { // taken back
        if (stream->asked.empty()) finish(stream->number());
        return;
    }
    bool const fails = !begun_ && is_error(message);
    if (fails) std::erase_if(stream->fields, [](auto const& field) { return field.first == id_field; });
    begun_ = true;
    stream->answer(std::move(message));
    if (stream->asked.empty()) finish(stream->number());
    if (fails) end_soon("it could not be initialized");
}

/// What is no answer, on the stream of the request it is about if that can carry it.
void HttpSession::tell(std::string const& message, std::string_view about) {
    auto* const post = about.empty() ? nullptr : stream_of(about);
    auto& stream = post != nullptr && post->carries() ? *post : listener_;
    bool const request = is_request(message);
    if (!stream.say(message, request) && request) refuse_request(message);
}

void HttpSession::end_soon(std::string why) {
    boost::asio::post(beginning_.executor, [self = shared_from_this(), why = std::move(why)] { self->end(why); });
}

/// No room to keep it: whoever asks is told, rather than left waiting.
void HttpSession::refuse_request(std::string const& message) {
    std::string id;
    wire::read_messages(
        message, [&](auto const& read) { id = read.id; }, [](auto const&) {});
    auto answer = wire::error_line(id, wire::server_error, "the client does not listen: it reads none of its streams");
    boost::asio::post(beginning_.executor, [party = std::weak_ptr(party_), answer = std::move(answer)] {
        if (auto const there = party.lock()) there->hear(answer);
    });
}

void HttpSession::finish(std::uint32_t number) {
    auto const found = posts_.find(number);
    if (found == posts_.end()) return;
    found->second.finish();
    posts_.erase(found);
    used_ = Clock::now();
}

void HttpSession::attach(HttpStream& stream, HttpClient const& client) {
    stream.join(client);
    client->belong(account_, [weak = weak_from_this(), number = stream.number(), of = client.get()] {
        auto const self = weak.lock();
        if (!self) return;
        self->used_ = Clock::now();
        if (number == 0) return self->listener_.leave(of);
        if (auto const found = self->posts_.find(number); found != self->posts_.end()) found->second.leave(of);
    });
}

std::optional<HttpReply> HttpSession::refuse(Posted const& posted) const {
    if (posted.is_batch && (party_->protocol() != batching || posted.initializes))
        return rpc_reply(400, wire::invalid_request,
                         "batches are for sessions of revision 2025-03-26; send one message at a time");
    auto ids = posted.asked;
    for (auto const& [number, stream] : posts_) ids.insert(ids.end(), stream.asked.begin(), stream.asked.end());
    std::sort(ids.begin(), ids.end());
    auto const twice = std::adjacent_find(ids.begin(), ids.end());
    if (twice == ids.end()) return {};
    return rpc_reply(400, wire::invalid_request, "a request of this id waits for its answer already; use another id");
}

void HttpSession::post(HttpClient const& client, HttpRequest const& request, Posted const& posted, HttpFields fields) {
    used_ = Clock::now();
    if (auto const refusal = refuse(posted)) return client->reply(*refusal);
    auto const party = party_; // it may end while it hears
    if (posted.asked.empty()) {
        party->hear(request.body.view());
        return client->reply({202, {}, {}, std::move(fields)});
    }
    auto& stream = posts_.try_emplace(next_, next_, way_of(request.field("accept")), replay_).first->second;
    ++next_;
    stream.asked = posted.asked;
    stream.is_batch = posted.is_batch;
    stream.fields = std::move(fields);
    stream.primed = party->protocol() >= priming;
    attach(stream, client);
    party->hear(request.body.view());
}

void HttpSession::listen(HttpClient const& client, std::string_view last_event, HttpFields fields) {
    used_ = Clock::now();
    HttpPlace place;
    bool const known = parse_event_id(last_event, place) && place.stream < next_;
    auto const open = known ? posts_.find(place.stream) : posts_.end();
    bool const ended = known && place.stream != 0 && open == posts_.end();
    HttpStream old(place.stream, {false, true}, replay_);
    auto& stream = ended ? old : open != posts_.end() ? open->second : listener_;
    stream.fields = std::move(fields);
    stream.primed = party_->protocol() >= priming;
    attach(stream, client);
    stream.resume(known ? std::optional(place.position) : std::nullopt);
    if (ended) stream.finish();
}

void HttpSession::look(Clock::time_point now) {
    for (auto& [number, stream] : posts_) stream.look(now, limits_);
    listener_.look(now, limits_);
    if (listener_.is_heard() || !posts_.empty()) used_ = now;
}

/// The Party's word.
void HttpSession::close(std::string const& why) {
    end_streams(why);
}

void HttpSession::end(std::string const& why) {
    if (over_) return;
    auto const party = party_;
    end_streams(why);
    if (party) party->end(why);
}

void HttpSession::end_streams(std::string const& why) {
    if (over_) return;
    while (!posts_.empty()) {
        auto& [number, stream] = *posts_.begin();
        for (auto const& id : std::exchange(stream.asked, {})) {
            auto answer = wire::error_line(id, wire::server_error, "the session is over: " + why);
            answer.pop_back();
            stream.answer(std::move(answer));
        }
        finish(number);
    }
    over_ = true;
    listener_.finish();
    listener_.join({});
    boost::asio::post(beginning_.executor, [self = shared_from_this()] { self->party_.reset(); });
    if (auto const over = std::exchange(beginning_.over, nullptr)) over(beginning_.id);
}

} // namespace pfar::gateway
