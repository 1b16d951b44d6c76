-- connect, without saying what.
local names = {}
for _, server in ipairs(registry.list()) do
  if server.not_yet == "" then names[#names + 1] = server.name end
end
say("Known services: ", table.concat(names, ", "), ".")
local wanted = ask_for { name = "service", prompt = "What do you want to connect? A service, a package, a command or a host name" }
return flow("connect", { service = wanted })
