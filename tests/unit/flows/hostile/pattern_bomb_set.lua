local set = "["
for i = 1, 20000 do set = set .. "b" end
set = set .. "]"
local s = ""
for i = 1, 20000 do s = s .. "a" end
while true do s:find(set) end
