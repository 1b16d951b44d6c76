-- Once is enough: nothing of it runs behind the pcall.
pcall(function() local t = {} while true do t[#t + 1] = {} end end)
return "went on"
