-- A control: what a flow is like.
local names = { "Ada", "Grace" }
for i, name in ipairs(names) do
  local answer = ask { prompt = ("Is %s there?"):format(name), kind = "yes_no" }
  if answer then say(i .. ": " .. name:upper()) end
end
local ok, why = pcall(function() error("caught", 0) end)
assert(not ok and why == "caught")
local token = ask { secret = true }
store { name = "token", value = token }
assert(tostring(token) == "secret")
table.sort(names, function(a, b) return a > b end)
return table.concat(names, ",")
