// The two ways a conversation is held on a command line: with a person at a terminal, and with a script over a pipe.
#pragma once

#include "cli/console.hpp"
#include "cli/person.hpp"
#include "flows/talk.hpp"

#include <map>

namespace pfar::cli {

/// What was said on the command line already, by the question's name. Never a secret. What was asked for is taken out.
using Answers = std::map<std::string, std::string, std::less<>>;

struct Manner {
    Answers answers{};  // given beforehand
    bool quiet = false; // it talks on stderr: stdout has the JSON
};

/// Asks on the terminal; secrets are not shown. Ctrl-D gives up. [main thread, as all of it]
class TerminalTalk final : public flows::Talk {
public:
    TerminalTalk(Console& console, Person person, Manner manner);
    ~TerminalTalk() override { clear(); }

    void say(std::string const& text) override;
    void progress(std::string const& text) override;
    Result<flows::Reply> ask(flows::Question const& question) override;
    /// A line for a chat; none at the end.
    std::optional<std::string> next_line(std::string_view prompt);
    [[nodiscard]] Answers const& unused() const { return answers_; }

private:
    void clear();
    Result<flows::Reply> ask_once(flows::Question const& question);

    Console& console_;
    Person person_;
    Answers answers_;
    bool quiet_;
    bool shown_ = false; // progress
};

/// Takes a line of stdin for each answer, secrets too. The end of stdin gives up.
class PipeTalk final : public flows::Talk {
public:
    PipeTalk(Console& console, Manner manner)
        : console_(console), answers_(std::move(manner.answers)), quiet_(manner.quiet) {}

    void say(std::string const& text) override;
    void progress(std::string const& /*text*/) override {}
    Result<flows::Reply> ask(flows::Question const& question) override;
    /// A line for a chat, too long if it was that; none at the end, or once it was interrupted: what follows are answers.
    std::optional<std::string> next_line();
    [[nodiscard]] Answers const& unused() const { return answers_; }

private:
    Result<Secret> line();
    void put(std::string const& text);
    Result<flows::Reply> ask_once(flows::Question const& question);

    Console& console_;
    Answers answers_;
    bool quiet_;
};

} // namespace pfar::cli
