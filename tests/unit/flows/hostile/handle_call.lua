local h = ask { secret = true }
for i, v in pairs(h) do say(v) end
