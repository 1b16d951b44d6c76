local s = "x"
for i = 1, 21 do s = s .. s end
while true do string.format("%.1s", s) end
