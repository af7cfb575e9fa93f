/* SPDX-License-Identifier: MIT */
/*
** loop_state.c -- numeric loops as a debugger sees and changes them
*/
#include "vm/loop_state.h"

#include "bytecode/bytecode.h"
#include "vm/debug.h"

enum {
  LOOP_VARIABLE = 3, /* comes after the state */
  LOOP_REGISTERS
};

/* FORLOOP1 has its index in the variable. */
static void loop_update_index(Value *state, Opcode op) {
  if (op == OP_FORLOOP1 && value_is_integer(state))
    state->as.i = state[LOOP_VARIABLE].as.i;
}

/* Finds the loop of step 1 that the frame is executing and that has the slot in
** its state or as its variable.  Returns the first register of the loop; NULL
** if there is none. */
static Value *loop_find(const Frame *f, const Value *slot) {
  const Proto *p = frame_closure(f)->proto;
  ptrdiff_t reg = slot - (f->func + 1);
  int current = debug_current_pc(f);
  for (int pc = 0; pc < current; pc += code_length(p->code[pc])) {
    Instruction i = p->code[pc];
    ptrdiff_t nth = reg - (ptrdiff_t)code_a(i);
    if (code_op(i) != OP_FORPREP1 || nth < 0 || nth >= LOOP_REGISTERS) continue;
    int end = pc + 1 + (int32_t)p->code[pc + 1];
    if (current >= end) continue;
    Value *state = f->func + 1 + code_a(i);
    loop_update_index(state, code_op(p->code[end - 2]));
    return state;
  }
  return NULL;
}

/* The number of iterations left in a loop of integers. */
static Integer loop_count(const Value *state) {
  return (Integer)((Unsigned)state[1].as.i - (Unsigned)state[0].as.i);
}

bool loop_state_get(const Frame *f, const Value *slot, Value *out) {
  const Value *state = loop_find(f, slot);
  if (!state) return false;
  value_copy(out, slot);
  if (slot == state + 1 && value_is_integer(state))
    value_set_integer(out, loop_count(state));
  if (slot == state && state->tag == TAG_CHANGED_INDEX)
    out->tag = value_is_integer(&state[2]) ? TAG_INTEGER : TAG_FLOAT;
  return true;
}

/* Makes the loop one like FORLOOP, with a count of iterations. */
static void loop_generalize(Value *state) {
  if (value_is_integer(state)) value_set_integer(&state[1], loop_count(state));
  state->tag = TAG_CHANGED_INDEX;
}

/* False if the slot is not the variable of a FORLOOP1.  This is much faster than
** loop_find, and a debugger writes other variables, too. */
static bool loop_may_have_variable(const Frame *f, const Value *slot) {
  return slot - f->func > LOOP_VARIABLE &&
         value_is_integer(slot - LOOP_VARIABLE) && value_is_integer(slot - 1) &&
         slot[-1].as.i == 1;
}

bool loop_variable_set(const Frame *f, Value *slot, const Value *v) {
  return loop_may_have_variable(f, slot) && loop_state_set(f, slot, v);
}

/* As in FORLOOP, only the bits of a new index are used, not its tag. */
bool loop_state_set(const Frame *f, Value *slot, const Value *v) {
  Value *state = loop_find(f, slot);
  if (!state) return false;
  loop_generalize(state);
  if (slot == state)
    state->as = v->as;
  else
    value_copy(slot, v);
  return true;
}
