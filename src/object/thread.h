/* SPDX-License-Identifier: MIT */
/*
** thread.h -- threads (coroutines) and call frames
**
** A thread is a cell.  lua_State, which the host sees, lies inside it:
**
**     GcStack | EXTRA_SPACE bytes | lua_State
**     ^ Thread                       ^ lua_State *L
**
** The stack is a vector of values; frames are a vector of Frame.  Both begin in
** the thread's own cell, so that making a thread is one allocation.  When they
** grow they become parts, and parts that grow move.  So pointers into them are
** valid until the next call of a function that may grow them (stack_ensure, a
** call, an error).  For a thread that does not run, they are valid until the
** next step of the collector, which may shrink them.  If one vector becomes a
** part, the other may take its place in the cell, and so move too.  Moving
** corrects all pointers kept in L, its frames and open upvalues.
**
** What the collector sees of a stack:
**
**     stack        frame->func    live top      limit                end
**       |                |            |            |                  |
**       v                v            v            v                  v
**       +----------------+------------+------------+------------------+
**       | below: written | the running| may be     | garbage, perhaps |
**       | with barriers  | frame      | stale      | dangling         |
**       +----------------+------------+------------+------------------+
**
** Slots from the live top to the limit may hold old values, but no dangling
** ones.  Each visit of a stack that ends a cycle clears some slots above the
** live top and lowers the limit to the end of these.  stack_ensure raises the
** limit again and clears the slots below it.  So a Lua function need not clear
** its registers when it starts.  The live top is L->top, or frame->top if that
** is higher in a Lua function.  A C function, whose top is exact, may have
** slots above the limit.
**
** Slots below the running frame have been visited up to the watermark.  The
** frame whose return uncovers them carries FRAME_WATCH: the code that leaves it
** calls stack_uncover when L->frame is the frame below.
**
** A C function may have a million values on its stack, so these are visited in
** pieces too: the watermark may be within its frame.  The watermark is never
** above the top: code that pops or overwrites values calls stack_lower.
*/
#ifndef PENUMBRA_OBJECT_THREAD_H
#define PENUMBRA_OBJECT_THREAD_H

#include <string.h>

#include "object/function.h"
#include "object/global.h"
#include "object/raise.h"
#include "object/table.h"
#include "object/userdata.h"
#include "object/value.h"

/* -- Frames ---------------------------------------------------------------- */

enum FrameStatus {
  FRAME_C = 1,             /* runs a C function */
  FRAME_FRESH = 2,         /* called from C: its return ends the loop */
  FRAME_WATCH = 4,         /* call stack_uncover when leaving it */
  FRAME_HOOKED = 8,        /* runs a hook */
  FRAME_TAIL = 16,         /* was tail called */
  FRAME_PCALL = 32,        /* yieldable protected call in progress */
  FRAME_HOOK_YIELD = 64,   /* a hook yielded in it */
  FRAME_FINALIZER = 128,   /* called a finalizer */
  FRAME_TRANSFER = 256,    /* transfer information is valid */
  FRAME_CLOSING = 512,     /* closing variables while it returns */
  FRAME_ALLOW_HOOK = 1024, /* allow_hook before it, for FRAME_PCALL */
  FRAME_META = 2048,       /* metamethod called for an instruction below */
  FRAME_ENTERED = 4096,    /* the call hook has seen it, or comes too late */
  FRAME_LEAVING = 8192,    /* its return hook has to be called */
  FRAME_DIRECT = 16384,    /* C function called by the loop itself */
  FRAME_SWITCH = 32768     /* C function executed by the loop, or Lua function
                           ** called by one: see vm/switch.h */
};

/* A return with any of these flags is not the simplest one. */
enum {
  FRAME_RETURN_SLOW =
      FRAME_FRESH | FRAME_WATCH | FRAME_META | FRAME_LEAVING | FRAME_SWITCH
};

/* What belongs to the previous function of a frame, after a tail call. */
enum { FRAME_OF_ONE_CALL = FRAME_ENTERED | FRAME_LEAVING | FRAME_TRANSFER };

/* One call.  The vm may use the fields freely; the collector's visit uses only
** func, top and status. */
struct Frame {
  Value *func; /* the function; arguments and registers follow */
  Value *top;  /* end of the registers it may use */
  union {
    struct {
      Instruction *pc;        /* next word, while it does not run */
      const Value *constants; /* of its prototype */
      uint32_t extra_args;    /* of a vararg function */
#if PENUMBRA_MACHINE
      uint32_t resume; /* after its call: see machine/emit_call.c */
#endif
    } lua;
    struct {
      Continuation k; /* continuation, or NULL */
      ContinuationContext context;
      int32_t old_handler; /* of FRAME_PCALL: stack offset */
      int16_t recover;     /* ... error to continue after, or STATUS_OK */
      uint16_t pcalls;     /* ... L->pcalls before it */
    } c;
  } u;
  union {
    int32_t function_slot; /* of FRAME_PCALL: stack offset */
    int32_t yielded;       /* number of values yielded */
    int32_t results;       /* number of results being returned */
    bool negated;          /* of a comparison: see vm/operate_impl.h */
    struct {
      uint16_t first; /* index of the first value transferred */
      uint16_t count;
    } transfer;
  } u2;
  int16_t wanted;  /* results expected, ALL_RESULTS for all */
  uint16_t status; /* enum FrameStatus */
};

