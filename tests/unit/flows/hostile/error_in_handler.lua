local function again() xpcall(error, again) end
xpcall(error, again)
error { "not a text" }
