local t, i = {}, 0
while true do pcall(function() while true do i = i + 1; t[i] = { i } end end) end
