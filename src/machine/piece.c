/* SPDX-License-Identifier: MIT */
/*
** piece.c -- pieces, their versions, and the stubs between them
**
**     stub --(control gets there)--> piece_of_stub
**        the version exists   -> the stub becomes a jump to it
**        fewer than four      -> a new version is compiled
**        otherwise            -> one that assumes less, or nothing: a door
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

enum {
  PIECE_VERSIONS = 4,           /* of a place */
  PIECE_GUARDS = 6,             /* failed, before fewer are made */
  PIECE_BYTES = AREA_CHUNK / 2, /* more than any piece needs, ... */
  PIECE_LONG = PIECE_BYTES / 2, /* ... if it ends after so many bytes: the last
                                ** instruction and all sides are smaller */
  PIECE_SIDES_LEFT = 64         /* more than any instruction needs */
};

/* -- Contexts -------------------------------------------------------------- */

/* The number of local variables at pc.  The registers above are not used after
** a jump, except by an expression with `and` and `or`. */
static unsigned piece_locals(const Proto *p, uint32_t pc) {
  unsigned count = 0;
  if (p->local_count == 0) return CODE_MAX_REGISTERS;
  for (uint32_t n = 0; n < p->local_count; n++)
    if (p->locals[n].name && (uint32_t)p->locals[n].start <= pc &&
        pc < (uint32_t)p->locals[n].end)
      count++;
  return count;
}

static bool piece_is_target(const MachineCode *code, uint32_t pc) {
  return (code->place[pc] & PLACE_TARGET) != 0;
}

/* Forgets what only makes versions differ. */
static void piece_prune(const MachineCode *code, uint32_t pc, Context *c) {
  if (piece_is_target(code, pc))
    context_forget_from(c, piece_locals(code->p, pc));
}

/* -- Versions -------------------------------------------------------------- */

static Version *version_find(const MachineCode *code, uint32_t pc,
                             const Context *c, bool homes) {
  for (Version *v = code->version[pc]; v; v = v->next)
    if (snapshot_equals(&v->context, c, code->p->frame_size, homes)) return v;
  return NULL;
}

/* The version that assumes most of what is known. */
static Version *version_fitting(const MachineCode *code, uint32_t pc,
                                const Context *c) {
  Version *best = NULL;
  int most = 0;
  for (Version *v = code->version[pc]; v; v = v->next) {
    int known = snapshot_fits(&v->context, c, code->p->frame_size);
    if (known <= most) continue;
    most = known;
    best = v;
  }
  return best;
}

static bool version_is_one_too_many(const MachineCode *code, uint32_t pc) {
  int count = 0;
  for (Version *v = code->version[pc]; v; v = v->next) count++;
  return count >= PIECE_VERSIONS;
}

static bool version_add(Piece *s, uint32_t pc, const Context *c) {
  unsigned registers = s->p->frame_size;
  Version *v = area_data(&s->m->area, sizeof(Version) + registers);
  if (!v) return false;
  v->at = s->a.at;
  v->next = s->code->version[pc];
  snapshot_take(&v->context, c, registers);
  s->code->version[pc] = v;
  return true;
}

/* Loads the homes that the version expects and the context does not have. */
static void version_load_homes(Piece *s, const Version *v, const Context *c) {
  const Snapshot *to = &v->context;
  for (unsigned n = 0; n < WHOLE_HOMES; n++)
    if (to->whole[n] != HOME_EMPTY && to->whole[n] != c->whole[n])
      asm_load(&s->a, whole_home(n), slot_at(to->whole[n]));
  for (unsigned n = 0; n < FLOAT_HOMES; n++)
    if (to->floats[n] != HOME_EMPTY && to->floats[n] != c->floats[n])
      asm_float_load(&s->a, float_home(n), slot_at(to->floats[n]));
}

/* The address to jump to from that context. */
static uint8_t *version_entry(Piece *s, const Version *v, const Context *c) {
  uint8_t *start = s->a.at;
  version_load_homes(s, v, c);
  if (s->a.at == start) return v->at;
  asm_go(&s->a, ALWAYS, v->at);
  return start;
}

/* -- Ways out -------------------------------------------------------------- */

static void piece_leave(Piece *s, uint32_t pc, const uint8_t *how) {
  asm_number(&s->a, T0, (uint64_t)(uintptr_t)&s->p->code[pc]);
  asm_go(&s->a, ALWAYS, how);
}

static Stub *piece_new_stub(Piece *s, StubKind kind, uint32_t pc) {
  Machine *m = s->m;
  unsigned registers = s->p->frame_size;
  Stub *stub = area_data(&m->area, sizeof(Stub) + registers);
  if (!stub) return NULL;
  *stub = (Stub){.code = s->code, .pc = pc, .kind = kind, .body = s->a.at};
  return stub;
}

