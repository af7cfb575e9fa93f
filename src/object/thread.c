/* SPDX-License-Identifier: MIT */
/*
** thread.c -- threads, their stacks and frames
*/
#include "object/thread.h"

#include <string.h>

#include "object/object_impl.h"

/* -- Moving the stack ------------------------------------------------------ */

/* The new address of a pointer into the old stack. */
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

/* -- The room in the thread's cell ----------------------------------------- */

/* Both vectors begin in the cell.  When one has moved out, the other may use
** all of the space; the stack then begins where the frames were. */
enum {
  INLINE_BYTES = sizeof(Thread) - offsetof(Thread, frames),
  FRAMES_ALONE = INLINE_BYTES / sizeof(Frame),
  STACK_ALONE = INLINE_BYTES / sizeof(Value) - STACK_EXTRA
};
static_assert((int)FRAMES_ALONE > (int)FRAMES_INITIAL, "more room alone");
static_assert((int)STACK_ALONE > (int)STACK_INITIAL, "more room alone");

/* Slots that the stack can have in the cell now. */
static size_t stack_inline_capacity(const lua_State *L) {
  if (!thread_frames_are_inline(L)) return STACK_ALONE;
  return vector_capacity(L->frames) > FRAMES_INITIAL ? 0 : STACK_INITIAL;
}

static Value *stack_place(const lua_State *L, size_t slots) {
  Thread *t = thread_of(L);
  return slots == STACK_ALONE ? (Value *)(void *)t->frames : t->stack;
}

/* Frames that fit into the cell now. */
static size_t frames_inline_capacity(const lua_State *L) {
  if (!thread_stack_is_inline(L)) return FRAMES_ALONE;
  return L->stack == thread_of(L)->stack ? FRAMES_INITIAL : 0;
}

/* -- Moving a vector ------------------------------------------------------- */

static void vector_set_capacity(void *vector, size_t capacity) {
  ((VectorPart *)(void *)vector_cell(vector))->capacity = (uint32_t)capacity;
}

static void vector_let_go(lua_State *L, void *vector, size_t element_size) {
  size_t bytes = vector_capacity(vector) * element_size;
  if (!thread_contains(L, vector))
    gc_free_part(gc_of(L), vector_cell(vector), sizeof(VectorPart) + bytes);
}

/* Moves the vector to `to`, a place in the cell. */
static void *vector_move_in(lua_State *L, void *vector, void *to,
                            size_t element_size, size_t capacity) {
  size_t kept = size_min(vector_capacity(vector), capacity);
  memmove(to, vector, kept * element_size);
  if (to != vector) vector_let_go(L, vector, element_size);
  vector_set_capacity(to, capacity);
  return to;
}

/* Copies the vector into a part, and frees the old one.  NULL if there is no
** memory.  The old memory is returned to the system in pieces, which a
** shrinking realloc would not do. */
static void *vector_copy_out(lua_State *L, void *vector, size_t element_size,
                             size_t capacity) {
  size_t kept = size_min(vector_capacity(vector), capacity);
  VectorPart *part = gc_new_part(
      gc_of(L), sizeof *part + capacity * element_size, 0, KIND_VECTOR_PART);
  if (!part) return NULL;
  memcpy(part + 1, vector, kept * element_size);
  vector_let_go(L, vector, element_size);
  return part + 1;
}

/* Gives the vector another capacity, as a part.  NULL if there is no memory. */
static void *vector_move_out(lua_State *L, void *vector, size_t element_size,
                             size_t capacity) {
  size_t old = vector_capacity(vector), header = sizeof(VectorPart);
  bool grows = !thread_contains(L, vector) && capacity > old;
  void *moved;
  if (grows) {
    VectorPart *part = gc_resize_part(gc_of(L), vector_cell(vector),
                                      header + old * element_size,
                                      header + capacity * element_size);
    moved = part ? part + 1 : NULL;
  } else {
    moved = vector_copy_out(L, vector, element_size, capacity);
  }
  if (!moved) return NULL;
  vector_set_capacity(moved, capacity);
  gc_part_replaced(gc_of(L), thread_cell(L), vector_cell(moved));
  return moved;
}

