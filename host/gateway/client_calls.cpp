// What a client asks of servers: each request becomes one Call, cut once, and goes through the pipeline.
#include "gateway/client.hpp"

#include "base/text.hpp"
#include "gateway/call_parts.hpp"
#include "gateway/log_levels.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"
#include "wire/splice.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pfar::gateway {
namespace {

using pipeline::Call;
using pipeline::Outcome;

constexpr std::chrono::seconds for_lists{3};
constexpr std::chrono::milliseconds between_looks{20};
constexpr std::size_t most_unread = std::size_t{1} << 20U, most_links = 1000, most_uri = 4096;
constexpr std::string_view no_arguments = "{}";

/// memmem: a search that stops at every quotation mark takes a fifth of a large result's time.
bool speaks_of_uris(std::string_view result) {
    constexpr std::string_view key = "\"uri\"";
    return ::memmem(result.data(), result.size(), key.data(), key.size()) != nullptr;
}

/// Rises, and stays below anything that the tool will say itself.
std::string waiting_progress(std::string const& token, int count, std::string const& approval) {
    auto const words = fmt::format("waiting for the owner's approval ({})", approval);
    return fmt::format(R"({{"progressToken":{},"progress":{:.6f},"message":{}}})", token, (count - 1000) * 1e-6,
                       wire::quoted(words));
}

} // namespace

std::shared_ptr<Call> Client::make_call(Id const& id, OfferPtr offer, std::string method) {
    auto call = std::make_shared<Call>();
    call->standing = standing_;
    call->offer = std::move(offer);
    call->method = std::move(method);
    auto const found = pending_.find(id);
    if (found != pending_.end()) call->cancel = found->second.cancel;
    auto const weak = weak_from_this();
    call->asked = [weak, id, of = std::weak_ptr(call)](wire::ServerRequest request) -> std::string {
        auto const self = weak.lock();
        auto const here = of.lock();
        return self && here ? self->hear_server(*here, id, std::move(request)) : "the client is gone";
    };
    call->told = hearer(id);
    call->held = [weak] {
        auto const self = weak.lock();
        return self && !self->ended_ && self->arrival_.outlet->waiting() > most_unread;
    };
    if (elicits_forms_) call->ask = approval_asker(id);
    return call;
}

/// Of what a server tells while it works for a request, what this client wants.
std::function<void(std::string_view, std::string_view)> Client::hearer(Id const& id) {
    return [weak = weak_from_this(), id](std::string_view method, std::string_view params) {
        auto const self = weak.lock();
        bool const is_log = method == "notifications/message";
        if (self && (!is_log || is_wanted(self->level_, wire::string_in(wire::member_of(params, "level")))))
            self->tell(method, params, id);
    };
}

/// Progress comes back under the client's own token.
void Client::use_token(Id const& id, Call& call, std::string_view token) {
    if (token.empty()) return;
    call.wants_progress = true;
    auto const weak = weak_from_this();
    call.progressed = [weak, id, own = std::string(token)](std::string_view params) {
        auto const self = weak.lock();
        auto const at = wire::member_of(params, "progressToken");
        if (self && !at.empty() && self->pending_.contains(id))
            self->tell("notifications/progress", wire::spliced(params, {{at, own}}), id);
    };
    call.tick = [weak, id, own = std::string(token), count = 0](std::string const& approval) mutable {
        if (auto const self = weak.lock(); self && self->pending_.contains(id))
            self->tell("notifications/progress", waiting_progress(own, ++count, approval), id);
    };
}

/// Whoever does not read what he asked for gets nothing more until he does: others wait for these servers too.
Client::Answer Client::until_read() {
    auto const self = shared_from_this();
    boost::asio::steady_timer timer(means_->executor);
    while (!ended_ && arrival_.outlet->waiting() > most_unread) {
        timer.expires_after(between_looks);
        boost::system::error_code ignored;
        co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
}

Client::Answer Client::run(Id id, std::shared_ptr<Call> call) {
    auto const self = shared_from_this();
    ++calls_;
    if (arrival_.outlet->waiting() > most_unread) co_await until_read();
    auto work = call->tool != nullptr ? means_->pipeline.call(call) : means_->pipeline.read(call);
    auto const outcome = co_await std::move(work);
    if (outcome.kind == Outcome::Kind::fault)
        refuse(id, outcome.payload);
    else
        answer(id, outcome.payload);
    if (call->tool != nullptr && outcome.kind == Outcome::Kind::ok) remember_links(*call->offer, outcome.payload);
}

/// Resources that a tool's result speaks of need not be listed anywhere.
void Client::remember_links(Offer const& offer, std::string_view result) {
    if (!arrival_.server.empty() || !speaks_of_uris(result)) return;
    for (auto const block : wire::elements_of(wire::member_of(result, "content"), most_links)) {
        auto const inner = wire::member_of(block, "resource");
        auto uri = wire::string_in(wire::member_of(inner.empty() ? block : inner, "uri"));
        if (uri.empty() || uri.size() > most_uri || links_.size() >= most_links) continue;
        links_.insert_or_assign(std::move(uri), offer.identity);
    }
}

Result<Catalogue::Found> Client::resource(std::string const& uri) const {
    auto const seen = catalogue();
    auto found = seen.resource(uri);
    auto const link = links_.find(uri);
    if (found || link == links_.end()) return found;
    for (auto const& offer : seen.offers())
        if (offer->identity == link->second) return Catalogue::Found{offer, uri, true};
    return found;
}

Client::Answer Client::list(Id id, Kind kind, std::string cursor) {
    auto const self = shared_from_this();
    auto const seen = catalogue();
    bool const all_known =
        std::all_of(seen.offers().begin(), seen.offers().end(), [](auto const& offer) { return offer->known; });
    if (!all_known) co_await means_->settle(arrival_.directory, for_lists);
    auto const page = catalogue().page(kind, cursor);
    if (page)
        answer(id, *page);
    else
        refuse(id, wire::invalid_params, page.error().what);
}

Client::Answer Client::call_tool(Id id, std::string params) {
    auto const self = shared_from_this();
    auto call = make_call(id, nullptr, "tools/call");
    call->params = std::move(params);
    auto parts = cut(call->params, "name", "arguments");
    if (parts && !parts->task.empty()) {
        call->params = wire::spliced(call->params, {{parts->task, ""}});
        parts = cut(call->params, "name", "arguments");
    }
    if (!parts) {
        refuse(id, wire::invalid_params, "tools/call: " + parts.error().what);
        co_return;
    }
    auto const name = wire::string_in(parts->name);
    auto found = catalogue().tool(name);
    if (!found)
        if (auto const server = catalogue().server_in(name)) { // one that is starting, or waits for its first call
            co_await means_->wake(server->identity);
            found = catalogue().tool(name);
        }
    if (!found || (!parts->arguments.empty() && !parts->arguments.starts_with('{'))) {
        refuse(id, wire::invalid_params,
               found ? "tools/call: arguments have to be an object"
                     : fmt::format("Unknown tool: {}", base::printable(name)));
        co_return;
    }
    call->offer = found->offer;
    call->tool = call->offer->tool(found->name);
    call->subject = found->name;
    call->arguments = parts->arguments.empty() ? no_arguments : parts->arguments;
    call->sends = parts->more || !is_empty_object(call->arguments);
    use_token(id, *call, parts->token);
    call->sent = with_edits(call, renamed(parts->name, name, found->name), parts->token);
    co_await run(std::move(id), std::move(call));
}

} // namespace pfar::gateway
