-- What the flows that connect something have in common. Everything here is made of verbs; nothing is hidden in it.

--- Another flow goes on from here, with the same answers: return flow("rotate", { service = "notion" }).
function flow(name, with)
  with.answers = with.answers or input.answers
  return { next = name, input = with }
end

--- The words of a command line; one in quotation marks may have blanks in it.
function words_of(line)
  local out, at = {}, 1
  while true do
    local start = line:find("%S", at)
    if not start then return out end
    local mark = line:sub(start, start):match("['\"]")
    local stop = mark and line:find(mark, start + 1, true)
    if stop then
      out[#out + 1] = line:sub(start + 1, stop - 1)
    else
      stop = (line:find("%s", start) or #line + 1) - 1
      out[#out + 1] = line:sub(start, stop)
    end
    at = stop + 1
  end
end

--- Words as somebody would type them.
function line_of(words)
  local out = {}
  for at, word in ipairs(words) do
    local mark = word:find('"', 1, true) and "'" or '"'
    out[at] = (word == "" or word:find("[%s'\"]")) and mark .. word .. mark or word
  end
  return table.concat(out, " ")
end

--- Asks, unless it was answered beforehand. For what is not the owner's to agree to: that is always asked.
function ask_for(question)
  local given = input.answers and input.answers[question.name]
  if given == nil then return ask(question) end
  local value, wrong = checked(given, question)
  if wrong then fail(question.name .. ": " .. wrong) end
  return value
end

function only(domains)
  if #domains == 0 then return "no network at all" end
  return "only " .. table.concat(domains, ", ")
end

--- `text` with ${NAME} filled in. A name that has no value is a mistake of the template.
function fill(text, values)
  return (text:gsub("%${([%w_]+)}", function(name)
    if values[name] == nil then error("nothing is known for ${" .. name .. "}") end
    return values[name]
  end))
end

function fill_all(texts, values)
  local out = {}
  for at, text in ipairs(texts) do out[at] = fill(text, values) end
  return out
end

--- Says that it is there already, and what shall become of it: "keep", "rotate" or, if it can be set up anew from here, "again".
function already(name, there, again)
  local choices = { "keep it as it is" }
  if next(there.auth or {}) then choices[#choices + 1] = "rotate its credential" end
  if again then choices[#choices + 1] = "reconnect from the beginning" end
  if #choices == 1 then
    report(name, " is connected already and stays as it is; say disconnect ", name, " first to set it up anew.")
    return "keep"
  end
  local what = ask_for { name = "already", prompt = name .. " is connected already. What now?", choices = choices, default = choices[1] }
  if what:find("^rotate") then return "rotate" end
  if what:find("^reconnect") then return "again" end
  report(name, " stays as it is.")
  return "keep"
end

--- A server's name near to this one that no server has yet.
function free_name(wanted)
  local name = config.check(wanted) or "server"
  if not config.read(name) then
    config.claim(name)
    return name
  end
  for number = 2, 99 do
    local next_one = config.check(name:sub(1, 17) .. "-" .. number)
    if not config.read(next_one) then
      config.claim(next_one)
      return next_one
    end
  end
  fail("there are too many servers called " .. name)
end

--- "${site}.example.com" as a person reads it: "<site>.example.com", or what was answered beforehand.
function named_places(domains)
  local out = {}
  for at, domain in ipairs(domains) do
    out[at] = domain:gsub("%${([%w_]+)}", function(name) return input.answers and input.answers[name] or "<" .. name .. ">" end)
  end
  return out
end

--- Says what will happen before anything does.
function tell_plan(server)
  say(server.title, ": ", server.description)
  for _, note in ipairs(server.notes or {}) do say("  ", note) end
  if server.package then
    local from = server.package.npm and "npm" or "PyPI"
    say("  It will be installed: ", server.package.npm or server.package.pypi, " ", server.package.version, " from ", from, ", pinned, without its install scripts.")
  end
  if not server.package then
    say("  It will run: ", table.concat({ program(server.command) or server.command, table.unpack(named_places(server.args)) }, " "))
  end
  say("  It will reach ", only(named_places(server.domains)), ".")
  for _, grant in ipairs(server.grants) do
    say("  It may ", grant.write and "read and write " or "read ", named_places({ grant.path })[1], ".")
  end
  for _, need in ipairs(server.credentials) do
    if need.help_url ~= "" then say("  ", need.prompt, ": ", need.help_url) end
  end
end

--- What is not secret and has to be known: a site, a folder, a host.
function ask_parameters(server)
  local values = { HOME = "/state" }
  for _, parameter in ipairs(server.parameters) do
    local question = {
      name = parameter.name, prompt = parameter.prompt, help = parameter.help, pattern = parameter.pattern, default = parameter.default,
      choices = parameter.choices,
    }
    if parameter.kind == "host" and parameter.pattern == "" then
      question.pattern, question.hint = host_pattern, "that is no host name; it looks like db.example.com"
    end
    local is_path = parameter.kind == "folder" or parameter.kind == "file"
    local value = is_path and ask_path(server, parameter, question) or ask_for(question)
    if value:find("${", 1, true) then fail(parameter.name .. " cannot contain ${") end
    values[parameter.name] = value
  end
  return values
end

--- A name, in whatever script, or an address.
host_pattern = [[([\pL\pN_]([\pL\pN_-]*[\pL\pN])?\.)*[\pL\pN_]([\pL\pN_-]*[\pL\pN])?\.?|\[[0-9A-Fa-f:.]+\] ]]
host_pattern = trim(host_pattern)

--- Asks until `read` makes something of the answer: its value, or nil and what is wrong.
function ask_until(question, read)
  local given = input.answers and input.answers[question.name]
  for _ = 1, 5 do
    local value, wrong = read(ask_for(question))
    if value then return value end
    if given then fail(question.name .. ": " .. wrong) end
    say(wrong, ".")
  end
  fail("there was no answer that fits")
end

--- A folder that holds everything somebody has is hardly ever meant.
local function is_all_there_is(path)
  local home = path_of("~", "folder")
  return home and (home == path or starts_with(home, path .. "/"))
end

local function is_meant(path)
  if not is_all_there_is(path) then return true end
  return ask {
    name = "whole_home", prompt = path .. " has everything of yours in it, keys and settings too. Shall the server have all of it?", yes_no = true,
    default = "no",
  }
end

--- Folders that a command line names: its words with these in full, and `access` for what its owner lets the server do there.
function ask_folders(args)
  local words, grants = {}, {}
  for at, word in ipairs(args) do
    local folder = word:find("^[~/.]") and path_of(word, "folder")
    local may = folder and ask {
      name = "grant", prompt = "It is given " .. folder .. ". What may it do there?", choices = { "read and write", "read", "nothing" },
      default = is_all_there_is(folder) and "nothing" or "read",
    }
    local writes, why = may == "read and write", nil
    if writes then writes, why = path_of(folder, "folder", true) end
    if why then say(why, ", so it may only read it.") end
    if folder and may ~= "nothing" then grants[#grants + 1] = { path = folder, read = true, write = writes and true or nil } end
    words[at] = folder or word
  end
  return words, #grants > 0 and { fs = grants } or nil
end

--- A folder or a file that is there and may be shown to the server.
function ask_path(server, parameter, question)
  local writes = false
  for _, grant in ipairs(server.grants) do
    if grant.write and grant.path:find("${" .. parameter.name .. "}", 1, true) then writes = true end
  end
  return ask_until(question, function(text)
    local path, why = path_of(text, parameter.kind, writes)
    if path and not is_meant(path) then return nil, "name a folder in it" end
    return path, why
  end)
end

--- A server's loopback is its own: what its owner calls localhost it has to be let to by its number, too.
function with_loopback(domains)
  local out = {}
  local function add(domain)
    if not contains(out, domain) then out[#out + 1] = domain end
  end
  for _, domain in ipairs(domains) do
    add(domain)
    local host, port = host_of(domain)
    if host:lower() == "localhost" then add("127.0.0.1" .. (port and ":" .. port or "")) end
  end
  return out
end

--- "host:5432" and "[::1]:5432" without the port; and the port, if there is one.
function host_of(domain)
  local host, port = domain:match("^(.-):(%d+)$")
  if not host or host:find(":", 1, true) and not host:find("^%[.*%]$") then return domain end
  return host, port
end

--- Of these domains those that lead to a private address, if the owner lets them be reached.
function private_domains(domains)
  local private = {}
  for _, domain in ipairs(domains) do
    local host = host_of(domain):gsub("%.$", "")
    local found = not host:find("*", 1, true) and resolve(host)
    if found and found.private then
      say(domain, " leads to ", table.concat(found.addresses, ", "), ", ", found.why, ": a machine of yours or of your network, not one out in the world.")
      if not ask { name = "allow_private", prompt = "May the server reach it?", yes_no = true, default = "no" } then
        cancel(domain .. " is where it has to go, and nobody has allowed that.")
      end
      private[#private + 1] = domain
    end
  end
  return private
end

function reachable(server, values)
  local domains = fill_all(server.domains, values)
  local private = private_domains(domains)
  return with_loopback(domains), private
end

--- Where a credential goes was decided by the template alone, not by whoever wants it connected.
local function is_fixed(server)
  for _, domain in ipairs(server.domains or { "${any}" }) do
    if domain:find("${", 1, true) then return false end
  end
  return true
end

--- An entry like this one that the vault does not have: what another one needs is not written over.
local function free_entry(entry)
  for number = 2, 99 do
    local next_one = entry:sub(1, 60) .. "_" .. number
    if not stored(next_one) then return next_one end
  end
  fail("there are too many entries called " .. entry .. " in the vault")
end

--- "vault:..." if the vault has it already and its owner wants it used.
local function kept(server, need)
  local fixed = is_fixed(server)
  local goes = fixed and "Use it?" or "May this have it, and send it to " .. (server.goes_to or "the places named above") .. "?"
  local prompt = "The vault has " .. need.entry .. " already. " .. goes
  if ask { name = "reuse", prompt = prompt, yes_no = true, default = fixed and "yes" or "no" } then return "vault:" .. need.entry end
  if not fixed then need.entry = free_entry(need.entry) end
end

--- Asks for each credential, stores it, and remembers what goes where: { { need = ..., ref = "vault:..." } }.
function ask_credentials(server, again)
  local out = {}
  for _, need in ipairs(server.credentials) do
    local ref
    if not again and need.required and stored(need.entry) then ref = kept(server, need) end
    if not ref then
      local value = ask {
        name = need.entry, prompt = need.prompt .. (need.required and "" or " (empty: none)"), help = need.help_url, secret = true,
        starts_with = need.starts_with, pattern = need.pattern, multiline = need.multiline, optional = not need.required,
      }
      if value then ref = store { name = need.entry, value = value } end
    end
    if ref then out[#out + 1] = { need = need, ref = ref } end
  end
  return out
end

--- The [auth] section.
function auth_of(credentials, values)
  local auth, files = {}, {}
  for _, credential in ipairs(credentials) do
    local need = credential.need
    local entry = credential.ref:gsub("^vault:", "")
    if need.file and need.file ~= "" then
      files[need.file] = credential.ref
    elseif need.value and need.value ~= "" and need.value ~= "${secret}" then
      local with = { secret = "${vault:" .. entry .. "}" }
      for name, value in pairs(values or {}) do with[name] = value end
      auth[need.variable] = fill(need.value, with)
    else
      auth[need.variable] = credential.ref
    end
  end
  if next(files) then auth.files = files end
  return next(auth) and auth or nil
end

--- Installs what the template names: command and arguments as the server file has them.
function put_in_place(server, values)
  local args = fill_all(server.args, values)
  if not server.package then return { command = server.command, args = args } end
  local installed = install(server.package, { server = server.name })
  local all = {}
  for _, arg in ipairs(installed.args) do all[#all + 1] = arg end
  for _, arg in ipairs(args) do all[#all + 1] = arg end
  return { command = installed.command, args = all }
end

function write_server(server, with)
  local environment, grants, tools = {}, {}, {}
  for name, value in pairs(server.environment) do environment[name] = fill(value, with.values) end
  for _, credential in ipairs(with.credentials) do
    local need = credential.need
    if need.file and need.file ~= "" then environment[need.variable] = "${auth.files}/" .. need.file end
  end
  for _, grant in ipairs(server.grants) do
    grants[#grants + 1] = { path = fill(grant.path, with.values), read = true, write = grant.write or nil }
  end
  for _, tool in ipairs(server.reads) do tools[tool] = { semantics = "read" } end
  config.write(server.name, {
    description = server.description,
    label = server.label ~= "" and server.label or nil,
    taint = server.taint ~= "" and server.taint or nil,
    allowed_domains = with.domains,
    allow_private = #with.private > 0 and with.private or nil,
    server = with.launch,
    auth = auth_of(with.credentials, with.values),
    env = next(environment) and { set = environment } or nil,
    access = #grants > 0 and { fs = grants } or nil,
    tools = next(tools) and tools or nil,
  })
end

--- Trouble that says nothing about a credential.
function is_network_trouble(words)
  local plain = words:lower()
  for _, sign in ipairs { "did not answer", "fetch failed", "enotfound", "eai_again", "econnrefused", "econnreset", "etimedout", "getaddrinfo", "timed out",
    "network is unreachable", "socket hang up", "certificate", "has no address", "name or service not known", "rate_limited" } do
    if plain:find(sign, 1, true) then return true end
  end
  return false
end

--- Makes the harmless call. true: it works; nil: nobody can tell, which is said; false and why: the credential does not.
function try_out(server)
  local works, trouble = verify(server.name, server.verify)
  if server.judge and works == false then return server.judge(trouble) end
  if works then return true end
  trouble = trouble:gsub("%s*[\r\n]+%s*", " ")
  if works == false and not is_network_trouble(trouble) then return false, trouble end
  say("It runs, but could not be tried out: ", trouble)
  return nil
end

--- Starts it and tries it out. A credential that does not work is asked for again, three times in all. Its tools, and whether it has shown that it works.
function start_and_verify(server, credentials)
  for try = 1, 3 do
    local tools, why = spawn(server.name)
    if tools and not server.verify then return tools, false end
    if tools then
      local works, trouble = try_out(server)
      if works ~= false then return tools, works end
      why = trouble
    end
    if #credentials == 0 then fail(why) end
    say("That did not work: ", why)
    if try == 3 then fail("no working credential after three tries") end
    say("Check the credential; it is asked for again.")
    for _, credential in ipairs(credentials) do
      local need = credential.need
      store { name = need.entry, value = ask {
        name = need.entry, prompt = need.prompt, help = need.help_url, secret = true, starts_with = need.starts_with, pattern = need.pattern,
        multiline = need.multiline,
      } }
    end
  end
end

function list_tools(tools)
  for at = 1, math.min(#tools, 12) do
    local tool = tools[at]
    say("  ", tool.name, "  ", tool.semantics, "  ", shortened(tool.description or "", 80))
  end
  if #tools > 12 then say("  and ", #tools - 12, " more: pfar tools shows all") end
end

--- People say none where nothing is meant.
local function is_nothing(text) return contains({ "", "-", "no", "n", "none", "nothing" }, trim(text):lower()) end

--- The domains that an unknown server may reach; `now`: those that it may reach already.
function ask_domains(now)
  return ask_until({
    name = "domains", optional = true, default = now and #now > 0 and table.concat(now, " ") or nil,
    prompt = "Which domains may it reach? Names with spaces between them; " .. (now and #now > 0 and "none: no network" or "empty: none"),
    pattern = [[(\*\.)?[A-Za-z0-9.-]+(:[0-9]+)?( +(\*\.)?[A-Za-z0-9.-]+(:[0-9]+)?)*]], hint = "names such as api.example.com, with spaces between them",
  }, function(typed)
    local out = {}
    if is_nothing(typed) then return out end
    for domain in typed:gmatch("%S+") do
      if contains({ "yes", "y" }, domain:lower()) then return nil, "what is needed is names such as api.example.com" end
      if domain:find("^%*%.[^.]+$") then return nil, domain .. " is half of the world; name a domain, such as *.example.com" end
      out[#out + 1] = domain
    end
    return out
  end)
end

--- How the built-in HTTP server for `domain` is tried out: any answer will do but that it wants another credential.
function http_trial(name, domain, credentials)
  return {
    name = name, verify = { tool = "fetch", arguments = { path = "" } },
    judge = function(words)
      local answer = words:match("^HTTP/[%d.]+ %d+[^\r\n]*")
      if answer and answer:find("^HTTP/[%d.]+ 401") and #credentials > 0 then return false, "it answers " .. answer end
      if answer then
        say("Its address answers ", answer, ", which may be as it should.")
        return true
      end
      say(domain, " does not answer: ", (words:gsub("%s*[\r\n]+%s*", " ")))
      if ask { name = "anyway", prompt = "Go on all the same?", yes_no = true, default = "no" } then return nil end
      fail(domain .. " does not answer")
    end,
  }
end

--- The secrets that an unknown server needs, by the names of its environment variables.
function ask_variables(name, domains)
  local needs = ask_until({
    name = "variables", prompt = "Which environment variables of it are credentials? Names with spaces between them; empty: none", optional = true,
    pattern = "-|[A-Za-z_][A-Za-z0-9_]*( +[A-Za-z_][A-Za-z0-9_]*)*", hint = "names such as API_TOKEN",
  }, function(typed)
    local out = {}
    if is_nothing(typed) then return out end
    for variable in typed:gmatch("%S+") do
      if contains({ "yes", "y" }, variable:lower()) then return nil, "what is needed is names such as API_TOKEN" end
      out[#out + 1] = {
        variable = variable, entry = entry_for(name, variable), prompt = "The value of " .. variable, help_url = "", starts_with = "", required = true,
      }
    end
    return out
  end)
  return ask_credentials { name = name, credentials = needs, goes_to = #domains > 0 and listed(domains) or "no network" }
end
