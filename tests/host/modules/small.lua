-- SPDX-License-Identifier: MIT
-- package: lua-system lua-term lua-readline lua-geoip lua-cyrussasl lua-unbound
-- module: system
-- module: term
-- module: C-readline
-- module: geoip.country
-- module: cyrussasl
-- module: lunbound
-- Modules with few functions, or few that work on every machine.
local system = require "system"
local t0, m0 = system.gettime(), system.monotime()
system.sleep(0.01)
print(system.gettime() > t0, system.monotime() - m0 >= 0.009)

local term = require "term"
print(term.isatty(io.stdout), term.isatty(io.stderr) == term.isatty(io.stderr))
print(term.colors.red("red"), tostring(term.colors.reset))
print((pcall(term.isatty, 1)))

local readline = require "readline"
readline.set_options {keeplines = 10, histfile = "history", auto_add = false}
for i = 1, 20 do readline.add_history("line number " .. i) end
readline.save_history()
local kept = 0
for line in io.lines("history") do kept = kept + 1 end
print("history", kept > 0)
readline.set_complete_list {"alpha", "beta"}

local geoip = require "geoip"
print(geoip.code_by_id(geoip.id_by_code("BR")),
      geoip.name_by_id(geoip.id_by_code("JP")))
print(pcall(require("geoip.country").open, "no such file"))

local sasl = require "cyrussasl"
sasl.client_init()
sasl.server_init("penumbra")
for i = 1, 50 do
  local conn = sasl.client_new("imap", "localhost", nil, nil)
  if i == 1 then print(type(conn), sasl.get_version and true) end
end
collectgarbage()
print(pcall(sasl.client_new))
print(sasl.encode64 and sasl.encode64("hello") or "no encode64")

-- Answers come from the hosts file; nothing leaves the machine.
local hosts = assert(io.open("hosts", "w"))
hosts:write("127.0.0.9 printer.test\n")
hosts:close()
local unbound = require "lunbound"
for i = 1, 3 do
  local ctx = unbound.new {async = false, hoststxt = "hosts",
                           resolvconf = false}
  local answer = ctx:resolve("printer.test", 1, 1)
  print(answer.qname, answer.rcode or answer.status,
        answer[1] and answer[1]:byte(1, -1))
end
collectgarbage()
