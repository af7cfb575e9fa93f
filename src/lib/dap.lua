-- SPDX-License-Identifier: MIT
--
-- dap.lua -- messages of the Debug Adapter Protocol: JSON, and their frames
--
-- The debugger in a program (debugger.lua) and the adapter of the command line
-- (src/cli/adapter.lua) both use it.  In tables made from JSON, null is
-- dap.null.  An empty table becomes an object; dap.array marks an array.

local dap = {}

-- Writing -----------------------------------------------------------------

dap.null = setmetatable({}, {__name = "null"})
local Array = {}

function dap.array(t) return setmetatable(t or {}, Array) end

local escapes = {['"'] = '\\"', ["\\"] = "\\\\"}

-- debugger_text.c escapes the same characters, so that names can be compared.
local function encode_string(s)
  return '"' .. s:gsub('[%c"\\\127]', function(c)
    return escapes[c] or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local encode

local function encode_array(t)
  local out = {}
  for i = 1, #t do out[i] = encode(t[i]) end
  return "[" .. table.concat(out, ",") .. "]"
end

local function encode_object(t)
  local out = {}
  for key, value in pairs(t) do
    out[#out + 1] = encode_string(tostring(key)) .. ":" .. encode(value)
  end
  table.sort(out)
  return "{" .. table.concat(out, ",") .. "}"
end

local function encode_number(n)
  if math.type(n) == "integer" then return ("%d"):format(n) end
  if n ~= n or n == math.huge or n == -math.huge then return "null" end
  return ("%.17g"):format(n)
end

function encode(value)
  local kind = type(value)
  if value == dap.null or value == nil then return "null" end
  if kind == "string" then return encode_string(value) end
  if kind == "number" then return encode_number(value) end
  if kind == "boolean" then return tostring(value) end
  if getmetatable(value) == Array or #value > 0 then
    return encode_array(value)
  end
  return encode_object(value)
end

dap.encode = encode

-- Reading -----------------------------------------------------------------

local DEPTH = 100

local unescapes = {b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
                   ['"'] = '"', ["\\"] = "\\", ["/"] = "/"}

local function fail(at) error("not JSON at byte " .. at, 0) end

local function skip(s, at) return s:find("[^ \t\r\n]", at) or #s + 1 end

-- \uXXXX, perhaps the first half of a pair.
local function decode_unicode(s, at)
  local high = s:match("^%x%x%x%x", at)
  if not high then fail(at) end
  high = tonumber(high, 16)
  if high >= 0xD800 and high < 0xDC00 then
    local low = s:match("^\\u([dD][c-fC-F]%x%x)", at + 4)
    if low then
      local code = 0x10000 + (high - 0xD800) * 0x400 + tonumber(low, 16) - 0xDC00
      return utf8.char(code), at + 10
    end
  end
  if high >= 0xD800 and high < 0xE000 then high = 0xFFFD end
  return utf8.char(high), at + 4
end

local function decode_string(s, at)
  local out, from = {}, at + 1
  while true do
    local stop = s:find('["\\%c]', from)
    if not stop then fail(at) end
    out[#out + 1] = s:sub(from, stop - 1)
    local c = s:sub(stop, stop)
    if c == '"' then return table.concat(out), stop + 1 end
    local escape = s:sub(stop + 1, stop + 1)
    if c ~= "\\" then
      if c ~= "\127" then fail(stop) end
      out[#out + 1], from = c, stop + 1
    elseif escape == "u" then
      out[#out + 1], from = decode_unicode(s, stop + 2)
    else
      out[#out + 1] = unescapes[escape] or fail(stop)
      from = stop + 2
    end
  end
end

local decode_value

local function decode_array(s, at, depth)
  local out = dap.array()
  at = skip(s, at + 1)
  if s:sub(at, at) == "]" then return out, at + 1 end
  while true do
    out[#out + 1], at = decode_value(s, at, depth)
    at = skip(s, at)
    local c = s:sub(at, at)
    if c == "]" then return out, at + 1 end
    if c ~= "," then fail(at) end
    at = skip(s, at + 1)
  end
end

local function decode_object(s, at, depth)
  local out = {}
  at = skip(s, at + 1)
  if s:sub(at, at) == "}" then return out, at + 1 end
  while true do
    local key
    if s:sub(at, at) ~= '"' then fail(at) end
    key, at = decode_string(s, at)
    at = skip(s, at)
    if s:sub(at, at) ~= ":" then fail(at) end
    out[key], at = decode_value(s, skip(s, at + 1), depth)
    at = skip(s, at)
    local c = s:sub(at, at)
    if c == "}" then return out, at + 1 end
    if c ~= "," then fail(at) end
    at = skip(s, at + 1)
  end
end

local words = {["true"] = true, ["false"] = false, null = dap.null}

function decode_value(s, at, depth)
  local c = s:sub(at, at)
  if depth > DEPTH then fail(at) end
  if c == "{" then return decode_object(s, at, depth + 1) end
  if c == "[" then return decode_array(s, at, depth + 1) end
  if c == '"' then return decode_string(s, at) end
  local word = s:match("^%a+", at)
  if word and words[word] ~= nil then return words[word], at + #word end
  local number = s:match("^-?%d[%d.eE+-]*", at)
  if not number or not tonumber(number) then fail(at) end
  return tonumber(number), at + #number
end

-- Returns the value, or raises an error.
function dap.decode(s)
  local value, at = decode_value(s, skip(s, 1), 0)
  if skip(s, at) <= #s then fail(at) end
  return value
end

-- Frames ------------------------------------------------------------------

local MOST_HEADER, MOST_BODY = 4096, 64 * 1024 * 1024

function dap.frame(text)
  return ("Content-Length: %d\r\n\r\n%s"):format(#text, text)
end

-- The length that a header tells.  A browser that was led to this port sends
-- other lines first, and is not listened to.
local function header_length(header)
  local length
  for line in (header .. "\r\n"):gmatch("(.-)\r\n") do
    local name, value = line:match("^([%w-]+): *(.-) *$")
    name = name and name:lower()
    if name == "content-length" then
      length = value:match("^%d+$") and math.tointeger(tonumber(value))
    elseif name ~= "content-type" then
      error("this is not the Debug Adapter Protocol", 0)
    end
  end
  if not length or length > MOST_BODY then error("no good length", 0) end
  return length
end

-- Returns a function that takes bytes as they come and returns the texts of
-- whole messages, one after the other; nil if more bytes are needed.  It raises
-- an error if the bytes are no messages.
function dap.reader()
  local buffer, length = "", nil
  return function(bytes)
    if bytes then buffer = buffer .. bytes end
    if not length then
      local stop, last = buffer:find("\r\n\r\n", 1, true)
      if (stop or #buffer) > MOST_HEADER then error("no header", 0) end
      if not stop then return nil end
      length = header_length(buffer:sub(1, stop - 1))
      buffer = buffer:sub(last + 1)
    end
    if #buffer < length then return nil end
    local text = buffer:sub(1, length)
    buffer, length = buffer:sub(length + 1), nil
    return text
  end
end

-- What this debugger can do, for the response to `initialize`.
function dap.capabilities()
  return {
    supportsConfigurationDoneRequest = true,
    supportsFunctionBreakpoints = true,
    supportsConditionalBreakpoints = true,
    supportsHitConditionalBreakpoints = true,
    supportsLogPoints = true,
    supportsEvaluateForHovers = true,
    supportsSetVariable = true,
    supportsSetExpression = true,
    supportsTerminateRequest = true,
    supportTerminateDebuggee = true,
    supportsLoadedSourcesRequest = true,
    supportsBreakpointLocationsRequest = true,
    supportsExceptionInfoRequest = true,
    supportsDelayedStackTraceLoading = true,
    supportsValueFormattingOptions = false,
    exceptionBreakpointFilters = dap.array {
      {filter = "caught", label = "Caught errors", default = false,
       description = "Stop where an error is raised that pcall, xpcall or "
                     .. "coroutine.resume will catch"},
      {filter = "uncaught", label = "Uncaught errors", default = true,
       description = "Stop where an error is raised that ends the program"},
    },
  }
end

return dap
