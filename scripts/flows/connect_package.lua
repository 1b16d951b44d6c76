-- connect a package that nobody has looked at: it is installed, pinned and sandboxed like every other, and reaches what its owner says.
local kind = input.npm and "npm" or "pypi"
local wanted = input.npm or input.pypi
local package, version = wanted:match("^(@?[^@]+)@(.+)$")
package = package or wanted
if not package:find("^@[^/]+/[^/]+$") and not package:find("^[^/]+$") then fail("that is no package: it looks like name or @scope/name, with @version if you like") end
local short = package:match("([^/]+)$"):gsub("^mcp%-server%-", ""):gsub("^server%-", ""):gsub("%-mcp%-server$", ""):gsub("%-mcp$", "")
local near = config.check(input.called or short)
local there = near and config.read(near)
if there and (there.description or ""):find(package .. " ", 1, true) == 1 then
  local what = already(near, there, true)
  if what == "rotate" then return flow("rotate", { service = near }) end
  if what == "keep" then return end
  config.claim(near)
else
  there = nil
end
local name = there and near or free_name(input.called or short)

if input.known then
  say("pfar knows this package as ", input.known, ", with other arguments or of another version: for that say connect ", input.known, ".")
end
say(input.known and "This one" or "pfar does not know " .. package .. ". It", " will be installed from ", kind == "npm" and "npm" or "PyPI", " into a directory of its own, without running ",
  "its install scripts, and run in a sandbox.")
local domains = ask_domains(there and there.allowed_domains)
local private = private_domains(domains)
domains = with_loopback(domains)
local variables = ask_variables(name, domains)
local more, access = ask_folders(input.args or {})

local installed = install({ [kind] = package, version = version or input.version, entry = input.entry }, { server = name })
local args = installed.args
for _, arg in ipairs(more) do args[#args + 1] = arg end
config.write(name, {
  description = package .. " " .. installed.version,
  allowed_domains = domains,
  allow_private = private,
  server = { command = installed.command, args = args },
  access = access,
  auth = auth_of(variables),
})
local tools, why = spawn(name)
if not tools then fail(why) end
accept(name)
report(name, " (", package, " ", installed.version, ") is connected: ", counted(#tools, "tool"), ", reaching ", only(domains), ".")
list_tools(tools)