/* Combines `wanted` and `status` into one word: most calls use the same two
** values. */
static ALWAYS_INLINE uint32_t frame_mode_of(int wanted, unsigned status) {
  struct {
    int16_t wanted;
    uint16_t status;
  } both = {(int16_t)wanted, (uint16_t)status};
  uint32_t mode;
  memcpy(&mode, &both, sizeof mode);
  return mode;
}
static ALWAYS_INLINE uint32_t frame_mode(const Frame *f) {
  uint32_t mode;
  memcpy(&mode, (const char *)f + offsetof(Frame, wanted), sizeof mode);
  return mode;
}
static ALWAYS_INLINE void frame_set_mode(Frame *f, uint32_t mode) {
  memcpy((char *)f + offsetof(Frame, wanted), &mode, sizeof mode);
}
static_assert(offsetof(Frame, status) ==
                  offsetof(Frame, wanted) + sizeof(int16_t),
              "side by side");

static ALWAYS_INLINE bool frame_is_lua(const Frame *f) {
  return !(f->status & FRAME_C);
}
static ALWAYS_INLINE LuaClosure *frame_closure(const Frame *f) {
  return value_lua_closure(f->func);
}

/* -- Threads --------------------------------------------------------------- */

/* A bit of the hook mask besides those of lua.h: see vm/watch.h. */
enum { HOOK_STEP = 16 };

/* Hot fields first. */
struct lua_State {
  Value *top;   /* first free slot */
  Frame *frame; /* the running call */
  Global *global;
  Value *limit;          /* end of the slots usable without a check */
  Frame *frame_limit;    /* end of the frames that fit */
  Value *stack;          /* first slot; a vector (part.h) */
  Frame *frames;         /* first frame, the host's own; a vector */
  Value *end;            /* end of the slots; STACK_EXTRA more follow */
  lua_State *resumer;    /* the loop returns to it: see vm/switch.h */
  RaisePoint *catcher;   /* innermost protected call */
  uint16_t c_calls;      /* depth of C calls, of the parser, and of pcalls */
  uint16_t no_yield;     /* calls that cannot be yielded across */
  uint16_t resume_depth; /* thread_c_depth when it was resumed */
  uint16_t host_depth;   /* ... where the loop can switch; 0: never */
  uint8_t status; /* STATUS_OK, STATUS_YIELD, or the error that killed it */
  uint8_t hook_mask;
  bool allow_hook;
  bool has_dying_hook; /* registered with gc_register_dying */
  uint16_t pcalls;     /* depth of pcalls by the loop: see vm/switch.h */
#if PENUMBRA_MACHINE
  uint16_t machine_epoch; /* in which `resume` of its frames is valid */
#endif
  uint32_t closable_count;
  uint32_t old_pc;        /* of the last line event */
  uint32_t *closables;    /* offsets of to-be-closed slots; a vector */
  UpValue *open_upvalues; /* highest slot first */
  ptrdiff_t handler;      /* stack offset of the message handler; 0: none */
  int32_t base_hook_count;
  int32_t hook_count;
  HookFunction hook;
  lua_State *paused_in; /* ran in its loop when all was suspended: see
                        ** coroutine_pause */
};

enum {
  STACK_EXTRA = 5,    /* always available above `end`, for metamethods */
  STACK_INITIAL = 31, /* slots of a new thread */
  STACK_ERROR = 200,  /* additional, while a stack overflow is handled */
  FRAMES_INITIAL = 4,
  FRAMES_MAX = STACK_MAX,
  C_CALLS_MAX = 200 /* nested C calls */
};

/* Each of the two vectors is preceded by a vector header. */
struct Thread {
  GcStack gc;
  char extra[EXTRA_SPACE];
  lua_State state;
  VectorPart frames_header;
  Frame frames[FRAMES_INITIAL];
  _Alignas(8) VectorPart stack_header;
  Value stack[STACK_INITIAL + STACK_EXTRA];
};
static_assert(offsetof(Thread, frames) ==
                      offsetof(Thread, frames_header) + sizeof(VectorPart) &&
                  offsetof(Thread, stack) ==
                      offsetof(Thread, stack_header) + sizeof(VectorPart),
              "headers lie in front of their vectors");

