local t, s = {}, "0123456789"
for i = 1, 10 do s = s .. s end
for i = 1, 100000 do t[i] = s end
return table.concat(t, s)
