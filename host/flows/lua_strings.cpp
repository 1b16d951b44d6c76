// string.find, match, gmatch and gsub over our own matcher: the same results as Lua's, and an end.
#include "flows/lua_library.hpp"
#include "flows/lua_pattern.hpp"

#include <cstring>

namespace pfar::flows {
namespace {

std::string_view text_argument(lua_State* lua, int index) {
    std::size_t size = 0;
    auto const* const data = luaL_checklstring(lua, index, &size);
    return {data, size};
}

/// From Lua's 1, or from the end; past the end: size + 1.
std::size_t start_argument(lua_State* lua, int index, std::size_t size) {
    auto const given = luaL_optinteger(lua, index, 1);
    if (given > 0) return static_cast<std::size_t>(given) - 1;
    if (given == 0 || given < -static_cast<lua_Integer>(size)) return 0;
    return size - static_cast<std::size_t>(-given);
}

/// As PatternMatcher::match_at; raises what stopped it.
std::size_t try_match(lua_State* lua, PatternMatcher& matcher, std::size_t at) {
    auto const end = matcher.match_at(at);
    if (matcher.exhausted()) exhaust(lua);
    if (matcher.mistake() != nullptr) luaL_error(lua, "%s", matcher.mistake());
    return end;
}

struct Found {
    std::string_view text;
    std::size_t begin, end;
};

void push_capture(lua_State* lua, PatternMatcher const& matcher, int number, Found const& found) {
    if (number >= matcher.captures()) {
        if (number != 0) luaL_error(lua, "invalid capture index %%%d", number + 1);
        lua_pushlstring(lua, found.text.data() + found.begin, found.end - found.begin);
        return;
    }
    auto const& capture = matcher.capture(number);
    if (capture.size == PatternMatcher::still_open) luaL_error(lua, "unfinished capture");
    if (capture.size == PatternMatcher::position)
        lua_pushinteger(lua, static_cast<lua_Integer>(capture.begin) + 1);
    else
        lua_pushlstring(lua, found.text.data() + capture.begin, capture.size);
}

/// All captures; of a pattern without any, the whole match if `whole`.
int push_captures(lua_State* lua, PatternMatcher const& matcher, Found const& found, bool whole) {
    int const many = matcher.captures() == 0 && whole ? 1 : matcher.captures();
    luaL_checkstack(lua, many, "too many captures");
    for (int number = 0; number < many; ++number) push_capture(lua, matcher, number, found);
    return many;
}

int plain_find(lua_State* lua, std::string_view text, std::string_view what, std::size_t from) {
    charge(lua, (text.size() - from + what.size()) / 16 + 1);
    auto const* const place =
        what.empty()
            ? text.data() + from
            : static_cast<char const*>(::memmem(text.data() + from, text.size() - from, what.data(), what.size()));
    if (place == nullptr) {
        lua_pushnil(lua);
        return 1;
    }
    auto const begin = static_cast<lua_Integer>(place - text.data());
    lua_pushinteger(lua, begin + 1);
    lua_pushinteger(lua, begin + static_cast<lua_Integer>(what.size()));
    return 2;
}

int find_or_match(lua_State* lua, bool find) {
    auto const text = text_argument(lua, 1);
    auto pattern = text_argument(lua, 2);
    auto at = start_argument(lua, 3, text.size());
    if (at > text.size()) {
        lua_pushnil(lua);
        return 1;
    }
    charge(lua, 1);
    if (find && (lua_toboolean(lua, 4) != 0 || pattern.find_first_of("^$*+?.([%-") == std::string_view::npos))
        return plain_find(lua, text, pattern, at);
    bool const anchored = pattern.starts_with('^');
    if (anchored) pattern.remove_prefix(1);
    PatternMatcher matcher(text, pattern, meter_of(lua).left);
    for (; at <= text.size(); ++at) {
        auto const end = try_match(lua, matcher, at);
        if (end != PatternMatcher::none) {
            if (!find) return push_captures(lua, matcher, {text, at, end}, true);
            lua_pushinteger(lua, static_cast<lua_Integer>(at) + 1);
            lua_pushinteger(lua, static_cast<lua_Integer>(end));
            return push_captures(lua, matcher, {text, at, end}, false) + 2;
        }
        if (anchored) break;
        charge(lua, 1);
    }
    lua_pushnil(lua);
    return 1;
}

int string_find(lua_State* lua) {
    return find_or_match(lua, true);
}

int string_match(lua_State* lua) {
    return find_or_match(lua, false);
}

/// Upvalues: the text, the pattern, where to go on, where the last match ended (-1: none yet).
int next_match(lua_State* lua) {
    auto const text = text_argument(lua, lua_upvalueindex(1));
    auto const pattern = text_argument(lua, lua_upvalueindex(2));
    auto const last = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(4)));
    PatternMatcher matcher(text, pattern, meter_of(lua).left);
    for (auto at = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(3))); at <= text.size(); ++at) {
        charge(lua, 1);
        auto const end = try_match(lua, matcher, at);
        if (end == PatternMatcher::none || end == last) continue;
        lua_pushinteger(lua, static_cast<lua_Integer>(end));
        lua_copy(lua, -1, lua_upvalueindex(3));
        lua_replace(lua, lua_upvalueindex(4));
        return push_captures(lua, matcher, {text, at, end}, true);
    }
    return 0;
}

