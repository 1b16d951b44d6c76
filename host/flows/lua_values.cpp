#include "flows/lua_values.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pfar::flows {
namespace {

namespace json = boost::json;

constexpr char handle_type[] = "pfar.secret";
constexpr std::size_t deepest_value = 32, most_values = 10'000, most_text = std::size_t{1} << 20U;
constexpr std::size_t deepest_pushed = 64;

int handle_words(lua_State* lua) {
    lua_pushliteral(lua, "secret");
    return 1;
}

void push_handle(lua_State* lua, std::uint64_t number) {
    *static_cast<std::uint64_t*>(lua_newuserdatauv(lua, sizeof number, 0)) = number;
    luaL_setmetatable(lua, handle_type);
}

bool push_value(lua_State* lua, json::value const& value, std::size_t depth);

bool push_list(lua_State* lua, json::array const& list, std::size_t depth) {
    lua_createtable(lua, static_cast<int>(list.size()), 0);
    lua_Integer at = 0;
    for (auto const& one : list) {
        if (one.is_null())
            lua_pushlightuserdata(lua, nullptr);
        else if (!push_value(lua, one, depth + 1)) {
            lua_pop(lua, 1);
            return false;
        }
        lua_rawseti(lua, -2, ++at);
    }
    return true;
}

bool push_object(lua_State* lua, json::object const& object, std::size_t depth) {
    lua_createtable(lua, 0, static_cast<int>(object.size()));
    for (auto const& member : object) {
        lua_pushlstring(lua, member.key().data(), member.key().size());
        if (!push_value(lua, member.value(), depth + 1)) {
            lua_pop(lua, 2);
            return false;
        }
        lua_rawset(lua, -3);
    }
    return true;
}

bool push_value(lua_State* lua, json::value const& value, std::size_t depth) {
    if (depth > deepest_pushed || lua_checkstack(lua, 6) == 0) return false;
    switch (value.kind()) {
    case json::kind::null:
        lua_pushnil(lua);
        return true;
    case json::kind::bool_:
        lua_pushboolean(lua, value.get_bool() ? 1 : 0);
        return true;
    case json::kind::int64:
        lua_pushinteger(lua, value.get_int64());
        return true;
    case json::kind::uint64:
        lua_pushnumber(lua, static_cast<double>(value.get_uint64())); // too large for int64, or it would be one
        return true;
    case json::kind::double_:
        lua_pushnumber(lua, value.get_double());
        return true;
    case json::kind::string:
        lua_pushlstring(lua, value.get_string().data(), value.get_string().size());
        return true;
    case json::kind::array:
        return push_list(lua, value.get_array(), depth);
    case json::kind::object:
        if (auto const number = handle_in(value)) {
            push_handle(lua, *number);
            return true;
        }
        return push_object(lua, value.get_object(), depth);
    }
    return false;
}

/// Reads one value with everything in it, and counts.
class Reader {
public:
    explicit Reader(lua_State* lua) : lua_(lua) {}

    Result<json::value> value(int index) {
        if (++values_ > most_values) return refused("has too many values in it");
        switch (lua_type(lua_, index)) {
        case LUA_TNIL:
            return json::value();
        case LUA_TBOOLEAN:
            return json::value(lua_toboolean(lua_, index) != 0);
        case LUA_TNUMBER:
            return number(index);
        case LUA_TSTRING: {
            PFAR_TRY(read, text(index));
            return json::value(json::string(read.data(), read.size()));
        }
        case LUA_TTABLE:
            return table(lua_absindex(lua_, index));
        case LUA_TLIGHTUSERDATA:
            return json::value();
        case LUA_TUSERDATA:
            return handle(index);
        default:
            return refused(fmt::format("is or has in it a {}", lua_typename(lua_, lua_type(lua_, index))));
        }
    }

private:
    static Error refused(std::string_view why) { return fail(Errc::invalid, fmt::format("a value {}", why)); }

    Result<json::value> number(int index) const {
        if (lua_isinteger(lua_, index) != 0) return json::value(static_cast<std::int64_t>(lua_tointeger(lua_, index)));
        auto const given = lua_tonumber(lua_, index);
        if (!std::isfinite(given)) return refused("is or has in it a number that is infinite or none");
        if (given == std::floor(given) && std::abs(given) < 9e15) return json::value(static_cast<std::int64_t>(given));
        return json::value(given);
    }

