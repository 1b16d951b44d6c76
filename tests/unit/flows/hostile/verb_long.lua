local s = "x"
for i = 1, 21 do s = s .. s end
say(s)
