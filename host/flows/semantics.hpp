// Semantics: what scripts say about a tool's call: that it reads, that it writes, or nothing.
//
// Scripts register rules when they are loaded; a rule is asked by tool, and by arguments only if it has said that they matter.
#pragma once

#include "base/terms.hpp"
#include "flows/runner.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pfar::flows {

struct Word {
    std::optional<base::Semantics> semantics; // none: no rule said anything
    std::string rule;          // which one it was: "~/.pfar/scripts/semantics.lua:12: SQL that only reads"
    std::string trouble;       // a script's mistake: then it is a write
    bool by_arguments = false; // another call of the tool may get another word
    std::string unless{};      // without arguments: the rule that comes before and may decide by them
};

/// The call as rules see it.
struct Asked {
    std::string_view server, tool;
    std::string_view
        title; // what the tool is called for people; empty: as the annotations in tool_json say, which are pinned
    std::string_view tool_json; // as the server lists it
    std::string_view arguments; // JSON; empty: none yet, only by tool
    bool says_read_only = false;
};

class Semantics {
public:
    struct Limits {
        Budget load{5'000'000, std::size_t{8} << 20U};
        std::uint64_t steps = 200'000;                   // of one call
        std::chrono::milliseconds time{200};             // of the processor, of one call
        std::size_t arguments = std::size_t{256} << 10U; // larger ones are not shown to a script: it is a write
    };
    /// The owner's scripts come first: the first rule that says something decides. A file that is not there is left out.
    Semantics(std::vector<std::filesystem::path> scripts, Limits limits);
    explicit Semantics(std::vector<std::filesystem::path> scripts) : Semantics(std::move(scripts), Limits{}) {}
    Semantics(Semantics const&) = delete;
    Semantics& operator=(Semantics const&) = delete;
    ~Semantics();

    /// Never fails: a mistake in a script is a write, with the trouble. What does not depend on arguments is remembered by `pin`.
    /// [main thread, as all of it]
    Word of(Asked const& call, std::string const& pin);
    /// Reads the scripts again and forgets what was remembered. What is wrong with them, if something is.
    Result<void> reload();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace pfar::flows
