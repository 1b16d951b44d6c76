// Talk: the other side of a conversation: a terminal, a pipe, or an agent's person behind a page.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace pfar::flows {

struct Question {
    enum class Kind : std::uint8_t { text, choice, yes_no, secret };
    Kind kind = Kind::text;
    std::string name;                 // what an answer is kept under where several are given at once: "site"
    std::string prompt, help;         // help: where to get it, a sentence or a link
    std::string fallback;             // what an empty line means; empty: there has to be an answer
    std::string wrong;                // why the last answer was not taken; empty at first
    std::vector<std::string> choices; // of a choice: what is answered is one of them
    bool whole_file = false;          // a secret of many lines, such as a key file
    std::string starts_with, pattern; // of a secret: how one looks
};

/// A text ("yes" or "no" for yes_no), or a secret.
struct Reply {
    std::string text;
    Secret secret;
};

class Talk {
public:
    Talk() = default;
    Talk(Talk const&) = delete;
    Talk& operator=(Talk const&) = delete;
    virtual ~Talk() = default;

    virtual void say(std::string const& text) = 0;
    /// Something takes its time; the next of these, or any other word, takes its place where that can be shown.
    virtual void progress(std::string const& text) = 0;
    /// Errc::refused: the person gave up, or there is nobody (any more) to ask. [may block]
    virtual Result<Reply> ask(Question const& question) = 0;
};

} // namespace pfar::flows
