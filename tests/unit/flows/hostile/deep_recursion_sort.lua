local function f(a, b) table.sort({ 3, 2, 1 }, f) return a < b end
while true do pcall(f, 1, 2) end
