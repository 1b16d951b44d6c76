-- What somebody means: from words as people type them to a flow and its input. It looks at words only and can change nothing.
local as_typed = input.text:match("^%s*(.-)%s*$")
local text = input.text:match("^%s*(.-)%s*$"):gsub("%s+", " "):gsub("[.!?]+$", "")
local plain = text:lower()

local function meant(flow, service, more)
  local out = { flow = flow, input = { service = service } }
  for key, value in pairs(more or {}) do out.input[key] = value end
  return out
end

if input.is_command then return meant("connect_unknown", input.words[1], { words = input.words }) end
if plain == "" then return { say = "Say for example: connect notion, list, disconnect notion, quit." } end
if plain == "quit" or plain == "exit" or plain == "bye" or plain == "goodbye" then return { flow = "goodbye" } end
if plain == "cancel" or plain == "stop" or plain == "never mind" then return { say = "There is nothing to cancel." } end
if plain == "help" or plain == "what can you do" then
  return { say = "Say: connect NAME (or a package, a command, a host name), list, disconnect NAME, rotate NAME, quit." }
end

-- "please", "can you", "I want to" and the like say nothing, also several of them.
local politeness = { "please ", "can you ", "could you ", "would you ", "i want to ", "i'd like to ", "i would like to ", "let's ", "lets ",
  "now ", "help me ", "me ", "hi ", "hello ", "hey ", "ok ", "okay ", "/" }
local polite = true
while polite do
  polite = false
  for _, word in ipairs(politeness) do
    if plain:sub(1, #word) == word and #plain > #word then
      text, plain, polite = text:sub(#word + 1):gsub("^[ ,]+", ""), plain:sub(#word + 1):gsub("^[ ,]+", ""), true
    end
  end
end
text = text:gsub("[ ,]+[Tt]hanks$", ""):gsub("[ ,]+[Tt]hank you$", ""):gsub("[ ,]+[Pp]lease$", ""):gsub("^[Pp][Ff][Aa][Rr] +", "")
plain = text:lower()

if plain == "quit" or plain == "exit" then return { flow = "goodbye" } end
for _, question in ipairs { "^list$", "^ls$", "^show$", "^status$", "^what is connected", "^what's connected", "^what can i connect", "^list services$",
  "^show services$", "^show me what", "^show me the list", "^show what", "^list what", "^which services", "^what services" } do
  if plain:find(question) then return meant("list") end
end
if plain == "hi" or plain == "hello" or plain == "hey" then
  return { say = "Hello. Say for example: connect notion, list, disconnect notion, quit." }
end
if plain == "yes" or plain == "no" or plain == "undo" or plain == "y" or plain == "n" or plain == "thanks" or plain == "thank you" or plain == "ok" then
  return { say = "There is no question open. Say for example: connect notion, list, disconnect notion, quit." }
end

-- The words of a name as it is typed: "my Notion workspace", "the github server", "to Slack".
local function service_in(rest)
  for _, filler in ipairs { "me ", "up ", "to ", "with ", "up ", "my ", "our ", "the ", "a ", "an " } do
    if rest:lower():sub(1, #filler) == filler then rest = rest:sub(#filler + 1) end
  end
  for _, filler in ipairs { " for me", " server", " mcp", " service", " account", " workspace", " integration", " database" } do
    if #rest > #filler and rest:lower():sub(-#filler) == filler then rest = rest:sub(1, -#filler - 1) end
  end
  return rest
end

-- A command line is taken as it is: nothing in it is said to be polite.
local launchers = { npx = true, uvx = true, bunx = true, pipx = true, node = true, deno = true, python = true, python3 = true }

local function is_command(rest)
  local first = rest:match("^[^ ]+")
  return #first < #rest and (launchers[first] or first:find("^~?%.?%.?/") or rest:find(" %-%-?%a"))
end

--- What was typed from this word on.
local function from_word(wanted)
  for at, word in as_typed:gmatch("()(%S+)") do
    if word == wanted then return as_typed:sub(at) end
  end
end

local verbs = {
  { "disconnect", "^disconnect (.+)$" }, { "disconnect", "^remove (.+)$" }, { "disconnect", "^delete (.+)$" },
  { "disconnect", "^forget (.+)$" }, { "disconnect", "^unlink (.+)$" }, { "disconnect", "^uninstall (.+)$" },
  { "rotate", "^update (.+)'s [%a ]+$" }, { "rotate", "^change (.+)'s [%a ]+$" }, { "rotate", "^rotate (.+)'s [%a ]+$" },
  { "rotate", "^rotate the %a+ of (.+)$" }, { "rotate", "^rotate the %a+ for (.+)$" },
  { "rotate", "^change the (.+) token$" }, { "rotate", "^change the (.+) credential$" }, { "rotate", "^rotate the (.+) token$" },
  { "rotate", "^rotate (.+)$" }, { "rotate", "^renew (.+)$" }, { "rotate", "^new token for (.+)$" },
  { "rotate", "^change the token of (.+)$" }, { "rotate", "^change the credential of (.+)$" },
  { "connect", "^connect (.+)$" }, { "connect", "^reconnect (.+)$" }, { "connect", "^add (.+)$" }, { "connect", "^set up (.+)$" },
  { "connect", "^setup (.+)$" }, { "connect", "^install (.+)$" }, { "connect", "^link (.+)$" }, { "connect", "^hook up (.+)$" },
  { "connect", "^hook me up (.+)$" },
  { "connect", "^integrate (.+)$" }, { "connect", "^use (.+)$" },
}

for _, verb in ipairs(verbs) do
  local from = plain:match(verb[2])
  if from then
    local begin = plain:find(from, 1, true)
    local rest = service_in(text:sub(begin, begin + #from - 1))
    local command = verb[1] == "connect" and is_command(rest) and from_word(rest:match("^[^ ]+"))
    if command then return meant("connect", command, { words = input.words }) end
    local package = rest:match("^[Nn][Pp][Mm] package ([^ ]+)$") or rest:match("^package ([^ ]+)$")
    if package then return meant(verb[1], verb[1] == "connect" and "npm:" .. package or package) end
    if verb[1] ~= "connect" then return meant(verb[1], (service_in(rest):lower():gsub("[ _]", "-"))) end
    -- "our tracker at tracker.mycompany.com": a name for it, and where it is.
    local called, at = rest:match("^(.-) at ([^ ]+)$")
    if not at then at, called = rest:match("^([^ ]+) as ([%w%-]+)$") end
    if at and (at:find("%.") or at:find(":")) then return meant("connect", at, { called = called }) end
    local service, place = rest:match("^([%w%-]+) in ([~/.][^ ]*)$") -- "the filesystem in ~/notes"
    if service then return meant("connect", service .. " " .. place) end
    local first, second = rest:match("^([%w%-]+) and ([%w%-]+)$")
    if first then return { say = "One after the other: say connect " .. first .. ", then connect " .. second .. "." } end
    return meant("connect", rest)
  end
end

if plain == "connect" or plain == "add" then return meant("choose") end
for _, word in ipairs { "disconnect", "remove", "rotate" } do
  if plain == word then return { say = "What? Say for example: " .. word .. " notion" } end
end
-- A name alone.
if not plain:find(" ") and #plain > 1 then return meant("connect", text) end
return { say = "I did not understand that. Say for example: connect notion, list, disconnect notion, quit." }
