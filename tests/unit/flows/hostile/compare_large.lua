local function large() local s = "x" for i = 1, 22 do s = s .. s end return s end
local a, b = large(), large()
while true do local same = a == b or a < b end
