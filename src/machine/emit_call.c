/* SPDX-License-Identifier: MIT */
/*
** emit_call.c -- calls of Lua functions, and their returns
**
** Frames are those of the loop.  A call notes in its own frame, besides pc, where
** machine code goes on (`resume`); 0 means the loop.  The loop notes 0 in each of
** its calls.
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

static Memory state_field(size_t offset) { return memory_at(STATE, offset); }

/* The registers of a call are homes, which lose their values anyway. */
static inline Register call_x(void) { return whole_home(1); }
static inline Register call_y(void) { return whole_home(2); }

/* T1 := the prototype, T0 := its code. */
static void emit_find_callee(Piece *s, unsigned a) {
  asm_load(&s->a, T1, slot_at(a));
  asm_load(&s->a, T1, memory_at(T1, offsetof(LuaClosure, proto)));
  asm_compare16(&s->a, memory_at(T1, offsetof(Proto, machine_epoch)),
                s->m->epoch);
  piece_step_if(s, IF_NOT_EQUAL);
  asm_load(&s->a, T0, memory_at(T1, offsetof(Proto, machine_entry)));
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
}

/* The parameters that the function in the register most likely has. */
static unsigned guess_params(const Piece *s, unsigned reg) {
  const Value *v = &s->guess[reg];
  if (v->tag != TAG_LUA_CLOSURE) return 0;
  return value_lua_closure(v)->proto->param_count;
}

/* T1 is the prototype.  Returns how many parameters get nil, because there is no
** argument for them.  They are stored later. */
static unsigned emit_check_params(Piece *s, unsigned reg, unsigned arguments) {
  unsigned params = guess_params(s, reg);
  unsigned missing = params > arguments ? params - arguments : 0;
  asm_compare8(&s->a, memory_at(T1, offsetof(Proto, param_count)),
               (uint8_t)(arguments + missing));
  piece_step_if(s, missing > 0 ? IF_NOT_EQUAL : IF_ABOVE);
  return missing;
}

/* T2 := the frame, T3 := the size of the new one, call_x := the top,
** call_y := the end of the new frame. */
static void emit_check_room(Piece *s, unsigned a, unsigned arguments) {
  const Register x = call_x(), y = call_y();
  asm_load(&s->a, T2, state_field(offsetof(lua_State, frame)));
  asm_address(&s->a, x, memory_at(T2, sizeof(Frame)));
  asm_whole_memory(&s->a, WHOLE_COMPARE, x,
                   state_field(offsetof(lua_State, frame_limit)));
  piece_step_if(s, IF_NOT_BELOW);
  asm_load8(&s->a, T3, memory_at(T1, offsetof(Proto, frame_size)));
  asm_shift(&s->a, SHIFT_LEFT, T3, 4);
  asm_address(&s->a, x, memory_at(BASE, (a + 1 + arguments) * sizeof(Value)));
  asm_address(&s->a, y, memory_indexed(x, T3, 1));
  asm_whole_memory(&s->a, WHOLE_COMPARE, y,
                   state_field(offsetof(lua_State, limit)));
  piece_step_if(s, IF_ABOVE);
}

/* Notes in the frame where it goes on. */
static void emit_note_return(Piece *s) {
  const Register y = call_y();
  uint64_t pc = (uint64_t)(uintptr_t)&s->p->code[s->next];
  asm_number(&s->a, y, pc);
  asm_store(&s->a, memory_at(T2, offsetof(Frame, u.lua.pc)), y);
  Patch resume =
      asm_store32_later(&s->a, memory_at(T2, offsetof(Frame, u.lua.resume)));
  piece_resume(s, resume, s->next);
}

static void emit_new_frame(Piece *s, unsigned a, int wanted) {
  const Register x = call_x();
  enum { SIZE = sizeof(Frame) };
  asm_store(&s->a, state_field(offsetof(lua_State, top)), x);
  asm_address(&s->a, x, slot_at(a));
  asm_store(&s->a, memory_at(T2, SIZE + offsetof(Frame, func)), x);
  asm_address(&s->a, BASE, memory_at(BASE, (a + 1) * sizeof(Value)));
  asm_whole(&s->a, WHOLE_ADD, T3, BASE);
  asm_store(&s->a, memory_at(T2, SIZE + offsetof(Frame, top)), T3);
  asm_load(&s->a, x, memory_at(T1, offsetof(Proto, constants)));
  asm_store(&s->a, memory_at(T2, SIZE + offsetof(Frame, u.lua.constants)), x);
  asm_store32_number(&s->a, memory_at(T2, SIZE + offsetof(Frame, wanted)),
                     frame_mode_of(wanted, 0));
  asm_whole_number(&s->a, WHOLE_ADD, T2, SIZE);
  asm_store(&s->a, state_field(offsetof(lua_State, frame)), T2);
}

