/* SPDX-License-Identifier: MIT */
/*
** function.c -- prototypes, closures, upvalues
*/
#include "object/function.h"

#include "object/object_impl.h"

/* -- Prototypes ------------------------------------------------------------ */

Proto *proto_new(lua_State *L) {
  Proto *p = object_new(L, sizeof(Proto), KIND_PROTO);
  memset((char *)p + sizeof(Cell), 0, sizeof(Proto) - sizeof(Cell));
#if PENUMBRA_MACHINE
  p->enter_size = INT32_MAX;
#endif
  return p;
}

void proto_fix_code(Proto *p) {
  intptr_t distance = (intptr_t)vector_cell(p->code) - (intptr_t)p;
  intptr_t granules = distance / GRANULE;
  bool fits =
      granules * GRANULE == distance && granules == (intptr_t)(int32_t)granules;
  p->code_distance = fits ? (int32_t)granules : 0;
}

/* True if the lines of each group lie within 255 of the smallest one. */
static bool lines_fit(const int32_t *lines, size_t count, unsigned shift) {
  size_t group = (size_t)1 << shift;
  for (size_t start = 0; start < count; start += group) {
    int32_t low = lines[start], high = lines[start];
    for (size_t i = start; i < size_min(start + group, count); i++) {
      if (lines[i] < low) low = lines[i];
      if (lines[i] > high) high = lines[i];
    }
    if (high - low > UINT8_MAX) return false;
  }
  return true;
}

static void pack_group(Proto *p, const int32_t *lines, size_t from, size_t to) {
  int32_t low = lines[from];
  for (size_t i = from; i < to; i++)
    if (lines[i] < low) low = lines[i];
  p->line_base[from >> p->line_shift] = low;
  for (size_t i = from; i < to; i++)
    p->line_offset[i] = (uint8_t)(lines[i] - low);
}

void proto_set_lines(lua_State *L, Proto *p, const int32_t *lines,
                     size_t count) {
  enum { LARGEST_SHIFT = 16 };
  unsigned shift = LARGEST_SHIFT;
  if (count == 0) return;
  while (!lines_fit(lines, count, shift)) shift--;
  p->line_shift = (uint8_t)shift;
  size_t group = (size_t)1 << shift;
  VECTOR_RESIZE(L, p, p->line_base, (count + group - 1) >> shift);
  VECTOR_RESIZE(L, p, p->line_offset, count);
  for (size_t start = 0; start < count; start += group)
    pack_group(p, lines, start, size_min(start + group, count));
}

const char *proto_local_name(const Proto *p, int n, size_t pc) {
  if (n <= 0) return NULL;
  for (uint32_t i = 0; i < p->local_count; i++) {
    const LocalInfo *local = &p->locals[i];
    if ((size_t)local->start > pc) break;
    if (pc < (size_t)local->end && --n == 0) return string_bytes(local->name);
  }
  return NULL;
}

/* The first local that starts after pc; locals are in order. */
static uint32_t first_local_behind(const Proto *p, size_t pc) {
  uint32_t low = 0, high = p->local_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if ((size_t)p->locals[middle].start > pc)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

bool proto_find_copy(const Proto *p, size_t pc, size_t *start) {
  for (uint32_t i = first_local_behind(p, pc); i < p->local_count; i++) {
    const LocalInfo *local = &p->locals[i];
    if (local->name) continue;
    *start = (size_t)local->end;
    return *start <= pc;
  }
  return false;
}

/* -- Closures -------------------------------------------------------------- */

LuaClosure *closure_new_lua(lua_State *L, Proto *p) {
  LuaClosure *c = closure_new_bare(L, p);
  for (size_t i = 0; i < p->upvalue_count; i++) c->upvalue[i] = NULL;
  return c;
}

CClosure *closure_new_c(lua_State *L, CFunction f, unsigned upvalues) {
  CClosure *c = object_new(L, sizeof(CClosure) + upvalues * sizeof(Value),
                           KIND_C_CLOSURE);
  c->cell.user = (uint8_t)upvalues;
  c->function = f;
  for (unsigned i = 0; i < upvalues; i++) value_set_nil(&c->upvalue[i]);
  return c;
}

/* -- Upvalues -------------------------------------------------------------- */

UpValue *upvalue_new_closed(lua_State *L) {
  UpValue *u = object_new(L, sizeof(UpValue), KIND_UPVALUE);
  u->v = &u->u.closed;
  value_set_nil(u->v);
  return u;
}

/* Search the list after the allocation, because the allocation may collect.
** The upvalue before the new one, or else the thread, keeps the new one
** alive. */
static UpValue *upvalue_open(lua_State *L, Value *slot) {
  Gc *gc = gc_of(L);
  UpValue *u = object_new(L, sizeof(UpValue), KIND_UPVALUE);
  UpValue *before = NULL, **link = &L->open_upvalues;
  while (*link && (*link)->v > slot) {
    before = *link;
    link = &before->u.open.next;
  }
  u->cell.user = 1;
  u->v = slot;
  u->u.open.next = *link;
  u->u.open.thread = thread_of(L);
  *link = u;
  if (before)
    gc_barrier_forward(gc, &before->cell, &u->cell);
  else
    gc_stack_barrier(gc, thread_cell(L), &u->cell);
  return u;
}

UpValue *upvalue_find(lua_State *L, Value *slot) {
  UpValue *u = L->open_upvalues;
  while (u && u->v > slot) u = u->u.open.next;
  if (u && u->v == slot) return u;
  if (UNLIKELY(!L->has_dying_hook)) {
    if (!gc_register_dying(gc_of(L), thread_cell(L))) raise_memory(L);
    L->has_dying_hook = true;
  }
  return upvalue_open(L, slot);
}

static void upvalue_close_one(Gc *gc, UpValue *u) {
  Value *closed = &u->u.closed;
  value_copy(closed, u->v);
  u->cell.user = 0;
  u->v = closed;
  if (tag_is_collectable(closed->tag))
    gc_barrier_forward(gc, &u->cell, closed->as.cell);
}

/* For a dead thread: the rest of the list needs no barrier. */
size_t upvalue_close_some(lua_State *L, size_t limit) {
  size_t count = 0;
  UpValue *u = L->open_upvalues;
  for (; u && count < limit; count++) {
    UpValue *next = u->u.open.next;
    upvalue_close_one(gc_of(L), u);
    u = next;
  }
  L->open_upvalues = u;
  return count;
}

void upvalue_close_all(lua_State *L, const Value *level) {
  Gc *gc = gc_of(L);
  UpValue *u = L->open_upvalues;
  while (u && u->v >= level) {
    UpValue *next = u->u.open.next;
    upvalue_close_one(gc, u);
    u = next;
  }
  L->open_upvalues = u;
  if (u) gc_stack_barrier(gc, thread_cell(L), &u->cell);
}
