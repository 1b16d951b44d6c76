local function f(...) local ok, why = pcall(f, ...) error(why) end
while true do pcall(f) end
