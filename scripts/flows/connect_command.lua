-- connect a command on this machine.
local words = {}
for word in input.line:gmatch("%S+") do words[#words + 1] = word end
local command = words[1]
local args = {}
for at = 2, #words do -- a server does not start where its owner stands, so what is a file there is written in full
  local is_path = words[at]:find("^[^-/]") and words[at]:find("[/.]")
  args[at - 1] = is_path and path_of(words[at], "file") or words[at]
end

for _, server in ipairs(servers()) do
  local there = config.read(server.name)
  if there and there.command == program(command) and table.concat(there.args, "\n") == table.concat(args, "\n") then
    if already(server.name, there) then return flow("rotate", { service = server.name }) end
    return
  end
end
local name = free_name(input.called or command:match("([^/]+)$"):gsub("%.%w+$", ""))

say("The command will run in a sandbox as ", name, ": ", input.line, ".")
local domains = ask_domains()
local private = private_domains(domains)
domains = with_loopback(domains)
local variables = ask_variables(name)
config.write(name, {
  description = command:match("([^/]+)$"),
  allowed_domains = domains,
  allow_private = private,
  server = { command = command, args = args },
  auth = auth_of(variables),
})
local tools, why = spawn(name)
if not tools then fail(why) end
accept(name)
report(name, " is connected: ", counted(#tools, "tool"), ", reaching ", only(domains), ".")
list_tools(tools)
