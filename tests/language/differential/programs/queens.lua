-- SPDX-License-Identifier: MIT
-- Eight queens, by recursion.
local N, solutions = 8, 0 local function ok(a, n, c) for i = 1, n - 1 do
if a[i] == c or a[i] - i == c - n or a[i] + i == c + n then return false end end
return true end local function add(a, n) if n > N then solutions = solutions + 1
if solutions % 20 == 1 then for i = 1, N do
io.write(("."):rep(a[i] - 1), "Q", ("."):rep(N - a[i]), "\n") end print() end
return end for c = 1, N do if ok(a, n, c) then a[n] = c add(a, n + 1) end end
end add({}, 1) print(solutions)
