-- disconnect NAME: its file goes, then what it left behind; its credentials if their owner says so.
local name = input.service
local there = config.read(name)
if not there then
  local known = registry.find(name)
  there = known and config.read(known.name)
  if there then name = known.name end
end
if not there then fail(name .. " is not connected; say list to see what is") end

config.claim(name)
local entries = {}
for _, entry in pairs(there.auth or {}) do entries[#entries + 1] = entry end
table.sort(entries)

if not input.sure and not ask { name = "sure", prompt = "Disconnect " .. name .. " and remove its package and its data?", yes_no = true, default = "no" } then
  return report(name .. " stays connected.")
end
local forget = #entries > 0 and not input.sure and ask {
  name = "forget", prompt = "Remove " .. table.concat(entries, ", ") .. " from the vault, too?", yes_no = true, default = "no",
}
local removed = config.remove(name, { forget = forget })
local kept = not forget and #removed.entries > 0
report(name, " is disconnected.", kept and " Its credential stays in the vault: pfar vault remove " .. table.concat(removed.entries, " ") .. " removes it." or "")
