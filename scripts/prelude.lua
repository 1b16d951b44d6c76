-- Runs before every flow, in the same globals: what nearly every script wants and Lua does not have.

--- The text without white space at its ends.
function trim(text) return (text:match "^%s*(.-)%s*$") end

--- Does the text begin, or end, with exactly this?
function starts_with(text, what) return text:sub(1, #what) == what end
function ends_with(text, what) return what == "" or text:sub(-#what) == what end

--- The pieces of a text between separators, which are plain text: split("a,b", ",") is { "a", "b" }.
function split(text, separator)
  local out, at = {}, 1
  while true do
    local start, stop = text:find(separator, at, true)
    if not start or separator == "" then break end
    out[#out + 1] = text:sub(at, start - 1)
    at = stop + 1
  end
  out[#out + 1] = text:sub(at)
  return out
end

--- "a, b and c".
function listed(words, last)
  if #words < 2 then return words[1] or "" end
  return table.concat(words, ", ", 1, #words - 1) .. " " .. (last or "and") .. " " .. words[#words]
end

--- Is the value one of the list's?
function contains(list, value)
  for _, one in ipairs(list) do if one == value then return true end end
  return false
end

--- A list of what the function makes of each value; what it makes nil of is left out.
function map(list, make)
  local out = {}
  for _, one in ipairs(list) do out[#out + 1] = make(one) end
  return out
end

--- The first line of a text, and of that at most so many characters, the last of them dots if there were more.
function shortened(text, most)
  local line = text:match "^[^\r\n]*"
  if not utf8.offset(line, most + 2) then return line end
  return line:sub(1, utf8.offset(line, most - 2) - 1) .. "..."
end

--- "1 tool", "3 tools".
function counted(number, one, many) return ("%d %s"):format(number, number == 1 and one or many or one .. "s") end
