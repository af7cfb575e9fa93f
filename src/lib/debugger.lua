-- SPDX-License-Identifier: MIT
--
-- debugger.lua -- the Debug Adapter Protocol, within the program
--
-- Runs in a state of its own.  debugger.c calls the functions on_* and gives it
-- three libraries:
--
--   wire     the connection: read, write, ready, accept, hang_up; errors
--   code     functions of the program and their breakpoints
--   target   the threads, frames and values of the program, as JSON
--
-- A thread has a number as long as it lives.  Frames and variables have numbers
-- until the program goes on.

local dap <const> = dap
local decode <const>, encode <const> = dap.decode, dap.encode

local BIG <const> = 100       -- an array this long is shown in pages
local PAGE <const> = 500      -- fields that are listed at once

-- The connection ----------------------------------------------------------

local reader                  -- of the client's messages; nil: no client
local seq = 0                 -- of the last message to the client

-- What the client has asked for.
local client

local function client_new()
  return {
    line_base = 1,
    breakpoints = {},         -- by path: a list
    functions = {},           -- a list
    configured = false,
    entry = false,            -- stop at the first line
    attached = false,
  }
end

local function send(message)
  seq = seq + 1
  message.seq = seq
  return wire.write(dap.frame(encode(message)))
end

local function event(name, body)
  if reader then send {type = "event", event = name, body = body} end
end

-- Threads -----------------------------------------------------------------

local thread_number = {}      -- by address
local thread_count = 0
local threads                 -- of this pause, by number

local function number_of_thread(address)
  local n = thread_number[address]
  if not n then
    thread_count = thread_count + 1
    n = thread_count
    thread_number[address] = n
  end
  return n
end

-- The threads that have calls.  The address of one that has died may be used
-- again; then its number is, too.
local function threads_find()
  if threads then return threads end
  threads = {}
  local known = {}
  for _, t in ipairs(decode(target.threads())) do
    t.id = number_of_thread(t.address)
    known[t.address] = t.id
    if t.alive then threads[t.id] = t end
    if t.stopped then threads.stopped = t end
  end
  thread_number = known
  return threads
end

-- The ref by which the target knows it; 0 for the thread that has stopped.
local function thread_ref(t) return t.stopped and 0 or t.ref end

-- Sources -----------------------------------------------------------------

local folder = os.getenv("PWD") or ""

-- An absolute path without `.` and `..`.
local function path_normal(path)
  path = path:gsub("\\", "/")
  if not path:find("^/") and not path:find("^%a:") then
    path = folder .. "/" .. path
  end
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return (path:find("^/") and "/" or "") .. table.concat(parts, "/")
end

local text_number = {}        -- of chunks that are texts, by source
local texts = {}              -- by number

-- The Source of a chunk: a file, or a text that the program has loaded.
local function source_of(source, short)
  if source:sub(1, 1) == "@" then
    local path = path_normal(source:sub(2))
    return {name = path:match("[^/]*$"), path = path}
  end
  if source:sub(1, 1) == "=" then
    return {name = short, presentationHint = "deemphasize"}
  end
  local n = text_number[source]
  if not n then
    n = #texts + 1
    texts[n], text_number[source] = source, n
  end
  return {name = short, sourceReference = n}
end

-- By what a client's breakpoints for a source are kept.
local function key_of_source(source)
  if source:sub(1, 1) == "@" then return path_normal(source:sub(2)) end
  return source
end

local function key_of_client(source)
  local text = texts[source.sourceReference or 0]
  return text or (source.path and path_normal(source.path)) or ""
end

-- Variables ---------------------------------------------------------------

local frames = {}             -- by number: {thread, level}
local holders = {}            -- by number: what has variables

