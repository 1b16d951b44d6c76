local function spin(...) while true do local n = select("#", ...) end end
local function grow(n, ...) if n == 0 then return spin(...) end
  return grow(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, ...) end
grow(9000)
