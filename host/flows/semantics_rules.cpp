#include "flows/semantics_rules.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"
#include "flows/lua_library.hpp"
#include "flows/lua_pattern.hpp"
#include "flows/lua_values.hpp"
#include "wire/json_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <sol/sol.hpp>

namespace pfar::flows {
namespace {

constexpr char rules_key[] = "pfar.rules", rules_host_key[] = "pfar.host";
constexpr lua_Integer most_rules = 500;
constexpr std::size_t longest_name = 120;

/// `server` or `tool` of the rule at 1, copied as a list into the table on top.
void copy_names(lua_State* lua, char const* key) {
    lua_createtable(lua, 1, 0);
    lua_getfield(lua, 1, key);
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
    } else if (lua_type(lua, -1) == LUA_TSTRING) {
        lua_rawseti(lua, -2, 1);
    } else {
        auto const size = lua_istable(lua, -1) ? static_cast<lua_Integer>(lua_rawlen(lua, -1)) : 0;
        if (size == 0) luaL_error(lua, "a rule's %s has to be a text or a list of texts", key);
        charge(lua, static_cast<std::uint64_t>(size));
        for (lua_Integer at = 1; at <= size; ++at) {
            if (lua_rawgeti(lua, -1, at) != LUA_TSTRING)
                luaL_error(lua, "a rule's %s has to be a text or a list of texts", key);
            lua_rawseti(lua, -3, at);
        }
        lua_pop(lua, 1);
    }
    lua_setfield(lua, -2, key);
}

void copy_member(lua_State* lua, char const* key, int type, bool optional) {
    auto const found = lua_getfield(lua, 1, key);
    if (found != type && !(optional && found == LUA_TNIL))
        luaL_error(lua, "a rule's %s has to be a %s", key, lua_typename(lua, type));
    lua_setfield(lua, -2, key);
}

/// A misspelt key would make a rule say more than it was meant to.
void check_keys(lua_State* lua) {
    for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
        std::string_view const key = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : "";
        if (key != "name" && key != "server" && key != "tool" && key != "arguments" && key != "decide")
            luaL_error(lua, "a rule has name, server, tool, arguments and decide, not '%s'", key.data());
    }
}

/// rule { name, server, tool, arguments, decide }: a copy of it joins the others, with the line it was made in.
int add_rule(lua_State* lua) {
    lua_settop(lua, 1);
    check_plain(lua, 1);
    if (meter_of(lua).sealed) return luaL_error(lua, "rules are made while the script is loaded");
    check_keys(lua);
    lua_createtable(lua, 0, 6);
    copy_member(lua, "name", LUA_TSTRING, false);
    copy_member(lua, "decide", LUA_TFUNCTION, false);
    copy_member(lua, "arguments", LUA_TBOOLEAN, true);
    copy_names(lua, "server");
    copy_names(lua, "tool");
    lua_Debug at{};
    bool const known = lua_getstack(lua, 1, &at) != 0 && lua_getinfo(lua, "l", &at) != 0;
    lua_pushinteger(lua, known ? at.currentline : 0);
    lua_setfield(lua, -2, "line");
    lua_getfield(lua, LUA_REGISTRYINDEX, rules_key);
    auto const number = static_cast<lua_Integer>(lua_rawlen(lua, -1)) + 1;
    if (number > most_rules) return luaL_error(lua, "there are too many rules");
    lua_pushvalue(lua, -2);
    lua_rawseti(lua, -2, number);
    return 0;
}

int set_up_rules(lua_State* lua) {
    make_handle_type(lua);
    push_library(lua);
    lua_pushcfunction(lua, add_rule);
    lua_setfield(lua, -2, "rule");
    lua_setfield(lua, LUA_REGISTRYINDEX, rules_host_key);
    lua_newtable(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, rules_key);
    return 0;
}

// The rest is the host's own: the budget is lifted, and the tables are the copies made above.

/// Of its annotations: the other title of a tool is not in what the owner agrees to, so a server could change it at will.
std::string agreed_title(std::string_view tool_json) {
    return wire::string_in(wire::member_of(wire::member_of(tool_json, "annotations"), "title"));
}

} // namespace

Result<bool> fits_name(std::string const& wanted, std::string_view name) {
    if (wanted == name) return true;
    if (wanted.find_first_of("^$*+?%[") == std::string::npos) return false;
    std::string pattern = wanted.starts_with('^') ? wanted.substr(1) : wanted;
    if (!pattern.ends_with('$') || pattern.ends_with("%$")) pattern += '$';
    std::uint64_t steps = 100'000;
    PatternMatcher matcher(name, pattern, steps);
    bool const fits = matcher.fault() == nullptr && matcher.match_at(0) != PatternMatcher::none;
    if (matcher.stopped())
        return fail(Errc::invalid, fmt::format("\"{}\" is not a pattern that can be used: {}", base::printable(wanted),
                                               matcher.exhausted() ? "it takes too long" : matcher.mistake()));
    return fits;
}

