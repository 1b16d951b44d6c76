// The table functions, for a script's own tables: each element that is moved or compared is counted.
#include "flows/lua_library.hpp"

namespace pfar::flows {
namespace {

lua_Integer plain_length(lua_State* lua, int index) {
    check_plain(lua, index);
    return static_cast<lua_Integer>(lua_rawlen(lua, index));
}

int table_insert(lua_State* lua) {
    auto const last = plain_length(lua, 1) + 1;
    auto place = last;
    if (lua_gettop(lua) == 3) {
        place = luaL_checkinteger(lua, 2);
        luaL_argcheck(lua, place >= 1 && place <= last, 2, "position out of bounds");
        charge(lua, static_cast<std::uint64_t>(last - place));
        for (auto at = last; at > place; --at) {
            lua_rawgeti(lua, 1, at - 1);
            lua_rawseti(lua, 1, at);
        }
    } else if (lua_gettop(lua) != 2) {
        return luaL_error(lua, "wrong number of arguments to 'insert'");
    }
    lua_rawseti(lua, 1, place);
    return 0;
}

int table_remove(lua_State* lua) {
    auto const size = plain_length(lua, 1);
    auto at = luaL_optinteger(lua, 2, size);
    if (lua_gettop(lua) >= 2)
        luaL_argcheck(lua, (size == 0 && at == 0) || (at >= 1 && at <= size + 1), 2, "position out of bounds");
    lua_rawgeti(lua, 1, at);
    if (at < size) charge(lua, static_cast<std::uint64_t>(size - at));
    for (; at < size; ++at) {
        lua_rawgeti(lua, 1, at + 1);
        lua_rawseti(lua, 1, at);
    }
    lua_pushnil(lua);
    lua_rawseti(lua, 1, at);
    return 1;
}

int table_concat(lua_State* lua) {
    auto const size = plain_length(lua, 1);
    std::size_t between = 0;
    auto const* const separator = luaL_optlstring(lua, 2, "", &between);
    auto const first = luaL_optinteger(lua, 3, 1);
    auto const last = luaL_optinteger(lua, 4, size);
    luaL_Buffer out;
    luaL_buffinit(lua, &out);
    for (auto at = first; at <= last; ++at) {
        charge(lua, 1);
        lua_rawgeti(lua, 1, at);
        if (lua_isstring(lua, -1) == 0)
            luaL_error(lua, "invalid value (at index %I) in table for 'concat'", static_cast<LUAI_UACINT>(at));
        luaL_addvalue(&out);
        if (at == last) break; // also where at + 1 would not fit
        luaL_addlstring(&out, separator, between);
    }
    luaL_pushresult(&out);
    return 1;
}

constexpr lua_Integer most_unpacked = 250; // a call cannot have many more arguments anyway

int table_unpack(lua_State* lua) {
    auto const size = plain_length(lua, 1);
    auto const first = luaL_optinteger(lua, 2, 1);
    auto const last = luaL_optinteger(lua, 3, size);
    if (first > last) return 0;
    auto const many = static_cast<lua_Unsigned>(last) - static_cast<lua_Unsigned>(first);
    if (many >= static_cast<lua_Unsigned>(most_unpacked)) return luaL_error(lua, "too many results to unpack");
    luaL_checkstack(lua, static_cast<int>(many) + 1, "too many results to unpack");
    charge(lua, many + 1);
    for (lua_Unsigned at = 0; at <= many; ++at) lua_rawgeti(lua, 1, first + static_cast<lua_Integer>(at));
    return static_cast<int>(many) + 1;
}

/// Is the value at `a` before the one at `b`? The comparator is at 2, or nil there.
bool comes_before(lua_State* lua, int a, int b) {
    charge(lua, 10);
    if (lua_isnil(lua, 2)) return lua_compare(lua, a, b, LUA_OPLT) != 0;
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, a < 0 ? a - 1 : a);
    lua_pushvalue(lua, b < 0 ? b - 2 : b);
    lua_call(lua, 2, 1);
    bool const before = lua_toboolean(lua, -1) != 0;
    lua_pop(lua, 1);
    return before;
}

struct Runs {
    lua_Integer begin, middle, end; // [begin, middle) and [middle, end), each in order
};

void merge(lua_State* lua, int from, int into, Runs const& run) {
    auto left = run.begin;
    auto right = run.middle;
    for (auto to = run.begin; to < run.end; ++to) {
        charge(lua, 1);
        bool take_right = left == run.middle;
        if (left < run.middle && right < run.end) {
            lua_rawgeti(lua, from, right);
            lua_rawgeti(lua, from, left);
            take_right = comes_before(lua, -2, -1);
            lua_pop(lua, 2);
        }
        lua_rawgeti(lua, from, take_right ? right++ : left++);
        lua_rawseti(lua, into, to);
    }
}

/// Merges longer and longer runs: stable, and it ends whatever a comparator says.
int table_sort(lua_State* lua) {
    auto const size = plain_length(lua, 1);
    lua_settop(lua, 2);
    if (!lua_isnil(lua, 2)) luaL_checktype(lua, 2, LUA_TFUNCTION);
    luaL_argcheck(lua, size < 1'000'000, 1, "too many to sort");
    charge(lua, static_cast<std::uint64_t>(size) * 2);
    for (int i = 0; i < 2; ++i) lua_createtable(lua, static_cast<int>(size), 0); // a comparator cannot reach them
    int from = 3;
    int into = 4;
    for (lua_Integer at = 1; at <= size; ++at) {
        lua_rawgeti(lua, 1, at);
        lua_rawseti(lua, from, at);
    }
    for (lua_Integer width = 1; width < size; width *= 2) {
        for (lua_Integer at = 1; at <= size; at += 2 * width) {
            auto const limit = [&](lua_Integer where) { return where < size + 1 ? where : size + 1; };
            merge(lua, from, into, {at, limit(at + width), limit(at + 2 * width)});
        }
        from = 7 - from, into = 7 - into;
    }
    for (lua_Integer at = 1; at <= size; ++at) {
        lua_rawgeti(lua, from, at);
        lua_rawseti(lua, 1, at);
    }
    return 0;
}

} // namespace

void check_plain(lua_State* lua, int index) {
    luaL_checktype(lua, index, LUA_TTABLE);
    if (lua_getmetatable(lua, index) != 0) luaL_argerror(lua, index, "a table of the host cannot be used as a list");
}

luaL_Reg const table_functions[] = {{"concat", table_concat}, {"insert", table_insert}, {"remove", table_remove},
                                    {"sort", table_sort},     {"unpack", table_unpack}, {nullptr, nullptr}};

} // namespace pfar::flows
