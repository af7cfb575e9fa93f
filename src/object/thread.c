/* SPDX-License-Identifier: MIT */
/*
** thread.c -- threads, their stacks and frames
*/
#include "object/thread.h"

#include <string.h>

#include "object/object_impl.h"

/* -- Moving the stack ------------------------------------------------------ */

/* Where a pointer into the old stack points now. */
static Value *moved(const lua_State *L, uintptr_t old, const Value *v) {
  return (Value *)(void *)((char *)L->stack + ((uintptr_t)v - old));
}

static void stack_correct(lua_State *L, uintptr_t old) {
  L->top = moved(L, old, L->top);
  L->limit = moved(L, old, L->limit);
  for (Frame *f = L->frames; f <= L->frame; f++) {
    f->func = moved(L, old, f->func);
    f->top = moved(L, old, f->top);
  }
  for (UpValue *u = L->open_upvalues; u; u = u->u.open.next)
    u->v = moved(L, old, u->v);
}

static size_t stack_slots(const lua_State *L) {
  return (size_t)(L->end - L->stack);
}

/* A copy of the vector with another capacity; the old one is freed unless it
** lies in the thread's own cell.  NULL: no memory. */
static VectorPart *vector_moved(lua_State *L, void *vector, bool is_inline,
                                size_t element_size, size_t capacity) {
  size_t header = sizeof(VectorPart), old = vector_capacity(vector);
  size_t bytes = header + capacity * element_size;
  VectorPart *part;
  if (is_inline) {
    part = gc_new(gc_of(L), bytes, KIND_VECTOR_PART);
    if (part) memcpy(part + 1, vector, size_min(old, capacity) * element_size);
  } else {
    part = gc_resize_part(gc_of(L), vector_cell(vector),
                          header + old * element_size, bytes);
  }
  if (part) part->capacity = (uint32_t)capacity;
  return part;
}

/* Gives the stack that many slots, and STACK_EXTRA.  False: no memory. */
static bool stack_reallocate(lua_State *L, size_t slots) {
  uintptr_t old = (uintptr_t)L->stack;
  VectorPart *part = vector_moved(L, L->stack, thread_stack_is_inline(L),
                                  sizeof(Value), slots + STACK_EXTRA);
  if (!part) return false;
  L->stack = (Value *)(void *)(part + 1);
  L->end = L->stack + slots;
  stack_correct(L, old);
  if (L->limit > L->end) L->limit = L->end;
  gc_part_replaced(gc_of(L), thread_cell(L), &part->cell);
  return true;
}

/* -- Growing --------------------------------------------------------------- */

/* Lets the limit rise so that `count` slots above the top are below it. */
static bool stack_raise_limit(lua_State *L, size_t count) {
  enum { AT_LEAST = 64 };
  if ((size_t)(L->end - L->top) < count || L->end < L->top) return false;
  size_t wanted = size_max(count, AT_LEAST);
  Value *limit = (size_t)(L->end - L->top) < wanted ? L->end
                                                    : L->top + wanted;
  Value *live = stack_live_top(L);
  for (Value *v = L->limit > live ? L->limit : live; v < limit; v++)
    value_set_nil(v);
  if (limit > L->limit) L->limit = limit;
  return true;
}

/* Slots in use, also those that the frame may use without asking. */
static size_t stack_in_use(const lua_State *L) {
  const Value *highest = L->top;
  for (const Frame *f = L->frames; f <= L->frame; f++)
    if (f->top > highest) highest = f->top;
  return size_max((size_t)(highest - L->stack), LUA_MINSTACK);
}

/* Twice as many, or a few less if that keeps the stack in a small cell: many a
** coroutine needs no more than that. */
static size_t stack_next_size(size_t slots) {
  enum { ALL = (CELL_MAX - sizeof(VectorPart)) / sizeof(Value) };
  enum { SMALL = ALL - STACK_EXTRA };
  static_assert(SMALL > STACK_INITIAL * 3 / 2, "not a few more only");
  return slots < SMALL && SMALL < slots * 2 ? SMALL : slots * 2;
}

bool stack_try_grow(lua_State *L, size_t count) {
  if (stack_raise_limit(L, count)) return true;
  size_t slots = stack_slots(L), used = (size_t)(L->top - L->stack);
  if (count > LUAI_MAXSTACK || used + count > LUAI_MAXSTACK) return false;
  size_t next = stack_next_size(slots);
  size_t wanted = size_min(size_max(next, used + count), LUAI_MAXSTACK);
  if (!stack_reallocate(L, wanted)) return false;
  return stack_raise_limit(L, count);
}

static _Noreturn void stack_overflow(lua_State *L) {
  if (stack_slots(L) > LUAI_MAXSTACK) raise_throw(L, LUA_ERRERR);
  if (!stack_reallocate(L, LUAI_MAXSTACK + STACK_ERROR)) raise_memory(L);
  stack_raise_limit(L, STACK_ERROR / 2);
  raise_error(L, "stack overflow");
}

void stack_grow(lua_State *L, size_t count) {
  if (stack_try_grow(L, count)) return;
  size_t used = (size_t)(L->top - L->stack);
  if (count > LUAI_MAXSTACK || used + count > LUAI_MAXSTACK) stack_overflow(L);
  raise_memory(L);
}

