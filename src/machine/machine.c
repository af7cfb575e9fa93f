/* SPDX-License-Identifier: MIT */
/*
** machine.c -- which functions get machine code, and the way into it
*/
#include "machine/machine.h"

#if PENUMBRA_MACHINE

#include "machine/piece_impl.h"

/* Calls of functions and jumps back are counted only as long as this helps. */
enum {
  MACHINE_CALLS = 30, /* before a function is hot */
  MACHINE_JUMPS = 61, /* between two looks at loops */
  MACHINE_LOOKS = 4,  /* before a loop is hot */
  MACHINE_NEVER = INT32_MAX,
  MACHINE_LONGEST = 10000, /* words of a function with machine code */
  MACHINE_SEGMENT = 1 << 22,
  MACHINE_SEGMENT_TINY = 1 << 17,
  MACHINE_AHEAD = 4,    /* instructions that a door must be good for */
  MACHINE_EXITS = 64,   /* of an instruction, before doors near it are closed */
  MACHINE_LOOKED = 2000 /* for doors, before a function may be given up */
};

#if MACHINE_WORKS

#include <stdio.h>
#include <stdlib.h>

/* -- A state --------------------------------------------------------------- */

static const struct {
  const char *name;
  unsigned setting;
} machine_settings[] = {
    {"off", MACHINE_OFF},       {"once", MACHINE_AT_ONCE},
    {"guards", MACHINE_GUARDS}, {"steps", MACHINE_STEPS},
    {"tiny", MACHINE_TINY},     {"count", MACHINE_LIST},
};

static unsigned machine_read_settings(void) {
  enum { NAMES = sizeof machine_settings / sizeof machine_settings[0] };
  const char *text = getenv("PENUMBRA_MACHINE");
  unsigned settings = 0;
  for (int n = 0; text && n < NAMES; n++)
    if (strstr(text, machine_settings[n].name))
      settings |= machine_settings[n].setting;
  return settings;
}

void machine_begin(lua_State *L) {
  Global *g = L->global;
  g->machine_settings = (uint8_t)machine_read_settings();
  g->machine_countdown =
      g->machine_settings & MACHINE_AT_ONCE ? 1 : MACHINE_JUMPS;
}

static void machine_list(const MachineCounts *c) {
  fprintf(stderr,
          "machine code: %llu pieces, %llu stubs; exits: %llu steps, %llu "
          "polls, %llu frames\n",
          (unsigned long long)c->pieces, (unsigned long long)c->stubs,
          (unsigned long long)c->exits[EXIT_STEP],
          (unsigned long long)c->exits[EXIT_POLL],
          (unsigned long long)c->exits[EXIT_FRAME]);
  for (int op = 0; op < OPCODE_COUNT; op++)
    if (c->steps[op] > 0)
      fprintf(stderr, "  left to the interpreter: %llu %s\n",
              (unsigned long long)c->steps[op], opcode_info[op].name);
}

void machine_end(Global *g) {
  Machine *m = g->machine;
  if (!m) return;
  if (m->settings & MACHINE_LIST) machine_list(&m->counts);
  area_unmap(&m->area);
  free(m);
  g->machine = NULL;
}

static bool machine_map(Machine *m) {
  size_t size =
      m->settings & MACHINE_TINY ? MACHINE_SEGMENT_TINY : MACHINE_SEGMENT;
  if (!area_map(&m->area, size)) return false;
  if (piece_begin(m)) return true;
  area_unmap(&m->area);
  return false;
}

/* The machine of the state, made when it is needed first; NULL if it is off, or
** the system refuses memory for code. */
static Machine *machine_of(lua_State *L) {
  Global *g = L->global;
  if (g->machine || g->machine_settings & MACHINE_OFF) return g->machine;
  Machine *m = calloc(1, sizeof *m);
  if (m) m->settings = g->machine_settings;
  if (!m || !machine_map(m)) {
    free(m);
    g->machine_settings |= MACHINE_OFF;
    return NULL;
  }
  return g->machine = m;
}

/* -- Hot functions --------------------------------------------------------- */

