-- Semantics that ship with pfar: which calls of tools only read, by their arguments. A read runs without asking, so a rule says "read" only
-- of what it understands in full. Your own rules go into $PFAR_HOME/scripts/semantics.lua; they come first.
--
-- What a name stands for is not seen: a view, or a function that a dialect lets one call like a column, may do anything. Use a database user
-- that may only read where that matters.

local function set(words)
  local out = {}
  for word in words:gmatch "%S+" do out[word] = true end
  return out
end

-- SQL -----------------------------------------------------------------------------------------------------------------------------------------

local begins_read = set "select show describe desc explain with"
local begins_write = set [[insert update delete merge replace upsert create alter drop truncate rename grant revoke call exec execute do copy load
  import export lock unlock vacuum analyze reindex cluster refresh attach detach set reset begin commit rollback]]

-- Anywhere in a statement these may change something, in one dialect or another. Some are names of columns too: then a person is asked.
local never = set [[insert update delete merge create alter drop truncate rename grant revoke deny call exec execute do copy into lock unlock for
  vacuum analyze analyse reindex cluster refresh attach detach pragma load import export begin commit rollback savepoint prepare deallocate
  listen notify discard set reset use handler comment kill shutdown backup restore outfile dumpfile returning upsert declare procedure function
  nextval currval setval waitfor dbcc bulk reconfigure raiserror throw while goto go writetext updatetext readtext checkpoint setuser revert
  install uninstall undrop put rm add break close conversation disable enable dump move open print receive remove return save send transfer
  quiesce reorg mount unmount online quit map reduce]]

local commands = set "host ho spool start edit get run" -- of a command line in front of the database, where a line begins with them