int string_gmatch(lua_State* lua) {
    auto const text = text_argument(lua, 1);
    text_argument(lua, 2);
    auto const at = start_argument(lua, 3, text.size());
    lua_settop(lua, 2);
    lua_pushinteger(lua, static_cast<lua_Integer>(at > text.size() ? text.size() + 1 : at));
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, next_match, 4);
    return 1;
}

/// A replacement text: %0 to %9 stand for captures, %% for itself.
void add_text(lua_State* lua, luaL_Buffer* out, PatternMatcher const& matcher, Found const& found) {
    std::size_t size = 0;
    auto const* const data = lua_tolstring(lua, 3, &size);
    for (std::string_view rest(data, size); !rest.empty();) {
        auto const special = rest.find('%');
        charge(lua, 1);
        luaL_addlstring(out, rest.data(), special == std::string_view::npos ? rest.size() : special);
        if (special == std::string_view::npos) return;
        char const kind = special + 1 < rest.size() ? rest[special + 1] : '\0';
        rest.remove_prefix(special + 1 < rest.size() ? special + 2 : rest.size());
        if (kind == '%') {
            luaL_addchar(out, '%');
        } else if (kind == '0') {
            luaL_addlstring(out, found.text.data() + found.begin, found.end - found.begin);
        } else if (kind >= '1' && kind <= '9') {
            push_capture(lua, matcher, kind - '1', found);
            luaL_tolstring(lua, -1, nullptr); // a place is a number
            lua_remove(lua, -2);
            luaL_addvalue(out);
        } else {
            luaL_error(lua, "invalid use of '%%' in replacement string");
        }
    }
}

void add_replacement(lua_State* lua, luaL_Buffer* out, PatternMatcher const& matcher, Found const& found) {
    switch (lua_type(lua, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures(lua, matcher, found, true), 1);
        break;
    case LUA_TTABLE:
        push_capture(lua, matcher, 0, found);
        lua_gettable(lua, 3);
        break;
    default:
        return add_text(lua, out, matcher, found);
    }
    if (lua_toboolean(lua, -1) == 0) {
        lua_pop(lua, 1);
        luaL_addlstring(out, found.text.data() + found.begin, found.end - found.begin);
        return;
    }
    if (lua_isstring(lua, -1) == 0) luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    luaL_addvalue(out);
}

int string_gsub(lua_State* lua) {
    auto const text = text_argument(lua, 1);
    auto pattern = text_argument(lua, 2);
    auto const kind = lua_type(lua, 3);
    luaL_argexpected(lua, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
                     "string/function/table");
    auto const most = luaL_optinteger(lua, 4, static_cast<lua_Integer>(text.size()) + 1);
    if (kind == LUA_TNUMBER) luaL_tolstring(lua, 3, nullptr), lua_replace(lua, 3);
    bool const anchored = pattern.starts_with('^');
    if (anchored) pattern.remove_prefix(1);
    PatternMatcher matcher(text, pattern, meter_of(lua).left);
    luaL_Buffer out;
    luaL_buffinit(lua, &out);
    lua_Integer many = 0;
    std::size_t at = 0;
    for (auto last = PatternMatcher::none; many < most;) {
        charge(lua, 1);
        auto const end = try_match(lua, matcher, at);
        if (end != PatternMatcher::none && end != last) {
            ++many;
            add_replacement(lua, &out, matcher, {text, at, end});
            at = last = end;
        } else if (at < text.size()) {
            luaL_addchar(&out, text[at]);
            ++at;
        } else {
            break;
        }
        if (anchored) break;
    }
    luaL_addlstring(&out, text.data() + at, text.size() - at);
    luaL_pushresult(&out);
    lua_pushinteger(lua, many);
    return 2;
}

} // namespace

luaL_Reg const string_functions[] = {{"find", string_find},
                                     {"match", string_match},
                                     {"gmatch", string_gmatch},
                                     {"gsub", string_gsub},
                                     {nullptr, nullptr}};

} // namespace pfar::flows