static void code_note_targets(MachineCode *code) {
  const Proto *p = code->p;
  for (uint32_t pc = 0; pc < p->code_size;) {
    Instruction i = p->code[pc];
    uint32_t next = pc + (uint32_t)code_length(i);
    if (opcode_is_jump(opcode_alone(code_op(i)))) {
      Instruction aux = next > pc + 1 ? p->code[pc + 1] : 0;
      code->place[pc + 1 + (uint32_t)code_jump_offset(i, aux)] |= PLACE_TARGET;
    }
    if (code_op(i) == OP_LOADFALSESKIP) code->place[next + 1] |= PLACE_TARGET;
    pc = next;
  }
}

static void code_note_captured(MachineCode *code) {
  const Proto *p = code->p;
  for (uint32_t n = 0; n < p->proto_count; n++)
    for (uint32_t u = 0; u < p->protos[n]->upvalue_count; u++) {
      const UpValueInfo *info = &p->protos[n]->upvalues[u];
      if (info->in_stack)
        code->captured[info->index / 8] |= (uint8_t)(1u << info->index % 8);
    }
}

/* Gives the function a description without code, if there is room. */
static void machine_heat(lua_State *L, Proto *p) {
  Machine *m = machine_of(L);
  if (!m || m->full || !area_is_ours(&m->area)) return;
  if (p->machine || p->machine_given_up || p->code_size > MACHINE_LONGEST)
    return;
  MachineCode *code = area_data(&m->area, sizeof *code);
  if (!code) return;
  code->p = p;
  code->door = area_data(&m->area, p->code_size * sizeof *code->door);
  code->version = area_data(&m->area, p->code_size * sizeof(Version *));
  code->place = area_data(&m->area, (size_t)p->code_size + 1);
  code->exits = area_data(&m->area, p->code_size);
  if (!code->door || !code->version || !code->place || !code->exits) return;
  code_note_targets(code);
  code_note_captured(code);
  p->machine = code;
}

static bool machine_is_off(const lua_State *L) {
  return (L->global->machine_settings & MACHINE_OFF) != 0;
}

static bool machine_at_once(const lua_State *L) {
  return (L->global->machine_settings & MACHINE_AT_ONCE) != 0;
}

void machine_count_call(lua_State *L, Proto *p) {
  if (p->machine) return;
  if (++p->machine_calls < MACHINE_CALLS && !machine_at_once(L) &&
      !machine_is_off(L))
    return;
  machine_heat(L, p);
  if (!p->machine) p->enter_size = p->frame_size;
}

void machine_count_jump(lua_State *L, UNUSED const Instruction *pc) {
  Global *g = L->global;
  Proto *p = frame_closure(L->frame)->proto;
  g->machine_countdown = machine_at_once(L) ? 1 : MACHINE_JUMPS;
  if (machine_is_off(L)) g->machine_countdown = MACHINE_NEVER;
  if (p->machine) return;
  if (++p->machine_jumps >= MACHINE_LOOKS || machine_at_once(L))
    machine_heat(L, p);
}

/* -- Doors ----------------------------------------------------------------- */

/* False if the code would soon leave for the loop. */
static bool door_is_good(const Machine *m, const MachineCode *code,
                         uint32_t pc) {
  const Proto *p = code->p;
  if (m->settings & MACHINE_AT_ONCE) return true;
  for (int n = 0; n < MACHINE_AHEAD && pc < p->code_size; n++) {
    Instruction i = p->code[pc];
    Opcode op = opcode_alone(code_op(i));
    if (!emit_function(op) || code->exits[pc] >= MACHINE_EXITS) return false;
    if (opcode_is_jump(op) || op == OP_CALL || opcode_is_return(op))
      return true;
    pc += (uint32_t)code_length(i);
  }
  return true;
}

static uint8_t *machine_door(lua_State *L, MachineCode *code, uint32_t pc) {
  const Machine *m = L->global->machine;
  uint32_t door = code->door[pc];
  if (door == DOOR_CLOSED) return NULL;
  if (door == DOOR_NONE) {
    if (m->full) return NULL;
    if (!door_is_good(m, code, pc)) {
      code->door[pc] = DOOR_CLOSED;
      return NULL;
    }
  }
  return piece_door(L, code, pc);
}

/* The loop had to execute the instruction once more.  If it has to do so often,
** the doors just before it are not worth entering. */
static void door_note_exit(const Machine *m, MachineCode *code, uint32_t pc) {
  enum { NEAR = 2 * MACHINE_AHEAD };
  if (m->settings & MACHINE_AT_ONCE || code->exits[pc] >= MACHINE_EXITS) return;
  if (++code->exits[pc] < MACHINE_EXITS) return;
  for (uint32_t n = pc > NEAR ? pc - NEAR : 0; n <= pc; n++)
    if (code->door[n] > DOOR_CLOSED && !door_is_good(m, code, n))
      code->door[n] = DOOR_CLOSED;
}

