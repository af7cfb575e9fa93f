/* SPDX-License-Identifier: MIT */
/*
** machine.c -- which functions get machine code, and the way into it
**
** Memory for code is bounded.  When it is full, all code is dropped at once, and
** its memory is used again.  Nobody looks for what refers to that code: it is
** only valid in its *epoch*, a number of the state that becomes another one then.
** A prototype notes the epoch of its code.  A thread notes the epoch in which
** its frames return to code, and before machine code runs again, these frames are
** told to return to the loop.  The same is done when a debugger sets a
** breakpoint, when machine code is switched off, and in a child process.
*/
#include "machine/machine.h"

#if PENUMBRA_MACHINE

#include "machine/piece_impl.h"

/* Calls of functions and jumps back are counted only as long as this helps. */
enum {
  MACHINE_CALLS = 30,        /* before a function is hot */
  MACHINE_JUMPS = 61,        /* between two looks at loops */
  MACHINE_LOOKS = 4,         /* before a loop is hot */
  MACHINE_PATIENCE = 100000, /* the same, if there is no memory for code */
  MACHINE_NEVER = INT32_MAX,
  MACHINE_LONGEST = 10000, /* words of a function with machine code */
  MACHINE_CODE = 1 << 21,  /* bytes of code at most */
  MACHINE_SHARE = 16,      /* one in so many bytes that a memory limit leaves */
  MACHINE_AHEAD = 8,       /* instructions that a door must be good for */
  MACHINE_EXITS = 64, /* of an instruction, before doors near it are closed */
  MACHINE_LOOKED = 2000, /* for doors, before a function may be given up */
  MACHINE_TIMED = 16,    /* each time so many doors have been entered, the stay
                           ** behind one is measured */
  MACHINE_BRIEF = 120,   /* nanoseconds: a stay that gains less than the way in
                           ** and out costs, with reading the clock */
  MACHINE_BRIEFS = 8     /* such stays in a row, before a door is closed */
};

#if MACHINE_WORKS

#include <stdio.h>
#include <stdlib.h>

#include "gc/gc.h"
#include "object/jump.h"

/* -- A state --------------------------------------------------------------- */

/* Machine code runs, or may run later. */
static bool machine_is_off(const Global *g) {
  return (g->machine_settings & (MACHINE_OFF | MACHINE_STATE_OFF)) != 0;
}

static bool machine_at_once(const Global *g) {
  return (g->machine_settings & MACHINE_AT_ONCE) != 0;
}

static void machine_count_anew(Global *g) {
  g->machine_countdown = machine_at_once(g) ? 1 : MACHINE_JUMPS;
}

static const struct {
  const char *name;
  unsigned setting;
} machine_settings[] = {
    {"off", MACHINE_OFF},       {"once", MACHINE_AT_ONCE},
    {"guards", MACHINE_GUARDS}, {"steps", MACHINE_STEPS},
    {"tiny", MACHINE_TINY},     {"count", MACHINE_LIST},
    {"perf", MACHINE_PERF},
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
  g->machine_settings = (uint16_t)machine_read_settings();
  if (jump_is_exception()) g->machine_settings |= MACHINE_OFF;
  g->machine_epoch = 1;
  machine_count_anew(g);
}

static void machine_print_counts(const MachineCounts *c) {
  fprintf(stderr,
          "machine code: %llu pieces, %llu stubs, dropped %llu times; exits: "
          "%llu steps, %llu polls, %llu frames\n",
          (unsigned long long)c->pieces, (unsigned long long)c->stubs,
          (unsigned long long)c->flushes,
          (unsigned long long)c->exits[EXIT_STEP],
          (unsigned long long)c->exits[EXIT_POLL],
          (unsigned long long)c->exits[EXIT_FRAME]);
  for (int op = 0; op < OPCODE_COUNT; op++)
    if (c->steps[op] > 0)
      fprintf(stderr, "  left to the interpreter: %llu %s\n",
              (unsigned long long)c->steps[op], opcode_info[op].name);
}

