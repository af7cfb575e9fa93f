/* SPDX-License-Identifier: MIT */
/*
** handlers_machine.h -- the way into machine code and back
**
** A part of loop_function.h.
*/

/* A loop of the program has jumped back to pc, once more. */
count_jump : SAVE_PC();
machine_count_jump(L, pc);
if (machine_has_code(frame)) goto enter_code;
NEXT_POLLED(0);

/* Executes one instruction, and then looks for a door. */
seek_door : jump = once;
goto *plain[opcode_alone(code_op(i))];

/* The instruction before this one has been executed alone. */
stepped : jump = plain;
pc--;
if (!machine_has_code(frame)) NEXT;
SAVE_PC();

/* The frame has code, and its pc is saved. */
enter_code : switch (machine_run(L)) {
  case EXIT_STEP:
    LOAD_FRAME();
    jump = once;
    i = *pc;
    pc = next_word(pc);
    goto *plain[opcode_alone(code_op(i))];
  case EXIT_POLL: LOAD_FRAME(); NEXT_POLLED(0);
  case EXIT_FRAME:
    LOAD_FRAME();
    if (machine_has_code(frame)) goto enter_code;
    NEXT;
  case EXIT_NONE: break;
}
jump = L->hook_mask ? with_hooks : seeking;
NEXT;
