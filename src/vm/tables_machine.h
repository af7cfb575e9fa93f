/* SPDX-License-Identifier: MIT */
/*
** tables_machine.h -- two more tables of the loop
**
** A part of loop_function.h.  `once`: after the next instruction, looks for a
** door.  `seeking`: executes instructions, but looks for a door after a jump, a
** call or a return.
*/
static const void *const once[OPCODE_ALL] = {
#define OP(name, ...)   &&stepped,
#define PAIR(name, ...) &&stepped,
#include "bytecode/opcodes.def"
    [OP_BREAK] = &&stepped, [OP_BREAKX] = &&stepped};
static const void *const seeking[OPCODE_ALL] = {
#define OP(name, ...) \
  OP_##name >= OP_JMP &&OP_##name <= OP_RETURN1 ? &&seek_door : &&do_##name,
#define PAIR(name, first, second, link)                                 \
  OP_##second == OP_FORLOOP || OP_##second == OP_FORLOOP1 ? &&seek_door \
                                                          : &&do_##name,
#include "bytecode/opcodes.def"
    [OP_BREAK] = &&breakpoint, [OP_BREAKX] = &&breakpoint};
