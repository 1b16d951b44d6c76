// Our patterns beside Lua's own: made-up texts and patterns, each function, the same results or an error from both.
#include "unit/flows/stage.hpp"

#include <catch2/catch_test_macros.hpp>

#include <lua.hpp>

#include <algorithm>
#include <random>

namespace {

using pfar::flows::testing::Stage;

constexpr char tried[] = R"lua(
local function show(...)
  local out = {}
  for i = 1, select("#", ...) do out[i] = tostring((select(i, ...))) end
  return table.concat(out, "|")
end
local function try(f, ...)
  local given = { f, ... }
  local ok, text = pcall(function(...) return show(f(...)) end, ...)
  return ok and text or "error"
end
local function all(s, p)
  local out = {}
  for a, b in s:gmatch(p) do out[#out + 1] = tostring(a) .. "," .. tostring(b) end
  return table.concat(out, ";")
end
local out = {}
for _, case in ipairs(cases) do
  local s, p, r, n = case[1], case[2], case[3], case[4]
  out[#out + 1] = try(string.find, s, p, n) .. "/" .. try(string.match, s, p) .. "/" .. try(string.find, s, p, 1, true) .. "/" .. try(all, s, p)
    .. "/" .. try(string.gsub, s, p, r) .. "/" .. try(string.gsub, s, p, r, 2) .. "/" .. try(string.gsub, s, p, { a = "1", b = false })
    .. "/" .. try(string.gsub, s, p, function(x) return x and "<" .. x .. ">" end)
end
return table.concat(out, "\n")
)lua";

std::string lua_quoted(std::string_view text) {
    std::string out = "\"";
    for (unsigned char const c : text) out += fmt::format("\\{:03}", c);
    return out + "\"";
}

std::string made_up(std::mt19937& random, std::vector<std::string> const& pieces, std::size_t most) {
    std::string out;
    for (auto many = random() % (most + 1); many > 0; --many) out += pieces[random() % pieces.size()];
    return out;
}

std::string cases(std::mt19937& random) {
    std::vector<std::string> const texts{
        "a", "b", "ab", "(", ")", "1", "x", " ", "]", "-", "%", "\n", "Z", "_", std::string(1, '\0'), "\xe4"};
    std::vector<std::string> const patterns{
        "a",     "b",     ".",    "%a",     "%d",     "%s",     "%w", "%x", "%p", "%S", "[ab]", "[^a]",
        "[a-z]", "[%a_]", "[]]",  "[^]-]",  "*",      "+",      "-",  "?",  "(",  ")",  "()",   "(a)",
        "%1",    "%2",    "%b()", "%f[%a]", "%f[%s]", "^",      "$",  "%",  "%%", "%z", "[",    "]",
        "(.-)",  "(a*",   "[%",   "[a-",    "%bx",    "[a-%d]", "%f", "x",  "%g", "%c", "%u",   "%l"};
    std::vector<std::string> const replacements{"x", "%0", "%1", "%2", "%%", "-", "%a", "%"};
    std::string out = "local cases = {\n";
    for (int i = 0; i < 400; ++i)
        out += fmt::format("{{{}, {}, {}, {}}},\n", lua_quoted(made_up(random, texts, 12)),
                           lua_quoted(made_up(random, patterns, 6)), lua_quoted(made_up(random, replacements, 3)),
                           static_cast<int>(random() % 20) - 8);
    return out + "}\n";
}

std::string by_lua(std::string const& script) {
    auto* const lua = luaL_newstate();
    luaL_openlibs(lua);
    std::string out;
    if (luaL_dostring(lua, script.c_str()) != LUA_OK) out = "failed: ";
    std::size_t size = 0;
    auto const* const text = lua_tolstring(lua, -1, &size);
    out.append(text, size);
    lua_close(lua);
    return out;
}

} // namespace

TEST_CASE("patterns match as Lua's own do") {
    std::mt19937 random(20261118);
    for (int round = 0; round < 10; ++round) {
        auto const script = cases(random) + tried;
        auto const expected = by_lua(script);
        REQUIRE_FALSE(expected.starts_with("failed"));
        Stage stage;
        // what is not UTF-8 cannot be returned: as bytes in decimal
        auto const out = stage.returned(
            "local function run() " + script +
            " end\nlocal text = run()\nreturn (text:gsub('[^%g \\n]', function(c) return '\\\\' .. c:byte() end))");
        std::string shown;
        for (unsigned char const c : expected)
            shown += (c > 32 && c < 127) || c == ' ' || c == '\n' ? std::string(1, static_cast<char>(c))
                                                                  : fmt::format("\\{}", c);
        auto const wanted = boost::json::serialize(boost::json::value(shown));
        auto const differs = std::mismatch(out.begin(), out.end(), wanted.begin(), wanted.end()).first - out.begin();
        INFO("Lua: " << wanted.substr(static_cast<std::size_t>(std::max<long>(0, differs - 100)), 200));
        INFO("we:  " << out.substr(static_cast<std::size_t>(std::max<long>(0, differs - 100)), 200));
        REQUIRE((out == wanted));
    }
}