/* The number of elements that fill the cell of `capacity` elements, which may
** be a few more. */
static size_t vector_filled(size_t element_size, size_t capacity) {
  size_t bytes = sizeof(VectorPart) + capacity * element_size;
  if (bytes > CELL_MAX) return capacity;
  return (heap_rounded_size(bytes) - sizeof(VectorPart)) / element_size;
}

/* -- Moving frames and stack ----------------------------------------------- */

static size_t frames_used(const lua_State *L) {
  return (size_t)(L->frame - L->frames) + 1;
}

/* Makes room for `count` frames.  If they fit into the cell, uses all its room.
** False if there is no memory. */
static bool frames_reallocate(lua_State *L, size_t count) {
  size_t running = frames_used(L) - 1, capacity = frames_inline_capacity(L);
  size_t size = sizeof(Frame);
  void *moved;
  if (count <= capacity) {
    count = capacity;
    moved = vector_move_in(L, L->frames, thread_of(L)->frames, size, count);
  } else {
    moved = vector_move_out(L, L->frames, size, count);
  }
  if (!moved) return false;
  L->frames = moved;
  L->frame = L->frames + running;
  L->frame_limit = L->frames + count;
  return true;
}

/* The stack has left the cell, so the frames may use all its space. */
static void frames_settle(lua_State *L) {
  if (frames_used(L) < FRAMES_ALONE) frames_reallocate(L, FRAMES_ALONE);
}

/* Sets the address and size of the stack. */
static void stack_set(lua_State *L, void *moved, size_t slots) {
  uintptr_t old = (uintptr_t)L->stack;
  L->stack = moved;
  L->end = L->stack + slots;
  if ((uintptr_t)moved != old) stack_correct(L, old);
  if (L->limit > L->end) L->limit = L->end;
}

/* The same for that many slots, and STACK_EXTRA. */
static bool stack_reallocate(lua_State *L, size_t slots) {
  size_t capacity = stack_inline_capacity(L), size = sizeof(Value);
  bool was_inline = thread_stack_is_inline(L);
  void *moved;
  if (slots <= capacity) {
    slots = capacity;
    moved = vector_move_in(L, L->stack, stack_place(L, slots), size,
                           slots + STACK_EXTRA);
  } else {
    moved = vector_move_out(L, L->stack, size, slots + STACK_EXTRA);
  }
  if (!moved) return false;
  stack_set(L, moved, slots);
  if (was_inline && !thread_stack_is_inline(L)) frames_settle(L);
  return true;
}

/* -- Growing --------------------------------------------------------------- */

/* Raises the limit so that `count` slots above the top are below it. */
static bool stack_raise_limit(lua_State *L, size_t count) {
  enum { AT_LEAST = 64 };
  if ((size_t)(L->end - L->top) < count || L->end < L->top) return false;
  size_t wanted = size_max(count, AT_LEAST);
  Value *limit = (size_t)(L->end - L->top) < wanted ? L->end : L->top + wanted;
  Value *live = stack_live_top(L);
  for (Value *v = L->limit > live ? L->limit : live; v < limit; v++)
    value_set_nil(v);
  if (limit > L->limit) L->limit = limit;
  return true;
}

/* Slots in use, including those that a frame may use without a check. */
static size_t stack_in_use(const lua_State *L) {
  const Value *highest = L->top;
  for (const Frame *f = L->frames; f <= L->frame; f++)
    if (f->top > highest) highest = f->top;
  return size_max((size_t)(highest - L->stack), STACK_MIN_FREE);
}

/* Grows by half; from 256 slots on doubles.  Takes a few slots less if that
** keeps the stack in a small cell, which is enough for many coroutines. */
static size_t stack_next_size(const lua_State *L, size_t needed) {
  enum { ALL = (CELL_MAX - sizeof(VectorPart)) / sizeof(Value) };
  enum { SMALL = ALL - STACK_EXTRA, DOUBLED = 256 };
  size_t slots = stack_slots(L);
  if (thread_stack_is_inline(L) && needed <= stack_inline_capacity(L))
    return stack_inline_capacity(L);
  size_t next = slots + (slots < DOUBLED ? slots / 2 : slots);
  if (next > SMALL && needed <= SMALL && slots < SMALL) next = SMALL;
  next = size_max(next, needed) + STACK_EXTRA;
  return vector_filled(sizeof(Value), next) - STACK_EXTRA;
}

