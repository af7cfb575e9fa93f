/* SPDX-License-Identifier: MIT */
/*
** function.h -- prototypes, closures, upvalues
**
** A prototype is the compiled form of a function body.  A closure is a
** prototype with its upvalues, or a C function with values of its own.  An
** upvalue is *open* while its variable is a live stack slot, and *closed* when
** it holds the value itself.  v points at the variable in both cases.
*/
#ifndef PENUMBRA_OBJECT_FUNCTION_H
#define PENUMBRA_OBJECT_FUNCTION_H

#include "object/part.h"
#include "object/string.h"

typedef uint32_t Instruction;

/* -- Prototypes ------------------------------------------------------------ */

/* Where a new closure finds an upvalue. */
typedef struct UpValueInfo {
  String *name;  /* NULL: stripped */
  bool in_stack; /* true: a register of the enclosing function, */
  uint8_t index; /* ... false: its upvalue; its number */
  uint8_t kind;  /* of the variable; only for the compiler */
} UpValueInfo;

/* A local variable: active for start <= pc < end, in words of code.  An entry
** without a name is no variable and never active.  It describes a copy of a
** loop's condition, which begins at `end` and ends at `start`. */
typedef struct LocalInfo {
  String *name;
  int32_t start;
  int32_t end;
} LocalInfo;

/* Vectors are parts (part.h).  Sizes count the elements in use; a vector may
** have more room while the compiler works. */
struct Proto {
  Cell cell;
  uint8_t param_count; /* fixed parameters */
  bool is_vararg;
  uint8_t frame_size; /* registers needed */
  bool sandboxed;     /* sees the metatable of strings for sandboxes */
  Instruction *code;
  Instruction *plain_code; /* without breakpoints; NULL: there are none */
  Value *constants;
  Proto **protos; /* functions defined inside */
  UpValueInfo *upvalues;
  LocalInfo *locals;    /* in order of start */
  uint8_t *line_offset; /* for each word: its line minus line_base */
  int32_t *line_base;   /* one for 2^line_shift words */
  String *source;       /* NULL: unknown */
  uint32_t code_size;
  uint32_t constant_count;
  uint32_t proto_count;
  uint32_t upvalue_count;
  uint32_t local_count;
  uint8_t line_shift;
  int32_t first_line; /* 0: the main chunk */
  int32_t last_line;
  int32_t code_distance; /* see proto_fix_code; 0: unknown */
#if PENUMBRA_MACHINE
  uint32_t enter_size;          /* frame_size, or more than there is room for:
                                 ** so that calls take the slow way */
  bool machine_given_up;        /* it left machine code too often, or is
                                 ** switched off */
  uint16_t machine_calls;       /* slow ones so far */
  uint16_t machine_jumps;       /* looks at its loops so far */
  uint16_t machine_epoch;       /* in which the next two are valid */
  struct MachineCode *machine;  /* NULL: it is not hot */
  const uint8_t *machine_entry; /* its first instruction; NULL: none yet */
#endif
};

/* An empty prototype, not anchored. */
Proto *proto_new(lua_State *L);

/* Call when the code has its final address.  Closures made from now on store
** the distance from the prototype to the code, in granules, so that a call need
** not load the prototype to find its code.  A distance that does not fit is
** stored as unknown. */
void proto_fix_code(Proto *p);

/* The code as the compiler made it.  `code` may have breakpoints in place of
** instructions (vm/watch.h). */
static inline const Instruction *proto_code(const Proto *p) {
  return p->plain_code ? p->plain_code : p->code;
}

/* Barriers for stores into vectors and fields that hold references. */
static inline void proto_barrier(Gc *gc, Proto *p, void *to) {
  gc_barrier_forward(gc, &p->cell, (Cell *)to);
}

/* Packs the lines of all words of code.  The caller owns `lines`. */
void proto_set_lines(lua_State *L, Proto *p, const int32_t *lines,
                     size_t count);

/* The line of a word of code; -1 if stripped. */
static inline int proto_line(const Proto *p, size_t pc) {
  if (!p->line_offset) return -1;
  return p->line_base[pc >> p->line_shift] + p->line_offset[pc];
}

/* Name of the local variable number n (from 1) active at pc, or NULL. */
const char *proto_local_name(const Proto *p, int n, size_t pc);

/* True if pc is in the copy of a loop's condition; *start is then where the
** copy begins. */
bool proto_find_copy(const Proto *p, size_t pc, size_t *start);

/* -- Upvalues -------------------------------------------------------------- */

struct UpValue {
  Cell cell; /* user: 1 while open */
  uint32_t unused;
  Value *v; /* the variable: a stack slot or `closed` */
  union {
    Value closed;
    struct {
      UpValue *next;  /* open upvalues of the thread, higher slots first */
      Thread *thread; /* owner of the slot */
    } open;
  } u;
};

static ALWAYS_INLINE bool upvalue_is_open(const UpValue *u) {
  return u->cell.user != 0;
}

/* A closed upvalue that holds nil, not anchored. */
UpValue *upvalue_new_closed(lua_State *L);

/* The open upvalue of that slot of L, found or made.  A new one is not
** anchored.  Raises if there is no memory. */
UpValue *upvalue_find(lua_State *L, Value *slot);

/* Closes all open upvalues of slots at or above `level`.  The inline functions
** upvalue_close and upvalue_set are in thread.h. */
void upvalue_close_all(lua_State *L, const Value *level);

/* -- Closures -------------------------------------------------------------- */

struct LuaClosure {
  Cell cell;             /* user: number of upvalues */
  int32_t code_distance; /* copied from the prototype */
  Proto *proto;
  POINTER_GAP(gap, 1)
  UpValue *upvalue[];
};
static_assert(sizeof(LuaClosure) == 16, "a closure is 16 + 8n bytes");

/* The first word of its code. */
static ALWAYS_INLINE Instruction *closure_code(const LuaClosure *c) {
  ptrdiff_t distance = (ptrdiff_t)c->code_distance * GRANULE;
  if (UNLIKELY(distance == 0)) return c->proto->code;
  char *part = (char *)c->proto + distance;
  Instruction *code = (Instruction *)(void *)(part + sizeof(VectorPart));
  ASSERT(code == c->proto->code, "code has moved by %td words",
         code - c->proto->code);
  return code;
}

struct CClosure {
  Cell cell; /* user: number of upvalues */
  uint32_t unused;
  CFunction function;
  POINTER_GAP(gap, 1)
  Value upvalue[];
};
static_assert(sizeof(CClosure) == 16, "a C closure is 16 + 16n bytes");

/* Not anchored.  Upvalues are NULL until set.  The closure is newborn, but a
** store after another allocation needs gc_barrier_forward.  The inline function
** closure_new_bare is in thread.h. */
LuaClosure *closure_new_lua(lua_State *L, Proto *p);

/* Not anchored.  Upvalues are nil until set; the same barrier rule holds. */
CClosure *closure_new_c(lua_State *L, CFunction f, unsigned upvalues);

#endif
