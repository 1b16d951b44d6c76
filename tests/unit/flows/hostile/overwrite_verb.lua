say = function() end
