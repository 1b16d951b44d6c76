// `pfar call`: one call through the whole pipeline, for a person at a terminal or a script.
#include "base/text.hpp"
#include "house/gateway_room.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

namespace pfar::house {
namespace {

char const* word_for(pipeline::Outcome::Kind kind) {
    using Kind = pipeline::Outcome::Kind;
    return kind == Kind::ok ? "ok" : kind == Kind::refused ? "refused" : "error";
}

/// The part of params that the server gets, with its token.
std::string call_params(std::string const& tool, std::string_view arguments, std::uint64_t token) {
    return fmt::format(R"({{"name":{},"arguments":{},"_meta":{{"progressToken":{}}}}})", wire::quoted(tool), arguments,
                       token);
}

} // namespace

GatewayRoom::Answer GatewayRoom::answer_call(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    auto const name = wire::string_in(wire::member_of(request.params, "tool"));
    auto offer = offers_.of(**server);
    if (offer->tool(name) == nullptr) {
        co_await (*server)->wake();
        offer = offers_.of(**server);
    }
    auto const call = std::make_shared<pipeline::Call>();
    call->offer = offer;
    call->tool = offer->tool(name);
    if (call->tool == nullptr) call->tool = offer->public_tool(fmt::format("{}__{}", offer->name, name));
    if (call->tool == nullptr && !offer->known)
        co_return fail(Errc::unavailable,
                       fmt::format("{} is {}: {}", (*server)->name(),
                                   base::word_for(servers::state_words, (*server)->state()), (*server)->reason()));
    if (call->tool == nullptr)
        co_return fail(Errc::not_found, fmt::format("{} has no tool \"{}\"; pfar tools {} lists them", offer->name,
                                                    base::printable(name), offer->name));
    auto const caller = request.caller;
    call->standing = std::make_shared<pipeline::Standing>();
    auto const own =
        wire::string_in(wire::member_of(request.params, "session")); // one that lives as long as the caller
    call->standing->id =
        own.empty() ? "cli" : fmt::format("cli-{}", base::printable(own)); // so a yes finds the repetition
    call->standing->lasting = false;
    call->standing->client = "pfar call";
    call->method = "tools/call";
    call->subject = call->tool->name;
    call->params = std::string(wire::member_of(request.params, "arguments"));
    if (call->params.empty()) call->params = "{}";
    if (!call->params.starts_with('{')) co_return fail(Errc::invalid, "arguments have to be an object");
    call->arguments = call->params;
    call->sends = call->params != "{}";
    call->sent = [own = call.get()](std::uint64_t token) { return call_params(own->subject, own->arguments, token); };
    call->wants_progress = true;
    call->progressed = [caller](std::string_view params) { (void)caller->tell("progress", params); };
    call->asked = [](wire::ServerRequest const& asked) {
        return fmt::format("the client in flight, pfar call, has no {}",
                           asked.method.substr(0, asked.method.find('/')));
    };
    auto const whom = wire::string_in(wire::member_of(request.params, "ask"));
    if (whom == "flow") // the owner is in the middle of setting it up, and has agreed to that
        call->ask = [executor = parts_.executor](pipeline::ApprovalRow const&,
                                                 std::function<void(pipeline::Answer)> const& answer) {
            boost::asio::post(executor, [answer] { answer(pipeline::Answer::yes); });
            return std::function<void()>();
        };
    if (whom == "terminal")
        call->ask = [caller](pipeline::ApprovalRow const& row,
                             std::function<void(pipeline::Answer)> const&) -> std::function<void()> {
            (void)caller->tell("approval", row_json(row));
            return {};
        };
    auto const watch = caller->when_gone([cancel = call->cancel] { cancel->cancel("whoever asked has gone"); });
    auto outcome = co_await pipeline_.call(call);
    caller->no_matter(watch);
    call->standing->open = false;
    auto close = [weak = std::weak_ptr(*server), id = call->standing->id] {
        if (auto const here = weak.lock()) here->close_session(id);
    };
    if (!own.empty())
        caller->when_gone(std::move(close));
    else if ((*server)->in_flight() == 0)
        close();
    if (outcome.kind == pipeline::Outcome::Kind::fault)
        co_return fail(Errc::unavailable,
                       fmt::format("{} answered with an error: {}", offer->name, wire::error_words(outcome.payload)));
    co_return fmt::format(R"({{"outcome":"{}","result":{}}})", word_for(outcome.kind), outcome.payload);
}

} // namespace pfar::house
