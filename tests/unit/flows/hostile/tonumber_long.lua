local s = "0"
for i = 1, 21 do s = s .. s end
while true do tonumber(s); utf8.len(s) end