/* Writes a stub, or an exit if there is no memory for one.  The stub, or
** NULL. */
static Stub *piece_stub(Piece *s, StubKind kind, uint32_t pc,
                        const Context *c) {
  Machine *m = s->m;
  Stub *stub = piece_new_stub(s, kind, pc);
  if (!stub) {
    piece_leave(s, pc, m->leave_step);
    return NULL;
  }
  snapshot_take(&stub->context, c, s->p->frame_size);
  asm_number(&s->a, T0, (uint64_t)((uint8_t *)stub - m->area.data));
  asm_go(&s->a, ALWAYS, m->leave_stub);
  return stub;
}

static void side_edge(Piece *s, const Side *side) {
  Context *c = &s->context[side->context];
  piece_prune(s->code, side->pc, c);
  const Version *v = version_find(s->code, side->pc, c, true);
  if (v && asm_patch(&s->a, side->from, v->at)) return;
  asm_patch(&s->a, side->from, s->a.at);
  if (v) { /* too far for the jump */
    asm_go(&s->a, ALWAYS, v->at);
    return;
  }
  Stub *stub = piece_stub(s, side->stub, side->pc, c);
  if (stub) stub->direct = side->from;
}

static void side_resume(Piece *s, const Side *side) {
  uint32_t offset = (uint32_t)(s->a.at - s->m->area.write);
  Stub *stub = piece_stub(s, STUB_RESUME, side->pc, &s->context[side->context]);
  if (!stub) offset = 0;
  asm_patch_number(&s->a, side->from, offset);
}

/* The context after an instruction that the vm has executed. */
static Context side_context(const Piece *s, const Side *side) {
  Instruction i = s->p->code[side->pc];
  Opcode op = opcode_alone(code_op(i));
  Context c = s->context[s->guard_context[side->number]];
  context_forget_homes(&c);
  if (op == OP_GETTABLE || op == OP_GETFIELD) context_forget(&c, code_a(i));
  return c;
}

/* What an instruction's own code cannot do the vm may be able to do.  If not,
** the loop executes it. */
static void side_step(Piece *s, const Side *side) {
  Instruction *at = &s->p->code[side->pc];
  if (piece_may_call(code_op(*at)) && !(s->m->settings & MACHINE_STEPS)) {
    Context c = side_context(s, side);
    uint32_t next = side->pc + (uint32_t)code_length(*at);
    asm_number(&s->a, T3, (uint64_t)(uintptr_t)at);
    asm_arguments(&s->a, STATE, T3);
    asm_call(&s->a, (uintptr_t)s->L->global->make);
    asm_test(&s->a, T0, T0);
    Patch failed = asm_jump(&s->a, IF_EQUAL);
    piece_prune(s->code, next, &c);
    const Version *v = version_find(s->code, next, &c, true);
    if (v)
      asm_go(&s->a, ALWAYS, v->at);
    else
      piece_stub(s, STUB_JUMP, next, &c);
    asm_patch(&s->a, failed, s->a.at);
  }
  piece_leave(s, side->pc, s->m->leave_step);
}

/* Writes what the sides lead to.  Each instruction has one exit and one stub for
** its guards. */
static void piece_write_sides(Piece *s) {
  uint8_t *step[PIECE_LENGTH + 1] = {0}, *guard[PIECE_LENGTH + 1] = {0};
  for (unsigned n = 0; n < s->side_count; n++) {
    const Side *side = &s->side[n];
    uint8_t **shared =
        side->kind == SIDE_STEP ? &step[side->number] : &guard[side->number];
    uint8_t *at = s->a.at;
    switch (side->kind) {
      case SIDE_EDGE: side_edge(s, side); continue;
      case SIDE_RESUME: side_resume(s, side); continue;
      case SIDE_POLL: piece_leave(s, side->pc, s->m->leave_poll); break;
      case SIDE_STEP:
      case SIDE_GUARD:
        if (*shared) {
          at = *shared;
          break;
        }
        *shared = at;
        if (side->kind == SIDE_STEP)
          side_step(s, side);
        else
          piece_stub(s, STUB_GUARD, side->pc,
                     &s->context[s->guard_context[side->number]]);
    }
    asm_patch(&s->a, side->from, at);
  }
}

/* -- Compiling ------------------------------------------------------------- */

