// Between a script's values and JSON. A table with the keys 1 to n is a list; one with texts as keys an object; an empty one is an empty object.
// null is nil in an object and the global `null` in a list, where nil would be a hole.
#pragma once

#include "flows/lua_state.hpp"

namespace pfar::flows {

/// The metatable of handles. Called protected.
void make_handle_type(lua_State* lua);

/// Pushes the value. False, with nothing pushed, if it is too deep or the stack is full. The budget is lifted. [not called by Lua]
bool push_json(lua_State* lua, boost::json::value const& value);

/// The value at `index`, which stays there. At most 32 deep, 10,000 values and 1 MiB of text; refuses what has no place in JSON: functions,
/// tables that contain themselves or mix texts and numbers as keys, numbers that are none, and text that is not UTF-8. [not called by Lua]
Result<boost::json::value> json_at(lua_State* lua, int index);

} // namespace pfar::flows
