string.upper = function() end