/* True if another version goes on from here, or a stub does. */
static bool piece_joins(Piece *s) {
  if (s->number == 0 || !piece_is_target(s->code, s->pc)) return false;
  piece_prune(s->code, s->pc, &s->now);
  const Version *v = version_find(s->code, s->pc, &s->now, false);
  if (v) {
    version_load_homes(s, v, &s->now);
    asm_go(&s->a, ALWAYS, v->at);
    return true;
  }
  if (version_is_one_too_many(s->code, s->pc) ||
      !version_add(s, s->pc, &s->now)) {
    piece_edge_if(s, ALWAYS, s->pc);
    return true;
  }
  return false;
}

/* What guards of the instruction leave behind: the context before it, without
** the homes that have been used for something else since. */
static void piece_note_guards(Piece *s) {
  for (unsigned n = 0; n < WHOLE_HOMES; n++)
    if (s->lost_whole >> n & 1) s->before.whole[n] = HOME_EMPTY;
  for (unsigned n = 0; n < FLOAT_HOMES; n++)
    if (s->lost_floats >> n & 1) s->before.floats[n] = HOME_EMPTY;
  s->guard_context[s->number] = s->context_count;
  s->context[s->context_count++] = s->before;
}

/* The instruction has no code for the values that are guessed.  The first one of
** a piece sees what there is.  Others may have guessed from what was there before
** an earlier instruction: they begin a piece when control gets to them. */
static void piece_leave_out(Piece *s, bool has_emitter) {
  if (has_emitter && s->number > 0)
    piece_guard_if(s, ALWAYS);
  else
    piece_step_if(s, ALWAYS);
  s->ended = true;
}

static void piece_instruction(Piece *s) {
  Instruction i = s->p->code[s->pc];
  bool steps = (s->m->settings & MACHINE_STEPS) != 0;
  EmitFn *emit = steps ? NULL : emit_function(opcode_alone(code_op(i)));
  tally_instruction(s);
  s->before = s->now;
  s->lost_whole = s->lost_floats = 0;
  s->next = s->pc + (uint32_t)code_length(i);
  if (!emit || !(emit(s, i) || emit_by_call(s, i)))
    piece_leave_out(s, emit != NULL);
  piece_note_guards(s);
  s->insists = false;
}

static bool piece_is_long(const Piece *s) {
  return s->number >= PIECE_LENGTH || s->a.at - s->start > PIECE_LONG ||
         s->side_count + PIECE_SIDES_LEFT > PIECE_SIDES;
}

static void piece_instructions(Piece *s) {
  for (s->ended = false; !s->ended; s->number++, s->pc = s->next) {
    if (piece_is_long(s)) { /* not yet a version, which would be this jump */
      piece_edge_if(s, ALWAYS, s->pc);
      return;
    }
    if (piece_joins(s)) return;
    piece_instruction(s);
  }
}

static bool piece_fits(const Piece *s) {
  const Area *area = &s->m->area;
  return s->a.end - s->a.at > PIECE_BYTES &&
         area->data_size - area->data_used > PIECE_BYTES * AREA_DATA_PER_CODE;
}

static bool piece_has_room(Piece *s) {
  if (piece_fits(s)) return true;
  if (!machine_grow(s->L)) return false;
  s->a.end = s->m->area.write + s->m->area.size;
  return piece_fits(s);
}

/* Compiles from pc on.  A piece that is `kept` is a version of its place. */
static uint8_t *piece_compile(Piece *s, uint32_t pc, const Context *c,
                              bool kept) {
  uint8_t *start = s->start = s->a.at;
  if (!piece_has_room(s)) {
    s->m->full = true;
    return NULL;
  }
  s->now = *c;
  s->pc = pc;
  s->number = s->side_count = s->context_count = 0;
  memcpy(s->guess, s->base, s->p->frame_size * sizeof(Value));
  if (kept && !version_add(s, pc, c)) return NULL;
  tally_piece(s);
  piece_instructions(s);
  tally_end(s);
  piece_write_sides(s);
  s->m->counts->pieces++;
  map_piece(s->m, s->p, pc, start, s->a.at);
  return start;
}

/* The code for the place in that context. */
static uint8_t *piece_place(Piece *s, uint32_t pc, Context *c, StubKind kind) {
  piece_prune(s->code, pc, c);
  const Version *v = version_find(s->code, pc, c, kind == STUB_BACK);
  if (v) return version_entry(s, v, c);
  if (!version_is_one_too_many(s->code, pc))
    return piece_compile(s, pc, c, true);
  v = version_fitting(s->code, pc, c);
  if (v) return version_entry(s, v, c);
  return piece_door(s->L, s->code, pc);
}

/* -- From outside ---------------------------------------------------------- */

static Assembler piece_assembler(const Machine *m, uint8_t *at) {
  const Area *area = &m->area;
  return (Assembler){.start = at,
                     .at = at,
                     .end = area->write + area->size,
                     .apart = area->run - area->write};
}

