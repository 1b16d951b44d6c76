// What a client reads that is no tool: resources, prompts and completions, and subscriptions to resources.
#include "gateway/client.hpp"

#include "base/text.hpp"
#include "gateway/call_parts.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

namespace pfar::gateway {
namespace {

constexpr int resource_not_found = -32002;

} // namespace

Client::Answer Client::read_resource(Id id, std::string params) {
    auto const self = shared_from_this();
    auto call = make_call(id, nullptr, "resources/read");
    call->params = std::move(params);
    auto const parts = cut(call->params, "uri", "uri");
    if (!parts) {
        refuse(id, wire::invalid_params, "resources/read: " + parts.error().what);
        co_return;
    }
    auto const uri = wire::string_in(parts->name);
    auto const found = resource(uri);
    if (!found) {
        refuse(id, found.error().code == Errc::not_found ? resource_not_found : wire::invalid_params,
               found.error().what);
        co_return;
    }
    call->offer = found->offer;
    call->subject = found->name;
    call->arguments = parts->name;
    call->sends = parts->more || !found->listed; // whoever makes a URI up can say something by it
    use_token(id, *call, parts->token);
    call->sent = with_edits(call, renamed(parts->name, uri, found->name), parts->token);
    co_await run(std::move(id), std::move(call));
}

Client::Answer Client::get_prompt(Id id, std::string params) {
    auto const self = shared_from_this();
    auto call = make_call(id, nullptr, "prompts/get");
    call->params = std::move(params);
    auto const parts = cut(call->params, "name", "arguments");
    auto const name = parts ? wire::string_in(parts->name) : "";
    auto const found = parts ? catalogue().prompt(name) : std::nullopt;
    if (!found) {
        refuse(id, wire::invalid_params,
               parts ? fmt::format("Unknown prompt: {}", base::printable(name)) : "prompts/get: " + parts.error().what);
        co_return;
    }
    call->offer = found->offer;
    call->subject = found->name;
    call->arguments = parts->arguments;
    call->sends = parts->more || !is_empty_object(parts->arguments);
    use_token(id, *call, parts->token);
    call->sent = with_edits(call, renamed(parts->name, name, found->name), parts->token);
    co_await run(std::move(id), std::move(call));
}

Client::Answer Client::complete(Id id, std::string params) {
    auto const self = shared_from_this();
    auto call = make_call(id, nullptr, "completion/complete");
    call->params = std::move(params);
    auto const members = wire::members_once(call->params, {"ref", "argument", "_meta"});
    auto const ref = members ? wire::value_of(*members, "ref") : std::string_view();
    auto const in_ref = wire::members_once(ref, {"type", "name", "uri"});
    if (!in_ref) {
        refuse(id, wire::invalid_params, "completion/complete needs a ref to a prompt or a resource");
        co_return;
    }
    bool const of_prompt = wire::string_in(wire::value_of(*in_ref, "type")) == "ref/prompt";
    auto const at = wire::value_of(*in_ref, of_prompt ? "name" : "uri");
    auto const name = wire::string_in(at);
    std::optional<Catalogue::Found> found;
    if (of_prompt)
        found = catalogue().prompt(name);
    else if (auto const of = resource(name))
        found = *of;
    if (!found) {
        refuse(id, wire::invalid_params, fmt::format("no server has {}", base::printable(name)));
        co_return;
    }
    call->offer = found->offer;
    call->subject = found->name;
    call->arguments = wire::value_of(*members, "argument");
    call->sent = with_edits(call, renamed(at, name, found->name), {});
    co_await run(std::move(id), std::move(call));
}

Client::Answer Client::subscribe(Id id, std::string method, std::string params) {
    auto const self = shared_from_this();
    auto const uri = wire::string_in(wire::member_of(params, "uri"));
    auto const found = resource(uri);
    if (!found) {
        refuse(id, resource_not_found, found.error().what);
        co_return;
    }
    auto const key = std::pair(found->offer->identity, found->name);
    bool const begins = method == "resources/subscribe";
    bool const known = found->listed || subscribed_.contains(key);
    auto const kept = known ? "" : means_->pipeline.keeps_from(*standing_, *found->offer);
    if (!kept.empty()) { // whoever makes a URI up can say something by it
        refuse(id, wire::server_error, kept);
        co_return;
    }
    wire::Forwarding task;
    task.identity = found->offer->identity, task.session = this->id(), task.method = method;
    auto const talk = std::make_shared<wire::Talk>();
    talk->told = hearer(id);
    auto sent = uri == found->name
                    ? params
                    : wire::spliced(params, {{wire::member_of(params, "uri"), wire::quoted(found->name)}});
    talk->sent = [sent = std::move(sent)](std::uint64_t) { return sent; };
    task.talk = talk;
    means_->pipeline.labels().seen(*standing_, *found->offer); // what it is told of them has no call of its own
    if (begins) subscribed_[key] = uri;
    auto back = co_await means_->forward(std::move(task));
    bool const good = back && !back->is_error;
    if (good != begins) subscribed_.erase(key);
    if (!back)
        refuse(id, wire::internal_error, back.error().what);
    else if (back->is_error)
        refuse(id, back->payload);
    else
        answer(id, back->payload);
}

} // namespace pfar::gateway
