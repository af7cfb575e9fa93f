-- SPDX-License-Identifier: MIT
-- package: lua-socket
-- module: socket
-- LuaSocket on the loopback interface: TCP, UDP, Unix, select, HTTP, filters.
local socket = require "socket"

local function server()
  local s = assert(socket.bind("127.0.0.1", 0, 128))
  s:settimeout(300)
  local _, port = s:getsockname()
  return s, port
end

-- TCP, with both ends in one process.
local s, port = server()
local c = assert(socket.connect("127.0.0.1", port))
local peer = assert(s:accept())
c:settimeout(300) peer:settimeout(300)
for i = 1, 500 do
  assert(c:send("line " .. i .. "\n"))
  assert(peer:receive("*l") == "line " .. i)
end
assert(peer:send(("x"):rep(30000)))
print(#c:receive(30000), (c:getstats()))
peer:close()
print(c:receive("*l"))
print(pcall(peer.send, peer, "x"))
c:close()

-- UDP.
local u, v = assert(socket.udp()), assert(socket.udp())
u:settimeout(300) v:settimeout(300)
assert(u:setsockname("127.0.0.1", 0))
local _, uport = u:getsockname()
for i = 1, 200 do
  v:sendto("datagram " .. i, "127.0.0.1", uport)
  local data, from = u:receivefrom()
  assert(data == "datagram " .. i and from == "127.0.0.1")
end
print("udp ok", v:setpeername("127.0.0.1", uport), v:send("connected"),
      u:receive())
u:close() v:close()

-- select over many connections, served by coroutines.
local clients, served = {}, 0
for i = 1, 40 do
  clients[i] = assert(socket.connect("127.0.0.1", port))
  clients[i]:settimeout(0)
end
local handlers, sockets = {}, {}
for i = 1, 40 do
  local h = s:accept()
  h:settimeout(0)
  sockets[i] = h
  handlers[h] = coroutine.wrap(function()
    local pending = ""
    while true do
      local line, err, part = h:receive("*l", pending)
      if line then
        pending = ""
        h:send(line:upper() .. "\n")
        served = served + 1
      elseif err == "closed" then
        return true
      else
        pending = part
        coroutine.yield()
      end
    end
  end)
end
for round = 1, 20 do
  for i, cl in ipairs(clients) do cl:send("hello " .. i .. "\n") end
  local waiting = #clients
  local got = {}
  while waiting > 0 do
    local ready = socket.select(sockets, nil, 0.2)
    for _, h in ipairs(ready) do handlers[h]() end
    local back = socket.select(clients, nil, 0)
    for _, cl in ipairs(back) do
      local line, err, part = cl:receive("*l", got[cl])
      got[cl] = part
      if line then waiting = waiting - 1 end
    end
  end
end
print("served", served)
for _, cl in ipairs(clients) do cl:close() end
handlers, sockets = nil, nil

-- Sockets that are not closed: finalizers return the descriptors.
local function descriptors()
  local open, fds = 0, io.popen("ls /proc/$PPID/fd")
  if fds then for _ in fds:lines() do open = open + 1 end fds:close() end
  return open
end
local before = descriptors()
for i = 1, 600 do
  local a = assert(socket.tcp())
  a:settimeout(1)
  local b = assert(socket.connect("127.0.0.1", port))
  local d = assert(s:accept())
  if i % 50 == 0 then collectgarbage() end
end
collectgarbage()
print("descriptors stay few", descriptors() < before + 170)

-- HTTP: our own server in one coroutine; the client uses sources, sinks and
-- pumps.
local http, ltn12 = require "socket.http", require "ltn12"
local function serve_one()
  local h = assert(s:accept())
  h:settimeout(300)
  local request = h:receive("*l")
  local length = 0
  repeat
    local line = h:receive("*l")
    length = tonumber(line:match("^[Cc]ontent%-[Ll]ength:%s*(%d+)")) or length
  until line == ""
  local body = length > 0 and h:receive(length) or ""
  h:send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Seen: "
         .. request:match("^%S+ %S+") .. "\r\n\r\n")
  for i = 1, 20 do
    h:send(("%x\r\n%010d%s\r\n"):format(#body + 10, i, body))
  end
  h:send("0\r\n\r\n")
  h:close()
end
-- Both ends in one thread: the client's socket is wrapped so that the server
-- runs when the client first waits for an answer.
local function create()
  local tcp = assert(socket.tcp())
  local answered = false
  return setmetatable({}, {__index = function(_, name)
    return function(_, ...)
      if name == "receive" and not answered then
        answered = true
        serve_one()
      end
      return tcp[name](tcp, ...)
    end
  end})
end
for round = 1, 5 do
  local chunks = {}
  local ok, code, headers = http.request {
    url = "http://127.0.0.1:" .. port .. "/path", method = "POST",
    source = ltn12.source.string(("b"):rep(1000)),
    headers = {["content-length"] = "1000"},
    sink = ltn12.sink.table(chunks), create = create,
  }
  print(ok, code, headers["x-seen"], #table.concat(chunks))
end

-- Filters: mime.core.
local mime = require "mime"
local text = ("Penumbra, \xe9t\xe9 & more\r\n"):rep(40)
local encode = ltn12.filter.chain(mime.encode("base64"), mime.wrap("base64"))
local decode = mime.decode("base64")
local out = {}
ltn12.pump.all(ltn12.source.chain(ltn12.source.string(text), encode),
               ltn12.sink.chain(decode, (ltn12.sink.table(out))))
print(table.concat(out) == text, (mime.b64("hello")), (mime.qp("a=\xe9")))

-- Unix domain.
local unix = require "socket.unix"
local path = os.tmpname()
os.remove(path)
local us = unix.stream and unix.stream() or unix()
assert(us:bind(path))
assert(us:listen())
local uc = unix.stream and unix.stream() or unix()
assert(uc:connect(path))
local ua = us:accept()
uc:send("over a path\n")
print(ua:receive())
os.remove(path)

print(socket.url == nil, require("socket.url").parse("http://h:1/p?q#f").query)
print(socket.dns.toip("127.0.0.1"), socket.connect("127.0.0.1", 1))
print(type(socket.gettime()), socket.try == nil,
      pcall(socket.protect(function() socket.try(nil, "caught") end)))
