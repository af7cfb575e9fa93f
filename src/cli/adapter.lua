-- SPDX-License-Identifier: MIT
--
-- adapter.lua -- the process between an editor and a program
--
-- It starts the program (launch) or connects to one that runs (attach).  From
-- then on it passes messages on.  The program's output and its end become
-- events.  `process` has functions of the system, see adapter.c.

local encode <const>, decode <const> = dap.encode, dap.decode

local client_in, client_out   -- descriptors
local client_reader = dap.reader()
local interpreter
local finished = false

local seq = 0

-- Sends a message to the editor.  `text` is JSON that begins with its number.
local function send_text(text)
  seq = seq + 1
  text = text:gsub('"seq":%d+', '"seq":' .. seq, 1)
  if not process.write(client_out, dap.frame(text)) then finished = true end
end

local function send(message)
  message.seq = 0
  send_text(encode(message))
end

local function event(name, body)
  send {type = "event", event = name, body = body}
end

local function respond(request, body)
  send {type = "response", request_seq = request.seq, success = true,
        command = request.command, body = body or {}}
end

local function refuse(request, message)
  send {type = "response", request_seq = request.seq, success = false,
        command = request.command, message = message,
        body = {error = {id = 1, format = "{_text}", showUser = true,
                         variables = {_text = message}}}}
end

-- The program -------------------------------------------------------------

local program                 -- {pid, stdout, stderr, socket}, or nil
local first_messages          -- of the editor, for the program

-- Output ------------------------------------------------------------------

