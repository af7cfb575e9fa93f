/* SPDX-License-Identifier: MIT */
/*
** luac_read.c -- reads functions compiled by PUC's `luac` 5.4
**
** Everything that the reader has made is anchored: prototypes in the one they
** are nested in, and the foreign code of each function in a box on the stack.
** A prototype has no code until all of it has been read.
*/
#include <string.h>

#include "bytecode/luac.h"
#include "object/thread.h"

typedef struct LuacReader {
  Undump *u;
  Box *notes, *lines; /* of the function that is translated */
} LuacReader;

/* The type of a constant. */
enum {
  LUAC_NIL = 0x00,
  LUAC_FALSE = 0x01,
  LUAC_TRUE = 0x11,
  LUAC_INTEGER = 0x03,
  LUAC_FLOAT = 0x13,
  LUAC_SHORT_STRING = 0x04,
  LUAC_LONG_STRING = 0x14
};

/* -- Numbers and strings --------------------------------------------------- */

/* Groups of seven bits, the highest one first.  The last one has the high bit.
** `byte` is the first one. */
static uint64_t read_size_from(Undump *u, unsigned byte, uint64_t limit) {
  uint64_t n = 0;
  for (;; byte = undump_byte(u)) {
    if (n > limit >> 7) undump_error(u, "integer overflow");
    n = n << 7 | (byte & 0x7f);
    if (byte & 0x80) break;
  }
  if (n > limit) undump_error(u, "integer overflow");
  return n;
}

static uint32_t read_count(Undump *u) {
  return (uint32_t)read_size_from(u, undump_byte(u), INT32_MAX);
}

/* A string, or NULL, not anchored.  `byte` is the first one. */
static String *read_string_from(Undump *u, unsigned byte) {
  uint64_t size = read_size_from(u, byte, STRING_MAX_LENGTH);
  return size > 0 ? undump_text(u, (size_t)size - 1) : NULL;
}

static String *read_string(Undump *u) {
  return read_string_from(u, undump_byte(u));
}

/* -- Vectors of a function ------------------------------------------------- */

static void read_constant(Undump *u, Proto *p, Value *v) {
  switch (undump_byte(u)) {
    case LUAC_NIL: break;
    case LUAC_FALSE: value_set_bool(v, false); break;
    case LUAC_TRUE: value_set_bool(v, true); break;
    case LUAC_INTEGER: undump_integer(u, v); break;
    case LUAC_FLOAT: undump_float(u, v); break;
    case LUAC_SHORT_STRING:
    case LUAC_LONG_STRING: undump_set_string(u, p, v, read_string(u)); break;
    default: undump_error(u, "invalid constant");
  }
}

static void read_constants(Undump *u, Proto *p) {
  uint32_t count = read_count(u);
  for (uint32_t i = 0; i < count; i++) {
    UNDUMP_RESERVE(u, p, p->constants, i, count);
    value_set_nil(&p->constants[i]);
    p->constant_count = i + 1;
    read_constant(u, p, &p->constants[i]);
  }
}

static void read_upvalues(Undump *u, Proto *p) {
  uint32_t count = read_count(u);
  if (count > CODE_MAX_UPVALUES) undump_error(u, "too many upvalues");
  VECTOR_RESIZE(u->L, p, p->upvalues, count);
  for (uint32_t i = 0; i < count; i++) {
    UpValueInfo *info = &p->upvalues[i];
    info->name = NULL;
    p->upvalue_count = i + 1;
    info->in_stack = undump_byte(u) != 0;
    info->index = (uint8_t)undump_byte(u);
    info->kind = (uint8_t)undump_byte(u);
  }
}

static void read_function(LuacReader *r, Proto *p, String *parent,
                          unsigned first);

static void read_nested(LuacReader *r, Proto *p) {
  Undump *u = r->u;
  uint32_t count = read_count(u);
  if (++u->depth > UNDUMP_DEPTH) undump_error(u, "functions nested too deep");
  for (uint32_t i = 0; i < count; i++) {
    Proto *nested = undump_new_nested(u, p, i, count);
    read_function(r, nested, p->source, undump_byte(u));
  }
  u->depth--;
}

/* -- Debug information ----------------------------------------------------- */

/* Lines that do not fit into the difference from the one before. */
static void read_lines_elsewhere(LuacFunction *f) {
  Undump *u = f->u;
  for (uint32_t count = read_count(u); count > 0; count--) {
    uint32_t pc = read_count(u);
    if (pc >= f->size) undump_error(u, "invalid lines");
    f->notes[pc].line = (int32_t)read_count(u);
    f->notes[pc].flags |= LUAC_HAS_LINE;
  }
}

