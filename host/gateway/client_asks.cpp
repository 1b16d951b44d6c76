// What a client is asked: by a server that works for it, and by pfar itself when a call needs a yes.
#include "gateway/client.hpp"

#include "base/text.hpp"
#include "wire/json_text.hpp"
#include "wire/splice.hpp"

#include <fmt/format.h>

namespace pfar::gateway {
namespace {

constexpr std::string_view sampling = "sampling/createMessage", elicitation = "elicitation/create";
constexpr std::size_t most_shown = 2000;

/// A server does not speak as pfar, and gets nothing of what other servers said.
Result<std::vector<wire::Edit>> made_safe(std::string_view method, std::string_view params, std::string const& server) {
    std::vector<wire::Edit> edits;
    if (method == elicitation) {
        PFAR_TRY(members, wire::members_once(params, {"message", "mode", "url", "requestedSchema", "_meta"}));
        auto const message = wire::value_of(members, "message");
        if (!message.starts_with('"')) return fail(Errc::invalid, "an elicitation needs a message");
        edits.push_back({message.substr(1, 0), fmt::format("[{} asks] ", server)});
        return edits;
    }
    PFAR_TRY(members, wire::members_once(params, {"includeContext", "messages", "systemPrompt", "_meta"}));
    if (auto const context = wire::value_of(members, "includeContext"); !context.empty())
        edits.push_back({context, "\"none\""});
    return edits;
}

std::string shown(std::string_view arguments) {
    if (arguments.size() <= most_shown) return base::printable(arguments);
    return fmt::format("{}... ({} bytes in all)", base::printable(base::whole_text(arguments, most_shown)),
                       arguments.size());
}

std::string question(pipeline::ApprovalRow const& row) {
    auto const words = fmt::format("pfar asks: may {} run {}? {}.\nArguments: {}", row.server,
                                   base::printable(row.tool), row.why, shown(row.arguments));
    if (row.once)
        return fmt::format(R"({{"message":{},"requestedSchema":{{"type":"object","properties":{{}}}}}})",
                           wire::quoted(words));
    return fmt::format(
        R"({{"message":{},"requestedSchema":{{"type":"object","properties":{{"for":{{"type":"string","title":"Approve for",)"
        R"("description":"once: this call; session: every call of this tool, until the session has seen something more confidential or untrusted",)"
        R"("enum":["once","session"],"default":"once"}}}}}}}})",
        wire::quoted(words));
}

/// Only a clear yes is one.
pipeline::Answer answer_in(bool is_error, std::string_view payload) {
    if (is_error || wire::string_in(wire::member_of(payload, "action")) != "accept") return pipeline::Answer::no;
    auto const content = wire::member_of(payload, "content");
    auto const scope = wire::member_of(content, "for");
    if (scope.empty()) return pipeline::Answer::yes;
    auto const word = wire::string_in(scope);
    return word == "session" ? pipeline::Answer::session
           : word == "once"  ? pipeline::Answer::yes
                             : pipeline::Answer::no;
}

} // namespace

std::string Client::lacks(std::string_view method, std::string_view params) const {
    auto const who = name_.empty() ? std::string("which has no name") : name_;
    if (method == sampling) return samples_ ? "" : fmt::format("the client in flight, {}, has no sampling", who);
    bool const by_url = wire::string_in(wire::member_of(params, "mode")) == "url";
    if (by_url ? elicits_urls_ : elicits_forms_) return "";
    return fmt::format("the client in flight, {}, has no elicitation{}", who, by_url ? " by URL" : "");
}

std::string Client::hear_server(pipeline::Call const& call, Id const& id, wire::ServerRequest request) {
    auto const kind = request.method == sampling ? "sampling" : "elicitation";
    auto why = ended_                   ? std::string("the client is gone")
               : leaving_               ? std::string("the client has closed its input")
               : !pending_.contains(id) ? std::string("the client took its request back")
                                        : lacks(request.method, request.params);
    auto edits = made_safe(request.method, request.params, call.offer->name);
    if (why.empty() && !edits) why = edits.error().what;
    if (why.empty() && request.method == sampling) why = means_->pipeline.keeps_from(*standing_, *call.offer);
    if (!why.empty()) return means_->pipeline.asked(call, kind, "refused"), why;
    auto const token_at = wire::member_of(wire::member_of(request.params, "_meta"), "progressToken");
    auto const token = token_at.empty() ? 0 : ++next_;
    if (token != 0) edits->push_back({token_at, std::to_string(token)});
    auto const params = wire::spliced(request.params, std::move(*edits));
    means_->pipeline.asked(call, kind, "asked");
    auto const weak = weak_from_this();
    Asked asked;
    asked.about = id;
    asked.answered = [weak, answer = request.answer, cancel = request.cancel, token](bool is_error,
                                                                                     std::string_view payload) {
        cancel->leave();
        if (auto const self = weak.lock()) self->tokens_.erase(token);
        answer(is_error, std::string(payload));
    };
    if (token != 0)
        tokens_[token] = [progressed = request.progressed, own = std::string(token_at)](std::string_view said) {
            auto const at = wire::member_of(said, "progressToken");
            if (progressed && !at.empty()) progressed(wire::spliced(said, {{at, own}}));
        };
    auto const number = ask(request.method, params, std::move(asked));
    if (number == 0) return tokens_.erase(token), "too many requests wait for the client's answer";
    request.cancel->join([weak, number](std::string const& words) {
        if (auto const self = weak.lock()) self->take_back(number, words);
    });
    return "";
}

pipeline::Approvals::AskClient Client::approval_asker(Id const& id) {
    return [weak = weak_from_this(), id](pipeline::ApprovalRow const& row,
                                         std::function<void(pipeline::Answer)> answered) -> std::function<void()> {
        auto const self = weak.lock();
        if (!self) return {};
        Asked asked;
        asked.about = id;
        asked.answered = [answered = std::move(answered)](bool is_error, std::string_view payload) {
            answered(answer_in(is_error, payload));
        };
        auto const number = self->ask(elicitation, question(row), std::move(asked));
        return [weak, number] {
            if (auto const here = weak.lock()) here->take_back(number, "it was settled elsewhere");
        };
    };
}

} // namespace pfar::gateway
