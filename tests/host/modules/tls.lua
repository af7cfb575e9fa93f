-- SPDX-License-Identifier: MIT
-- package: lua-sec lua-luaossl lua-socket
-- module: ssl
-- module: openssl.x509
-- module: socket
-- TLS on the loopback interface with LuaSec, and luaossl: keys, certificates,
-- digests, ciphers.
local pkey, x509 = require "openssl.pkey", require "openssl.x509"
local name, digest = require "openssl.x509.name", require "openssl.digest"
local bignum, cipher = require "openssl.bignum", require "openssl.cipher"
local hmac, rand = require "openssl.hmac", require "openssl.rand"

local function hex(s)
  return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end
print(hex(digest.new("sha256"):update("abc"):final()))
print(hex(hmac.new("key", "sha1"):final("text")))
print(tostring(bignum.new(2) ^ 100 * 3 // 7))
local c = cipher.new("aes-128-cbc"):encrypt(("k"):rep(16), ("i"):rep(16))
local secret = c:final("some text")
local d = cipher.new("aes-128-cbc"):decrypt(("k"):rep(16), ("i"):rep(16))
print(d:final(secret))
print(#rand.bytes(20))
for i = 1, 300 do digest.new("md5"):update("x" .. i) end
collectgarbage()

local key = pkey.new {type = "EC", curve = "prime256v1"}
local cert = x509.new()
local subject = name.new()
subject:add("CN", "localhost")
cert:setVersion(3)
cert:setSerial(bignum.new(7))
cert:setSubject(subject)
cert:setIssuer(subject)
cert:setLifetime(os.time() - 60, os.time() + 3600)
cert:setPublicKey(key)
cert:sign(key)
print(tostring(cert:getSubject()), cert:getVersion(), cert:isIssuedBy(cert))
local function save(file, text)
  local f <close> = assert(io.open(file, "w"))
  f:write(text)
end
save("key.pem", key:toPEM("private"))
save("cert.pem", tostring(cert))

local ssl, socket = require "ssl", require "socket"
local server_context = assert(ssl.newcontext {mode = "server", protocol = "any",
  key = "key.pem", certificate = "cert.pem"})
local client_context = assert(ssl.newcontext {mode = "client", protocol = "any",
  cafile = "cert.pem", verify = "peer"})
local s = assert(socket.bind("127.0.0.1", 0))
local _, port = s:getsockname()

-- Both ends in one thread: they continue their handshakes in turn.
local function connect()
  local a = assert(socket.connect("127.0.0.1", port))
  local b = assert(s:accept())
  a = assert(ssl.wrap(a, client_context))
  b = assert(ssl.wrap(b, server_context))
  a:settimeout(0) b:settimeout(0)
  local a_done, b_done
  for _ = 1, 60000 do
    a_done = a_done or a:dohandshake()
    b_done = b_done or b:dohandshake()
    if a_done and b_done then break end
    socket.sleep(0.001)  -- the system may need time to deliver
  end
  assert(a_done and b_done)
  a:settimeout(300) b:settimeout(300)
  return a, b
end
local total = 0
for round = 1, 8 do
  local a, b = connect()
  for i = 1, 20 do
    a:send("secret " .. i .. "\n")
    assert(b:receive() == "secret " .. i)
    b:send(("z"):rep(1000))
    total = total + #a:receive(1000)
  end
  if round == 1 then
    local peer = a:getpeercertificate()
    print(peer:subject()[1].value, peer:validat(os.time()), a:info("protocol"))
  end
  if round % 2 == 0 then a:close() b:close() end
end
print(total)
collectgarbage() collectgarbage()
print(pcall(ssl.newcontext, {mode = "neither"}))
print((ssl.newcontext {mode = "client", protocol = "any",
                       cafile = "none.pem"}) == nil)
