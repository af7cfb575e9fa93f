/* SPDX-License-Identifier: MIT */
/*
** piece_impl.h -- what emitters use: values of registers, guards, ways out
**
** A *piece* is what is compiled at once: instructions from one place on, until a
** jump back, a call, a return, or an instruction that is left to the loop.  A
** *version* of a place is the code for it in one context.  A *stub* stands where
** code for another place, or for another type, is missing.  When control gets
** there, the stub asks for it, and then becomes a jump to it.
**
** Rules for emitters
**
**  1. All guards of an instruction come before its first effect.  What a guard
**     leaves behind is the state before the instruction.
**  2. Every result is stored into its slot, by piece_set_...; a tag only if it
**     is not known to be there.
**  3. Registers that a nested function captures can change in any call.  Their
**     tags are never known, and they have no homes.
**  4. Machine code calls only C functions that run no Lua code, take no step of
**     the collector, and move no stack.  What they raise is a memory error, with
**     the pc of the frame saved.
*/
#ifndef PENUMBRA_MACHINE_PIECE_IMPL_H
#define PENUMBRA_MACHINE_PIECE_IMPL_H

#include "machine/area_impl.h"
#include "machine/context_impl.h"
#include "machine/machine.h"

typedef struct MachineCode MachineCode;

typedef struct Version {
  struct Version *next; /* of the same place */
  uint8_t *at;          /* where it is written */
  Snapshot context;
} Version;

typedef enum StubKind {
  STUB_JUMP,   /* control goes on at another place */
  STUB_BACK,   /* the same, at the start of a loop */
  STUB_GUARD,  /* an operand is of another type */
  STUB_RESUME, /* a call returns */
  STUB_KINDS
} StubKind;

typedef struct Stub {
  MachineCode *code;
  uint32_t pc;
  StubKind kind;
  uint8_t *body;
  Patch direct; /* a jump to the body alone, or NULL */
  Snapshot context;
} Stub;

/* Bits of MachineCode.place. */
enum { PLACE_TARGET = 0x80, PLACE_GUARDS = 0x7f };

/* The machine code of a function. */
struct MachineCode {
  const Proto *p;
  uint32_t *door;    /* for each word: offset of the code, or one of: */
  Version **version; /* for each word */
  uint8_t *place;    /* jumped to; how many guards have failed */
  uint8_t *exits;    /* for each word: how often the loop had to execute it */
  uint8_t *briefs;   /* for each door: the last stays that were too brief */
  uint32_t looked, refused; /* for doors; how many were closed */
  struct MachineCode *next; /* the rest is for tally.c */
  struct TalliedPiece *pieces_made;
  uint32_t *steps; /* for each word; NULL: not recorded */
  uint8_t captured[(CODE_MAX_REGISTERS + 1) / 8];
};
enum { DOOR_NONE = 0, DOOR_CLOSED = 1 };

/* The low byte of what the way out returns for a stub; its place in the data of
** the area follows. */
enum { EXIT_STUB = 0x7f };

enum {
  PIECE_LENGTH = 32,
  PIECE_SIDES = 512,
  PIECE_CONTEXTS = 3 * PIECE_LENGTH + 4
};

/* Settings, for tests: see docs/machine-code.md. */
enum MachineSetting {
  MACHINE_OFF = 1,
  MACHINE_AT_ONCE = 2,    /* compile what is executed for the first time */
  MACHINE_GUARDS = 4,     /* every guard fails */
  MACHINE_STEPS = 8,      /* an exit at every instruction */
  MACHINE_TINY = 16,      /* little memory for code */
  MACHINE_LIST = 32,      /* counters, when the state ends */
  MACHINE_STATE_OFF = 64, /* by machine_switch */
  MACHINE_PERF = 128,     /* names of pieces for perf */
  MACHINE_RECORD = 256    /* what a listing shows */
};

