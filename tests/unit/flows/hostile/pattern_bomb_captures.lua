local s = ""
for i = 1, 2000 do s = s .. "ab" end
return s:match "(.*)(.*)(.*)%1%2%3x"
