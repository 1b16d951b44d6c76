// The rules that semantics scripts made, and the state that they live in.
//
// All scripts share one state, which is kept: loading takes longer than asking. Each has its own globals, which cannot be set once it is
// loaded. A script that keeps something in a table of its own from one call to the next can; it is the owner's, and told not to.
#pragma once

#include "flows/lua_state.hpp"
#include "flows/semantics.hpp"

namespace pfar::flows {

struct Rule {
    std::string name, place;                 // place: file, line and name, for people
    std::vector<std::string> servers, tools; // none: all
    bool arguments = false;
    int decide = LUA_NOREF; // in the registry of the state
};

/// A text with one of ^ $ * + ? % [ in it is a Lua pattern for the whole name; others are names. Errc::invalid: no pattern.
Result<bool> fits_name(std::string const& wanted, std::string_view name);

class RuleBook {
public:
    struct Script {
        std::filesystem::path file;
        std::string text;
    };
    /// Runs the scripts. Errc::invalid names the script and says what is wrong.
    static Result<std::unique_ptr<RuleBook>> make(std::vector<Script> const& scripts, Semantics::Limits const& limits);

    [[nodiscard]] std::vector<Rule> const& rules() const { return rules_; }
    /// What the rule says; none: nothing. `arguments` is null if it does not want them. After an error the book may be worn out.
    Result<std::optional<base::Semantics>> ask(Rule const& rule, Asked const& call,
                                               boost::json::value const* arguments);
    /// It has used up its memory or a budget: make another.
    [[nodiscard]] bool worn_out() const { return worn_out_; }

private:
    RuleBook(std::unique_ptr<LuaState> state, Semantics::Limits const& limits)
        : state_(std::move(state)), limits_(limits) {}
    Result<void> run(Script const& script);
    void take_rules(Script const& script);
    Result<std::optional<base::Semantics>> answer(int status);

    std::unique_ptr<LuaState> state_;
    Semantics::Limits limits_;
    std::vector<Rule> rules_;
    bool worn_out_ = false;
};

} // namespace pfar::flows
