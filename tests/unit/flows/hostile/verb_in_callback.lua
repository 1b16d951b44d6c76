local ok, why = pcall(string.gsub, "a", "a", function() say "x" end)
error(why)
