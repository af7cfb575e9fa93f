-- SPDX-License-Identifier: MIT
-- package: lua-bitop
-- module: bit
-- BitOp: 32-bit integers out of Lua numbers of both kinds.
local bit = require "bit"
print(bit.tobit(0xffffffff), bit.tobit(2 ^ 40 + 5), bit.bnot(0),
      bit.band(0xff0, 0x0ff))
print(bit.bor(1, 2, 4), bit.bxor(0xaa, 0x55), bit.lshift(1, 31),
      bit.rshift(-1, 28))
print(bit.arshift(-16, 2), bit.rol(0x12345678, 8), bit.ror(0x12345678, 8),
      bit.bswap(1))
print(bit.tohex(255), bit.tohex(-1, 4), bit.tohex(3735928559, -8))
print(pcall(bit.band), pcall(bit.bor, {}), pcall(bit.tobit, "x"))
local h = 0
for i = 1, 20000 do h = bit.bxor(bit.rol(h, 5), i, i * 3.0) end
print(h)
