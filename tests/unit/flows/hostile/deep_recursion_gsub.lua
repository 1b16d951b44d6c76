local function f(x) return (string.gsub("aaaa", "a", f)) end
return f "a"
