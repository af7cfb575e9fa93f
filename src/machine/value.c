/* SPDX-License-Identifier: MIT */
/*
** value.c -- registers of Lua in machine registers and slots
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

/* -- Ways out -------------------------------------------------------------- */

static Side *piece_side(Piece *s, SideKind kind, Condition c, uint32_t pc) {
  Side *side = &s->side[s->side_count++];
  *side = (Side){.kind = kind, .pc = pc, .number = s->number};
  side->from = asm_jump(&s->a, c);
  return side;
}

void piece_step_if(Piece *s, Condition c) {
  piece_side(s, SIDE_STEP, c, s->pc);
}

void piece_guard_if(Piece *s, Condition c) {
  if (s->insists)
    piece_side(s, SIDE_STEP, c, s->pc);
  else if (s->m->settings & MACHINE_GUARDS)
    piece_side(s, SIDE_GUARD, ALWAYS, s->pc);
  else
    piece_side(s, SIDE_GUARD, c, s->pc);
}

void piece_edge_if(Piece *s, Condition c, uint32_t pc) {
  Side *side = piece_side(s, SIDE_EDGE, c, pc);
  side->stub = pc <= s->pc ? STUB_BACK : STUB_JUMP;
  side->context = s->context_count;
  s->context[s->context_count++] = s->now;
}

void piece_resume(Piece *s, Patch at, uint32_t pc) {
  Side *side = &s->side[s->side_count++];
  *side = (Side){.kind = SIDE_RESUME, .pc = pc, .from = at};
  side->number = s->number;
  side->context = s->context_count;
  s->context[s->context_count++] = s->now;
}

void piece_poll(Piece *s, uint32_t pc) {
  asm_compare8(&s->a, memory_at(STATE, offsetof(lua_State, hook_mask)), 0);
  piece_side(s, SIDE_POLL, IF_NOT_EQUAL, pc);
}

/* -- Reading --------------------------------------------------------------- */

void piece_guard(Piece *s, unsigned reg, unsigned tag) {
  if (s->now.tag[reg] == tag) return;
  asm_compare8(&s->a, tag_at(reg), (uint8_t)tag);
  piece_guard_if(s, IF_NOT_EQUAL);
  if (!piece_is_captured(s, reg)) s->now.tag[reg] = (uint8_t)tag;
}

Register piece_whole(Piece *s, unsigned reg, Register other, Register keep) {
  unsigned n = home_of_whole(reg);
  Register home = whole_home(n);
  if (s->now.whole[n] == reg) return home;
  if (piece_is_captured(s, reg) || home == keep) {
    asm_load(&s->a, other, slot_at(reg));
    return other;
  }
  asm_load(&s->a, home, slot_at(reg));
  s->now.whole[n] = (uint8_t)reg;
  s->lost_whole |= 1u << n;
  return home;
}

FloatRegister piece_float(Piece *s, unsigned reg, FloatRegister other,
                          FloatRegister keep) {
  unsigned n = home_of_float(reg);
  FloatRegister home = float_home(n);
  if (s->now.floats[n] == reg) return home;
  if (piece_is_captured(s, reg) || home == keep) {
    asm_float_load(&s->a, other, slot_at(reg));
    return other;
  }
  asm_float_load(&s->a, home, slot_at(reg));
  s->now.floats[n] = (uint8_t)reg;
  s->lost_floats |= 1u << n;
  return home;
}

/* -- Results --------------------------------------------------------------- */

Register piece_result(Piece *s, unsigned reg, Register other, Register keep) {
  unsigned n = home_of_whole(reg);
  if (piece_is_captured(s, reg) || whole_home(n) == keep) return other;
  s->now.whole[n] = HOME_EMPTY;
  s->lost_whole |= 1u << n;
  return whole_home(n);
}

FloatRegister piece_float_result(Piece *s, unsigned reg, FloatRegister other,
                                 FloatRegister keep) {
  unsigned n = home_of_float(reg);
  if (piece_is_captured(s, reg) || float_home(n) == keep) return other;
  s->now.floats[n] = HOME_EMPTY;
  s->lost_floats |= 1u << n;
  return float_home(n);
}

void piece_set_tag(Piece *s, unsigned reg, unsigned tag) {
  unsigned old = s->now.tag[reg];
  context_forget(&s->now, reg);
  if (old != tag) asm_store8_number(&s->a, tag_at(reg), (uint8_t)tag);
  if (!piece_is_captured(s, reg)) s->now.tag[reg] = (uint8_t)tag;
  piece_guess_tag(s, reg, tag);
}

void piece_set_whole(Piece *s, unsigned reg, Register from, unsigned tag) {
  unsigned n = home_of_whole(reg);
  asm_store(&s->a, slot_at(reg), from);
  piece_set_tag(s, reg, tag);
  if (piece_is_captured(s, reg)) return;
  asm_move(&s->a, whole_home(n), from);
  s->lost_whole |= 1u << n;
  s->now.whole[n] = (uint8_t)reg;
}

void piece_set_float(Piece *s, unsigned reg, FloatRegister from) {
  unsigned n = home_of_float(reg);
  asm_float_store(&s->a, slot_at(reg), from);
  piece_set_tag(s, reg, TAG_FLOAT);
  if (piece_is_captured(s, reg)) return;
  asm_float_move(&s->a, float_home(n), from);
  s->lost_floats |= 1u << n;
  s->now.floats[n] = (uint8_t)reg;
}

void piece_set_number(Piece *s, unsigned reg, Payload payload, unsigned tag) {
  if (tag == TAG_FLOAT) {
    asm_number(&s->a, T0, payload.bits);
    asm_float_bits(&s->a, FT0, T0);
    piece_set_float(s, reg, FT0);
  } else {
    Register to = piece_result(s, reg, T0, NO_REGISTER);
    asm_number(&s->a, to, payload.bits);
    piece_set_whole(s, reg, to, tag);
  }
  s->guess[reg].as = payload;
}

void piece_set_any(Piece *s, unsigned reg, Register payload) {
  asm_store(&s->a, slot_at(reg), payload);
  asm_store8(&s->a, tag_at(reg), T0);
  context_forget(&s->now, reg);
}

void piece_copy(Piece *s, unsigned to, unsigned from) {
  unsigned tag = s->now.tag[from];
  if (tag == TAG_UNKNOWN) {
    asm_load(&s->a, T1, slot_at(from));
    asm_load8(&s->a, T0, tag_at(from));
    piece_set_any(s, to, T1);
  } else if (tag <= TAG_FALSE || tag == TAG_TRUE) {
    piece_set_tag(s, to, tag);
  } else if (tag == TAG_FLOAT) {
    piece_set_float(s, to, piece_float(s, from, FT0, FT0));
  } else {
    piece_set_whole(s, to, piece_whole(s, from, T1, NO_REGISTER), tag);
  }
  s->guess[to] = s->guess[from];
}

void piece_called(Piece *s) {
  context_forget_homes(&s->now);
  s->lost_whole = s->lost_floats = ~0u;
}

#else
typedef int ValueNotBuilt;
#endif
