/* SPDX-License-Identifier: MIT */
/*
** room.c -- how large the tables of a constructor become
**
** The room of an instruction is the least that any of the last few samples
** needed: where tables differ, the small ones decide, and memory is wasted
** hardly ever.
*/
#include "vm/room.h"

#include "bytecode/bytecode.h"
#include "object/table.h"

enum { ROOM_WINDOW = 4 /* samples that agree */ };

/* Instructions share entries; then the last one has it. */
static RoomWindow *window_of(Global *g, const Instruction *code) {
  RoomWindow *w = &g->room_window[(uintptr_t)code / 8 % ROOM_WINDOWS];
  if (w->code != code) *w = (RoomWindow){code, CODE_MAX_ROOM, 0, true};
  return w;
}

/* Those with sizes of their own know better. */
static bool is_open(const Instruction *code) {
  return code_has_room(*code) || (code_b(*code) | code[1]) == 0;
}

static void learn(Global *g, Instruction *code, const Table *t) {
  RoomWindow *w = window_of(g, code);
  bool names;
  size_t bytes = table_room_used(t, &names);
  size_t units = (bytes + CODE_ROOM_UNIT - 1) / CODE_ROOM_UNIT;
  if (units < w->least) w->least = (uint8_t)units;
  w->names &= names;
  if (++w->count < ROOM_WINDOW) return;
  *code = code_with_room(*code, w->least, w->names);
  w->code = NULL;
}

void room_learn(Global *g) {
  RoomSample *s = &g->room_sample;
  if (!s->table) return;
  if (s->moment == gc_moment(&g->gc))
    learn(g, s->code, s->table);
  s->table = NULL;
}

void room_sample(Global *g, Instruction *code, Table *t) {
  if (is_open(code))
    g->room_sample = (RoomSample){code, t, gc_moment(&g->gc)};
}