/* Makes lines of differences. */
static void add_lines(LuacFunction *f) {
  int64_t line = f->p->first_line;
  for (uint32_t pc = 0; pc < f->size; pc++) {
    LuacNote *note = &f->notes[pc];
    line = note->flags & LUAC_HAS_LINE ? note->line : line + note->line;
    if (line < 0 || line > INT32_MAX - UINT8_MAX)
      undump_error(f->u, "invalid lines");
    note->line = (int32_t)line;
  }
}

static void read_lines(LuacFunction *f) {
  Undump *u = f->u;
  uint32_t count = read_count(u);
  if (count != 0 && count != f->size) undump_error(u, "invalid lines");
  for (uint32_t pc = 0; pc < count; pc++)
    f->notes[pc].line = (int8_t)undump_byte(u);
  read_lines_elsewhere(f);
  f->has_lines = count > 0;
  if (f->has_lines) add_lines(f);
}

/* Their places are those of foreign instructions until there are others. */
static void read_locals(LuacFunction *f) {
  Undump *u = f->u;
  Proto *p = f->p;
  uint32_t count = read_count(u);
  for (uint32_t i = 0; i < count; i++) {
    UNDUMP_RESERVE(u, p, p->locals, i, count);
    LocalInfo *local = &p->locals[i];
    local->name = NULL;
    local->start = local->end = 0;
    p->local_count = i + 1;
    String *name = read_string(u);
    local->name = name;
    if (name) proto_barrier(gc_of(u->L), p, name);
    local->start = (int32_t)read_count(u);
    local->end = (int32_t)read_count(u);
    if ((uint32_t)local->start > f->size || (uint32_t)local->end > f->size)
      undump_error(u, "variable out of range");
  }
}

static void move_locals(LuacFunction *f) {
  Proto *p = f->p;
  ActiveLocals active;
  active.count = 0;
  active.last = 0;
  for (uint32_t i = 0; i < p->local_count; i++) {
    LocalInfo *local = &p->locals[i];
    local->start = (int32_t)f->notes[local->start].word;
    local->end = (int32_t)f->notes[local->end].word;
    undump_check_local(f->u, p, &active, local);
  }
}

static void read_upvalue_names(Undump *u, Proto *p) {
  uint32_t count = read_count(u);
  if (count > p->upvalue_count) undump_error(u, "too many upvalues");
  for (uint32_t i = 0; i < count; i++) {
    String *name = read_string(u);
    p->upvalues[i].name = name;
    if (name) proto_barrier(gc_of(u->L), p, name);
  }
}

/* -- Functions ------------------------------------------------------------- */

/* Reads the debug information, makes our code of the foreign code in the box on
** top of the stack, and verifies it. */
static void finish_function(LuacReader *r, LuacFunction *f, Box *code) {
  Undump *u = r->u;
  f->code = code->data;
  if (vector_capacity(r->notes->data) <= f->size)
    vector_resize(u->L, &r->notes->cell, &r->notes->data, sizeof(LuacNote),
                  f->size + 1);
  f->notes = r->notes->data;
  memset(f->notes, 0, (f->size + 1) * sizeof *f->notes);
  read_lines(f);
  read_locals(f);
  read_upvalue_names(u, f->p);
  luac_translate(f);
  move_locals(f);
  if (f->jumps_back) verify_add_heads(u->L, &u->scratch, f->p);
  undump_verify(u, f->p);
}

static void read_function(LuacReader *r, Proto *p, String *parent,
                          unsigned first) {
  Undump *u = r->u;
  LuacFunction f = {.u = u, .p = p, .lines = r->lines};
  String *source = read_string_from(u, first);
  p->source = source ? source : parent;
  if (p->source) proto_barrier(gc_of(u->L), p, p->source);
  p->first_line = (int32_t)read_count(u);
  p->last_line = (int32_t)read_count(u);
  p->param_count = (uint8_t)undump_byte(u);
  p->is_vararg = undump_byte(u) != 0;
  p->frame_size = (uint8_t)undump_byte(u);
  f.size = read_count(u);
  if (f.size == 0) undump_error(u, "no code");
  stack_ensure(u->L, 1);
  Box *code = box_new_anchored(u->L);
  undump_vector(u, &code->cell, &code->data, sizeof(LuacWord), f.size);
  read_constants(u, p);
  read_upvalues(u, p);
  read_nested(r, p);
  finish_function(r, &f, code);
  box_drop(u->L, sizeof(LuacWord));
}

void luac_read(Undump *u, Proto *p, unsigned first) {
  stack_ensure(u->L, 2);
  LuacReader r = {.u = u};
  r.notes = box_new_anchored(u->L);
  r.lines = box_new_anchored(u->L);
  read_function(&r, p, NULL, first);
  box_drop(u->L, sizeof(int32_t));
  box_drop(u->L, sizeof(LuacNote));
}