/* -- Shrinking ------------------------------------------------------------- */

/* Room for that many frames.  False: no memory. */
static bool frames_reallocate(lua_State *L, size_t count) {
  size_t current = (size_t)(L->frame - L->frames);
  VectorPart *part = vector_moved(L, L->frames, thread_frames_are_inline(L),
                                  sizeof(Frame), count);
  if (!part) return false;
  L->frames = (Frame *)(void *)(part + 1);
  L->frame = L->frames + current;
  L->frame_limit = L->frames + count;
  gc_part_replaced(gc_of(L), thread_cell(L), &part->cell);
  return true;
}

/* Fewer frames, without raising if that fails. */
static void frames_shrink(lua_State *L) {
  size_t old = vector_capacity(L->frames);
  size_t used = (size_t)(L->frame - L->frames) + 1;
  if (old <= FRAMES_INITIAL * 16 || old <= used * 4) return;
  frames_reallocate(L, used * 2);
}

/* The quick tests come first: a deep stack has many frames to look at. */
void stack_shrink(lua_State *L) {
  size_t slots = stack_slots(L), top = (size_t)(L->top - L->stack);
  frames_shrink(L);
  if (slots > LUAI_MAXSTACK || slots <= STACK_INITIAL * 4 || slots <= top * 4)
    return;
  size_t used = stack_in_use(L);
  if (slots > used * 4) stack_reallocate(L, size_max(used * 2, STACK_INITIAL));
}

void stack_recover(lua_State *L) {
  if (stack_slots(L) <= LUAI_MAXSTACK) return;
  size_t used = stack_in_use(L);
  if (used > LUAI_MAXSTACK) return;     /* still handling the overflow */
  stack_reallocate(L, size_min(used * 2, LUAI_MAXSTACK));
}

/* A copy of another size is at another address. */
void stack_move(lua_State *L) {
  size_t slots = stack_slots(L);
  if (stack_reallocate(L, slots * 2)) stack_reallocate(L, slots);
}

/* -- Frames ---------------------------------------------------------------- */

void frame_grow(lua_State *L) {
  size_t count = vector_capacity(L->frames);
  if (count >= FRAMES_MAX) stack_overflow(L);
  if (!frames_reallocate(L, size_min(count * 2, FRAMES_MAX))) raise_memory(L);
}

/* Returning out of deep recursion would come here again and again: go several
** frames at a time. */
void stack_uncover(lua_State *L) {
  enum { FRAMES_AT_A_TIME = 16 };
  GcStack *stack = &thread_of(L)->gc;
  Frame *f = L->frame;
  if (stack->watermark <= (size_t)(f->func - L->stack)) return;
  f = f - L->frames > FRAMES_AT_A_TIME ? f - FRAMES_AT_A_TIME : L->frames;
  gc_stack_lower(gc_of(L), stack, (size_t)(f->func - L->stack));
  f->status |= FRAME_WATCH;
}

/* -- Life ------------------------------------------------------------------ */

/* The stack is empty but for slot 0, the function of the host's frame. */
static ALWAYS_INLINE void thread_make_empty(lua_State *L) {
  Frame *f = L->frames;
  L->frame = f;
  memset(f, 0, sizeof *f);
  f->func = L->stack;
  f->status = FRAME_C;
  value_set_nil(f->func);
  L->top = L->stack + 1;
  f->top = L->top + LUA_MINSTACK;
  L->closable_count = 0;
}

void thread_reset(lua_State *L) {
  thread_make_empty(L);
  stack_uncover(L);
}

/* Slots above the limit are not cleared. */
static ALWAYS_INLINE void thread_init(Thread *t, Global *g) {
  lua_State *L = &t->state;
  t->gc.epoch = 0;
  t->gc.watermark = 0;
  memset(L, 0, sizeof *L);
  L->global = g;
  L->allow_hook = true;
  t->stack_header.capacity = STACK_INITIAL + STACK_EXTRA;
  t->frames_header.capacity = FRAMES_INITIAL;
  L->stack = t->stack;
  L->end = t->stack + STACK_INITIAL;
  L->limit = t->stack + 1;
  L->frames = t->frames;
  L->frame_limit = t->frames + FRAMES_INITIAL;
  thread_make_empty(L);
}

lua_State *thread_create_main(Global *g) {
  Thread *t = gc_new(&g->gc, sizeof(Thread), KIND_THREAD);
  if (!t) return NULL;
  memset(t->extra, 0, LUA_EXTRASPACE);
  thread_init(t, g);
  g->main = &t->state;
  return g->main;
}

lua_State *thread_new(lua_State *L) {
  Thread *t = object_new(L, sizeof(Thread), KIND_THREAD);
  thread_init(t, L->global);
  memcpy(t->extra, thread_of(L->global->main)->extra, LUA_EXTRASPACE);
  t->state.hook = L->hook;
  t->state.hook_mask = L->hook_mask;
  t->state.base_hook_count = t->state.hook_count = L->base_hook_count;
  return &t->state;
}
