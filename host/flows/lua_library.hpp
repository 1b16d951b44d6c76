// What of Lua's library a script gets: all of it pure, and bounded by the script's budget.
#pragma once

#include "flows/lua_state.hpp"

namespace pfar::flows {

// Called protected, as all that Lua calls.

/// Pushes a table of everything that scripts find as globals, without verbs. The string type gets its methods, and keeps them.
void push_library(lua_State* lua);
/// Replaces the table on top by one that reads the same and cannot be written.
void freeze(lua_State* lua);
/// Pushes a table of globals for a script: empty, reads through to `host` (which it cannot change), keeps what the script sets until the
/// state is sealed.
void push_environment(lua_State* lua, int host);

// Of the library: ours, where Lua's own would not be bounded.
extern luaL_Reg const string_functions[];
extern luaL_Reg const table_functions[];

/// The table at `index`, without a metatable: a script's own. Raises otherwise.
void check_plain(lua_State* lua, int index);

} // namespace pfar::flows
