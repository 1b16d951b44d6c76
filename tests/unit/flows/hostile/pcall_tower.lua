local function tower(n) if n == 0 then while true do end end return pcall(tower, n - 1) end
while true do tower(150) end