-- A name before a ( is a function, and a function can do anything: only these, and words that are none.
local may_open = set [[select from where and or not in exists any all some on using join as over by having when then else case union except
  intersect distinct limit offset filter within partition order group values between like ilike is null explain materialized lateral
  count sum avg min max total coalesce nullif ifnull isnull nvl iif if least greatest abs round floor ceil ceiling trunc sign sqrt power mod
  lower upper initcap length char_length octet_length substr substring left right trim ltrim rtrim lpad rpad concat concat_ws replace reverse
  split_part position strpos instr locate date time datetime timestamp julianday strftime date_trunc date_part date_format date_add date_sub
  datediff timestampdiff extract year month day hour minute second dayofweek weekday now current_date current_time current_timestamp curdate
  to_char to_date to_timestamp to_number cast convert decimal numeric varchar char group_concat string_agg array_agg json_agg jsonb_agg
  json_build_object jsonb_build_object json_object json_array json_extract json_value row_number rank dense_rank percent_rank ntile lag lead
  first_value last_value nth_value percentile_cont percentile_disc stddev variance unnest array_length cardinality typeof
  version json_type json_keys json_array_length]]

-- A line of its own is not SQL for every program: :!! and .shell and /, and whatever comes behind an empty line.
local function has_commands(text)
  for line in text:gmatch "\n([^\n]*)" do
    local first = line:match "^%s*(%a+)"
    if line:find "^%s*[:.!/]" or line:find "^%s*$" or first and commands[first:lower()] then return true end
  end
  return false
end

-- $1 is a place for a parameter where nothing is joined to it: in one dialect f$1 is a name.
local function has_odd_dollar(text)
  return text:gsub("%$%d+", ""):find("$", 1, true) or text:find "[%w_]%$" or text:find "%$%d+%s*%(" or text:find "%$%d+[%a_]"
end

-- Takes out what stands in quotes and in comments, where every dialect agrees on what that is. nil: they may not agree.
local function bare(text)
  if #text > 20000 or text:find "[%z\1-\8\11\12\14-\31\127\\]" or has_odd_dollar(text) then return nil end
  if text:find("'''", 1, true) or text:find('"""', 1, true) then return nil end -- where one dialect begins a text of many lines
  if has_commands(text:gsub("%s+$", "")) then return nil end
  local out, at = {}, 1
  while true do
    local start = text:find("['\"`%-/#]", at)
    if not start then break end
    out[#out + 1] = text:sub(at, start - 1)
    local c, two = text:sub(start, start), text:sub(start, start + 1)
    if c == "'" then
      if start > 1 and text:sub(start - 1, start - 1):find "[%w_&]" then return nil end -- E'', U&'', X''
      local stop = start
      repeat
        stop = text:find("'", stop + 1, true)
        if not stop then return nil end
        local doubled = text:sub(stop + 1, stop + 1) == "'"
        if doubled then stop = stop + 1 end
      until not doubled
      out[#out + 1] = " literal "
      at = stop + 1
    elseif c == '"' or c == "`" then
      local name, stop = text:match("^([%w_ ]+)" .. c .. "()", start + 1) -- with a dot or a slash it is a file for some
      if not name or text:match("^%s*[(\"'`]", stop) then return nil end
      out[#out + 1] = " quoted "
      at = stop
    elseif two == "--" then
      local comment, stop = text:match("^%-%-[ \t]([^\n]*)()", start)
      if not comment or comment:find "\r." then return nil end
      out[#out + 1] = " "
      at = stop
    elseif two == "/*" then
      local comment, stop = text:match("^/%*(.-)%*/()", start)
      if not comment or comment:find "^%s*[!+M]" or comment:find("/*", 1, true) then return nil end
      out[#out + 1] = " "
      at = stop
    elseif c == "#" then
      return nil
    else
      out[#out + 1] = c
      at = start + 1
    end
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

local ends_from = set "where group order having limit union except intersect window qualify fetch offset"

local holds_table = set "from join union all except intersect"

-- A file or an address in the place of a table, as some dialects have it; or a program that takes the rows.
local function reads_elsewhere(code)
  if code:find "^%s*desc%a*%s+literal" or code:find "%f[%w_]using%s+literal" then return true end
  if not code:find("literal", 1, true) then return false end
  local tables, depth, before = {}, 0, ""
  for token in code:gsub("[^%w_%s]", " %0 "):gmatch "%S+" do
    if token == "(" then
      depth = depth + 1
      tables[depth] = holds_table[before] or before == "," and tables[depth - 1] or false
    elseif token == ")" then
      depth = math.max(depth - 1, 0)
    elseif token == "from" then
      tables[depth] = true
    elseif ends_from[token] or token == "select" or token == "values" then
      tables[depth] = false
    elseif token == "literal" and tables[depth] and (before == "," or before == "from" or before == "join" or before == "(") then
      return true
    end
    before = token
  end
  return false
end

-- What there is in a database of SQLite; the other pragmas set something.
local tells = set "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list database_list collation_list"

-- "read", "write", or nil for what it is not sure of.
local function sql(text)
  local first = text:match "^[%s(]*(%a+)"
  if first and begins_write[first:lower()] then return "write" end
  local code = bare(text)
  if not code then return nil end
  code = code:lower():gsub("%s*;?%s*$", "")
  local pragma = code:match "^%s*pragma%s+([%a_]+)%s*%(%s*[%a_][%w_]*%s*%)$" or code:match "^%s*pragma%s+([%a_]+)$"
  if pragma then return tells[pragma] and "read" or nil end
  if code:find "[^%w_%s.,()*+%-/%%<>=!|&?:$~%[%]]" or code:find(":=", 1, true) or code:gsub("%[%d+%]", ""):find "[%[%]]" then return nil end
  for word in code:gmatch "[%w_.]+" do -- 1e0delete and 2.e0into are a number and a word to some
    local number = word:find "^%.?%d"
    if number and not word:find "^%d*%.?%d*$" and not word:find "^%d*%.?%d*e%d*$" and not word:find "^0x%x+$" then return nil end
  end
  if not begins_read[code:match "^%s*(%a+)" or ""] then return nil end
  if not code:find "^%s*select" and not code:find "^%s*with" and code:find("->>", 1, true) then return nil end -- what comes behind is run
  for dot, word, after in code:gmatch "(%.?)%s*%f[%a_]([%a_][%w_]*)%s*([(]?)" do
    if never[word] or word == "replace" and after == "" or word:find "^pragma_" then return nil end
    if after == "(" and (dot ~= "" or not may_open[word]) then return nil end
  end
  return not reads_elsewhere(code) and "read" or nil
end

-- A tool that runs what it is given, by its name: run_sql, read_query. save_query keeps it for later, create_view_sql makes something of it.
local runs = set [[sql query queries run execute exec read readonly only select db database postgres postgresql pg mysql mariadb sqlite mssql
  sqlserver clickhouse duckdb snowflake bigquery redshift athena trino presto databricks statement raw]]

local function runs_sql(tool)
  local about
  for word in tool:gsub("%u", "_%0"):lower():gmatch "[^_%-%.]+" do
    if not runs[word] then return false end
    about = about or word:find("sql", 1, true) or word == "query" or word == "statement"
  end
  return about
end

-- For what is not sure to read only: whether anything in it could be a write. Rather once too often: what is asked of its owner does no harm.
local function may_write(text)
  local code = (bare(text) or text):lower()
  if code:find "^[%s(;]*pragma" then return true end
  for word in code:gmatch "%f[%a_][%a_]+" do
    if begins_write[word] or never[word] then return true end
  end
  return false
end

-- Whatever its server claims: what may be a write is one.
local function shows_write(call)
  local is_for_sql = runs_sql(call.tool) and (call.tool:lower():find("sql", 1, true) or call.tool == "read_query")
  for key, value in pairs(call.arguments) do
    local name = tostring(key):lower()
    local is_sql = name == "sql" or is_for_sql and (name == "query" or name == "statement")
    if is_sql and type(value) == "string" and sql(value) ~= "read" and may_write(value) then return true end
  end
  return false
end

-- What else may stand in a call without changing what the statement does.
local beside = set "database db schema catalog limit max_rows row_limit timeout timeout_ms timeoutms params parameters values format page offset"

local function is_plain(value)
  if type(value) ~= "table" then return true end
  for key, one in pairs(value) do
    if type(key) ~= "number" or type(one) == "table" then return false end
  end
  return true
end

local function sql_in(arguments)
  local text
  for key, value in pairs(arguments) do
    local name = tostring(key):lower()
    if name == "sql" or name == "query" or name == "statement" then
      if text or type(value) ~= "string" then return nil end
      text = value
    elseif not beside[name] or not is_plain(value) then
      return nil
    end
  end
  return text and sql(text)
end

rule {
  name = "SQL that only reads, of a database",
  server = { "dbhub.*", "pg", "db", ".*postgres.*", ".*mysql.*", ".*mariadb.*", ".*sqlite.*", ".*mssql.*", ".*sqlserver.*" },
  tool = { ".*[sS][qQ][lL].*", ".*[qQ]uery.*" },
  arguments = true,
  decide = function(call)
    if runs_sql(call.tool) then return sql_in(call.arguments) or "write" end
  end,
}

rule {
  name = "SQL that only reads",
  tool = { ".*[sS][qQ][lL].*", ".*[qQ]uery.*" },
  arguments = true,
  decide = function(call)
    if shows_write(call) then return "write" end
    if not runs_sql(call.tool) then return nil end
    -- `query` alone may be a search for words
    if call.arguments.sql or call.tool:find("sql", 1, true) or call.tool == "read_query" then return sql_in(call.arguments) end
  end,
}

-- HTTP ----------------------------------------------------------------------------------------------------------------------------------------

-- "/x?%5Fmethod=DELETE": a name in the query that speaks of the method, however it is written.
local function names_method(place)
  for _ = 1, 4 do
    if place:lower():find("[?&;][^=&;]*method") or place:lower():find("_method", 1, true) then return true end
    local plain = place:gsub("%%(%x%x)", function(code) return string.char(tonumber(code, 16)) end)
    if plain == place then return false end
    place = plain
  end
  return true
end

rule {
  name = "HTTP that only reads", -- of pfar's own server
  tool = { "fetch", "request" },
  arguments = true,
  decide = function(call)
    if call.title ~= "Read by HTTP" and call.title ~= "Write by HTTP" then return nil end
    local method = call.arguments.method or (call.tool == "fetch" and "GET")
    if method ~= "GET" and method ~= "HEAD" then return "write" end
    if call.arguments.body ~= nil then return "write" end
    for _, place in ipairs { call.arguments.url or "", call.arguments.path or "" } do
      if type(place) ~= "string" or names_method(place) then return "write" end -- some services take it from there
    end
    for name in pairs(type(call.arguments.query) == "table" and call.arguments.query or {}) do
      if tostring(name):lower():find("method", 1, true) then return "write" end
    end
    local headers = call.arguments.headers
    if headers ~= nil and type(headers) ~= "table" then return "write" end
    for name in pairs(headers or {}) do
      if tostring(name):lower():find("method", 1, true) then return "write" end -- some services take the method from there
    end
    return "read"
  end,
}
