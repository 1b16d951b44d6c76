while true do pcall(say, "x") end