/* All code of the state is invalid from now on.  No epoch comes twice: after the
** last one there is no more code. */
static void machine_next_epoch(Global *g) {
  if (g->machine_epoch < UINT16_MAX) g->machine_epoch++;
  if (g->machine_epoch < UINT16_MAX) return;
  g->machine_settings |= MACHINE_STATE_OFF;
  g->machine_refused = "code has been dropped too often";
}

/* Frees all code of the state.  It may get new code later. */
static void machine_free(Global *g) {
  Machine *m = g->machine;
  if (!m) return;
  map_close(m);
  area_unmap(&m->area);
  heap_hold(&g->gc.heap, 0, m->counted);
  free(m);
  g->machine = NULL;
  machine_next_epoch(g);
}

void machine_end(Global *g) {
  Machine *m = g->machine;
  bool ours = !m || area_is_ours(&m->area);
  machine_free(g);
  if (g->machine_settings & MACHINE_LIST && g->machine_counts && ours)
    machine_print_counts(g->machine_counts);
  free(g->machine_counts);
}

/* The same memory is for other code from now on. */
static void machine_drop(Global *g) {
  Machine *m = g->machine;
  machine_next_epoch(g);
  m->epoch = g->machine_epoch;
  m->free = m->first;
  m->full = false;
  m->codes = NULL;
  m->counts->flushes++;
  area_reset(&m->area);
}

/* Counts bytes as memory of the state; false if its limit does not allow them.
** No collection is worth its time for more code.  Nor is an error: so code takes
** a small share of what the program may still need. */
static bool machine_count_bytes(Global *g, Machine *m, size_t bytes) {
  size_t all = (m->counted + bytes) * MACHINE_SHARE;
  if (!heap_limit_allows(&g->gc.heap, all - m->counted)) return false;
  heap_hold(&g->gc.heap, bytes, 0);
  m->counted += bytes;
  return true;
}

static bool machine_add_chunk(Global *g, Machine *m) {
  const size_t bytes = (size_t)AREA_CHUNK * (1 + AREA_DATA_PER_CODE);
  if (m->area.size == m->area.most || !machine_count_bytes(g, m, bytes))
    return false;
  return area_grow(&m->area);
}

bool machine_grow(lua_State *L) {
  return machine_add_chunk(L->global, L->global->machine);
}

static const char limited[] = "the memory limit leaves no room for code";

/* Returns what is refused, or NULL. */
static const char *machine_make(Global *g, Machine *m) {
  if (!g->machine_counts) g->machine_counts = calloc(1, sizeof *m->counts);
  if (!g->machine_counts) return "there is no memory for code";
  m->counts = g->machine_counts;
  m->settings = g->machine_settings;
  m->epoch = g->machine_epoch;
  m->map = -1;
  if (!machine_count_bytes(g, m, sizeof *m)) return limited;
  const char *refused =
      area_map(&m->area, m->settings & MACHINE_TINY ? AREA_CHUNK : MACHINE_CODE,
               (m->settings & MACHINE_PERF) != 0);
  if (refused) return refused;
  if (!machine_add_chunk(g, m)) return limited;
  if (!piece_begin(m)) return "there is no room for code";
  return piece_can_change(m) ? NULL : "a simulator does not see changed code";
}

/* The machine of the state, made when it is needed first.  NULL if it is off, or
** there is no memory.  What the system has refused once is not tried again. */
static Machine *machine_of(lua_State *L) {
  Global *g = L->global;
  if (g->machine && !area_is_ours(&g->machine->area)) machine_free(g);
  if (g->machine || machine_is_off(g)) return g->machine;
  Machine *m = calloc(1, sizeof *m);
  g->machine_refused = m ? machine_make(g, m) : "there is no memory for code";
  if (m && g->machine_refused) {
    heap_hold(&g->gc.heap, 0, m->counted);
    area_unmap(&m->area);
    free(m);
    if (g->machine_refused != limited) g->machine_settings |= MACHINE_STATE_OFF;
  } else {
    g->machine = m;
  }
  return g->machine;
}