static_assert(sizeof(Frame) <= 48, "a frame is 48 bytes, or less");
static_assert(sizeof(Thread) <= 960, "a thread is a cell of 960 bytes");

static ALWAYS_INLINE Thread *thread_of(const lua_State *L) {
  return (Thread *)((uintptr_t)L - offsetof(Thread, state));
}
static ALWAYS_INLINE Cell *thread_cell(const lua_State *L) {
  return &thread_of(L)->gc.cell;
}
static ALWAYS_INLINE void value_set_thread(Value *v, lua_State *L) {
  value_set_cell(v, thread_of(L), TAG_THREAD);
}

static ALWAYS_INLINE lua_State *value_thread(const Value *v) {
  return &((Thread *)(void *)v->as.cell)->state;
}

static ALWAYS_INLINE Gc *gc_of(const lua_State *L) { return &L->global->gc; }

/* The depth of C calls that use the C stack. */
static ALWAYS_INLINE unsigned thread_c_depth(const lua_State *L) {
  return (unsigned)L->c_calls - L->pcalls;
}

/* The thread that runs now; L may be any thread of the state. */
static ALWAYS_INLINE lua_State *thread_running(const lua_State *L);

/* `to` runs from now on instead of `from`: gc_stack_switch for threads. */
static ALWAYS_INLINE void thread_switch(lua_State *from, lua_State *to);

/* The slow path of thread_switch. */
void thread_rest(lua_State *L);

/* True if the thread needs no further work to rest even while the collector
** marks.  The collector has not reached it so far, so if it is reached later it
** is visited as a whole.  Exception: values of open upvalues must be marked
** now.  So a coroutine that starts and ends while the collector marks costs it
** nothing, and can die in the same cycle. */
static ALWAYS_INLINE bool thread_rests_unseen(const lua_State *L) {
  return !L->open_upvalues && !heap_is_marked(thread_cell(L));
}

/* True if a switch consists only of gc_stack_run and gc_stack_rest_fast.  `f`
** is the running frame of `to`. */
static ALWAYS_INLINE bool thread_switch_is_free(const lua_State *from,
                                                const lua_State *to,
                                                const Frame *f);

/* A thread with an empty stack and the hooks of L, not anchored.  Raises if
** there is no memory. */
lua_State *thread_new(lua_State *L);

/* True if the code that L runs was loaded in a sandbox.  A C function belongs to
** the Lua function that called it.  In a coroutine that has none, sandboxed code
** may have resumed it. */
bool thread_is_sandboxed(const lua_State *L);

/* -- The stack ------------------------------------------------------------- */

/* Makes `count` slots above the top usable.  False if there is no memory, or
** more than STACK_MAX are needed; raises nothing. */
bool stack_try_grow(lua_State *L, size_t count);

/* Like stack_try_grow, but raises "stack overflow" or the memory error. */
void stack_grow(lua_State *L, size_t count);

/* Like stack_try_grow, for a C function: the slots are not cleared, because its
** top is exact. */
bool stack_try_reserve(lua_State *L, size_t count);

static ALWAYS_INLINE void stack_ensure(lua_State *L, size_t count) {
  if (UNLIKELY(L->limit - L->top < (ptrdiff_t)count)) stack_grow(L, count);
}

/* Convert stack pointers to offsets and back, across code that may move the
** stack. */
static ALWAYS_INLINE ptrdiff_t stack_save(const lua_State *L,
                                          const Value *slot) {
  return (const char *)slot - (const char *)L->stack;
}
static ALWAYS_INLINE Value *stack_restore(const lua_State *L,
                                          ptrdiff_t offset) {
  return (Value *)(void *)((char *)L->stack + offset);
}

/* Gives back a stack and frames that are much larger than what is in use.  May
** move the stack and the frames. */
void stack_shrink(lua_State *L);

/* Like stack_shrink, but does nothing if too many slots and frames are in use
** for a bounded time.  Returns the work done. */
size_t stack_shrink_some(lua_State *L);

/* The thread has ended, with nothing on its stack.  Frees the vectors outside
** its own cell. */
void stack_release_parts(lua_State *L);
static ALWAYS_INLINE void stack_release(lua_State *L) {
  if (UNLIKELY(L->end - L->stack > STACK_INITIAL)) stack_release_parts(L);
}

/* Call after an overflow has been handled.  Shrinks the stack to
** STACK_MAX. */
void stack_recover(lua_State *L);

/* For tests: moves the stack to another address. */
void stack_move(lua_State *L);

/* Slots below this are scanned; see the head of the file.  A hook runs in the
** frame of the function that it interrupted, with an exact top. */
static inline Value *stack_live_top(const lua_State *L) {
  const Frame *f = L->frame;
  bool exact = (f->status & (FRAME_C | FRAME_HOOKED)) != 0;
  return !exact && L->top < f->top ? f->top : L->top;
}

