// LuaState: one Lua state with a budget that no script can get around.
//
// One counter of steps for everything: instructions (a hook), bytes (the allocator), and what our own library functions do. Processor time is a
// second bound, for single instructions that take long, such as comparing two large texts. Lua's errors jump over frames without destroying what
// lives there: no function that Lua calls may have an object with a destructor on its frame.
#pragma once

#include "flows/runner.hpp"

#include <lua.hpp>

#include <cstdint>

namespace pfar::flows {

/// What a state has used and may still use. Lua functions find theirs by meter_of.
struct Meter {
    std::uint64_t left = 0;
    std::size_t memory = 0, most = 0;
    std::int64_t deadline = 0; // of this thread's processor time, in nanoseconds
    std::uint32_t charges = 0;
    std::uint32_t guards = 0;     // pcalls within one another: what an error has to unwind one by one
    lua_State* running = nullptr; // the thread whose hook counts
    bool lifted = true;           // the host itself is at work: nothing is counted, and no memory refused
    bool exhausted = false;       // for good: from now on every instruction raises an error
    bool sealed = false;          // globals can no longer be set
};

Meter& meter_of(lua_State* lua);
/// Counts, and raises a Lua error if that was too much.
void charge(lua_State* lua, std::uint64_t steps);
/// Raises a Lua error, and again at every instruction that follows.
[[noreturn]] void exhaust(lua_State* lua);

class LuaState {
public:
    /// Runs `set_up` protected, with `what` as its only argument (a light userdata).
    static Result<std::unique_ptr<LuaState>> open(lua_CFunction set_up, void* what);
    ~LuaState();
    LuaState(LuaState const&) = delete;
    LuaState& operator=(LuaState const&) = delete;

    [[nodiscard]] lua_State* main() const { return lua_; }
    [[nodiscard]] Meter const& meter() const { return meter_; }
    /// A whole budget again, for what `thread` runs next.
    void refill(Budget const& budget, lua_State* thread);
    void seal() { meter_.sealed = true; }

    /// Script code runs between these two.
    void begin() { meter_.lifted = false; }
    void end() { meter_.lifted = true; }

    /// Pushes the text, compiled, with the table at `environment` as its globals. Text only. `name` is what errors call it.
    Result<void> load(std::string_view text, std::string const& name, int environment);
    /// What the error on top of `thread` says, after a call that returned `status`.
    [[nodiscard]] std::string trouble(lua_State* thread, int status) const;

private:
    LuaState() = default;
    static void* allocate(void* meter, void* block, std::size_t before, std::size_t after);

    Meter meter_;
    lua_State* lua_ = nullptr;
};

/// A script's text: whole, UTF-8, at most 256 KiB, no bytecode, and nobody else can write it.
Result<std::string> read_script(std::filesystem::path const& file);

} // namespace pfar::flows
