-- connect something that the registry does not know: a package, a command, or a host name (then the built-in HTTP server, restricted to it).
local wanted = input.service

--- A package that the registry knows is set up as it knows it, unless something else is wanted of it.
local function to_package(package)
  local name, version = (package.npm or ""):match("^(.+)@([^@/]+)$")
  name, version = name or package.npm, package.version or version
  local known = name and registry.find(name)
  if not known or known.not_yet ~= "" or not known.package or known.package.npm ~= name then return flow("connect_package", package) end
  local args, parameters, answers = package.args or {}, known.parameters, nil
  if table.concat(args, "\n") == table.concat(known.args, "\n") then args = {} end
  if #args == 1 and #parameters == 1 and args[1]:find("^[^-]") then answers, args = { [parameters[1].name] = args[1] }, {} end
  if #args > 0 or version and version ~= "latest" and version ~= known.package.version then
    package.known = known.name
    return flow("connect_package", package)
  end
  if input.sure then fail("pfar knows " .. known.title .. ": call it with the service " .. known.name) end -- which its owner has to be asked about
  return flow("connect", { service = known.name, answers = answers })
end

if input.words then -- a command line as a shell has it
  local package = fetched(input.words)
  if package then return to_package(package) end
  return flow("connect_command", { words = input.words })
end

local function known_instead()
  local found = #wanted > 2 and registry.search((wanted:gsub("[^%w%-]", " "))) or {}
  if #found == 0 then return nil end
  if input.sure then fail("pfar knows " .. found[1].title .. ": call it with the service " .. found[1].name) end -- which its owner has to be asked about
  local choices = {}
  for at = 1, math.min(#found, 8) do choices[at] = found[at].name end
  if #found == 1 then
    if ask_for { name = "meant", prompt = "Do you mean " .. found[1].title .. "?", yes_no = true, default = "yes" } then return found[1].name end
    return nil
  end
  choices[#choices + 1] = "none of them"
  local chosen = ask_for { name = "meant", prompt = "Which of them do you mean?", choices = choices }
  return chosen ~= "none of them" and chosen or nil
end

local function is_host(text)
  return text:find("^[%w%-\128-\255]+%.[%w%-%.\128-\255]*[%a\128-\255][%w%-\128-\255]*$") or text:find("^%d+%.%d+%.%d+%.%d+$")
    or text:find("^[%w%-%.]+:%d+$") or text:find("^%[[%x:.]+%]:?%d*$") or text == "localhost"
end

local function is_remote(host, path) return host:find("^mcp[%.%-]") or path:find("/mcp") or path:find("/sse") end

local function refuse_remote()
  fail("this is a remote MCP server, and pfar does not connect those yet: it only runs servers on this machine. Connect the service's API by its "
    .. "host name instead, or a package that speaks to it")
end

local function web(scheme, host, path, called)
  return flow("connect_http", { scheme = scheme, host = host, path = path, called = called or input.called })
end

-- What somebody connected by that name, whatever it is.
local name = wanted:find("^[%l%d%-]+$") and wanted
local there = name and config.read(name)
if there then
  if already(name, there) == "rotate" then return flow("rotate", { service = name }) end
  return
end

-- A URL, a remote MCP server or an API.
local scheme, rest = wanted:match("^(%a+)://(.*)$")
if scheme then
  scheme = scheme:lower()
  local host, path = rest:match("^([^/?#]*)(.*)$")
  if host == "" then fail("there is no host name in that address; it looks like https://api.example.com/v1") end
  if scheme ~= "https" and scheme ~= "http" then fail("only https and http addresses can be connected, not " .. scheme) end
  if is_remote(host, path) then refuse_remote() end
  return web(scheme, host, path)
end

local bare, below = wanted:match("^([^/%s@]+)(/%S*)$")
if bare and is_host(bare) then return flow("connect_unknown", { service = "https://" .. bare .. below, called = input.called }) end

-- "filesystem ~/notes": a service, and what it would ask for.
local words = words_of(wanted)
local first = #words > 1 and registry.find(words[1])
if first and input.sure then fail("pfar knows " .. first.title .. ": call it with the service " .. first.name) end
if first and #first.parameters == 1 and first.not_yet == "" then
  return flow("connect", { service = first.name, answers = { [first.parameters[1].name] = table.concat(words, " ", 2) } })
end

-- An explicit package or command says what it is.
local package = fetched(words)
if package then return to_package(package) end
if wanted:find("^%*%.") then fail("what is connected is one host: name it, such as " .. wanted:gsub("^%*", "api")) end
local named, more = words[1] or wanted, { table.unpack(words, 2) }
if named:find("^[%w%-_][%w%-%._]*@%d[%w%-%.+]*$") or named:find("^@[%w%-%._]+/") or named:find("^npm:") then
  return to_package { npm = (named:gsub("^npm:", "")), args = more }
end
if named:find("^pypi:") then return flow("connect_package", { pypi = (named:gsub("^pypi:", "")), args = more }) end
if wanted:find("^['\"]?[/~%.]") or #words > 1 and program(words[1]) then return flow("connect_command", { line = wanted }) end
if is_host(wanted) then
  if is_remote(wanted, "") then refuse_remote() end
  return web("https", wanted, "")
end

local instead = known_instead()
if instead then return flow("connect", { service = instead }) end

local kind = ask_for {
  name = "kind", prompt = "pfar does not know " .. wanted .. ". What is it?",
  choices = { "an npm package", "a PyPI package", "a command on this machine", "a web service (an API at a host name)", "cancel" },
}
if kind == "cancel" then cancel() end
if #words > 1 and kind ~= "a command on this machine" then wanted = ask_for { name = "called", prompt = "What is it called?" } end
if kind == "an npm package" then return flow("connect_package", { npm = wanted }) end
if kind == "a PyPI package" then return flow("connect_package", { pypi = wanted }) end
if kind == "a command on this machine" then return flow("connect_command", { line = wanted }) end
local at = ask_for { name = "host", prompt = "At which host name is its API?", pattern = "[A-Za-z0-9.-]+(:[0-9]+)?", hint = "such as api.example.com" }
return web("https", at, "", wanted)
