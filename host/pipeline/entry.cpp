// Members are put together as text: an object would cost more than all the rest of a call.
#include "pipeline/entry.hpp"

#include "audit/excerpt.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

namespace pfar::pipeline {
namespace {

/// What the record calls a request: "call", "resource", "prompt", "completion".
std::string kind_of(Call const& call) {
    if (call.tool != nullptr) return "call";
    if (call.method == "resources/read") return "resource";
    return call.method == "prompts/get" ? "prompt" : "completion";
}

} // namespace

std::string Pipeline::Entry::beginning(std::string_view outcome) const {
    return fmt::format(R"("session":{},"server":{},"tool":{},"outcome":"{}","call":{})",
                       wire::quoted(call_.standing->id), wire::quoted(call_.offer->name),
                       wire::quoted(call_.subject.substr(0, 1000)), outcome, number_);
}

audit::Event Pipeline::Entry::sending(base::Semantics semantics) {
    sent_ = true;
    auto members = beginning("sent");
    members += fmt::format(R"(,"semantics":"{}")", base::word_for(base::semantics_words, semantics));
    if (!call_.arguments.empty()) members += "," + audit::excerpt_members("arguments", call_.arguments);
    return {kind_of(call_), {}, std::move(members)};
}

void Pipeline::Entry::over(std::string_view outcome, std::string_view why, std::string_view result) {
    auto members = beginning(outcome);
    auto const took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun_).count();
    members += fmt::format(R"(,"ms":{}.{:03})", took / 1000, took % 1000);
    if (!why.empty()) members += R"(,"why":)" + wire::quoted(why.substr(0, 2000));
    if (!sent_ && !call_.arguments.empty()) members += "," + audit::excerpt_members("arguments", call_.arguments);
    if (!result.empty()) members += "," + audit::excerpt_members("result", result);
    means_.record({kind_of(call_), {}, std::move(members)});
}

} // namespace pfar::pipeline
