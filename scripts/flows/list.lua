-- list: what is connected, and what could be.
local there = servers()
if #there == 0 then
  say("Nothing is connected yet.")
else
  for _, server in ipairs(there) do say("  ", server.name, "  ", server.state) end
end
local names = {}
for _, server in ipairs(registry.list()) do
  if server.not_yet == "" and not config.read(server.name) then names[#names + 1] = server.name end
end
if #names > 0 then say("You can connect: ", table.concat(names, ", "), "; or a package, a command, a host name.") end
