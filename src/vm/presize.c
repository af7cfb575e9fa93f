/* SPDX-License-Identifier: MIT */
/*
** presize.c -- how large the tables of a constructor become
**
** The size learned for an instruction is the least that any of the last few
** samples needed.  If tables differ, the smallest one decides, so that little
** memory is wasted.
*/
#include "vm/presize.h"

#include "bytecode/bytecode.h"
#include "object/table.h"
#include "vm/state.h"

enum { PRESIZE_WINDOW = 4 /* samples for one decision */ };

/* Instructions share windows.  A new instruction takes the window over. */
static PresizeWindow *window_of(lua_State *L, const Instruction *code) {
  PresizeWindow *w =
      &vm_of(L)->presize_window[(uintptr_t)code / 8 % PRESIZE_WINDOWS];
  if (w->code != code)
    *w = (PresizeWindow){code, CODE_PRESIZE_MAX, 0, true, 0, {0}};
  return w;
}

/* True if the instruction has no sizes from the source of the program, which
** are better than learned ones. */
static bool is_open(const Instruction *code) {
  return code_is_presized(*code) || (code_b(*code) | code[1]) == 0;
}

/* Names are only compared, so half of the address is enough.  A new string at
** the address of a dead one is mistaken for it; then templates get a node too
** many. */
static uint32_t name_word(const String *name) {
  return (uint32_t)((uintptr_t)name / GRANULE);
}

static bool was_added(const PresizeWindow *w, const String *name) {
  for (size_t i = 0; i < w->added_count; i++)
    if (w->added[i] == name_word(name)) return true;
  return w->count == 0;
}

/* Keeps the names that were added to this sample and to all samples before.
** Stores them in `name`, and returns their number. */
static size_t note_names(PresizeWindow *w, const PresizeSample *s,
                         String **name) {
  size_t kept = 0, count = 0;
  if (s->template)
    count = table_names_beyond(s->table, s->template, name, PRESIZE_NAMES);
  for (size_t i = 0; i < count; i++)
    if (was_added(w, name[i])) name[kept++] = name[i];
  for (size_t i = 0; i < kept; i++) w->added[i] = name_word(name[i]);
  w->added_count = (uint8_t)kept;
  return kept;
}

static void learn(lua_State *L, const PresizeSample *s) {
  PresizeWindow *w = window_of(L, s->code);
  String *name[PRESIZE_NAMES];
  bool names;
  size_t bytes = table_space_used(s->table, &names);
  size_t units = (bytes + CODE_PRESIZE_STEP - 1) / CODE_PRESIZE_STEP;
  if (units < w->least) w->least = (uint8_t)units;
  w->names &= names;
  size_t kept = w->names ? note_names(w, s, name) : 0;
  if (++w->count < PRESIZE_WINDOW) return;
  *s->code = code_with_presize(*s->code, w->least, w->names);
  if (kept > 0) table_keep_names(L, s->template, name, kept);
  w->code = NULL;
}

void presize_learn(lua_State *L) {
  PresizeSample *s = &vm_of(L)->presize_sample;
  if (!s->table) return;
  if (s->moment == gc_moment(gc_of(L))) learn(L, s);
  s->table = NULL;
}

void presize_sample(lua_State *L, Instruction *code, Table *t,
                    Table *template) {
  VmState *vm = vm_of(L);
  if (is_open(code))
    vm->presize_sample =
        (PresizeSample){code, t, template, gc_moment(gc_of(L))};
}
