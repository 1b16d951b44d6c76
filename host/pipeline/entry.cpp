// Members are put together as text: an object would cost more than all the rest of a call.
#include "pipeline/entry.hpp"

#include "audit/excerpt.hpp"
#include "base/text.hpp"
#include "wire/message.hpp"

#include <algorithm>
#include <string>

namespace pfar::pipeline {
namespace {

constexpr std::size_t most_subject = 1000, most_why = 2000;

/// What the record calls a request: "call", "resource", "prompt", "completion".
std::string kind_of(Call const& call) {
    if (call.tool != nullptr) return "call";
    if (call.method == "resources/read") return "resource";
    return call.method == "prompts/get" ? "prompt" : "completion";
}

} // namespace

std::string Pipeline::Entry::beginning(std::string_view outcome, std::size_t more) const {
    std::string out;
    out.reserve(192 + call_.subject.size() + more);
    wire::append_quoted(out.append(R"("session":)"), call_.standing->id);
    wire::append_quoted(out.append(R"(,"server":)"), call_.offer->name);
    wire::append_quoted(out.append(R"(,"tool":)"), base::whole_text(call_.subject, most_subject));
    out.append(R"(,"outcome":")").append(outcome).append(R"(","call":)").append(std::to_string(number_));
    return out;
}

audit::Event Pipeline::Entry::sending(base::Semantics semantics) {
    sent_ = true;
    auto members = beginning("sent", std::min(call_.arguments.size(), audit::excerpt_bytes));
    members.append(R"(,"semantics":")").append(base::word_for(base::semantics_words, semantics)).append("\"");
    if (!call_.arguments.empty()) audit::append_excerpt(members += ',', "arguments", call_.arguments);
    return {kind_of(call_), {}, std::move(members)};
}

void Pipeline::Entry::over(std::string_view outcome, std::string_view why, std::string_view result) {
    auto members = beginning(outcome, std::min(result.size(), audit::excerpt_bytes));
    auto const took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun_).count();
    members.append(R"(,"ms":)")
        .append(std::to_string(took / 1000))
        .append(".")
        .append(std::to_string(1000 + took % 1000), 1);
    if (!why.empty()) wire::append_quoted(members.append(R"(,"why":)"), base::whole_text(why, most_why));
    if (!sent_ && !call_.arguments.empty()) audit::append_excerpt(members += ',', "arguments", call_.arguments);
    if (!result.empty()) audit::append_excerpt(members += ',', "result", result);
    means_.record({kind_of(call_), {}, std::move(members)});
}

} // namespace pfar::pipeline