/* -- How many values ------------------------------------------------------- */

/* A call of the function in a register. */
typedef struct Call {
  unsigned reg, arguments;
  int wanted; /* results; -1: all */
} Call;

/* The arguments of an open call end at the top.  Their number is seen where a
** piece begins, and the top is compared with that.  False if this is not the
** beginning. */
static bool emit_open_arguments(Piece *s, unsigned reg, unsigned *count) {
  ptrdiff_t seen = s->L->top - (s->base + reg + 1);
  if (s->number > 0 || s->insists || seen < 0 || seen > CODE_MAX_REGISTERS)
    return false;
  asm_address(&s->a, T3,
              memory_at(BASE, (reg + 1 + (size_t)seen) * sizeof(Value)));
  asm_whole_memory(&s->a, WHOLE_COMPARE, T3,
                   state_field(offsetof(lua_State, top)));
  piece_guard_if(s, IF_NOT_EQUAL);
  *count = (unsigned)seen;
  return true;
}

static bool emit_begin_call(Piece *s, Instruction i, Call *c) {
  *c = (Call){code_a(i), code_b(i), (int)code_c(i)};
  if (opcode_alone(code_op(i)) == OP_CALL) return true;
  c->wanted--;
  if (c->arguments == 0) return emit_open_arguments(s, c->reg, &c->arguments);
  c->arguments--;
  return true;
}

/* -- Library functions ----------------------------------------------------- */

typedef int PureFn(lua_State *L, Value *args, unsigned argc, Value *out);

typedef struct PureCall {
  PureFn *run;
  Instruction *pc; /* after the call */
  unsigned arguments;
  int wanted;
  bool makes;
} PureCall;

/* False if the function needs a frame. */
static uint64_t call_pure(lua_State *L, Value *function, const PureCall *call) {
  int done = call->run(L, function + 1, call->arguments, function);
  if (done < 0) return false;
  if (call->wanted < 0) L->top = function + done;
  for (; done < call->wanted; done++) value_set_nil(&function[done]);
  return true;
}

/* The same for a function that makes an object.  A step of the collector is left
** to the loop: it may call finalizers.  A memory error needs the line. */
static uint64_t call_making(lua_State *L, Value *function,
                            const PureCall *call) {
  Global *g = L->global;
  if (gc_step_due(&g->gc)) return false;
  L->frame->u.lua.pc = call->pc;
  g->machine_calls = true;
  uint64_t done = call_pure(L, function, call);
  g->machine_calls = false;
  return done;
}

static PureCall *pure_call(Piece *s, const Call *c) {
  CFunction function = s->guess[c->reg].as.f;
  bool makes = false;
  const Global *g = s->L->global;
  uintptr_t run =
      g->pure_function ? g->pure_function(s->L, function, &makes) : 0;
  PureCall *call = run ? area_data(&s->m->area, sizeof *call) : NULL;
  if (!call) return NULL;
  *call = (PureCall){(PureFn *)run, s->p->code + s->next, c->arguments,
                     c->wanted, makes};
  return call;
}

static bool emit_call_pure(Piece *s, const Call *c) {
  unsigned a = c->reg;
  if (s->guess[a].tag != TAG_C_FUNCTION) return false;
  const PureCall *call = pure_call(s, c);
  if (!call) return false;
  piece_guard(s, a, TAG_C_FUNCTION);
  asm_number(&s->a, T0, s->guess[a].as.bits);
  asm_whole_memory(&s->a, WHOLE_COMPARE, T0, slot_at(a));
  piece_guard_if(s, IF_NOT_EQUAL);
  asm_compare8(&s->a, state_field(offsetof(lua_State, hook_mask)), 0);
  piece_step_if(s, IF_NOT_EQUAL);
  asm_address(&s->a, T3,
              memory_at(BASE, (a + 1 + c->arguments) * sizeof(Value)));
  asm_store(&s->a, state_field(offsetof(lua_State, top)), T3);
  asm_address(&s->a, T3, slot_at(a));
  asm_arguments(&s->a, STATE, T3);
  asm_third_argument(&s->a, (uint64_t)(uintptr_t)call);
  asm_call(&s->a, call->makes ? (uintptr_t)call_making : (uintptr_t)call_pure);
  piece_called(s);
  context_forget_from(&s->now, a);
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
  piece_edge_if(s, ALWAYS, s->next); /* the next piece sees the results */
  s->ended = true;
  return true;
}

/* -- Calls ----------------------------------------------------------------- */

