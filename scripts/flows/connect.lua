-- connect NAME: from "I want it" to a running, sandboxed server. One flow for every service that the registry knows.
local server = registry.find(input.service)
if not server then return flow("connect_unknown", input) end
if server.not_yet ~= "" then fail(server.not_yet) end

local name = server.name
config.claim(name)
local there = config.read(name)
if there then
  if input.force then
    say(server.title, " is connected already; it is set up anew.")
  else
    local choices = { "keep it as it is", "reconnect from the beginning" }
    if next(there.auth or {}) then table.insert(choices, 2, "rotate its credential") end
    local what = ask_for {
      name = "already", prompt = server.title .. " is connected already. What now?", choices = choices, default = choices[1],
    }
    if what:find("^keep") then return report(server.title .. " stays as it is.") end
    if what:find("^rotate") then return flow("rotate", { service = name }) end
  end
end

tell_plan(server)
local values = ask_parameters(server)
local domains, private = reachable(server, values)

local credentials = ask_credentials(server, there)
local launch = put_in_place(server, values)
local written = { values = values, launch = launch, domains = domains, private = private, credentials = credentials }
write_server(server, written)
local tools = start_and_verify(server, credentials)
accept(name)
if server.read_only then -- what it is known to be; its own hints are claims
  for at, tool in ipairs(tools) do
    server.reads[at], tool.semantics = tool.name:sub(#name + 2), "read"
  end
  write_server(server, written)
end

report(server.title, " is connected: ", counted(#tools, "tool"), ", reaching ", only(domains), ".")
list_tools(tools)
