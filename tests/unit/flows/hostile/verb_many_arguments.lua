local t = {}
for i = 1, 200 do t[i] = i end
say(table.unpack(t))
