---@meta pfar
-- Types of what flows find as globals, for editors with the Lua language server. Never run.
-- Arguments and results are plain tables: a list has the keys 1 to n, an empty table is an object, texts are UTF-8.
-- A verb's error ends the flow, and no pcall hears of it; what may go wrong in the ordinary way is nil or false, and why.

---A handle on a secret: it can be given to `store` and nothing else.
---@class pfar.Secret

---@class pfar.Question
---@field prompt string what is asked
---@field name? string what a form or --answer calls it
---@field help? string where to get it: a sentence or a link
---@field secret? boolean hidden, and comes back as a handle
---@field yes_no? boolean comes back as true or false
---@field choices? string[] one of these is answered
---@field default? string what an empty answer means; "yes" or "no" with yes_no
---@field optional? boolean it may be empty: "" then, or nil for a secret
---@field multiline? boolean a secret of several lines, such as a key file
---@field starts_with? string a prefix that a secret has to have
---@field pattern? string RE2, of the whole answer
---@field hint? string what is said if the pattern does not fit

---@class pfar.Credential
---@field variable string the environment variable
---@field entry string its entry in the vault
---@field prompt string
---@field help_url string may be empty, as the following
---@field starts_with string
---@field pattern string
---@field value string what the variable gets, with ${secret} in it
---@field file string the name of the file that it is; empty: it is none
---@field multiline boolean
---@field required boolean

---@class pfar.Parameter
---@field name string
---@field prompt string
---@field help string may be empty, as the following
---@field pattern string
---@field default string
---@field kind "text"|"folder"|"file"|"host"|"choice"
---@field choices? string[]

---@class pfar.Package
---@field npm? string one of the two is there
---@field pypi? string
---@field version? string exact; none: the newest, which is then pinned
---@field entry? string which of its programs

---@class pfar.Grant
---@field path string
---@field write boolean

---@class pfar.Template
---@field name string
---@field title string
---@field description string
---@field notes string[] what a person should read first
---@field package? pfar.Package
---@field command string empty if there is a package
---@field args string[]
---@field environment table<string, string>
---@field grants pfar.Grant[]
---@field domains string[]
---@field allow_private string[]
---@field credentials pfar.Credential[]
---@field parameters pfar.Parameter[]
---@field label string may be empty, as taint
---@field taint string
---@field reads string[] tools that only read
---@field read_only boolean all of them do
---@field verify? pfar.Verify
---@field not_yet string why it cannot be connected; empty: it can

---@class pfar.Verify
---@field tool string
---@field arguments? table
---@field refused? string RE2: found in the answer, the credential did not work

---@class pfar.Tool
---@field name string SERVER.TOOL
---@field semantics "read"|"write"
---@field description? string

---What the flow was started with: what was typed, and what was answered beforehand.
---@type { service?: string, answers?: table<string, string>, [string]: any }
input = {}

---Stands for JSON's null in a list, where nil would be a hole.
---@type userdata
null = nil

-- talking

---Tells the person something. The parts are joined as they are.
---@param ... any
function say(...) end

---Asks the person, again if the answer does not fit. Who gives up ends the flow.
---@param question pfar.Question
---@return string|boolean|pfar.Secret|nil answer
function ask(question) end

---The flow's last word: what has been done. The parts are joined as they are.
---@param ... any
function report(...) end

---Ends the flow with this sentence; what it did is undone.
---@param ... any
function fail(...) end

-- looking

registry = {}

---The template of this name or alias, or nil.
---@param name string
---@return pfar.Template|nil
function registry.find(name) end

---Templates that have to do with these words.
---@param words string
---@return pfar.Template[]
function registry.search(words) end

---All there are, in short.
---@return { name: string, title: string, not_yet: string }[]
function registry.list() end

config = {}

---What a server's file says, or nil; `auth` has entries of the vault by variable, or by the file's name for those in `auth_files`. Of a file with mistakes only the first four are there.
---@param name string
---@return { name: string, origin: string, file: string, valid: boolean, auth?: table<string, string>, auth_files?: table<string, boolean>, allowed_domains?: string[], description?: string }|nil
function config.read(name) end

---A name near to this one that a server can have; nil, and why not.
---@param name string
---@return string|nil name
---@return string? why
function config.check(name) end

---The servers that are there.
---@return { name: string, state: string, origin: string }[]
function servers() end

---The addresses of a host name, and whether one of them is private.
---@param host string
---@return { addresses: string[], private: boolean, why: string }|nil
---@return string? why
function resolve(host) end

---The whole path of what is there: "~/notes" is the owner's.
---@param text string
---@param kind "folder"|"file"
---@return string|nil path
---@return string? why
function path_of(text, kind) end

---The vault's entry for a variable of a server.
---@param server string
---@param variable string
---@return string entry
function entry_for(server, variable) end

---Is this entry in the vault?
---@param entry string
---@return boolean
function stored(entry) end

-- doing: undone if the flow fails

---Puts a secret into the vault. What comes back, "vault:ENTRY", goes into `auth` of a server.
---@param what { name: string, value: pfar.Secret }
---@return string reference
function store(what) end

---Installs a package in the sandbox, at exactly one version.
---@param package pfar.Package
---@param options { server: string }
---@return { command: string, args: string[], version: string, integrity: string, skipped_scripts: string[] }
function install(package, options) end

--- Nobody else sets this server up as long as this conversation goes on; ends the flow if somebody does.
---@param name string
function config.claim(name) end