local function holder_new(holder)
  holders[#holders + 1] = holder
  return #holders
end

-- The members that describe a value, for a Variable or a response.  `frame` is
-- the one in which expressions for it are evaluated.
local function value_members(v, frame, out)
  out.type = v.type
  out.variablesReference = 0
  if v.ref and (v.type == "table" or v.type == "function"
                or v.type == "userdata") then
    out.variablesReference =
      holder_new {kind = v.type, ref = v.ref, indexed = v.indexed,
                  frame = frame}
    if v.indexed > BIG then
      out.indexedVariables = v.indexed
      out.namedVariables = 1
    end
  end
  return out
end

local function variable(v, frame)
  return value_members(v, frame, {name = v.name, value = v.text})
end

local function add_all(out, list, frame)
  for _, v in ipairs(list) do out[#out + 1] = variable(v, frame) end
end

-- One page of an object, and an entry for the rest.
local function add_page(out, holder, what, start, count)
  local page = decode(target.children(holder.ref, what, start, count))
  add_all(out, page.items, holder.frame)
  return page.more
end

local function add_rest(out, holder, what, start)
  out[#out + 1] = {
    name = "...", value = "more", presentationHint = {kind = "virtual"},
    variablesReference = holder_new {
      kind = "rest", ref = holder.ref, what = what, start = start,
      frame = holder.frame,
    },
  }
end

local list_variables = {}

function list_variables.locals(holder, out)
  local frame = frames[holder.frame]
  add_all(out, decode(target.locals(thread_ref(frame.thread), frame.level)),
          holder.frame)
end

list_variables["function"] = function(holder, out)
  add_page(out, holder, 3, 0, PAGE)
end
list_variables.userdata = list_variables["function"]

function list_variables.table(holder, out, request)
  local start, count = request.start or 0, request.count or 0
  if request.filter ~= "named" and holder.indexed > 0 then
    local all = request.filter == "indexed"
    local most = count > 0 and count or all and holder.indexed or PAGE
    local more = add_page(out, holder, 1, all and start or 0, most)
    if more and not all then add_rest(out, holder, 1, most) end
  end
  if request.filter ~= "indexed" then
    if add_page(out, holder, 2, 0, PAGE) then add_rest(out, holder, 2, PAGE) end
  end
end

function list_variables.rest(holder, out)
  if add_page(out, holder, holder.what, holder.start, PAGE) then
    add_rest(out, holder, holder.what, holder.start + PAGE)
  end
end

-- Code of the user --------------------------------------------------------

-- Where code runs: a frame's thread and level, or none.
local function place_of_frame(id)
  local frame = id and frames[id]
  if not frame then return 0, -1 end
  return thread_ref(frame.thread), frame.level
end

-- Returns the values, or nil and a message.
local function evaluate(frame, code, statements)
  local thread, level = place_of_frame(frame)
  local ok, text = pcall(target.evaluate, thread, level,
                         statements and 1 or 0, code)
  if not ok then return nil, tostring(text) end
  return decode(text)
end

-- At a breakpoint, in the function that has it.
local function evaluate_here(code)
  local ok, text = pcall(target.evaluate, 0, 0, 0, code)
  if not ok then return nil, tostring(text) end
  return decode(text)
end

local function texts_of(values)
  local out = {}
  for i, v in ipairs(values) do out[i] = v.text end
  return table.concat(out, "\t")
end

-- Breakpoints -------------------------------------------------------------

-- The table of a function: source and the line where it begins.
local function find_function(name)
  local ok, text = pcall(target.evaluate, 0, -1, 0,
    ("(function(f) local i = debug.getinfo(f, 'S')"
     .. " return i.source, i.linedefined end)(%s)"):format(name))
  local values = ok and decode(text)
  if not values or #values < 2 then return nil end
  local first = tonumber(values[2].text)
  if not first or first < 0 then return nil end -- a function in C
  local source = values[1].text:match('^"(.*)"$')
  return source and source:gsub("\\(.)", {n = "\n", r = "\r", t = "\t",
                                          ['"'] = '"', ["\\"] = "\\"}), first
end

-- Sets the breakpoints of a list in the functions that code.find has found, or
-- in a chunk that has been loaded.  Tells the client of those that have
-- changed, if `tells`.
local function place_list(list, source, tells)
  for _, b in ipairs(list) do
    local line = code.near(source, b.wanted)
    if line then
      local changed = not b.verified or b.line ~= line
      b.verified, b.line = true, line
      code.place(source, line)
      if changed and tells then
        event("breakpoint", {reason = "changed", breakpoint = {
          id = b.id, verified = true, line = line - 1 + client.line_base,
        }})
      end
    end
  end
end

local function place_functions()
  for _, b in ipairs(client.functions) do
    local source, first = find_function(b.name)
    if source then
      b.verified, b.source, b.first = true, source, first
      code.place(source, 0, first)
    end
  end
end

-- Sets all breakpoints anew.
local function place_all()
  code.find()
  code.clear()
  for source in pairs(code.sources()) do
    local list = client.breakpoints[key_of_source(source)]
    if list then place_list(list, source, false) end
  end
  place_functions()
end

local breakpoint_count = 0

local function breakpoint_new(request)
  breakpoint_count = breakpoint_count + 1
  local function text(s) return s and s ~= dap.null and s ~= "" and s or nil end
  return {
    id = breakpoint_count,
    wanted = (request.line or 0) + 1 - client.line_base,
    name = request.name,
    condition = text(request.condition),
    hit_condition = text(request.hitCondition),
    log = text(request.logMessage),
    hits = 0,
    verified = false,
  }
end

local comparisons = {
  ["="] = function(a, b) return a == b end,
  ["=="] = function(a, b) return a == b end,
  [">"] = function(a, b) return a > b end,
  [">="] = function(a, b) return a >= b end,
  ["<"] = function(a, b) return a < b end,
  ["<="] = function(a, b) return a <= b end,
  ["%"] = function(a, b) return b > 0 and a % b == 0 end,
}

-- "5" means from the fifth time on; otherwise a comparison, or "% 3".
local function hits_suffice(b)
  if not b.hit_condition then return true end
  local operator, number = b.hit_condition:match("^%s*([=<>%%]*)%s*(%d+)%s*$")
  if not number then return true end
  local compare = operator == "" and comparisons[">="] or comparisons[operator]
  return not compare or compare(b.hits, math.tointeger(tonumber(number)))
end

local function output(text, category)
  event("output", {category = category or "console", output = text})
end

-- "{expression}" in a log message is its value.
local function log(b)
  local text = b.log:gsub("%b{}", function(part)
    local values, message = evaluate_here(part:sub(2, -2))
    return values and texts_of(values) or "<" .. message .. ">"
  end)
  output(text .. "\n")
end

-- True if the program stops at this breakpoint.
local function breakpoint_stops(b)
  if b.condition then
    local values, message = evaluate_here(b.condition)
    if not values then
      output(("condition of a breakpoint: %s\n"):format(message), "important")
      return true
    end
    if not values[1] or not values[1].truth then return false end
  end
  b.hits = b.hits + 1
  if not hits_suffice(b) then return false end
  if b.log then
    log(b)
    return false
  end
  return true
end

local hit                     -- the numbers of breakpoints that stopped it
local hit_line                -- one of them is that of a line

-- Called at a breakpoint.  `line` is 0 if none can be for this line, `first` is
-- -1 if it is not the beginning of the function.
function on_break(source, line, first)
  hit = dap.array()
  for _, b in ipairs(client.breakpoints[key_of_source(source)] or {}) do
    if b.verified and b.line == line and breakpoint_stops(b) then
      hit[#hit + 1] = b.id
    end
  end
  hit_line = #hit > 0
  for _, b in ipairs(client.functions) do
    if b.source == source and b.first == first and breakpoint_stops(b) then
      hit[#hit + 1] = b.id
    end
  end
  return #hit > 0
end

-- A chunk has been loaded.
function on_load()
  for source in pairs(code.sources()) do
    local list = client.breakpoints[key_of_source(source)]
    if list then place_list(list, source, true) end
    if client.configured then
      local short = source:sub(1, 1):find("[@=]") and source:sub(2) or source
      event("loadedSource", {reason = "new",
                             source = source_of(source, short:sub(1, 60))})
    end
  end
end

-- Requests ----------------------------------------------------------------

local handle = {}
local going                   -- how the program goes on; nil: it does not yet
local exception               -- the text of the error that stopped it
local pausing = false
local entering = false        -- the next stop is where the client comes in

local no_body = {}

function handle.initialize(arguments)
  client.line_base = arguments.linesStartAt1 == false and 0 or 1
  return dap.capabilities()
end

local function begin(arguments)
  client.entry = arguments.stopOnEntry == true
  client.attached = true
  return no_body, function() event("initialized") end
end

function handle.attach(arguments) return begin(arguments) end
function handle.launch(arguments) return begin(arguments) end

-- A program that has met a breakpoint before this stays there.
function handle.configurationDone()
  client.configured = true
  return no_body
end

local function breakpoint_answer(b)
  return {
    id = b.id, verified = b.verified,
    line = b.wanted and (b.verified and b.line or b.wanted) - 1
           + client.line_base,
    message = not b.verified and "no code at this line has been loaded yet"
              or nil,
  }
end

function handle.setBreakpoints(arguments)
  local list, answer = {}, dap.array()
  for i, wanted in ipairs(arguments.breakpoints or {}) do
    list[i] = breakpoint_new(wanted)
  end
  client.breakpoints[key_of_client(arguments.source)] = list
  place_all()
  for i, b in ipairs(list) do answer[i] = breakpoint_answer(b) end
  return {breakpoints = answer}
end

function handle.setFunctionBreakpoints(arguments)
  local answer = dap.array()
  client.functions = {}
  for i, wanted in ipairs(arguments.breakpoints or {}) do
    client.functions[i] = breakpoint_new(wanted)
    client.functions[i].wanted = nil
  end
  place_all()
  for i, b in ipairs(client.functions) do
    answer[i] = {id = b.id, verified = b.verified,
                 message = not b.verified
                           and "there is no such function yet" or nil}
  end
  return {breakpoints = answer}
end

function handle.setExceptionBreakpoints(arguments)
  local on = {}
  for _, filter in ipairs(arguments.filters or {}) do on[filter] = true end
  wire.errors(on.caught == true, on.uncaught == true)
  return no_body
end

-- All sources of the program whose key is that one.
local function sources_with_key(key)
  local found = {}
  code.find()
  for source in pairs(code.sources()) do
    if key_of_source(source) == key then found[#found + 1] = source end
  end
  return found
end

function handle.breakpointLocations(arguments)
  local out, seen = dap.array(), {}
  local from = arguments.line + 1 - client.line_base
  local to = (arguments.endLine or arguments.line) + 1 - client.line_base
  for _, source in ipairs(sources_with_key(key_of_client(arguments.source))) do
    local lines = code.lines(source)
    for line = from, to do
      if lines[line] and not seen[line] then
        seen[line] = true
        out[#out + 1] = {line = line - 1 + client.line_base}
      end
    end
  end
  return {breakpoints = out}
end

function handle.threads()
  local out = dap.array()
  for id, t in pairs(threads_find()) do
    if id ~= "stopped" then
      out[#out + 1] = {id = id, name = t.main and "main"
                       or ("coroutine %s"):format(t.address)}
    end
  end
  table.sort(out, function(a, b) return a.id < b.id end)
  return {threads = out}
end

local function frame_name(f)
  if f.what == "main" then return "main chunk" end
  if f.name then return f.name end
  if f.what == "C" then return "[C]" end
  return ("function <%s:%d>"):format(f.short, f.first)
end

local function frame_new(t, f)
  frames[#frames + 1] = {thread = t, level = f.level}
  local out = {id = #frames, name = frame_name(f), column = client.line_base,
               line = math.max(f.line, 1) - 1 + client.line_base}
  if f.what == "C" then
    out.line, out.column, out.presentationHint = 0, 0, "subtle"
  else
    out.source = source_of(f.source, f.short)
  end
  return out
end

function handle.stackTrace(arguments)
  local t = threads_find()[arguments.threadId]
  if not t then error("there is no such thread", 0) end
  local start, levels = arguments.startFrame or 0, arguments.levels or 0
  local list = decode(target.stack(thread_ref(t), start, levels))
  local out = dap.array()
  for i, f in ipairs(list) do out[i] = frame_new(t, f) end
  local more = levels > 0 and #out == levels and 1 or 0
  return {stackFrames = out, totalFrames = start + #out + more}
end

function handle.scopes(arguments)
  local frame = frames[arguments.frameId]
  if not frame then error("there is no such frame", 0) end
  local id = arguments.frameId
  local f = decode(target.func(thread_ref(frame.thread), frame.level))
  local g = decode(target.globals())
  return {scopes = dap.array {
    {name = "Locals", presentationHint = "locals", expensive = false,
     variablesReference = holder_new {kind = "locals", frame = id}},
    {name = "Upvalues", expensive = false,
     variablesReference = holder_new {kind = "function", ref = f.ref,
                                      frame = id}},
    {name = "Globals", expensive = true,
     variablesReference = holder_new {kind = "table", ref = g.ref,
                                      indexed = g.indexed, frame = id}},
  }}
end

local function holder_of(arguments)
  local holder = holders[arguments.variablesReference]
  if not holder then error("these variables are no longer known", 0) end
  return holder
end

function handle.variables(arguments)
  local holder, out = holder_of(arguments), dap.array()
  list_variables[holder.kind](holder, out, arguments)
  return {variables = out}
end

-- The number of a local variable, the last of that name, or of an upvalue.
local function number_of_variable(holder, name)
  local list
  if holder.kind == "locals" then
    local frame = frames[holder.frame]
    list = decode(target.locals(thread_ref(frame.thread), frame.level))
  elseif holder.kind == "table" or holder.kind == "rest" then
    return 0
  else
    list = decode(target.children(holder.ref, 3, 0, 0)).items
  end
  for i = #list, 1, -1 do
    if list[i].name == name then return list[i].n end
  end
  error("there is no such variable", 0)
end

function handle.setVariable(arguments)
  local holder, name = holder_of(arguments), arguments.name
  local thread, level = place_of_frame(holder.frame)
  local n = number_of_variable(holder, name)
  local v = decode(target.assign(thread, level, holder.ref or 0, n,
                                 arguments.value, encode(name):sub(2, -2)))
  return value_members(v, holder.frame, {value = v.text})
end

function handle.setExpression(arguments)
  local values, message = evaluate(arguments.frameId,
    ("%s = %s"):format(arguments.expression, arguments.value), true)
  if not values then error(message, 0) end
  values = evaluate(arguments.frameId, arguments.expression)
  local v = values and values[1] or {text = arguments.value}
  return value_members(v, arguments.frameId, {value = v.text})
end

function handle.evaluate(arguments)
  local console = arguments.context == "repl" or not arguments.context
  local values, message =
    evaluate(arguments.frameId, arguments.expression, console)
  if not values then error(message, 0) end
  local out = {result = texts_of(values), variablesReference = 0}
  if #values == 0 and not console then out.result = "nil" end
  if #values == 1 then value_members(values[1], arguments.frameId, out) end
  return out
end

function handle.exceptionInfo()
  return {exceptionId = "error", description = exception or "",
          breakMode = "always"}
end

function handle.source(arguments)
  local reference = arguments.sourceReference
                    or (arguments.source or {}).sourceReference
  local text = texts[reference or 0]
  if not text then error("there is no text of this source", 0) end
  return {content = text, mimeType = "text/x-lua"}
end

function handle.loadedSources()
  local out = dap.array()
  code.find()
  for source in pairs(code.sources()) do
    out[#out + 1] = source_of(source, source:sub(1, 60))
  end
  return {sources = out}
end

-- Gives a function the code that its file has now.  `line` is one of its lines.
handle["penumbra/reload"] = function(arguments)
  local path = key_of_client(arguments.source or {})
  local file <close> = assert(io.open(path, "rb"))
  local text = file:read("a")
  if text:sub(1, 1) == "#" then text = "--" .. text end
  local line, count = arguments.line + 1 - client.line_base, 0
  for _, source in ipairs(sources_with_key(path)) do
    count = count + math.tointeger(code.reload(line, text, source))
  end
  place_all()
  if count == 0 then error("the program has not loaded this file", 0) end
  return {functions = count}
end

-- Only one thread of the program runs at a time, so all stop and go together.
local function resume(how)
  return function()
    going = how
    return {allThreadsContinued = true}
  end
end

handle["continue"] = resume("continue")
handle.next = resume("over")
handle.stepIn = resume("in")
handle.stepOut = resume("out")

function handle.pause()
  pausing = true
  return no_body
end

-- The client leaves, and the program goes on without breakpoints.
local function detach()
  reader, client = nil, client_new()
  pcall(code.find)
  pcall(code.clear)
  wire.errors(false, false)
  wire.hang_up()
  going = "continue"
end

function handle.disconnect(arguments)
  return no_body, function()
    local ends = arguments.terminateDebuggee == true
    detach()
    if ends then os.exit(0) end
  end
end

function handle.terminate()
  return no_body, function()
    event("terminated")
    os.exit(0)
  end
end

-- Which requests need a program that has stopped: those that look at it.
local needs_stop = {}
for name in ([[stackTrace scopes variables setVariable setExpression
               exceptionInfo continue next stepIn stepOut]]):gmatch("%S+") do
  needs_stop[name] = true
end
local stopped = false

local function answer(request)
  local arguments = request.arguments
  if type(arguments) ~= "table" or arguments == dap.null then arguments = {} end
  local handler = handle[request.command]
  if not handler then error("unknown request", 0) end
  if needs_stop[request.command] and not stopped then
    error("the program is running", 0)
  end
  return handler(arguments)
end

-- Answers one message of the client.
local function serve(text)
  local request = decode(text)
  if type(request) ~= "table" or request.type ~= "request" then return end
  local ok, body, after = pcall(answer, request)
  local response = {type = "response", request_seq = request.seq,
                    command = request.command, success = ok}
  if ok then
    response.body = body
  else
    response.message = tostring(body)
    response.body = {error = {id = 1, format = "{_text}", showUser = false,
                              variables = {_text = tostring(body)}}}
  end
  send(response)
  if ok and after then after() end
end

-- Waits for bytes of the client and answers.  False if the client has gone, or
-- has sent something else than messages.
local function serve_some()
  local bytes = wire.read()
  local ok, problem = bytes ~= nil, nil
  while ok and reader do
    local text
    ok, text = pcall(reader, bytes)
    bytes = nil
    if not ok then problem = text end
    if not ok or not text then break end
    ok, problem = pcall(serve, text)
  end
  if problem then output(("%s\n"):format(problem), "important") end
  if not ok then detach() end
  return ok
end

-- Events of the program ---------------------------------------------------

local function forget()
  threads, frames, holders = nil, {}, {}
end

local function meet()
  reader = dap.reader()
end

-- True if the client wants to see where the program is, to begin with.
local function enters()
  if not client.entry or not client.configured then return false end
  client.entry, entering = false, true
  return true
end

-- Waits until a client has set its breakpoints.  True: stop at the first line.
function on_wait()
  while not client.configured do
    if not reader then
      if not wire.accept(true) then return false end
      meet()
    end
    serve_some()
  end
  going = nil
  return enters()
end

-- The client has sent something while the program runs.  True: it wants the
-- program to stop.
function on_input()
  pausing = false
  if not reader and wire.accept(false) then meet() end
  while reader and wire.ready() do serve_some() end
  forget()
  going = nil
  return reader and (enters() or pausing)
end

-- The program has stopped.  Returns how it goes on.  `text` is JSON, or nil.
function on_stop(reason, text)
  if not reader then return "continue" end
  forget()
  text = text and decode(text)
  stopped, going, exception = true, nil, text
  if entering then reason, entering = "entry", false end
  local body = {reason = reason, allThreadsStopped = true,
                threadId = threads_find().stopped.id, text = text}
  if reason == "breakpoint" then
    body.hitBreakpointIds = hit
    if not hit_line then body.reason = "function breakpoint" end
  end
  event("stopped", body)
  while not going and reader do serve_some() end
  stopped = false
  forget()
  return going
end

-- The state of the program is closed.
function on_end()
  event("terminated")
end

client = client_new()