/* Slots below `watermark` (an index) are visited.  Sets FRAME_WATCH in the
** frame whose return uncovers them. */
void thread_stack_watch(Cell *cell, size_t watermark);

/* Call when L->frame has just become the running frame by a return (or by an
** error) from a frame with FRAME_WATCH. */
void stack_uncover(lua_State *L);

/* A C function has popped its slots from `slot` on, or is about to write
** them. */
static ALWAYS_INLINE void stack_lower(lua_State *L, const Value *slot);

/* The barrier for a write to a slot of a frame below the running one, or of
** another thread. */
static inline void stack_barrier(lua_State *L, const Value *v);

/* -- Frames ---------------------------------------------------------------- */

/* Makes room for one more frame.  May raise; L->frame may move. */
void frame_grow(lua_State *L);

/* The frame above the running one; it does not become the running one. */
static ALWAYS_INLINE Frame *frame_next(lua_State *L) {
  if (UNLIKELY(L->frame + 1 >= L->frame_limit)) frame_grow(L);
  return L->frame + 1;
}

/* -- Allocation that raises ------------------------------------------------ */

/* gc_new, or the memory error.  A huge object reuses dead memory. */
static ALWAYS_INLINE void *object_new(lua_State *L, size_t size,
                                      ObjectKind kind) {
  void *cell = LIKELY(size < HUGE_SIZE) ? gc_new(gc_of(L), size, kind)
                                        : gc_new_huge(gc_of(L), size, kind);
  if (UNLIKELY(!cell)) raise_memory(L);
  return cell;
}

/* -- Inline functions that need all of the above --------------------------- */

static inline void stack_barrier(lua_State *L, const Value *v) {
  if (tag_is_collectable(v->tag))
    gc_stack_barrier(gc_of(L), thread_cell(L), v->as.cell);
}

static ALWAYS_INLINE void stack_lower(lua_State *L, const Value *slot) {
  GcStack *stack = &thread_of(L)->gc;
  if (UNLIKELY((size_t)(slot - L->stack) < stack->watermark))
    gc_stack_lower(gc_of(L), stack, (size_t)(slot - L->stack));
}

static ALWAYS_INLINE lua_State *thread_running(const lua_State *L) {
  return &((Thread *)(void *)gc_of(L)->running)->state;
}

/* Leaving a watched frame uncovers slots below the watermark and lowers it.  So
** the watermark is already low enough, unless the collector has visited the
** stack since. */
static ALWAYS_INLINE void thread_switch(lua_State *from, lua_State *to) {
  Gc *gc = gc_of(from);
  GcStack *stack = &thread_of(to)->gc;
  size_t stable = (size_t)(to->frame->func - to->stack);
  gc_stack_run(gc, &stack->cell);
  if (!gc_stack_rest_fast(gc, thread_cell(from))) thread_rest(from);
  if (UNLIKELY(stack->watermark > stable)) {
    gc_stack_lower(gc, stack, stable);
    thread_stack_watch(&stack->cell, stack->watermark);
  }
}

static ALWAYS_INLINE bool thread_switch_is_free(const lua_State *from,
                                                const lua_State *to,
                                                const Frame *f) {
  unsigned mode = gc_of(from)->barrier_mode;
  return (mode == BARRIER_OFF || mode == BARRIER_IDLE ||
          thread_cell(from)->barrier == BARRIER_LISTED ||
          thread_rests_unseen(from)) &&
         thread_of(to)->gc.watermark <= (size_t)(f->func - to->stack);
}

/* Closes open upvalues of slots at or above `level`, if there are any. */
static inline void upvalue_close(lua_State *L, const Value *level) {
  if (L->open_upvalues && L->open_upvalues->v >= level)
    upvalue_close_all(L, level);
}

/* Not anchored.  Its upvalues are undefined, and must be set before the next
** allocation. */
static ALWAYS_INLINE LuaClosure *closure_new_bare(lua_State *L, Proto *p) {
  size_t count = p->upvalue_count;
  LuaClosure *c = object_new(L, sizeof(LuaClosure) + count * sizeof(UpValue *),
                             KIND_LUA_CLOSURE);
  c->cell.user = (uint8_t)count;
  c->code_distance = p->code_distance;
  c->proto = p;
  return c;
}

/* Assigns to the variable.  Does the barrier of the upvalue, and for an open
** one also that of the thread, whose slot may have been visited. */
static inline void upvalue_set(Gc *gc, UpValue *u, const Value *v) {
  value_copy(u->v, v);
  if (!tag_is_collectable(v->tag)) return;
  gc_barrier_forward(gc, &u->cell, v->as.cell);
  if (upvalue_is_open(u))
    gc_stack_barrier(gc, &u->u.open.thread->gc.cell, v->as.cell);
}

#endif