bool emit_call(Piece *s, Instruction i) {
  Call c;
  unsigned a = code_a(i), tag = piece_tag(s, a);
  if (tag != TAG_C_FUNCTION && tag != TAG_LUA_CLOSURE) return false;
  if (!emit_begin_call(s, i, &c)) return false;
  if (tag == TAG_C_FUNCTION) return emit_call_pure(s, &c);
  piece_guard(s, a, TAG_LUA_CLOSURE);
  emit_find_callee(s, a);
  asm_compare8(&s->a, state_field(offsetof(lua_State, hook_mask)), 0);
  piece_step_if(s, IF_NOT_EQUAL);
  piece_called(s);
  unsigned missing = emit_check_params(s, a, c.arguments);
  emit_check_room(s, a, c.arguments + missing);
  for (unsigned n = 1; n <= missing; n++)
    asm_store8_number(&s->a, tag_at(a + c.arguments + n), TAG_NIL);
  context_forget_from(&s->now, a);
  emit_note_return(s);
  emit_new_frame(s, a, c.wanted);
  asm_jump_to(&s->a, T0);
  s->ended = true;
  return true;
}

/* -- Tail calls ------------------------------------------------------------ */

/* There must be room for the registers of the function, which begin at BASE, and
** even for as many above the call.  call_x := the size. */
static void emit_check_tail_room(Piece *s, unsigned end) {
  const Register x = call_x(), y = call_y();
  asm_load8(&s->a, x, memory_at(T1, offsetof(Proto, frame_size)));
  asm_shift(&s->a, SHIFT_LEFT, x, 4);
  asm_address(&s->a, y, slot_at(end));
  asm_whole(&s->a, WHOLE_ADD, y, x);
  asm_whole_memory(&s->a, WHOLE_COMPARE, y,
                   state_field(offsetof(lua_State, limit)));
  piece_step_if(s, IF_ABOVE);
}

/* Moves the function and its arguments down.  Uses T2 and T3. */
static void emit_move_down(Piece *s, unsigned a, unsigned count) {
  for (unsigned n = 0; n < count; n++) {
    Memory to = memory_at(BASE, (size_t)n * sizeof(Value) - sizeof(Value));
    Memory tag = to;
    tag.offset += (int32_t)offsetof(Value, tag);
    asm_load(&s->a, T2, slot_at(a + n));
    asm_load8(&s->a, T3, tag_at(a + n));
    asm_store(&s->a, to, T2);
    asm_store8(&s->a, tag, T3);
  }
}

/* The frame is one of the other function from here on.  T1 is its prototype,
** call_x the size of its registers. */
static void emit_remake_frame(Piece *s, unsigned arguments) {
  const Register x = call_x();
  const int32_t kept = ~((int32_t)FRAME_OF_ONE_CALL << 16);
  const Memory mode = memory_at(T2, offsetof(Frame, wanted));
  asm_load(&s->a, T2, state_field(offsetof(lua_State, frame)));
  asm_address(&s->a, T3, slot_at(arguments));
  asm_store(&s->a, state_field(offsetof(lua_State, top)), T3);
  asm_whole(&s->a, WHOLE_ADD, x, BASE);
  asm_store(&s->a, memory_at(T2, offsetof(Frame, top)), x);
  asm_load(&s->a, x, memory_at(T1, offsetof(Proto, constants)));
  asm_store(&s->a, memory_at(T2, offsetof(Frame, u.lua.constants)), x);
  asm_load32(&s->a, x, mode);
  asm_whole_number(&s->a, WHOLE_AND, x, kept);
  asm_whole_number(&s->a, WHOLE_OR, x, (int32_t)FRAME_TAIL << 16);
  asm_store32(&s->a, mode, x);
}

/* The function's results are those of the RETURN that follows. */
static bool emit_tail_call_pure(Piece *s, unsigned a, unsigned arguments) {
  const Call call = {a, arguments, -1};
  return emit_call_pure(s, &call);
}

bool emit_tail_call(Piece *s, Instruction i) {
  unsigned a = code_a(i), arguments = code_b(i) - 1, tag = piece_tag(s, a);
  if (code_c(i) != 0) return false;
  if (tag != TAG_C_FUNCTION && tag != TAG_LUA_CLOSURE) return false;
  if (code_b(i) == 0 && !emit_open_arguments(s, a, &arguments)) return false;
  if (tag == TAG_C_FUNCTION) return emit_tail_call_pure(s, a, arguments);
  piece_guard(s, a, TAG_LUA_CLOSURE);
  emit_find_callee(s, a);
  asm_compare8(&s->a, state_field(offsetof(lua_State, hook_mask)), 0);
  piece_step_if(s, IF_NOT_EQUAL);
  piece_called(s);
  unsigned missing = emit_check_params(s, a, arguments);
  emit_check_tail_room(s, a + 1 + arguments);
  emit_move_down(s, a, 1 + arguments);
  for (unsigned n = 0; n < missing; n++)
    asm_store8_number(&s->a, tag_at(arguments + n), TAG_NIL);
  emit_remake_frame(s, arguments + missing);
  asm_jump_to(&s->a, T0);
  s->ended = true;
  return true;
}

