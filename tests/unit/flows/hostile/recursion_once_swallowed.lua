local function f() return 1 + f() end
pcall(f)
return "went on"
