xpcall(function() local t = "x" while true do t = t .. t end end, function() return "handled" end)
return "went on"
