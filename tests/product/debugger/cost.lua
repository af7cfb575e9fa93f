local function never()
  return 1, 2, 3          -- a breakpoint is here
end
local function work(n)
  local t, s = {}, 0
  for i = 1, n do t[i] = i end
  for i = 1, n do s = s + t[i] * 2 end
  for _, v in ipairs(t) do s = s - v end
  return s, string.format("%d", s)
end
collectgarbage("stop")    -- its steps depend on the clock
for _ = 1, 30 do work(2000) end
if not work then never() end
