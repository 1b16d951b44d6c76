---@meta semantics
-- Types of what semantics.lua finds as globals, for editors with the Lua language server. Never run.

---@class pfar.Call
---@field server string the server's name in its file
---@field tool string
---@field title string what the tool's annotations call it; may be empty
---@field hint boolean the server says that the tool only reads
---@field arguments? table only if the rule said arguments = true; null in a list is the global `null`

---@class pfar.Rule
---@field name string for people: pfar tools --explain shows it
---@field server? string|string[] names; with one of ^ $ * + ? % [ in it, a Lua pattern for the whole name
---@field tool? string|string[] likewise
---@field arguments? boolean the word depends on the arguments: asked at every call, otherwise once for each tool
---@field decide fun(call: pfar.Call): "read"|"write"|nil nil: the next rule is asked

---Adds a rule, while the script is loaded. The first rule that says something decides; an error is a write. A decide must not keep anything
---from one call to the next: globals cannot be set any more, and what it keeps in tables is gone when the script is loaded again.
---@param it pfar.Rule
function rule(it) end
