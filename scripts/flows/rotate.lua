-- rotate NAME: a new credential in the place of the old one, which comes back if the new one does not work.
local known = registry.find(input.service)
local name = known and known.name or input.service
local there = config.read(name)
if not there then fail(name .. " is not connected; say connect " .. name) end

config.claim(name)
local needs = {}
for variable, entry in pairs(there.auth or {}) do
  local need = { variable = variable, entry = entry, prompt = "The new value of " .. variable, help_url = "", starts_with = "", required = true }
  need.multiline = there.auth_files[variable] -- a file is given by its path
  for _, from in ipairs(known and known.credentials or {}) do
    if from.variable == variable or from.file ~= "" and from.file == variable then
      need.prompt, need.help_url, need.starts_with, need.pattern = from.prompt, from.help_url, from.starts_with, from.pattern
      need.multiline = from.multiline
    end
  end
  needs[#needs + 1] = need
end
if #needs == 0 then fail(name .. " uses no credential, so there is nothing to rotate") end
table.sort(needs, function(a, b) return a.variable < b.variable end)

local server = { name = name, title = known and known.title or name, credentials = needs, verify = known and known.verify }
if (there.command or ""):find("/pfar%-http$") then
  local trial = http_trial(name, there.allowed_domains[1], needs)
  server.verify, server.judge = trial.verify, trial.judge
end
local credentials = ask_credentials(server, true)
local _, works = start_and_verify(server, credentials)
report(server.title, works and " has its new credential and works." or " has its new credential and runs; only its use will tell whether that is right.")
