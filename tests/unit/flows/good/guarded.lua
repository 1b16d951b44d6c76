-- A control: verbs inside pcall and xpcall, and a handler that is told the error.
local ok, a, b = pcall(function() return ask { prompt = "x" }, "more" end)
assert(ok and b == "more")
local fine, value = xpcall(function(x) say(x) return x end, error, "through")
assert(fine and value == "through")
local bad, told = xpcall(function() error("oh", 0) end, function(why) return "told: " .. why end)
assert(not bad and told == "told: oh")
local later, heard = xpcall(function() say "then" error("after", 0) end, function(why) return why .. " all" end)
assert(not later and heard == "after all")
local once = { pcall(function() ask {} error({ code = 5 }) end) }
assert(once[1] == false and once[2].code == 5)
shared = 1
shared = shared + 1
return shared == _G.shared
