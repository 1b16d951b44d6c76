-- A control: a million steps of honest work fit into the budget.
local words = {}
for i = 1, 20000 do words[#words + 1] = ("word %d"):format(i) end
local text = table.concat(words, "\n")
local count = 0
for number in text:gmatch "word (%d+)" do count = count + tonumber(number) end
local _, lines = text:gsub("\n", "\n")
table.sort(words)
return { count = count, lines = lines, first = words[1] }
