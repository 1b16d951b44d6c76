// The two ways a conversation is held on a command line: with a person at a terminal, and with a script over a pipe.
#pragma once

#include "cli/console.hpp"
#include "cli/person.hpp"
#include "flows/talk.hpp"

#include <map>

namespace pfar::cli {

/// What was said on the command line already, by the question's name. Never a secret. What was asked for is taken out.
using Answers = std::map<std::string, std::string, std::less<>>;

/// Asks on the terminal; secrets are not shown. Ctrl-D gives up. [main thread, as all of it]
class TerminalTalk final : public flows::Talk {
public:
    TerminalTalk(Console& console, Person person, Answers answers);
    ~TerminalTalk() override { clear(); }

    void say(std::string const& text) override;
    void progress(std::string const& text) override;
    Result<flows::Reply> ask(flows::Question const& question) override;
    /// A line for a chat; none at the end.
    std::optional<std::string> next_line(std::string_view prompt);
    [[nodiscard]] Answers const& unused() const { return answers_; }

private:
    void clear();

    Console& console_;
    Person person_;
    Answers answers_;
    bool shown_ = false; // progress
};

/// Says on stdout (or stderr, if stdout has the JSON), and takes a line of stdin for each answer, secrets too. The end of stdin gives up.
class PipeTalk final : public flows::Talk {
public:
    PipeTalk(Console& console, Answers answers, bool quiet)
        : console_(console), answers_(std::move(answers)), quiet_(quiet) {}

    void say(std::string const& text) override;
    void progress(std::string const& /*text*/) override {}
    Result<flows::Reply> ask(flows::Question const& question) override;
    std::optional<std::string> next_line();
    [[nodiscard]] Answers const& unused() const { return answers_; }

private:
    Result<Secret> line();

    Console& console_;
    Answers answers_;
    bool quiet_; // on stderr
};

} // namespace pfar::cli