/* -- Switches -------------------------------------------------------------- */

/* A memory error can leave a function that machine code calls. */
const char *machine_why_not(const Global *g) {
  if (jump_is_exception())
    return "errors are C++ exceptions, which cannot leave machine code";
  if (g->machine_settings & MACHINE_OFF)
    return "the environment has PENUMBRA_MACHINE=off";
  if (g->machine_refused) return g->machine_refused;
  return g->machine_settings & MACHINE_STATE_OFF
             ? "it is switched off for this state"
             : NULL;
}

void machine_switch(Global *g, bool on) {
  if (on && g->machine_epoch < UINT16_MAX) {
    g->machine_settings &= (uint16_t)~MACHINE_STATE_OFF;
    g->machine_refused = NULL;
    machine_count_anew(g);
  } else {
    g->machine_settings |= MACHINE_STATE_OFF;
    machine_free(g);
  }
}

void machine_fit(Global *g) {
  const Heap *heap = &g->gc.heap;
  if (g->machine && heap->limit / MACHINE_SHARE < g->machine->counted &&
      heap->limit)
    machine_free(g);
}

void machine_record(Global *g) {
  machine_free(g);
  g->machine_settings |= MACHINE_RECORD;
}

static void proto_forget_code(Proto *p) {
  p->machine = NULL;
  p->machine_entry = NULL;
}

void machine_allow(Proto *p, bool on) {
  proto_forget_code(p);
  p->machine_given_up = !on;
  p->machine_calls = p->machine_jumps = 0;
  p->enter_size = on ? INT32_MAX : p->frame_size;
}

void machine_forget(Global *g) {
  if (g->machine && g->machine->area.data_used > 0) machine_drop(g);
}

