// CallTalk: what happens while a call runs: how far it is, and the question whether it may run at all.
//
// The person is waited for beside the host, so a question that was settled elsewhere, or is too old, goes away by itself.
#pragma once

#include "cli/person.hpp"
#include "control/start.hpp"

namespace pfar::cli {

class Console;

class CallTalk {
public:
    struct Setting {
        std::string tool;           // for people
        control::Finding finding;   // for the answers, which go their own way
        std::optional<Person> asks; // nobody: what is asked is approved, as the policy has it
    };
    CallTalk(Setting setting, Console& console);

    /// Notifications of the host. [main thread, as all of it]
    void hear(std::string_view method, std::string_view params);
    [[nodiscard]] control::Beside const& beside() const { return beside_; }
    /// The call is over: nothing is left on the screen.
    void end();

private:
    void show_progress(std::string_view params);
    void clear_progress();
    void ask(std::string_view params);
    void take_answer();
    void answer(std::string_view word); // once, session, no

    Setting setting_;
    Console& console_;
    control::Beside beside_;
    std::string open_; // the id of the question that is on the screen
    bool progress_shown_ = false, shows_progress_;
};

} // namespace pfar::cli
