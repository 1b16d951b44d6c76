config.write = function() end