/* A way out of a piece. */
typedef enum SideKind {
  SIDE_STEP,  /* the loop executes the instruction */
  SIDE_POLL,  /* the loop goes on at the place */
  SIDE_GUARD, /* a stub for the same instruction */
  SIDE_EDGE,  /* to another place */
  SIDE_RESUME /* not a jump, but the offset of the stub */
} SideKind;

typedef struct Side {
  SideKind kind;
  StubKind stub;
  Patch from;
  uint32_t pc;
  unsigned number;  /* of the instruction in the piece */
  unsigned context; /* of an edge */
} Side;

typedef struct Piece {
  struct Machine *m;
  lua_State *L;
  MachineCode *code;
  const Proto *p;
  const Value *base;
  uint8_t *start;
  Assembler a;
  Context now;
  Context before;                   /* the instruction */
  uint32_t lost_whole, lost_floats; /* homes that it has changed */
  uint32_t pc, next;                /* of the instruction */
  unsigned number;
  unsigned self_to, self_from; /* what SELF copies; the same: nothing */
  bool ended;
  bool insists; /* on fewer guards, because too many failed here */
  struct TalliedPiece *tally;
  Value guess[CODE_MAX_REGISTERS + 1];
  unsigned side_count, context_count;
  Side side[PIECE_SIDES];
  Context context[PIECE_CONTEXTS];
  unsigned guard_context[PIECE_LENGTH + 1];
} Piece;

typedef struct MachineCounts {
  uint64_t functions, pieces, stubs, exits[EXIT_FRAME + 1], flushes;
  uint64_t steps[OPCODE_COUNT]; /* by the instruction left to the loop */
} MachineCounts;

typedef struct Machine {
  Area area;
  uint8_t *first;              /* after the way in and the ways out */
  uint8_t *free;               /* code is written from here on */
  EnterFn *enter, *enter_stub; /* by a door; where a stub was */
  uint8_t *leave_step, *leave_poll, *leave_stub, *leave_frame;
  uint16_t epoch; /* that of the state: see machine.c */
  unsigned settings;
  bool full;
  size_t counted;        /* bytes, which the limit covers */
  MachineCode *codes;    /* recorded: the latest first */
  int map;               /* of names for perf, see map.c; or -1 */
  MachineCounts *counts; /* of the state */
  unsigned untimed;      /* doors entered since the last that was timed */
  uintptr_t thread;      /* for asm_meet_thread */
  Piece piece;
} Machine;

/* -- For pieces (machine.c) ------------------------------------------------ */

/* More room for code and its descriptions; false if there must not be more. */
bool machine_grow(lua_State *L);

/* -- Pieces (piece.c) ------------------------------------------------------ */

/* The code for the place, in memory that can be written; NULL if there is no
** more room.  The running frame is about to execute it. */
uint8_t *piece_door(lua_State *L, MachineCode *code, uint32_t pc);
uint8_t *piece_of_stub(lua_State *L, Stub *stub);

/* Writes the way in and the ways out.  False if there is no room. */
bool piece_begin(Machine *m);

/* False if code that has been replaced would still run, as under a simulator
** that only looks at addresses. */
bool piece_can_change(const Machine *m);

/* -- Names for perf (map.c) ------------------------------------------------ */

/* The piece begins at that word of the function. */
void map_piece(Machine *m, const Proto *p, uint32_t pc, const uint8_t *start,
               const uint8_t *end);
void map_close(Machine *m);

/* -- Records for a listing (tally.c) -------------------------------------- */

/* Code for a function, a piece of it, the next instruction of the piece, the end
** of its instructions: noted if that was asked for. */
void tally_code(Machine *m, MachineCode *code);
void tally_piece(Piece *s);
void tally_instruction(Piece *s);
void tally_end(Piece *s);

/* The loop has to execute the instruction. */
void tally_step(MachineCode *code, uint32_t pc);

/* -- For emitters (value.c) ------------------------------------------------ */

static inline Memory slot_at(unsigned reg) {
  return memory_at(BASE, reg * sizeof(Value));
}
static inline Memory tag_at(unsigned reg) {
  return memory_at(BASE, reg * sizeof(Value) + offsetof(Value, tag));
}

