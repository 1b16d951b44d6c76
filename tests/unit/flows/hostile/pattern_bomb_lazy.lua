local s = ""
for i = 1, 3000 do s = s .. "a" end
while true do pcall(string.match, s, ".-.-.-.-.-.-b") end
