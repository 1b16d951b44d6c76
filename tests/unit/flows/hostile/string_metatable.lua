local s = "x"
s.upper = function() end