/* Moves the frames out of the cell if that lets the stack stay there: the
** frames are smaller. */
static bool frames_reserve(lua_State *L, size_t needed) {
  enum { FRAMES_OUT = FRAMES_INITIAL + 1 };
  if (needed > STACK_ALONE || !thread_stack_is_inline(L) ||
      !thread_frames_are_inline(L))
    return true;
  return frames_reallocate(L, vector_filled(sizeof(Frame), FRAMES_OUT));
}

bool stack_try_reserve(lua_State *L, size_t count) {
  size_t used = (size_t)(L->top - L->stack);
  if (stack_slots(L) >= used && stack_slots(L) - used >= count) return true;
  if (count > STACK_MAX || used + count > STACK_MAX) return false;
  if (!frames_reserve(L, used + count)) return false;
  size_t next = stack_next_size(L, used + count);
  return stack_reallocate(L, size_min(next, STACK_MAX));
}

bool stack_try_grow(lua_State *L, size_t count) {
  return stack_try_reserve(L, count) && stack_raise_limit(L, count);
}

/* Metamethods called by instructions need no C stack here.  lua5.4 runs them on
** the C stack, and its message says "C stack overflow".  After C_CALLS_MAX such
** calls this message is the same.  In a deep recursion the last frames show
** what it consists of. */
static bool overflow_is_of_metamethods(const lua_State *L) {
  enum { FRAMES_SEEN = 20000 };
  size_t depth = (size_t)(L->frame - L->frames);
  int count = 0;
  for (size_t i = 0; i < depth && i < FRAMES_SEEN; i++)
    if (L->frame[-(ptrdiff_t)i].status & FRAME_META) count++;
  return count >= C_CALLS_MAX;
}

static _Noreturn void stack_overflow(lua_State *L) {
  if (stack_slots(L) > STACK_MAX) raise_throw(L, STATUS_ERROR_HANDLER);
  if (!stack_reallocate(L, STACK_MAX + STACK_ERROR)) raise_memory(L);
  stack_raise_limit(L, STACK_ERROR / 2);
  raise_error(L, overflow_is_of_metamethods(L) ? "C stack overflow"
                                               : "stack overflow");
}

void stack_grow(lua_State *L, size_t count) {
  if (stack_try_grow(L, count)) return;
  size_t used = (size_t)(L->top - L->stack);
  if (count > STACK_MAX || used + count > STACK_MAX) stack_overflow(L);
  raise_memory(L);
}

/* -- Shrinking ------------------------------------------------------------- */

static bool frames_are_wide(const lua_State *L) {
  size_t count = vector_capacity(L->frames);
  return count > FRAMES_ALONE && count > frames_used(L) * 4;
}

static bool stack_is_wide(const lua_State *L, size_t used) {
  size_t slots = stack_slots(L);
  return slots > STACK_INITIAL * 4 && slots > used * 4 &&
         slots <= STACK_MAX; /* no overflow is being handled */
}

/* Makes both vectors as small as in a new thread, where they fit.  Needs no
** memory. */
static void shrink_into_cell(lua_State *L) {
  Value *place = thread_of(L)->stack;
  if (thread_frames_are_inline(L)) {
    vector_set_capacity(L->frames, FRAMES_INITIAL);
    L->frame_limit = L->frames + FRAMES_INITIAL;
  }
  vector_move_in(L, L->stack, place, sizeof(Value),
                 STACK_INITIAL + STACK_EXTRA);
  stack_set(L, place, STACK_INITIAL);
  frames_reallocate(L, FRAMES_INITIAL);
}

static void shrink_to(lua_State *L, size_t used) {
  if (used <= STACK_INITIAL && frames_used(L) <= FRAMES_INITIAL) {
    shrink_into_cell(L);
    return;
  }
  if (frames_are_wide(L)) frames_reallocate(L, frames_used(L) * 2);
  if (stack_is_wide(L, used)) stack_reallocate(L, used * 2);
}

/* A quick test first, because a deep stack has many frames to check. */
static bool shrink_is_due(const lua_State *L) {
  return frames_are_wide(L) || stack_is_wide(L, (size_t)(L->top - L->stack));
}