---Writes a server's file; the table has the keys of the file. A command without / is looked for on the PATH.
---@param name string
---@param spec table
---@return string file
function config.write(name, spec) end

---Removes a server's file at once, and what else there is of it when the flow is done.
---@param name string
---@param options? { forget?: boolean } its credentials too
---@return { entries: string[] } removed its entries in the vault
function config.remove(name, options) end

---Starts a server in its sandbox, or starts it anew.
---@param name string
---@return pfar.Tool[]|nil tools
---@return string? why
function spawn(name) end

---What a server offers by now is what its owner agreed to: its tools are pinned as they are.
---@param name string
function accept(name) end

---The program that a name means on the PATH, or nil and why.
---@param name string
---@return string|nil path
---@return string? why
function program(name) end

---The package that a command line would fetch at every start, as npx does; nil if it fetches none.
---@param words string[]
---@return { npm: string?, pypi: string?, version: string?, entry: string?, args: string[] }|nil
function fetched(words) end

---Ends the flow because its owner decided against it; all is undone.
---@param ... any
function cancel(...) end

---Calls a harmless tool. true: it works; false: it does not, and why; nil: nobody knows, and why.
---@param name string
---@param call pfar.Verify
---@return boolean|nil works
---@return string? why
function verify(name, call) end

-- prelude.lua

---@param text string
---@return string
function trim(text) end
---@param text string
---@param what string
---@return boolean
function starts_with(text, what) end
---@param text string
---@param what string
---@return boolean
function ends_with(text, what) end
---@param text string
---@param separator string
---@return string[]
function split(text, separator) end
---@param words string[]
---@param last? string
---@return string
function listed(words, last) end
---@param list any[]
---@param value any
---@return boolean
function contains(list, value) end
---@generic T, U
---@param list T[]
---@param make fun(one: T): U?
---@return U[]
function map(list, make) end
---@param text string
---@param most integer
---@return string
function shortened(text, most) end
---@param number integer
---@param one string
---@param many? string
---@return string
function counted(number, one, many) end

-- lib/connecting.lua

---@alias pfar.Kept { need: pfar.Credential, ref: string }

---Another flow goes on from here: return flow("rotate", { service = "notion" }).
---@param name string
---@param with? table
---@return table
function flow(name, with) end
---@param domains string[]
---@return string
function only(domains) end
---@param text string
---@param values table<string, string>
---@return string
function fill(text, values) end
---@param texts string[]
---@param values table<string, string>
---@return string[]
function fill_all(texts, values) end
---@param wanted string
---@return string
function free_name(wanted) end
---@param domains string[]
---@return string[]
function named_places(domains) end
---@param server pfar.Template
function tell_plan(server) end
---`ask`, unless it was answered beforehand. Not for what its owner has to agree to.
---@param question pfar.Question
---@return any answer
function ask_for(question) end
---@param server pfar.Template
---@return table<string, string> values
function ask_parameters(server) end
---Says that it is there already. true: its credential shall be rotated.
---@param name string
---@param there table
---@return boolean
function already(name, there) end
---@param domains string[]
---@return string[]
function with_loopback(domains) end
---@param server pfar.Template
---@param parameter table
---@param question pfar.Question
---@return string path
function ask_path(server, parameter, question) end
---"host:5432" without the port, and the port.
---@param domain string
---@return string host
---@return string? port
function host_of(domain) end
---@param domains string[]
---@return string[]
function private_domains(domains) end
---@param server pfar.Template
---@param values table<string, string>
---@return string[] domains
---@return string[] private
function reachable(server, values) end
---@param server pfar.Template
---@param again? any true: also what the vault has already
---@return pfar.Kept[]
function ask_credentials(server, again) end
---@param credentials pfar.Kept[]
---@param values? table<string, string>
---@return table|nil
function auth_of(credentials, values) end
---@param server pfar.Template
---@param values table<string, string>
---@return { command: string, args: string[] }
function put_in_place(server, values) end
---@param server pfar.Template
---@param with { values: table<string, string>, launch: table, domains: string[], private: string[], credentials: pfar.Kept[] }
function write_server(server, with) end
---@param words string
---@return boolean
function is_network_trouble(words) end
---@param server pfar.Template
---@return boolean|nil works
---@return string? why
function try_out(server) end
---@param name string
---@param domain string
---@param credentials any[]
---@return table server for start_and_verify
function http_trial(name, domain, credentials) end
---@param server pfar.Template
---@param credentials pfar.Kept[]
---@return pfar.Tool[] tools
---@return boolean|nil works
function start_and_verify(server, credentials) end
---@param tools pfar.Tool[]
function list_tools(tools) end
---@return string[]
function ask_domains() end
---Folders that a command line names: its words with these in full, and `access` for a server's file.
---@param args string[]
---@return string[]
---@return table?
function ask_folders(args) end

---Words as somebody would type them, the other way round.
---@param words string[]
---@return string
function line_of(words) end

---The words of a command line; one in quotation marks may have blanks in it.
---@param line string
---@return string[]
function words_of(line) end
---@param name string
---@param domains string[] where they may be sent
---@return pfar.Kept[]
function ask_variables(name, domains) end

--- What was answered beforehand, if it fits the question that ask would ask.
---@param answer string
---@param question table
---@return any value  nil if it does not fit
---@return string? why
function checked(answer, question) end