void machine_figures(const Global *g, MachineFigures *out) {
  const Machine *m = g->machine;
  const MachineCounts *c = g->machine_counts;
  *out = (MachineFigures){0};
  if (m) out->bytes = m->counted;
  if (m) out->code_bytes = (size_t)(m->free - m->area.write);
  if (!c) return;
  out->functions = c->functions;
  out->pieces = c->pieces;
  out->drops = c->flushes;
  for (int why = EXIT_STEP; why <= EXIT_FRAME; why++)
    out->exits += c->exits[why];
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
static bool proto_may_have_code(const Proto *p) {
  return !p->machine_given_up && !p->plain_code &&
         p->code_size <= MACHINE_LONGEST;
}

/* The description of its code, or NULL. */
static MachineCode *proto_code_now(const Global *g, const Proto *p) {
  return p->machine_epoch == g->machine_epoch ? p->machine : NULL;
}

/* A description without code, or NULL. */
static MachineCode *code_new(Machine *m, const Proto *p) {
  MachineCode *code = area_data(&m->area, sizeof *code);
  if (!code) return NULL;
  code->p = p;
  code->door = area_data(&m->area, p->code_size * sizeof *code->door);
  code->version = area_data(&m->area, p->code_size * sizeof(Version *));
  code->place = area_data(&m->area, (size_t)p->code_size + 1);
  code->exits = area_data(&m->area, p->code_size);
  code->briefs = area_data(&m->area, p->code_size);
  if (!code->door || !code->version || !code->place || !code->exits ||
      !code->briefs)
    return NULL;
  code_note_targets(code);
  code_note_captured(code);
  return code;
}

/* The description for a function that has become hot; NULL if it must not have
** code, or there is no memory. */
static MachineCode *code_make(lua_State *L, const Proto *p) {
  Machine *m = proto_may_have_code(p) ? machine_of(L) : NULL;
  if (m && m->full) machine_drop(L->global);
  if (!m || machine_is_off(L->global)) return NULL;
  MachineCode *code = code_new(m, p);
  if (!code && machine_grow(L)) code = code_new(m, p);
  m->full = !code;
  if (code) m->counts->functions++;
  if (code) tally_code(m, code);
  return code;
}

/* The function is hot. */
static void machine_heat(lua_State *L, Proto *p) {
  proto_forget_code(p);
  p->machine_calls = p->machine_jumps = 0;
  p->machine = code_make(L, p);
  p->machine_epoch = L->global->machine_epoch;
  p->enter_size = p->machine ? INT32_MAX : p->frame_size;
}

void machine_count_call(lua_State *L, Proto *p) {
  const Global *g = L->global;
  if (proto_code_now(g, p)) return;
  if (++p->machine_calls >= MACHINE_CALLS || machine_at_once(g) ||
      machine_is_off(g))
    machine_heat(L, p);
}

void machine_count_jump(lua_State *L, UNUSED const Instruction *pc) {
  Global *g = L->global;
  Proto *p = frame_closure(L->frame)->proto;
  machine_count_anew(g);
  if (machine_is_off(g)) g->machine_countdown = MACHINE_NEVER;
  if (proto_code_now(g, p)) return;
  if (++p->machine_jumps < MACHINE_LOOKS && !machine_at_once(g)) return;
  machine_heat(L, p);
  if (!g->machine && !machine_is_off(g))
    g->machine_countdown = MACHINE_PATIENCE;
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

/* Which instructions are left to the loop does not say whether machine code pays:
** it may run for long between two of them.  So the stay behind a door is
** measured now and then.  A look for a door takes about as many nanoseconds as
** there are stays for each that is measured: so a measured nanosecond makes up
** for a look in vain. */
static void door_note_stay(MachineCode *code, uint32_t pc, uint64_t time) {
  if (time >= MACHINE_BRIEF) {
    uint64_t gain = time - MACHINE_BRIEF;
    code->briefs[pc] = 0;
    code->refused -= gain < code->refused ? (uint32_t)gain : code->refused;
  } else if (++code->briefs[pc] >= MACHINE_BRIEFS) {
    code->door[pc] = DOOR_CLOSED;
  }
}

/* A function with too few doors is interpreted as if it had never been hot.  Its
** code stays, because frames may return to it. */
static void machine_weigh(const Machine *m, Proto *p, bool refused) {
  MachineCode *code = p->machine;
  code->looked++;
  code->refused += refused;
  if (code->looked < MACHINE_LOOKED || m->settings & MACHINE_AT_ONCE) return;
  if (code->refused > code->looked / 4) {
    machine_allow(p, false);
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
  *homes = (Homes){{0}, {0}};
  for (unsigned n = 0; n < WHOLE_HOMES; n++)
    if (c->whole[n] != HOME_EMPTY) homes->whole[n] = base[c->whole[n]].as.bits;
  for (unsigned n = 0; n < FLOAT_HOMES; n++)
    if (c->floats[n] != HOME_EMPTY)
      homes->floats[n] = base[c->floats[n]].as.bits;
}

/* Control has got to a stub: makes its code and goes on there. */
static NO_INLINE uint64_t machine_execute_stub(lua_State *L, Machine *m,
                                               uint64_t number) {
  Homes homes;
  Stub *stub = (Stub *)(void *)(m->area.data + number);
  Value *base = L->frame->func + 1;
  const uint8_t *at = piece_of_stub(L, stub);
  if (!at) {
    L->frame->u.lua.pc = stub->code->p->code + stub->pc;
    return EXIT_STEP;
  }
  machine_load_homes(&homes, &stub->context, base);
  return m->enter_stub(L, base, at + (m->area.run - m->area.write), &homes);
}

static MachineExit machine_execute(lua_State *L, Machine *m,
                                   const uint8_t *at) {
  const uint8_t *run = at + (m->area.run - m->area.write);
  uint64_t result = m->enter(L, L->frame->func + 1, run, NULL);
  while (UNLIKELY((result & EXIT_STUB) == EXIT_STUB))
    result = machine_execute_stub(L, m, result >> 8);
  return (MachineExit)result;
}

/* The frame may be that of another function than the one that was entered.  A
** step of the collector is due now and then, and says nothing about the
** instruction. */
static void machine_note_step(const lua_State *L, Machine *m) {
  const Frame *f = L->frame;
  const Proto *p = frame_closure(f)->proto;
  MachineCode *code = proto_code_now(L->global, p);
  m->counts->steps[code_op(*f->u.lua.pc)]++;
  if (!code || gc_step_due(gc_of(L))) return;
  tally_step(code, (uint32_t)(f->u.lua.pc - p->code));
  door_note_exit(m, code, (uint32_t)(f->u.lua.pc - p->code));
}

/* Where frames of the thread return to code that has been dropped, they return
** to the loop. */
static void machine_renew_thread(lua_State *L) {
  for (Frame *f = L->frames; f <= L->frame; f++)
    if (frame_is_lua(f)) f->u.lua.resume = 0;
  L->machine_epoch = L->global->machine_epoch;
}

/* False if machine code cannot run now.  A prototype whose code has been dropped
** is told so. */
static bool machine_can_run(lua_State *L, Proto *p) {
  Global *g = L->global;
  if (L->hook_mask) return false;
  if (g->machine && !area_is_ours(&g->machine->area)) machine_free(g);
  if (g->machine && g->machine->full) machine_drop(g);
  if (machine_is_off(g) && g->machine) machine_free(g);
  if (!proto_code_now(g, p)) {
    proto_forget_code(p);
    if (machine_is_off(g)) p->enter_size = p->frame_size;
    return false;
  }
  if (L->machine_epoch != g->machine_epoch) machine_renew_thread(L);
  return true;
}

/* Enters the door of that place.  A small function that returns is not left too
** early: its caller may have machine code soon. */
static MachineExit machine_stay(lua_State *L, Machine *m, MachineCode *code,
                                uint32_t pc, const uint8_t *at) {
  if (++m->untimed < MACHINE_TIMED || m->settings & MACHINE_AT_ONCE)
    return machine_execute(L, m, at);
  m->untimed = 0;
  uint64_t began = gc_clock();
  MachineExit why = machine_execute(L, m, at);
  if (why == EXIT_STEP) door_note_stay(code, pc, gc_clock() - began);
  return why;
}

MachineExit machine_run(lua_State *L) {
  const Frame *f = L->frame;
  Proto *p = frame_closure(f)->proto;
  if (!machine_can_run(L, p)) return EXIT_NONE;
  Machine *m = L->global->machine;
  asm_meet_thread(&m->thread);
  uint32_t pc = (uint32_t)(f->u.lua.pc - p->code);
  MachineCode *code = p->machine;
  uint8_t *at = machine_door(L, code, pc);
  machine_weigh(m, p, !at);
  if (!at) return EXIT_NONE;
  machine_note_entry(m, p, pc, at);
  MachineExit why = machine_stay(L, m, code, pc, at);
  m->counts->exits[why]++;
  if (why == EXIT_STEP) machine_note_step(L, m);
  return why;
}

#else

/* Without an assembler for this machine, nothing is ever hot. */
const char *machine_why_not(UNUSED const Global *g) {
  return "there is none for this processor or this system";
}
void machine_switch(UNUSED Global *g, UNUSED bool on) {}
void machine_allow(UNUSED Proto *p, UNUSED bool on) {}
void machine_fit(UNUSED Global *g) {}
void machine_forget(UNUSED Global *g) {}
void machine_record(UNUSED Global *g) {}
void machine_list(UNUSED const Global *g, UNUSED const Proto *p,
                  UNUSED MachineWriter *write, UNUSED void *context) {}
void machine_figures(UNUSED const Global *g, MachineFigures *out) {
  *out = (MachineFigures){0};
}
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
