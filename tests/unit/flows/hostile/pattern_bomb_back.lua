local s = "a"
for i = 1, 16 do s = s .. s end
for _ in s:gmatch "(.+)%1()x" do end