    Result<std::string_view> text(int index) {
        std::size_t size = 0;
        auto const* const data = lua_tolstring(lua_, index, &size); // it is a string: nothing is converted
        text_ += size;
        if (text_ > most_text) return refused("has too much text in it");
        if (!base::is_utf8({data, size})) return refused("is or has in it text that is not UTF-8");
        return std::string_view(data, size);
    }

    Result<json::value> handle(int index) const {
        auto const* const number = static_cast<std::uint64_t const*>(lua_touserdata(lua_, index));
        if (lua_getmetatable(lua_, index) == 0) return refused("is or has in it something that is not the script's");
        luaL_getmetatable(lua_, handle_type);
        bool const ours = lua_rawequal(lua_, -1, -2) != 0;
        lua_pop(lua_, 2);
        if (!ours) return refused("is or has in it something that is not the script's");
        return make_handle(*number);
    }

    Result<json::value> table(int index) {
        auto const* const identity = lua_topointer(lua_, index);
        if (std::find(within_.begin(), within_.end(), identity) != within_.end()) return refused("contains itself");
        if (within_.size() >= deepest_value || lua_checkstack(lua_, 6) == 0) return refused("is nested too deep");
        if (lua_getmetatable(lua_, index) != 0) {
            lua_pop(lua_, 1);
            return refused("is or has in it a table of the host");
        }
        within_.push_back(identity);
        auto out = lua_rawlen(lua_, index) > 0 ? list(index) : object(index);
        within_.pop_back();
        return out;
    }

    Result<json::value> list(int index) {
        auto const size = lua_rawlen(lua_, index);
        std::size_t keys = 0;
        for (lua_pushnil(lua_); lua_next(lua_, index) != 0; lua_pop(lua_, 1)) {
            if (lua_isinteger(lua_, -2) != 0 && ++keys <= most_values) continue;
            lua_pop(lua_, 2);
            return refused(keys > most_values ? "has too many values in it" : "has both texts and numbers as keys");
        }
        if (keys != size) return refused("is a list with holes");
        json::array out;
        for (std::size_t at = 1; at <= size; ++at) {
            if (lua_rawgeti(lua_, index, static_cast<lua_Integer>(at)) == LUA_TNIL) {
                lua_pop(lua_, 1);
                return refused("is a list with holes");
            }
            auto one = value(-1);
            lua_pop(lua_, 1);
            if (!one) return one;
            out.push_back(std::move(*one));
        }
        return json::value(std::move(out));
    }

    /// In the order of its keys: the order in a table changes from run to run.
    Result<json::value> object(int index) {
        std::vector<std::pair<std::string, json::value>> members;
        for (lua_pushnil(lua_); lua_next(lua_, index) != 0; lua_pop(lua_, 1)) {
            auto one = member();
            if (!one) {
                lua_pop(lua_, 2);
                return one.error();
            }
            members.push_back(std::move(*one));
        }
        std::sort(members.begin(), members.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
        json::object out;
        for (auto& [key, value] : members) out.emplace(key, std::move(value));
        return json::value(std::move(out));
    }

    /// The key is at -2, its value at -1.
    Result<std::pair<std::string, json::value>> member() {
        if (lua_type(lua_, -2) != LUA_TSTRING) return refused("has a key that is neither a text nor 1, 2, 3 and so on");
        PFAR_TRY(key, text(-2));
        if (key == handle_key) return refused("looks like a secret, which only the host can make");
        PFAR_TRY(read, value(-1));
        return std::pair(std::string(key), std::move(read));
    }

    lua_State* lua_;
    std::vector<void const*> within_;
    std::size_t values_ = 0, text_ = 0;
};

} // namespace

void make_handle_type(lua_State* lua) {
    luaL_newmetatable(lua, handle_type);
    lua_pushliteral(lua, "secret");
    lua_setfield(lua, -2, "__name");
    lua_pushcfunction(lua, handle_words);
    lua_setfield(lua, -2, "__tostring");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}

bool push_json(lua_State* lua, json::value const& value) {
    return push_value(lua, value, 0);
}

Result<json::value> json_at(lua_State* lua, int index) {
    if (lua_checkstack(lua, 6) == 0) return fail(Errc::invalid, "a value is asked for too deep in the script");
    return Reader(lua).value(lua_absindex(lua, index));
}

} // namespace pfar::flows
