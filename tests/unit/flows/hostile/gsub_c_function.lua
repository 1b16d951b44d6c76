local s = "a"
for i = 1, 18 do s = s .. s end
while true do s:gsub(".", string.len) end
