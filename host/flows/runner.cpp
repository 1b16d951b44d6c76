// A verb never runs inside a Lua call: its function yields, the verb is run here, and the script goes on with what came of it. So a verb may
// throw, wait and have objects on its frames, and its error ends the flow whatever the script has wrapped around it. sol2 builds what a script
// finds; the script itself is driven by lua_resume, because sol::coroutine ends the process on deep recursion.
#include "flows/runner.hpp"

#include "base/text.hpp"
#include "flows/lua_library.hpp"
#include "flows/lua_values.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <sol/sol.hpp>

#include <algorithm>
#include <set>

namespace pfar::flows {
namespace {

constexpr std::size_t most_verbs = 2'000;
constexpr std::uint64_t most_rounds = 50; // whole budgets of steps that all of a flow may use

/// Its name is the upvalue; it and the arguments are what the runner gets.
int yield_verb(lua_State* lua) {
    luaL_checkstack(lua, 1, nullptr);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    return lua_yield(lua, lua_gettop(lua));
}

/// What reads the same and cannot be written.
sol::table frozen(sol::table const& plain) {
    plain.push();
    freeze(plain.lua_state());
    return sol::stack::pop<sol::table>(plain.lua_state());
}

/// "config.write" goes into the table `config`, which is made if need be.
void add_verbs(sol::table host, std::vector<std::string> const& verbs) {
    std::set<std::string> tables;
    for (auto const& verb : verbs) {
        auto const dot = verb.find('.');
        auto const owner = verb.substr(0, dot == std::string::npos ? 0 : dot);
        if (!owner.empty()) tables.insert(owner);
        auto into = owner.empty() ? host : host[owner].get_or_create<sol::table>();
        into[verb.substr(dot + 1)] = sol::closure<std::string>(yield_verb, verb); // without a dot all of it
    }
    for (auto const& name : tables) host[name] = frozen(host[name]);
}

constexpr char environment_key[] = "pfar.environment", host_table_key[] = "pfar.host";

int set_up_flow(lua_State* lua) {
    auto const& flow = *static_cast<Flow const*>(lua_touserdata(lua, 1));
    make_handle_type(lua);
    push_library(lua);
    add_verbs(sol::table(lua, -1), flow.verbs);
    push_environment(lua, -1);
    lua_setfield(lua, LUA_REGISTRYINDEX, environment_key);
    lua_setfield(lua, LUA_REGISTRYINDEX, host_table_key);
    return 0;
}

class FlowRun {
public:
    FlowRun(Flow const& flow, Verbs& verbs, LuaState& state) : flow_(flow), verbs_(verbs), state_(state) {
        thread_ = lua_newthread(state.main()); // stays on the main stack, so it is kept
    }

    Result<void> give_input() {
        auto* const lua = state_.main();
        lua_getfield(lua, LUA_REGISTRYINDEX, host_table_key);
        if (!push_json(lua, flow_.input)) return fail(Errc::internal, flow_.name + ": its input is nested too deep");
        lua_setfield(lua, -2, "input");
        lua_pop(lua, 1);
        return {};
    }

    Result<boost::json::value> file(std::filesystem::path const& path) {
        PFAR_TRY(text, read_script(path));
        PFAR_CHECK(refill());
        auto* const lua = state_.main();
        lua_getfield(lua, LUA_REGISTRYINDEX, environment_key);
        auto const loaded = state_.load(text, path.filename().native(), -1);
        if (!loaded) return script_error(loaded.error().what);
        lua_xmove(lua, thread_, 1);
        lua_pop(lua, 1);
        return drive();
    }

private:
    [[nodiscard]] Error script_error(std::string_view words) const {
        return fail(Errc::invalid, fmt::format("the script of {} has a mistake: {}", flow_.name, words));
    }

    Result<void> refill() {
        auto const used = flow_.budget.steps - std::min(flow_.budget.steps, state_.meter().left);
        used_ += running_ ? used : 0;
        running_ = true;
        if (used_ / most_rounds > flow_.budget.steps) return script_error("it used up its budget of steps as a whole");
        state_.refill(flow_.budget, thread_);
        return {};
    }

    Result<boost::json::value> drive() {
        for (int given = 0;;) {
            int got = 0;
            state_.begin();
            auto const status = lua_resume(thread_, nullptr, given, &got);
            state_.end();
            if (state_.meter().exhausted || (status != LUA_OK && status != LUA_YIELD))
                return script_error(state_.trouble(thread_, status));
            if (status == LUA_OK) return returned(got);
            PFAR_TRY(pushed, verb(got));
            given = pushed;
        }
    }

    Result<boost::json::value> returned(int many) {
        auto out = many > 0 ? json_at(thread_, -many) : Result<boost::json::value>(boost::json::value());
        lua_settop(thread_, 0);
        if (!out) return script_error("what it returns: " + out.error().what);
        return out;
    }

    /// Its name and arguments are the `many` values on top; they make place for its results, of which it says how many.
    Result<int> verb(int many) {
        if (++verbs_run_ > most_verbs) return script_error(fmt::format("it used more than {} verbs", most_verbs));
        std::string const name(lua_tostring(thread_, -many));
        auto given = arguments(many - 1);
        if (!given) return script_error(fmt::format("{}{}: {}", place(), name, given.error().what));
        lua_pop(thread_, many);
        auto done = verbs_.run(name, std::move(*given));
        bool const misused = !done && done.error().code == Errc::invalid && done.error().what.starts_with(name);
        if (misused) return fail(Errc::invalid, place() + done.error().what);
        if (!done) return done.error();
        PFAR_CHECK(refill());
        return push(*done, name);
    }

    Result<int> push(Done const& done, std::string const& name) {
        if (!push_json(thread_, done.value)) return script_error(name + ": its result is nested too deep");
        if (done.why.empty()) return 1;
        lua_pushlstring(thread_, done.why.data(), done.why.size());
        return 2;
    }

    Result<std::vector<boost::json::value>> arguments(int many) {
        std::vector<boost::json::value> out;
        if (many > 100) return fail(Errc::invalid, "too many arguments");
        for (int at = many; at > 0; --at) {
            PFAR_TRY(one, json_at(thread_, -at));
            out.push_back(std::move(one));
        }
        return out;
    }

    /// "connect.lua:12: ", where the verb was called.
    [[nodiscard]] std::string place() const {
        lua_Debug at{};
        for (int level = 1; level < 10 && lua_getstack(thread_, level, &at) != 0;
             ++level) // pcall and the like have no lines
            if (lua_getinfo(thread_, "Sl", &at) != 0 && at.currentline > 0)
                return fmt::format("{}:{}: ", base::printable(at.short_src), at.currentline);
        return "";
    }

    Flow const& flow_;
    Verbs& verbs_;
    LuaState& state_;
    lua_State* thread_;
    std::size_t verbs_run_ = 0;
    std::uint64_t used_ = 0;
    bool running_ = false;
};

} // namespace

Result<boost::json::value> run_flow(Flow const& flow, Verbs& verbs) {
    PFAR_TRY(state, LuaState::open(set_up_flow, const_cast<Flow*>(&flow)));
    FlowRun run(flow, verbs, *state);
    PFAR_CHECK(run.give_input());
    for (auto const& library : flow.libraries) PFAR_CHECK(run.file(library));
    return run.file(flow.script);
}

} // namespace pfar::flows
