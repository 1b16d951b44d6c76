local s = "%s%s%s%s%s%s%s%s"
local x = "x"
while true do x = s:format(x, x, x, x, x, x, x, x) end
