#include "flows/lua_library.hpp"

#include <cstring>

namespace pfar::flows {
namespace {

/// Lua's own function, with the length of its texts counted first: it looks at each byte, and allocates little.
int counted(lua_State* lua) {
    std::uint64_t bytes = 0;
    for (int index = lua_gettop(lua); index >= 1; --index)
        if (lua_type(lua, index) == LUA_TSTRING) bytes += lua_rawlen(lua, index);
    charge(lua, bytes / 16 + 1);
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

/// Memory is a budget like any other: whoever has used it up does not go on behind a pcall.
void end_if_used_up(lua_State* lua, int status) {
    if (status == LUA_ERRMEM || status == LUA_ERRERR) exhaust(lua);
}

constexpr std::uint32_t most_guards = 100;

/// An error is handed from one pcall to the one around it, and each time all that they hold is looked at: that is not counted in steps.
void enter_guard(lua_State* lua) {
    charge(lua, 10);
    if (++meter_of(lua).guards <= most_guards) return;
    --meter_of(lua).guards;
    luaL_error(lua, "too many calls of pcall within one another");
}

/// On the stack: true, results or the error.
int finish_plain(lua_State* lua, int status, lua_KContext /*unused*/) {
    --meter_of(lua).guards;
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(lua);
    end_if_used_up(lua, status);
    lua_pushboolean(lua, 0);
    lua_pushvalue(lua, -2);
    return 2;
}

int plain_call(lua_State* lua) {
    luaL_checkany(lua, 1);
    enter_guard(lua);
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    return finish_plain(lua, lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, finish_plain), 0);
}

/// The handler is called when everything is unwound: Lua's own calls it inside the hook that raised the error, where nothing is counted.
/// On the stack: function, handler, true, results or the error.
int finish_guarded(lua_State* lua, int status, lua_KContext /*unused*/) {
    bool const good = status == LUA_OK || status == LUA_YIELD;
    if (good) return --meter_of(lua).guards, lua_gettop(lua) - 2;
    end_if_used_up(lua, status);
    lua_pushboolean(lua, 0);
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -3);
    lua_call(lua, 1, 1);
    --meter_of(lua).guards; // the handler counts too
    return 2;
}

int guarded_call(lua_State* lua) {
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    enter_guard(lua);
    int const given = lua_gettop(lua) - 2;
    lua_pushboolean(lua, 1);
    lua_pushvalue(lua, 1);
    lua_rotate(lua, 3, 2);
    return finish_guarded(lua, lua_pcallk(lua, given, LUA_MULTRET, 0, 0, finish_guarded), 0);
}

/// From the library on top into the table under it.
void take_function(lua_State* lua, char const* name, bool count) {
    lua_getfield(lua, -1, name);
    if (count) lua_pushcclosure(lua, counted, 1);
    lua_setfield(lua, -3, name);
}

void open_base(lua_State* lua, int into) {
    lua_pushcfunction(lua, luaopen_base);
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, into);
    lua_insert(lua, -2);
    for (auto const* const name :
         {"assert", "error", "ipairs", "next", "pairs", "select", "tostring", "type", "rawequal", "rawlen", "rawget"})
        take_function(lua, name, false);
    take_function(lua, "tonumber", true);
    lua_pop(lua, 2);
    lua_newtable(lua); // what was opened is out of reach, but nothing needs it either
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushcfunction(lua, guarded_call);
    lua_setfield(lua, into, "xpcall");
    lua_pushcfunction(lua, plain_call);
    lua_setfield(lua, into, "pcall");
}

/// No getmetatable for scripts, and nothing in it but the methods: no arithmetic on texts either.
void lock_strings(lua_State* lua) {
    lua_pushliteral(lua, "");
    lua_createtable(lua, 0, 2);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    lua_pop(lua, 1);
}

void open_string(lua_State* lua, int into) {
    lua_newtable(lua);
    lua_pushcfunction(lua, luaopen_string);
    lua_call(lua, 0, 1);
    for (auto const* const name : {"byte", "char", "len", "lower", "reverse", "sub", "upper"})
        take_function(lua, name, false);
    take_function(lua, "format", true);
    lua_pop(lua, 1);
    luaL_setfuncs(lua, string_functions, 0);
    lock_strings(lua);
    freeze(lua);
    lua_setfield(lua, into, "string");
}

void open_others(lua_State* lua, int into) {
    lua_newtable(lua);
    luaL_setfuncs(lua, table_functions, 0);
    freeze(lua);
    lua_setfield(lua, into, "table");
    lua_pushcfunction(lua, luaopen_math);
    lua_call(lua, 0, 1);
    lua_pushnil(lua);
    lua_setfield(lua, -2, "randomseed");
    freeze(lua);
    lua_setfield(lua, into, "math");
    lua_pushcfunction(lua, luaopen_utf8);
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, -1);
    take_function(lua, "len", true);
    lua_pop(lua, 1);
    freeze(lua);
    lua_setfield(lua, into, "utf8");
}

int refuse_write(lua_State* lua) {
    return luaL_error(lua, "this table belongs to the host and cannot be changed");
}

/// Upvalues: what the script has set, what the host gave.
int set_global(lua_State* lua) {
    lua_pushvalue(lua, 2);
    if (!lua_isnil(lua, 2) && lua_rawget(lua, lua_upvalueindex(2)) != LUA_TNIL)
        return luaL_error(lua, "'%s' belongs to the host and cannot be replaced",
                          lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?");
    if (meter_of(lua).sealed) return luaL_error(lua, "globals cannot be set once the script is loaded; use a local");
    lua_settop(lua, 3);
    lua_rawset(lua, lua_upvalueindex(1));
    return 0;
}

} // namespace

void push_library(lua_State* lua) {
    luaL_checkstack(lua, 20, nullptr);
    lua_newtable(lua);
    int const into = lua_gettop(lua);
    open_base(lua, into);
    open_string(lua, into);
    open_others(lua, into);
    lua_pushlightuserdata(lua, nullptr); // null in a list, where nil would be a hole
    lua_setfield(lua, into, "null");
}

void freeze(lua_State* lua) {
    lua_newtable(lua);
    lua_createtable(lua, 0, 3);
    lua_rotate(lua, -3, -1); // stands-for, metatable, the table
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, refuse_write);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
}

void push_environment(lua_State* lua, int host) {
    host = lua_absindex(lua, host);
    lua_newtable(lua);          // the environment
    lua_createtable(lua, 0, 3); // its metatable
    lua_newtable(lua);          // what the script sets
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "_G");
    lua_createtable(lua, 0, 1);
    lua_pushvalue(lua, host);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "__index");
    lua_pushvalue(lua, host);
    lua_pushcclosure(lua, set_global, 2);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
}

} // namespace pfar::flows
