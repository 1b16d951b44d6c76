-- connect a command on this machine.
local words = input.words or words_of(input.line)
local command = words[1]
if command:find("^[%.~]") then
  local path, why = path_of(command, "file") -- a server does not start where its owner stands, so what is a file there is written in full
  command = path or fail(why)
end
local found, missing = program(command)
if not found then fail(missing) end
local args = {}
for at = 2, #words do
  local is_path = words[at]:find("^[^-/]") and words[at]:find("[/.]")
  args[at - 1] = is_path and path_of(words[at], "file") or words[at]
end

local name, before
for _, server in ipairs(servers()) do
  local there = config.read(server.name)
  if there and there.command == found and table.concat(there.args or {}, "\n") == table.concat(args, "\n") then
    local what = already(server.name, there, true)
    if what == "rotate" then return flow("rotate", { service = server.name }) end
    if what == "keep" then return end
    name, before = server.name, there.allowed_domains
    config.claim(name)
    break
  end
end
name = name or free_name(input.called or command:match("([^/]+)$"):gsub("%.%w+$", ""))

say("The command will run in a sandbox as ", name, ": ", input.line or line_of(words), ".")
local domains = ask_domains(before)
local private = private_domains(domains)
domains = with_loopback(domains)
local variables = ask_variables(name, domains)
local access
args, access = ask_folders(args)
config.write(name, {
  description = command:match("([^/]+)$"),
  allowed_domains = domains,
  allow_private = private,
  server = { command = command, args = args },
  access = access,
  auth = auth_of(variables),
})
local tools, why = spawn(name)
if not tools then fail(why) end
accept(name)
report(name, " is connected: ", counted(#tools, "tool"), ", reaching ", only(domains), ".")
list_tools(tools)
