local s = ""
for i = 1, 3000 do s = s .. "a" end
return s:find(".*.*.*.*.*.*.*.*b")
