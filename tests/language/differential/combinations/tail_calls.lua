-- Tail calls from vararg functions to functions with more or fewer parameters,
-- and everything that they leave on the stack.
local function show(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = tostring(t[i]) end
  return "(" .. table.concat(t, " ") .. ")"
end

local function names(prefix, n)
  local t = {}
  for i = 1, n do t[i] = prefix .. i end
  return t
end
local function list(...)
  return table.concat({...}, ", ")
end

for fixed = 0, 3 do
  for given = 0, 5 do
    for wanted = 0, 4 do
      for _, dots in ipairs {false, true} do
        local p = names("p", fixed)
        p[#p + 1] = "..."
        local q = names("q", wanted)
        if dots then q[#q + 1] = "..." end
        local inside = #q > 0 and table.concat(q, ", ") or ""
        local values = table.concat(names("'v", given), "', ") .. (given > 0 and "'" or "")
        local code = ([[
          local show = ...
          local function g(%s)
            local a, b, c
            local r = show(%s)
            return r, a, b, c
          end
          local function f(%s)
            local x = "x"
            local keep = function() return x end
            return g(%s)
          end
          local function h(...) return f(...) end
          return show(f(%s)), show(h(%s))]]):format(
            table.concat(q, ", "), inside, table.concat(p, ", "),
            "%s", values, values)
        for _, args in ipairs {"...", "'first', ...", "", "(...)", "x, x, ..."} do
          print(fixed, given, wanted, dots, args, assert(load((code:gsub("%%s", args))))(show))
        end
      end
    end
  end
end

-- Deep tail calls, with a different number of arguments each time.
local function loop(n, ...)
  if n == 0 then return select("#", ...), ... end
  if n % 3 == 0 then return loop(n - 1, n, ...) end
  if n % 3 == 1 then return loop(n - 1) end
  return loop(n - 1, ..., n)
end
for n = 0, 30 do print(n, loop(n, "a", "b")) end

-- Through metamethods, coroutines and C functions.
local callable = setmetatable({}, {__call = function(self, ...) return select("#", ...), ... end})
local function through(f, ...) return f(...) end
for n = 0, 4 do
  local args = {table.unpack({1, 2, 3, 4}, 1, n)}
  print(n, through(callable, table.unpack(args, 1, n)))
  print(n, through(through, callable, table.unpack(args, 1, n)))
  print(n, through(pcall, callable, table.unpack(args, 1, n)))
  print(n, through(select, "#", table.unpack(args, 1, n)))
  print(n, through(coroutine.wrap(function(...) return through(callable, ...) end),
                   table.unpack(args, 1, n)))
  print(n, pcall(through, nil, table.unpack(args, 1, n)))
end