-- A message must be UTF-8.  Other bytes become \xNN.  Returns the text, and the
-- beginning of a character that is not complete.
local function clean(bytes)
  local out, at = {}, 1
  while at <= #bytes do
    local length, wrong = utf8.len(bytes, at)
    if length then
      out[#out + 1] = bytes:sub(at)
      break
    end
    out[#out + 1] = bytes:sub(at, wrong - 1)
    local rest = bytes:sub(wrong)
    if #rest < 4 and rest:find("^[\xC2-\xF4][\x80-\xBF]*$") then
      return table.concat(out), rest
    end
    out[#out + 1] = ("\\x%02X"):format(rest:byte())
    at = wrong + 1
  end
  return table.concat(out), ""
end

local incomplete = {stdout = "", stderr = ""}

-- Passes on what there is.  False at the end of the output.
local function output(category)
  local bytes = process.read(program[category])
  local text, rest = clean(incomplete[category] .. (bytes or ""))
  if not bytes then text, rest = text .. rest, "" end
  incomplete[category] = rest
  if text ~= "" then event("output", {category = category, output = text}) end
  if bytes then return true end
  process.close(program[category])
  program[category] = nil
  return false
end

-- The program's own messages ----------------------------------------------

local function forward_text(text)
  local message = decode(text)
  if message.type == "response" and message.command == "initialize" then
    return -- the editor has had one
  end
  if program.pid and message.event == "terminated" then return end
  send_text(text)
end

-- False when the program has ended the connection.
local function forward()
  local bytes = process.read(program.socket)
  local ok, text = bytes ~= nil, nil
  while ok do
    ok, text = pcall(program.reader, bytes)
    bytes = nil
    if not ok or not text then break end
    forward_text(text)
  end
  if ok then return true end
  process.close(program.socket)
  program.socket = nil
  return false
end

local function to_program(text)
  if program.socket then process.write(program.socket, dap.frame(text)) end
end

-- Its end -----------------------------------------------------------------

local function drain()
  for _, category in ipairs {"stdout", "stderr"} do
    while program[category]
          and #process.poll({program[category]}, 0) > 0 do
      output(category)
    end
  end
end

local function finish(code)
  drain()
  if code then event("exited", {exitCode = code}) end
  event("terminated")
  program = nil
end

local function kill()
  if not program or not program.pid then return end
  process.kill(program.pid)
  finish(process.wait(program.pid, true))
end

-- Requests ----------------------------------------------------------------

local function words_of(value)
  if value == nil or value == dap.null then return {} end
  if type(value) == "table" then return value end
  return {value}
end

-- The command that runs a program.
local function command_of(arguments, debugs)
  local runtime = arguments.runtimeExecutable
  local words = {type(runtime) == "string" and runtime or interpreter}
  for _, word in ipairs(words_of(arguments.runtimeArgs)) do
    words[#words + 1] = tostring(word)
  end
  if debugs then words[#words + 1] = "--debug=fd:3" end
  words[#words + 1] = "--"
  words[#words + 1] = arguments.program
  for _, word in ipairs(words_of(arguments.args)) do
    words[#words + 1] = tostring(word)
  end
  return words
end

local function settings_of(arguments)
  local settings = {}
  for name, value in pairs(words_of(arguments.env)) do
    settings[#settings + 1] =
      ("%s=%s"):format(name, value == dap.null and "" or value)
  end
  local folder = arguments.cwd
  folder = type(folder) == "string" and folder or ""
  if folder ~= "" then settings[#settings + 1] = "PWD=" .. folder end
  return settings, folder
end

local function start(arguments)
  local debugs = arguments.noDebug ~= true
  if type(arguments.program) ~= "string" then
    return nil, "launch needs a 'program'"
  end
  local settings, folder = settings_of(arguments)
  local pid, stdout, stderr, socket =
    process.spawn(command_of(arguments, debugs), settings, folder)
  if not pid then return nil, stdout end
  return {pid = pid, stdout = stdout, stderr = stderr, socket = socket,
          reader = dap.reader(), debugs = debugs}
end

local handle = {}

function handle.initialize(request, text)
  first_messages = {text}
  respond(request, dap.capabilities())
end

-- The program gets `initialize` and this request.
local function introduce(request, text)
  if not program.debugs then
    respond(request)
    event("initialized")
    return
  end
  for _, message in ipairs(first_messages or {}) do to_program(message) end
  to_program(text)
end

function handle.launch(request, text)
  local problem
  program, problem = start(request.arguments or {})
  if not program then return refuse(request, problem) end
  introduce(request, text)
end

function handle.attach(request, text)
  local arguments = request.arguments or {}
  local port = math.tointeger(arguments.port)
  if not port then return refuse(request, "attach needs a 'port'") end
  local ok, socket, problem =
    pcall(process.connect, arguments.host or "127.0.0.1", port)
  if not ok or not socket then
    return refuse(request, ("cannot connect to port %d: %s")
                           :format(port, ok and problem or socket))
  end
  program = {socket = socket, reader = dap.reader(), debugs = true}
  introduce(request, text)
end

-- A program that was launched ends with its editor, unless that says otherwise.
function handle.disconnect(request, text)
  local arguments = request.arguments or {}
  if program and program.socket and program.debugs
     and (not program.pid or arguments.terminateDebuggee == false) then
    to_program(text)
    program.pid = nil
    program.leaving = true
    return
  end
  kill()
  respond(request)
  finished = true
end

function handle.terminate(request, text)
  if program and not program.pid then return to_program(text) end
  respond(request)
  kill()
end

local always = {disconnect = true, terminate = true, initialize = true}

local function serve(text)
  local request = decode(text)
  if type(request) ~= "table" or request.type ~= "request" then return end
  if type(request.arguments) ~= "table" then request.arguments = nil end
  if always[request.command] or not program and handle[request.command] then
    handle[request.command](request, text)
  elseif program and program.debugs then
    to_program(text)
  elseif program then
    respond(request)
  else
    refuse(request, "no program has been launched")
  end
end

-- False when the editor has gone, or sends something else than messages.
local function listen()
  local bytes = process.read(client_in)
  local ok, text, problem = bytes ~= nil, nil, nil
  while ok and not finished do
    ok, text = pcall(client_reader, bytes)
    bytes = nil
    if not ok then problem = text end
    if not ok or not text then break end
    ok, problem = pcall(serve, text)
  end
  if problem then
    io.stderr:write("debug adapter: ", tostring(problem), "\n")
  end
  return ok
end

-- The loop ----------------------------------------------------------------

-- The descriptors to wait for, and what to do then.
local function sources()
  local list, act = {client_in}, {[client_in] = listen}
  local function add(fd, f, ...)
    local argument = ...
    if fd then
      list[#list + 1] = fd
      act[fd] = function() f(argument) return true end
    end
  end
  if program then
    add(program.stdout, output, "stdout")
    add(program.stderr, output, "stderr")
    add(program.socket, forward)
  end
  return list, act
end

local CHECK <const> = 100     -- milliseconds

-- Has the program ended?
local function check_end()
  if not program then return end
  if program.pid then
    local code = process.wait(program.pid)
    if code then
      while program.socket and #process.poll({program.socket}, 0) > 0 do
        forward()
      end
      finish(code)
    end
  elseif not program.socket then
    if program.leaving then finished = true end
    finish()
  end
end

local function run(in_fd, out_fd)
  client_in, client_out = in_fd, out_fd
  while not finished do
    local list, act = sources()
    for _, fd in ipairs(process.poll(list, program and CHECK or -1)) do
      if program or fd == client_in then
        if act[fd]() == false then finished = true end
      end
    end
    check_end()
  end
  kill()
end

return function(path, port)
  interpreter = path
  if port < 0 then return run(0, 1) end
  local fd, problem = process.serve(port, function(used)
    io.stderr:write(("%s: debug adapter on port %d\n"):format(path, used))
  end)
  if not fd then error(problem, 0) end
  run(fd, fd)
end
