-- connect a web service by its host name: the built-in HTTP server, which reaches that one host and nothing else.
local host, port = host_of((input.host:lower():gsub("%.$", ""):gsub("%.(:%d+)$", "%1"))) -- a dot at the end of a name says nothing
local path = input.path or ""
if host == "" or (input.host .. path):find("[%s\"'\\@]") or (input.host .. path):find("${", 1, true) then
  fail("that is no address; it looks like https://api.example.com/v1")
end
if port and (tonumber(port) < 1 or tonumber(port) > 65535) then fail("a port is a number from 1 to 65535, not " .. port) end
local domain = port and (host .. ":" .. port) or host

-- The same place twice: most likely it was forgotten.
for _, server in ipairs(servers()) do
  local there = config.read(server.name)
  if there and (there.command or ""):find("/pfar%-http$") and contains(there.allowed_domains or {}, domain) then
    say(domain, " is connected already, as ", server.name, ".")
    local choices = { "keep it as it is", "connect it once more" }
    if next(there.auth) then table.insert(choices, 2, "rotate its credential") end
    local what = ask_for { name = "already", prompt = "What now?", choices = choices, default = choices[1] }
    if what:find("^keep") then return report(server.name, " stays as it is.") end
    if what:find("^rotate") then return flow("rotate", { service = server.name }) end
    break
  end
end

-- 10.0.0.1 has no first name; api.example.com is example.
local is_name = host:find("%a") and not host:find("^%[")
local own = is_name and host:gsub("^www%.", ""):gsub("^api%.", ""):match("^[^%.]+") or "web-" .. host
local name = free_name(input.called and input.called ~= "" and input.called or own)

say("pfar's own HTTP server will be set up as ", name, ": an agent can read and write what ", domain, " offers, and reach nothing else.")
local private = private_domains({ domain })

local credentials = {}
if ask_for { name = "token", prompt = "Does it need a token (sent as Authorization: Bearer)?", yes_no = true, default = "yes" } then
  credentials = ask_credentials({ name = name, goes_to = domain, credentials = {
    { variable = "PFAR_HTTP_TOKEN", entry = entry_for(name, "token"), prompt = "The token for " .. domain, help_url = "", starts_with = "", required = true },
  } })
end

config.write(name, {
  description = "The API at " .. domain,
  allowed_domains = { domain },
  allow_private = #private > 0 and private or nil,
  server = { command = "pfar-http" },
  auth = auth_of(credentials),
  env = { set = { PFAR_HTTP_BASE = input.scheme .. "://" .. domain .. path } },
})
local tools = start_and_verify(http_trial(name, domain, credentials), credentials)
accept(name)
report(name, " is connected: ", counted(#tools, "tool"), ", reaching ", only { domain }, ".")
list_tools(tools)
