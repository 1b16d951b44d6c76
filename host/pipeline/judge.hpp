// The judge of calls: a pure function from what is known about a call to a verdict with its reason.
#pragma once

#include "base/terms.hpp"
#include "config/host_settings.hpp"

#include <string>

namespace pfar::pipeline {

struct Verdict {
    enum class Kind { allow, ask, refuse };
    Kind kind = Kind::allow;
    std::string why{};   // for a person: a sentence for each reason
    bool agreed = false; // a person has said yes to this very call
};

/// Whether a call reads or writes.
struct Meaning {
    base::Semantics semantics = base::Semantics::write;
    std::string doubt{}; // it counts as a write because of this mistake in a script
};

struct CallFacts {
    std::string server, tool;
    Meaning meaning{};
    bool pinned = true;
    base::Approve approve = base::Approve::write;
    config::WriteDown write_down = config::WriteDown::ask;
    base::Label session_label = base::Label::open, server_label = base::Label::internal;
    std::string label_from{}; // the server that the session's label is from
    base::Taint taint = base::Taint::clean;
    std::string taint_from{};
    bool sends = true; // it has arguments
};

Verdict judge(CallFacts const& facts);

} // namespace pfar::pipeline