void stack_shrink(lua_State *L) {
  if (!shrink_is_due(L)) return;
  size_t used = stack_in_use(L);
  if (frames_are_wide(L) || stack_is_wide(L, used)) shrink_to(L, used);
}

size_t stack_shrink_some(lua_State *L) {
  enum { FRAMES_MOST = 512, SLOTS_MOST = 4096, SLOTS_PER_UNIT = 4 };
  if (LIKELY(!shrink_is_due(L)) || frames_used(L) > FRAMES_MOST) return 0;
  size_t used = stack_in_use(L), work = frames_used(L);
  if (used > SLOTS_MOST) return work;
  if (frames_are_wide(L) || stack_is_wide(L, used)) shrink_to(L, used);
  return work + used / SLOTS_PER_UNIT;
}

void stack_release_parts(lua_State *L) {
  ASSERT(L->frame == L->frames && L->top == L->stack + 1, "in use");
  L->frame->top = L->top + STACK_MIN_FREE;
  shrink_into_cell(L);
}

void stack_recover(lua_State *L) {
  if (stack_slots(L) <= STACK_MAX) return;
  size_t used = stack_in_use(L);
  /* The frame of a C function may end in the extra slots. */
  if (used > STACK_MAX + STACK_EXTRA) return; /* still overflown */
  stack_reallocate(L, size_min(used * 2, STACK_MAX));
}

void stack_move(lua_State *L) {
  size_t slots = stack_slots(L);
  bool was_inline = thread_stack_is_inline(L);
  void *moved =
      vector_copy_out(L, L->stack, sizeof(Value), slots + STACK_EXTRA);
  if (!moved) return;
  vector_set_capacity(moved, slots + STACK_EXTRA);
  gc_part_replaced(gc_of(L), thread_cell(L), vector_cell(moved));
  stack_set(L, moved, slots);
  if (was_inline) frames_settle(L);
}

/* -- Frames ---------------------------------------------------------------- */

/* Grows by a third; from 64 frames on doubles. */
static size_t frames_next_size(const lua_State *L) {
  enum { SMALL = (CELL_MAX - sizeof(VectorPart)) / sizeof(Frame) };
  enum { DOUBLED = 64, AT_LEAST = 2 };
  size_t count = vector_capacity(L->frames);
  if (count < frames_inline_capacity(L)) return frames_inline_capacity(L);
  size_t more = count < DOUBLED ? size_max(count / 3, AT_LEAST) : count;
  if (count < SMALL && count + more > SMALL) more = SMALL - count;
  return vector_filled(sizeof(Frame), count + more);
}

void frame_grow(lua_State *L) {
  if (vector_capacity(L->frames) >= FRAMES_MAX) stack_overflow(L);
  if (!frames_reallocate(L, size_min(frames_next_size(L), FRAMES_MAX)))
    raise_memory(L);
}

/* Returning from a deep recursion would call this at every return, so uncover
** several frames at a time. */
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

/* The stack is empty except for slot 0, the function of the host's frame. */
static ALWAYS_INLINE void thread_make_empty(lua_State *L) {
  Frame *f = L->frames;
  L->frame = f;
  memset(f, 0, sizeof *f);
  f->func = L->stack;
  f->status = FRAME_C;
  value_set_nil(f->func);
  L->top = L->stack + 1;
  f->top = L->top + STACK_MIN_FREE;
  L->closable_count = 0;
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
  memset(t->extra, 0, EXTRA_SPACE);
  thread_init(t, g);
  g->main = &t->state;
  return g->main;
}

lua_State *thread_new(lua_State *L) {
  Thread *t = object_new(L, sizeof(Thread), KIND_THREAD);
  thread_init(t, L->global);
  memcpy(t->extra, thread_of(L->global->main)->extra, EXTRA_SPACE);
  t->state.hook = L->hook;
  t->state.hook_mask = L->hook_mask;
  t->state.base_hook_count = t->state.hook_count = L->base_hook_count;
  return &t->state;
}

bool thread_is_sandboxed(const lua_State *L) {
  for (const Frame *f = L->frame; f > L->frames; f--)
    if (frame_is_lua(f)) return frame_closure(f)->proto->sandboxed;
  return L != L->global->main;
}
