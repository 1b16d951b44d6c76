local s = ""
for i = 1, 17 do s = s .. (i == 1 and "(" or s) end
while true do s:gsub("%b()", "") end