static inline bool piece_is_captured(const Piece *s, unsigned reg) {
  return s->code->captured[reg / 8] >> reg % 8 & 1;
}

/* The tag of a register, known or guessed. */
static inline unsigned piece_tag(const Piece *s, unsigned reg) {
  unsigned tag = s->now.tag[reg];
  return tag == TAG_UNKNOWN ? s->guess[reg].tag : tag;
}

/* Leaves the piece if the condition holds: the loop executes the instruction. */
void piece_step_if(Piece *s, Condition c);
/* The same, but there will be another version of the instruction. */
void piece_guard_if(Piece *s, Condition c);
/* Goes to another place. */
void piece_edge_if(Piece *s, Condition c, uint32_t pc);
void piece_poll(Piece *s, uint32_t pc);
/* The number that is written at `at` becomes the offset of a stub for pc. */
void piece_resume(Piece *s, Patch at, uint32_t pc);

/* From here on the register has the tag. */
void piece_guard(Piece *s, unsigned reg, unsigned tag);

/* A machine register with the payload.  It is the home, unless that is `keep`,
** or the register has none: then it is `other`. */
Register piece_whole(Piece *s, unsigned reg, Register other, Register keep);
FloatRegister piece_float(Piece *s, unsigned reg, FloatRegister other,
                          FloatRegister keep);

/* Where a result is best computed: the home, or `other`. */
Register piece_result(Piece *s, unsigned reg, Register other, Register keep);
FloatRegister piece_float_result(Piece *s, unsigned reg, FloatRegister other,
                                 FloatRegister keep);

/* Store results. */
void piece_set_whole(Piece *s, unsigned reg, Register from, unsigned tag);
void piece_set_float(Piece *s, unsigned reg, FloatRegister from);
void piece_set_tag(Piece *s, unsigned reg, unsigned tag); /* no payload */
void piece_set_number(Piece *s, unsigned reg, Payload payload, unsigned tag);
void piece_copy(Piece *s, unsigned to, unsigned from);
/* With the tag in a temporary, which must be T0. */
void piece_set_any(Piece *s, unsigned reg, Register payload);

/* A C function has been called: homes have lost their values. */
void piece_called(Piece *s);

static inline void piece_guess_tag(Piece *s, unsigned reg, unsigned tag) {
  s->guess[reg].tag = (uint8_t)tag;
}

/* True if the vm may execute the instruction without leaving machine code. */
static inline bool piece_may_call(Opcode op) {
  switch (opcode_alone(op)) {
    case OP_SETUPVAL:
    case OP_GETTABLE:
    case OP_GETFIELD:
    case OP_SETFIELD:
    case OP_SETFIELDK:
    case OP_SETTABLE:
    case OP_SETTABLEK:
    case OP_SETINT: return true;
    default: return false;
  }
}

/* -- Emitters -------------------------------------------------------------- */

/* Emits the code for the instruction.  False if the loop has to execute it;
** then it may have emitted guards, but no effects. */
typedef bool EmitFn(Piece *s, Instruction i);

EmitFn *emit_function(Opcode op);
EmitFn emit_arith, emit_unm, emit_bnot, emit_not, emit_len;
EmitFn emit_get_table, emit_get_int, emit_set_table, emit_set_int;
EmitFn emit_get_field, emit_self, emit_set_field, emit_get_upfield,
    emit_set_upfield;
EmitFn emit_get_upvalue, emit_set_upvalue;
EmitFn emit_new_table, emit_closure, emit_close, emit_concat, emit_set_list,
    emit_varargs, emit_by_call, emit_set_varargs_aside;
EmitFn emit_jump, emit_truth, emit_truth_set, emit_nil, emit_equal;
EmitFn emit_equal_constant, emit_order, emit_order_number;
EmitFn emit_for_prepare, emit_for_prepare1, emit_for_loop, emit_for_loop1;
EmitFn emit_generic_prepare, emit_generic_call, emit_generic_loop;
EmitFn emit_call, emit_tail_call, emit_return;

#endif
