local t = {}
for i = 1, 100 do t = { t } end
say(t)
