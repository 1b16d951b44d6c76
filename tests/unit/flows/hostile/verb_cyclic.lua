local t = { a = {} }
t.a.b = t
pcall(say, t)
