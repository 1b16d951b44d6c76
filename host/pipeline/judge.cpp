#include "pipeline/judge.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace pfar::pipeline {
namespace {

bool is_write_down(CallFacts const& facts) {
    return facts.sends && facts.session_label > facts.server_label;
}

std::string write_down_words(CallFacts const& facts) {
    return fmt::format("this session has read {} data{}, and {} is only {}: its arguments would go to a lower place",
                       base::word_for(base::label_words, facts.session_label),
                       facts.label_from.empty() ? "" : " from " + facts.label_from, facts.server,
                       base::word_for(base::label_words, facts.server_label));
}

/// Why it asks by its own rules; empty if it does not.
std::string asks_because(CallFacts const& facts) {
    bool const writes = facts.meaning.semantics == base::Semantics::write;
    if (!facts.pinned)
        return fmt::format("{} is new or has changed since you agreed to it (pfar tools accept {})",
                           base::printable(facts.tool), facts.server);
    switch (facts.approve) {
    case base::Approve::never:
        return "";
    case base::Approve::tainted:
        if (!writes || facts.taint != base::Taint::raw) return "";
        return fmt::format("it writes, and this session has seen untrusted content{}",
                           facts.taint_from.empty() ? "" : " of " + facts.taint_from);
    case base::Approve::write:
        if (!writes) return "";
        return facts.meaning.doubt.empty() ? "it writes" : "whether it writes is not known: " + facts.meaning.doubt;
    case base::Approve::always:
        return "it is set to ask always";
    }
    return "it is not known when it asks";
}

} // namespace

Verdict judge(CallFacts const& facts) {
    auto why = asks_because(facts);
    bool const down = is_write_down(facts) && facts.write_down != config::WriteDown::allow;
    if (down && facts.write_down == config::WriteDown::deny) return {Verdict::Kind::refuse, write_down_words(facts)};
    if (down) why += (why.empty() ? "" : "; ") + write_down_words(facts);
    if (why.empty()) return {};
    return {Verdict::Kind::ask, std::move(why)};
}

} // namespace pfar::pipeline