/* -- Returns --------------------------------------------------------------- */

/* Any return of a function that was called by an instruction, and has nothing to
** close.  False if it is another one; then nothing has happened. */
static uint64_t call_return(lua_State *L, const Value *from, uint64_t word) {
  Frame *f = L->frame;
  Instruction i = (Instruction)word;
  Opcode op = opcode_alone(code_op(i));
  int count = op == OP_RETURN ? (int)code_b(i) - 1 : op == OP_RETURN1;
  unsigned flags = op == OP_RETURN ? code_c(i) : 0;
  bool close = (flags & RETURN_CLOSE) != 0;
  if (f->status & FRAME_RETURN_SLOW || (close && L->closable_count > 0))
    return false;
  Value *to = f->func;
  if (close) upvalue_close(L, to + 1);
  if (count < 0) count = (int)(L->top - from);
  if (flags & RETURN_VARARG)
    to -= f->u.lua.extra_args + frame_closure(f)->proto->param_count + 1;
  int wanted = f->wanted;
  L->frame = f - 1;
  if (wanted < 0) L->top = to + (wanted = count);
  for (; wanted > 0 && count > 0; wanted--, count--) value_copy(to++, from++);
  for (; wanted > 0; wanted--) value_set_nil(to++);
  return true;
}

/* T2 := the frame.  Jumps if the return is not the simplest one. */
static Patch emit_check_return(Piece *s, int wanted) {
  const int32_t kept = ~((int32_t)FRAME_TAIL << 16);
  asm_load(&s->a, T2, state_field(offsetof(lua_State, frame)));
  asm_load32(&s->a, T0, memory_at(T2, offsetof(Frame, wanted)));
  asm_whole_number(&s->a, WHOLE_AND, T0, kept);
  asm_whole_number(&s->a, WHOLE_COMPARE, T0, (int32_t)frame_mode_of(wanted, 0));
  return asm_jump(&s->a, IF_NOT_EQUAL);
}

/* The result goes where the function was. */
static void emit_result(Piece *s, unsigned reg) {
  const size_t to = (size_t)0 - sizeof(Value);
  unsigned tag = s->now.tag[reg];
  asm_load(&s->a, T0, slot_at(reg));
  asm_store(&s->a, memory_at(BASE, to), T0);
  if (tag == TAG_UNKNOWN) {
    asm_load8(&s->a, T0, tag_at(reg));
    asm_store8(&s->a, memory_at(BASE, to + offsetof(Value, tag)), T0);
  } else {
    asm_store8_number(&s->a, memory_at(BASE, to + offsetof(Value, tag)),
                      (uint8_t)tag);
  }
}

/* Goes on in the frame T2, which is the running one. */
static void emit_resume(Piece *s) {
  asm_load32(&s->a, T1, memory_at(T2, offsetof(Frame, u.lua.resume)));
  asm_load(&s->a, BASE, memory_at(T2, offsetof(Frame, func)));
  asm_whole_number(&s->a, WHOLE_ADD, BASE, sizeof(Value));
  asm_test(&s->a, T1, T1);
  asm_go(&s->a, IF_EQUAL, s->m->leave_frame);
  asm_number(&s->a, T0, (uint64_t)(uintptr_t)s->m->area.run);
  asm_whole(&s->a, WHOLE_ADD, T0, T1);
  asm_jump_to(&s->a, T0);
  s->ended = true;
}

static void emit_return_by_call(Piece *s, Instruction i) {
  asm_address(&s->a, T3, slot_at(code_a(i)));
  asm_arguments(&s->a, STATE, T3);
  asm_third_argument(&s->a, i);
  asm_call(&s->a, (uintptr_t)call_return);
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
  asm_load(&s->a, T2, state_field(offsetof(lua_State, frame)));
  emit_resume(s);
}

bool emit_return(Piece *s, Instruction i) {
  Opcode op = opcode_alone(code_op(i));
  if (op != OP_RETURN) {
    Patch other = emit_check_return(s, op == OP_RETURN1);
    if (op == OP_RETURN1) emit_result(s, code_a(i));
    asm_whole_number(&s->a, WHOLE_SUB, T2, sizeof(Frame));
    asm_store(&s->a, state_field(offsetof(lua_State, frame)), T2);
    emit_resume(s);
    asm_patch(&s->a, other, s->a.at);
  }
  emit_return_by_call(s, i);
  return true;
}

#else
typedef int EmitCallNotBuilt;
#endif