/* A function with too few doors is interpreted as if it had never been hot.  Its
** code stays, because frames may return to it. */
static void machine_weigh(const Machine *m, Proto *p, bool refused) {
  MachineCode *code = p->machine;
  code->looked++;
  code->refused += refused;
  if (code->looked < MACHINE_LOOKED || m->settings & MACHINE_AT_ONCE) return;
  if (code->refused > code->looked / 4) {
    p->machine = NULL;
    p->machine_entry = NULL;
    p->machine_given_up = true;
    p->enter_size = p->frame_size;
  }
  code->looked = code->refused = 0;
}

/* A function that can be entered from machine code. */
static void machine_note_entry(Machine *m, Proto *p, uint32_t pc,
                               const uint8_t *at) {
  if (pc == 0) p->machine_entry = at + (m->area.run - m->area.write);
}

/* -- Running --------------------------------------------------------------- */

/* The values that the code behind a stub expects. */
static void machine_load_homes(Homes *homes, const Snapshot *c,
                               const Value *base) {
  for (unsigned n = 0; n < WHOLE_HOMES; n++)
    if (c->whole[n] != HOME_EMPTY) homes->whole[n] = base[c->whole[n]].as.bits;
  for (unsigned n = 0; n < FLOAT_HOMES; n++)
    if (c->floats[n] != HOME_EMPTY)
      homes->floats[n] = base[c->floats[n]].as.bits;
}

static MachineExit machine_execute(lua_State *L, Machine *m,
                                   const uint8_t *at) {
  Homes homes = {{0}, {0}};
  for (;;) {
    Value *base = L->frame->func + 1;
    const uint8_t *run = at + (m->area.run - m->area.write);
    uint64_t result = m->enter(L, base, run, &homes);
    if ((result & EXIT_STUB) != EXIT_STUB) return (MachineExit)result;
    Stub *stub = m->stubs[result >> 8];
    base = L->frame->func + 1;
    at = piece_of_stub(L, stub);
    if (!at) {
      L->frame->u.lua.pc = stub->code->p->code + stub->pc;
      return EXIT_STEP;
    }
    machine_load_homes(&homes, &stub->context, base);
  }
}

/* The frame may be that of another function than the one that was entered. */
static void machine_note_step(const lua_State *L, Machine *m) {
  const Frame *f = L->frame;
  const Proto *p = frame_closure(f)->proto;
  m->counts.steps[code_op(*f->u.lua.pc)]++;
  if (p->machine)
    door_note_exit(m, p->machine, (uint32_t)(f->u.lua.pc - p->code));
}

/* Hooks and a debugger, which hears of errors, want every instruction. */
static bool machine_is_observed(const lua_State *L) {
  return L->hook_mask || L->global->on_error;
}

MachineExit machine_run(lua_State *L) {
  Machine *m = L->global->machine;
  Frame *f = L->frame;
  Proto *p = frame_closure(f)->proto;
  if (machine_is_observed(L) || !area_is_ours(&m->area)) return EXIT_NONE;
  uint32_t pc = (uint32_t)(f->u.lua.pc - p->code);
  uint8_t *at = machine_door(L, p->machine, pc);
  machine_weigh(m, p, !at);
  if (!at) return EXIT_NONE;
  machine_note_entry(m, p, pc, at);
  MachineExit why = machine_execute(L, m, at);
  m->counts.exits[why]++;
  if (why == EXIT_STEP) machine_note_step(L, m);
  return why;
}

#else

/* Without an assembler for this machine, nothing is ever hot. */
void machine_begin(lua_State *L) {
  L->global->machine_countdown = MACHINE_NEVER;
}
void machine_end(UNUSED Global *g) {}
void machine_count_call(UNUSED lua_State *L, Proto *p) {
  p->enter_size = p->frame_size;
}
void machine_count_jump(lua_State *L, UNUSED const Instruction *pc) {
  L->global->machine_countdown = MACHINE_NEVER;
}
MachineExit machine_run(UNUSED lua_State *L) { return EXIT_NONE; }

#endif
#else
typedef int MachineNotBuilt;
#endif