static Piece *piece_start(lua_State *L, MachineCode *code) {
  Machine *m = L->global->machine;
  Piece *s = &m->piece;
  s->m = m;
  s->L = L;
  s->code = code;
  s->p = code->p;
  s->base = L->frame->func + 1;
  s->insists = false;
  s->self_to = s->self_from = 0;
  s->a = piece_assembler(m, m->free);
  return s;
}

/* False if some of the code did not fit into the memory.  Then all code is
** dropped before any of it runs again. */
static bool piece_is_whole(const Piece *s) {
  if (s->a.full) s->m->full = true;
  return !s->a.full;
}

/* The processor may run what has been written. */
static void piece_publish(Piece *s) {
  asm_publish(&s->a);
  s->m->free = s->a.at;
}

uint8_t *piece_door(lua_State *L, MachineCode *code, uint32_t pc) {
  Machine *m = L->global->machine;
  Context nothing;
  if (code->door[pc] > DOOR_CLOSED) return m->area.write + code->door[pc];
  Piece *s = piece_start(L, code);
  context_clear(&nothing);
  uint8_t *at = piece_compile(s, pc, &nothing, false);
  if (!at || !piece_is_whole(s)) return NULL;
  piece_publish(s);
  code->door[pc] = (uint32_t)(at - m->area.write);
  return at;
}

/* Another piece for an instruction whose operands have other types. */
static uint8_t *piece_after_guard(Piece *s, const Stub *stub,
                                  const Context *c) {
  uint8_t *place = &s->code->place[stub->pc];
  if ((*place & PLACE_GUARDS) < PLACE_GUARDS) ++*place;
  s->insists = (*place & PLACE_GUARDS) > PIECE_GUARDS;
  return piece_compile(s, stub->pc, c, false);
}

uint8_t *piece_of_stub(lua_State *L, Stub *stub) {
  Machine *m = L->global->machine;
  Context c;
  Piece *s = piece_start(L, stub->code);
  m->counts->stubs++;
  snapshot_restore(&stub->context, &c, s->p->frame_size);
  uint8_t *at = stub->kind == STUB_GUARD
                    ? piece_after_guard(s, stub, &c)
                    : piece_place(s, stub->pc, &c, stub->kind);
  if (!at || !piece_is_whole(s)) return NULL;
  piece_publish(s);
  asm_replace_by_jump(&s->a, stub->body, at);
  if (stub->direct) asm_patch(&s->a, stub->direct, at); /* if not too far */
  return at;
}

/* -- The way in and the ways out ------------------------------------------- */

static uint8_t *piece_exit(Piece *s, bool has_pc, MachineExit why) {
  uint8_t *at = s->a.at;
  if (has_pc) {
    asm_load(&s->a, T1, memory_at(STATE, offsetof(lua_State, frame)));
    asm_store(&s->a, memory_at(T1, offsetof(Frame, u.lua.pc)), T0);
  }
  asm_number(&s->a, T0, why);
  asm_leave(&s->a);
  return at;
}

static EnterFn *piece_enter(Piece *s, bool homes) {
  const uint8_t *at = s->m->area.run + (s->a.at - s->m->area.write);
  asm_enter(&s->a, homes);
  return (EnterFn *)(uintptr_t)at;
}

bool piece_begin(Machine *m) {
  Piece *s = &m->piece;
  s->m = m;
  /* no code has the offset 0 or 1 */
  s->a = piece_assembler(m, m->area.write + ASM_JUMP_BYTES);
  m->enter = piece_enter(s, false);
  m->enter_stub = piece_enter(s, true);
  m->leave_step = piece_exit(s, true, EXIT_STEP);
  m->leave_poll = piece_exit(s, true, EXIT_POLL);
  m->leave_frame = piece_exit(s, false, EXIT_FRAME);
  m->leave_stub = s->a.at;
  asm_shift(&s->a, SHIFT_LEFT, T0, 8);
  asm_whole_number(&s->a, WHOLE_OR, T0, EXIT_STUB);
  asm_leave(&s->a);
  piece_publish(s);
  m->first = m->free;
  return !s->a.full;
}

/* Writes code that returns the number, where pieces will be, and runs it. */
static uint64_t piece_try(const Machine *m, uint64_t number) {
  Assembler a = piece_assembler(m, m->free);
  asm_number(&a, T0, number);
  asm_leave(&a);
  asm_publish(&a);
  return m->enter(NULL, NULL, m->free + a.apart, NULL);
}

bool piece_can_change(const Machine *m) {
  return piece_try(m, 1) == 1 && piece_try(m, 2) == 2;
}

#else
typedef int PieceNotBuilt;
#endif