Result<std::unique_ptr<RuleBook>> RuleBook::make(std::vector<Script> const& scripts, Semantics::Limits const& limits) {
    PFAR_TRY(state, LuaState::open(set_up_rules, nullptr));
    std::unique_ptr<RuleBook> out(new RuleBook(std::move(state), limits));
    for (auto const& script : scripts)
        if (auto const ran = out->run(script); !ran)
            return fail(Errc::invalid,
                        fmt::format("{} has a mistake, so every tool without a word of yours counts as a write: {}",
                                    base::printable(base::for_people(script.file)), ran.error().what));
    out->state_->seal();
    return out;
}

Result<void> RuleBook::run(Script const& script) {
    auto* const lua = state_->main();
    state_->refill(limits_.load, lua);
    lua_getfield(lua, LUA_REGISTRYINDEX, rules_host_key);
    push_environment(lua, -1);
    PFAR_CHECK(state_->load(script.text, script.file.filename().native(), -1));
    state_->begin();
    auto const status = lua_pcall(lua, 0, 0, 0);
    state_->end();
    if (status != LUA_OK || state_->meter().exhausted) return fail(Errc::invalid, state_->trouble(lua, status));
    take_rules(script);
    lua_settop(lua, 0);
    for (auto const& rule : rules_)
        for (auto const* const names : {&rule.servers, &rule.tools})
            for (auto const& wanted : *names)
                if (auto const fits = fits_name(wanted, ""); !fits)
                    return fail(Errc::invalid, fmt::format("{}: {}", rule.place, fits.error().what));
    return {};
}

void RuleBook::take_rules(Script const& script) {
    sol::table const made = sol::state_view(state_->main()).registry()[rules_key];
    for (auto at = rules_.size() + 1; at <= made.size(); ++at) {
        sol::table const one = made[at];
        Rule rule;
        rule.name = base::printable(base::whole_text(one.get<std::string_view>("name"), longest_name));
        rule.servers = one.get<std::vector<std::string>>("server");
        rule.tools = one.get<std::vector<std::string>>("tool");
        rule.arguments = one.get_or("arguments", false);
        rule.place =
            fmt::format("{}:{}: {}", base::printable(base::for_people(script.file)), one.get<int>("line"), rule.name);
        one.get<sol::function>("decide").push();
        rule.decide = luaL_ref(state_->main(), LUA_REGISTRYINDEX);
        rules_.push_back(std::move(rule));
    }
}

Result<std::optional<base::Semantics>> RuleBook::ask(Rule const& rule, Asked const& call,
                                                     boost::json::value const* arguments) {
    auto* const lua = state_->main();
    lua_settop(lua, 0);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, rule.decide);
    auto const title = call.title.empty() ? agreed_title(call.tool_json) : std::string(call.title);
    sol::state_view(lua)
        .create_table_with("server", call.server, "tool", call.tool, "title", title, "hint", call.says_read_only)
        .push();
    if (arguments != nullptr) {
        if (!push_json(lua, *arguments))
            return fail(Errc::invalid, "the arguments are nested too deep to be shown to it");
        lua_setfield(lua, -2, "arguments");
    }
    state_->refill({limits_.steps, limits_.load.memory, limits_.time}, lua);
    state_->begin();
    auto const status = lua_pcall(lua, 1, 1, 0);
    state_->end();
    auto out = answer(status);
    lua_settop(lua, 0);
    return out;
}

Result<std::optional<base::Semantics>> RuleBook::answer(int status) {
    auto* const lua = state_->main();
    worn_out_ = state_->meter().exhausted || status == LUA_ERRMEM;
    if (status != LUA_OK || worn_out_) return fail(Errc::invalid, state_->trouble(lua, status));
    if (lua_isnil(lua, -1)) return std::optional<base::Semantics>();
    std::string_view const word = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "";
    for (auto const& [spelling, meaning] : base::semantics_words)
        if (word == spelling) return std::optional(meaning);
    return fail(Errc::invalid,
                fmt::format("it returned {}, which is neither \"read\", \"write\" nor nil",
                            word.empty() ? fmt::format("a {}", luaL_typename(lua, -1))
                                         : fmt::format("\"{}\"", base::printable(base::whole_text(word, 40)))));
}

} // namespace pfar::flows
