// A conversation: somebody says what they want, and it is done or undone. The same for a terminal, a pipe and an agent.
#pragma once

#include "house/flow_verbs.hpp"

namespace pfar::house {

struct Said {
    enum class Kind : std::uint8_t { done, nothing, failed, cancelled, goodbye };
    Kind kind = Kind::done;
    std::string words;         // why it failed; what was reported
    Errc code = Errc::invalid; // of a failure
};

/// What somebody typed: "connect notion", "add github", "cancel".
struct Phrase {
    std::string text;
    std::vector<std::string> words{}; // behind its verb, as a shell has them; empty: it was typed in one piece
    bool is_command = false;          // they are a command line, whatever they look like
};

/// Everything was said by the time it returns. Errors are pfar's own: a home that cannot be written. [main thread, may block]
Result<Said> converse(FlowSetting const& setting, Phrase const& phrase);
/// One flow by its name, with its input: what a command or a tool begins with.
Result<Said> run_one(FlowSetting const& setting, std::string const& flow, boost::json::object input);

/// Says why it ended, and undoes what it did.
Said ended_badly(FlowSetting const& setting, FlowJournal& journal, FlowVerbs& verbs, Error const& why);

/// After commit(): what is not needed for undoing any more goes, and what was put off is done.
void clear_away(FlowSetting const& setting, FlowJournal& journal);

/// What killed conversations left is undone, and told. [main thread, may block]
void clear_conversations(FlowSetting const& setting);

} // namespace pfar::house
