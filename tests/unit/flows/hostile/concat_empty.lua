local t = {}
for i = 1, 50000 do t[i] = "" end
while true do table.concat(t) end
