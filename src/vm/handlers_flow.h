/* SPDX-License-Identifier: MIT */
/*
** handlers_flow.h -- jumps, loops, calls, closures
**
** A part of handlers.h.
*/

/* -- Jumps ----------------------------------------------------------------- */

HANDLER(JMP) {
  int offset = code_e(i);
  pc += offset;
  if (offset < 0) {
    SPEND_LOOP(-offset);
    COUNT_JUMP();
    NEXT_POLLED(0);
  }
  SPEND_SKIPPED(offset);
  NEXT;
}
HANDLER(JT) { JUMP_IF(!value_is_falsy(RA)); }
HANDLER(JF) { JUMP_IF(value_is_falsy(RA)); }
HANDLER(JTSET) {
  const Value *rb = RB;
  if (!value_is_falsy(rb)) {
    value_copy(RA, rb);
    JUMP();
  }
  PASS_WORD();
  NEXT;
}
HANDLER(JFSET) {
  const Value *rb = RB;
  if (value_is_falsy(rb)) {
    value_copy(RA, rb);
    JUMP();
  }
  PASS_WORD();
  NEXT;
}
HANDLER(JNIL) { JUMP_IF(RA->tag == TAG_NIL); }
HANDLER(JNNIL) { JUMP_IF(RA->tag != TAG_NIL); }

/* Jumps if the result of the comparison is `sense`. */
#define JUMP_EQUAL(sense)                                                   \
  do {                                                                      \
    const Value *ra = RA, *rb = RB;                                         \
    if (LIKELY(ra->tag == rb->tag)) {                                       \
      if (LIKELY(ra->tag == TAG_INTEGER || ra->tag == TAG_SHORT_STRING))    \
        JUMP_IF((ra->as.bits == rb->as.bits) == (sense));                   \
      SPEND_KEY(ra);                                                        \
      int equal = equal_same_tag(ra, rb);                                   \
      if (LIKELY(equal >= 0)) JUMP_IF(equal == (sense));                    \
    } else {                                                                \
      Number x, y;                                                          \
      if (!(value_is_number(ra) && value_is_number(rb))) JUMP_IF(!(sense)); \
      if (LIKELY(exact_float(ra, &x) && exact_float(rb, &y)))               \
        JUMP_IF((x == y) == (sense));                                       \
    }                                                                       \
    goto shared_compare;                                                    \
  } while (0)

/* Two registers.  The most frequent case comes first: a table on the left with
** a metamethod in Lua. */
SHARED(compare) {
  i = shared_instruction(i);
  const Value *ra = RA;
  if (LIKELY(ra->tag == TAG_TABLE)) {
    MetaEvent event = (MetaEvent)opcode_info[code_op(i)].event;
    const Node *method = method_find(L, value_table(ra), event);
    SAVE_PC();
    frame->u2.negated = false;
    if (LIKELY(puts_method(L, frame, method, ra, RB))) goto shared_method;
  }
  SLOW(slow_compare);
}

#define JUMP_EQUAL_STRING(sense)                                           \
  do {                                                                     \
    const Value *ra = RA, *kb = KB;                                        \
    JUMP_IF((ra->tag == TAG_SHORT_STRING && ra->as.bits == kb->as.bits) == \
            (sense));                                                      \
  } while (0)

#define JUMP_EQUAL_INT(sense)                                \
  do {                                                       \
    const Value *ra = RA;                                    \
    if (LIKELY(ra->tag == TAG_INTEGER))                      \
      JUMP_IF((ra->as.i == code_i15(i)) == (sense));         \
    if (ra->tag == TAG_FLOAT)                                \
      JUMP_IF((ra->as.n == (Number)code_i15(i)) == (sense)); \
    JUMP_IF(!(sense));                                       \
  } while (0)

HANDLER(JEQ) { JUMP_EQUAL(true); }
HANDLER(JNEQ) { JUMP_EQUAL(false); }
HANDLER(JEQS) { JUMP_EQUAL_STRING(true); }
HANDLER(JNEQS) { JUMP_EQUAL_STRING(false); }
HANDLER(JEQK) {
  SPEND_KEY(RA);
  JUMP_IF(value_raw_equal(RA, KB));
}
HANDLER(JNEQK) {
  SPEND_KEY(RA);
  JUMP_IF(!value_raw_equal(RA, KB));
}
HANDLER(JEQI) { JUMP_EQUAL_INT(true); }
HANDLER(JNEQI) { JUMP_EQUAL_INT(false); }

#define JUMP_ORDER(operator, sense)                         \
  do {                                                      \
    const Value *ra = RA, *rb = RB;                         \
    if (LIKELY(both_integers(ra, rb)))                      \
      JUMP_IF((ra->as.i operator rb->as.i) == (sense));     \
    Number x, y;                                            \
    if (LIKELY(exact_float(ra, &x) && exact_float(rb, &y))) \
      JUMP_IF((x operator y) == (sense));                   \
    goto shared_order;                                      \
  } while (0)

/* Strings, numbers that are not exact as floats, and values that need a
** metamethod. */
SHARED(order) {
  i = shared_instruction(i);
  const Value *ra = RA, *rb = RB;
  if (LIKELY(value_is_string(ra) && value_is_string(rb))) {
    if (LOOP_COUNTS) budget_spend_compared(L, ra, rb);
    int order = string_compare(value_string(ra), value_string(rb));
    bool less =
        opcode_info[code_op(i)].event == META_LT ? order < 0 : order <= 0;
    JUMP_IF(less != opcode_is_negated(code_op(i)));
  }
  if (value_is_number(ra) && value_is_number(rb)) {
    bool less = opcode_info[code_op(i)].event == META_LT
                    ? number_less(ra, rb)
                    : number_less_equal(ra, rb);
    JUMP_IF(less != opcode_is_negated(code_op(i)));
  }
  goto shared_compare;
}

#define JUMP_ORDER_INT(operator, sense)                            \
  do {                                                             \
    const Value *ra = RA;                                          \
    if (LIKELY(ra->tag == TAG_INTEGER))                            \
      JUMP_IF((ra->as.i operator code_i15(i)) == (sense));         \
    if (LIKELY(ra->tag == TAG_FLOAT))                              \
      JUMP_IF((ra->as.n operator(Number) code_i15(i)) == (sense)); \
    SLOW(slow_compare);                                            \
  } while (0)

HANDLER(JLT) { JUMP_ORDER(<, true); }
HANDLER(JNLT) { JUMP_ORDER(<, false); }
HANDLER(JLE) { JUMP_ORDER(<=, true); }
HANDLER(JNLE) { JUMP_ORDER(<=, false); }
HANDLER(JLTI) { JUMP_ORDER_INT(<, true); }
HANDLER(JNLTI) { JUMP_ORDER_INT(<, false); }
HANDLER(JLEI) { JUMP_ORDER_INT(<=, true); }
HANDLER(JNLEI) { JUMP_ORDER_INT(<=, false); }
HANDLER(JGTI) { JUMP_ORDER_INT(>, true); }
HANDLER(JNGTI) { JUMP_ORDER_INT(>, false); }
HANDLER(JGEI) { JUMP_ORDER_INT(>=, true); }
HANDLER(JNGEI) { JUMP_ORDER_INT(>=, false); }

/* -- Loops ----------------------------------------------------------------- */

/* A debugger can store any value in the registers of a loop.  Some of them are
** read without a check of their tag.  Their bits then count as a number, and
** the result is stored together with its tag.  So no bits become a
** reference. */
HANDLER(FORPREP) { SLOW(slow_for_prepare); }
HANDLER(FORLOOP) {
  Value *ra = RA;
  if (LIKELY(ra[2].tag == TAG_INTEGER)) {
    Unsigned count = (Unsigned)ra[1].as.i;
    if (LIKELY(count > 0)) {
      Integer index = int_add(ra->as.i, ra[2].as.i);
      value_store_integer(ra + 1, (Integer)(count - 1));
      value_store_integer(ra, index);
      value_store_integer(ra + 3, index);
      JUMP_LOOP();
    }
  } else {
    Number step = ra[2].as.n, limit = ra[1].as.n;
    Number index = ra->as.n + step;
    if (step > 0 ? index <= limit : limit <= index) {
      value_set_float(ra, index);
      value_set_float(ra + 3, index);
      JUMP_LOOP();
    }
  }
  PASS_WORD();
  NEXT;
}
HANDLER(FORPREP1) {
  Value *ra = RA;
  if (LIKELY(both_integers(ra, ra + 1))) {
    Integer index = ra->as.i;
    value_set_integer(ra + 2, 1); /* for debuggers */
    value_set_integer(ra + 3, index);
    JUMP_IF(index > ra[1].as.i);
  }
  SLOW(slow_for_prepare1);
}
/* A loop by 1, whose index is in the register `from` and goes to the registers
** that `store` names.  The variable is the index if nothing in the body can
** change it.  A debugger that changes it changes the tag, too. */
#define DO_LOOP_BY_ONE(from, store)         \
  do {                                      \
    Value *ra = RA;                         \
    unsigned tag = ra->tag;                 \
    if (LIKELY(tag == TAG_INTEGER)) {       \
      Integer index = (from)->as.i;         \
      if (LIKELY(index < ra[1].as.i)) {     \
        index++;                            \
        store;                              \
        value_store_integer(ra + 3, index); \
        JUMP_LOOP();                        \
      }                                     \
    } else if (LIKELY(tag == TAG_FLOAT)) {  \
      Number index = ra->as.n + 1;          \
      if (index <= ra[1].as.n) {            \
        ra->as.n = index;                   \
        value_set_float(ra + 3, index);     \
        JUMP_LOOP();                        \
      }                                     \
    } else {                                \
      SLOW(slow_for_loop);                  \
    }                                       \
    PASS_WORD();                            \
    NEXT;                                   \
  } while (0)

HANDLER(FORLOOP1) { DO_LOOP_BY_ONE(ra + 3, (void)0); }
HANDLER(FORCOPY1) { DO_LOOP_BY_ONE(ra, ra->as.i = index); }
/* Runs a C function with the arguments up to the top.  The caller has checked
** that there is room.  The function may yield (see coroutine.c), or need
** call_finish. */
#define DO_RUN_C(where, function, results)                                  \
  do {                                                                      \
    frame++;                                                                \
    frame->func = (where);                                                  \
    frame->top = L->top + STACK_MIN_FREE;                                   \
    frame->wanted = (int16_t)(results);                                     \
    frame->status = FRAME_C | FRAME_DIRECT;                                 \
    L->frame = frame;                                                       \
    SPEND(COST_C_CALL);                                                     \
    int count = (function)(L);                                              \
    call_check_results(L, count);                                           \
    frame = L->frame;                                                       \
    if (UNLIKELY(frame->status != (FRAME_C | FRAME_DIRECT) || HOOK_DUE() || \
                 (LOOP_COUNTS && count > BUDGET_FEW_VALUES) ||              \
                 L->closable_count)) {                                      \
      if (L->status == STATUS_YIELD) return LOOP_ENDS;                      \
      call_finish(L, count);                                                \
      RELOAD;                                                               \
    }                                                                       \
    Value *to = frame->func;                                                \
    const Value *from = L->top - count;                                     \
    unsigned wanted = (results);                                            \
    L->frame = --frame;                                                     \
    base = frame->func + 1;                                                 \
    if (LIKELY(wanted == 1 && count > 0)) {                                 \
      value_copy(to, from);                                                 \
      NEXT;                                                                 \
    }                                                                       \
    for (; wanted > 0 && count > 0; wanted--, count--)                      \
      value_copy(to++, from++);                                             \
    for (; wanted > 0; wanted--) value_set_nil(to++);                       \
    NEXT;                                                                   \
  } while (0)

/* Handles NATIVE_SWITCHED and NATIVE_NEEDS_HOST: see switch.h.  In the second
** case, the host executes the instruction again. */
#define DO_SWITCH(done, results)                 \
  do {                                           \
    if (UNLIKELY((done) == NATIVE_NEEDS_HOST)) { \
      frame->u.lua.pc = pc - 1;                  \
      coroutine_host(L);                         \
      return LOOP_ENDS;                          \
    }                                            \
    L->frame->wanted = (int16_t)(results);       \
    L = thread_running(L);                       \
    RELOAD;                                      \
  } while (0)

HANDLER(TFORPREP) {
  RA[2].position = 0;
  if (!value_is_falsy(RA + 3)) {
    SAVE_PC();
    slow_mark_closable(L, code_a(i) + 3);
    LOAD_BASE();
  }
  pc += (int32_t)*pc;
  i = *pc; /* TFORCALL is no event of its own */
  pc = next_word(pc);
  if (UNLIKELY(hook_sees_calls(L)) && code_op(i) == OP_TFORCALL)
    goto shared_for_call;
  goto *plain[code_op(i)];
}
HANDLER(TFORCALL) {
  Value *ra = RA;
  if (ra->tag == TAG_C_FUNCTION && ra[1].tag == TAG_TABLE) {
    if (ra->as.f == vm_of(L)->next_function) {
      SAVE_PC();
      if (slow_for_next(L, value_table(ra + 1), ra + 2)) {
        for (unsigned n = code_b(i); n > 2; n--) value_set_nil(ra + 3 + n);
        PASS_WORD(); /* includes the TFORLOOP */
        JUMP_LOOP();
      }
      pc += 2;
      NEXT;
    }
    if (ra->as.f == vm_of(L)->ipairs_function && ra[2].tag == TAG_INTEGER) {
      Integer index = int_add(ra[2].as.i, 1);
      Table *t = value_table(ra + 1);
      bool found = table_fast_get_int(t, index, ra + 5);
      if (UNLIKELY(!found) && !may_have(t, META_INDEX)) {
        found = table_get_int_slow(L, t, index, ra + 5);
        if (!found) { /* the end */
          pc += 2;
          NEXT;
        }
      }
      if (LIKELY(found)) {
        ra[2].as.i = index;
        value_set_integer(ra + 4, index);
        for (unsigned n = code_b(i); n > 2; n--) value_set_nil(ra + 3 + n);
        PASS_WORD();
        JUMP_LOOP();
      }
    }
  }
  goto shared_for_call;
}
/* Calls the iterator.  With hooks, every iterator is called here, so that hooks
** see all calls. */
SHARED(for_call) {
  Value *ra = RA;
  value_copy(ra + 4, ra);
  value_copy(ra + 5, ra + 1);
  value_copy(ra + 6, ra + 2);
  SAVE_PC();
  L->top = ra + 7;
  if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
    const LuaClosure *callee = value_lua_closure(ra);
    if (LIKELY(HAS_SLOTS(ENTER_SIZE(callee->proto))))
      DO_ENTER(ra + 4, callee, 2, frame_mode_of((int)code_b(i), 0));
  } else if (value_is_function(ra) && !hook_sees_calls(L)) {
    CFunction function;
    int done = NATIVE_RETRY;
    if (ra->tag == TAG_C_FUNCTION) {
      function = ra->as.f;
      done = native_call(L, ra + 4, 2);
    } else {
      function = value_c_closure(ra)->function;
      if (switch_is_wrapped_call(L, ra))
        done = switch_wrapped(L, ra + 5, 2, ra + 4);
    }
    if (done >= 0) {
      LOAD_BASE();
      for (Value *to = RA + 4; done < (int)code_b(i); done++)
        value_set_nil(&to[done]);
      NEXT;
    }
    if (done != NATIVE_RETRY) DO_SWITCH(done, code_b(i));
    ra = RA;
    if (LIKELY(HAS_SLOTS(STACK_MIN_FREE)))
      DO_RUN_C(ra + 4, function, code_b(i));
  }
  call_prepare(L, ra + 4, (int)code_b(i), 0);
  RELOAD;
}
HANDLER(TFORLOOP) {
  SPEND_SKIPPED(1); /* it is a part of the TFORCALL */
  Value *ra = RA;
  if (ra[4].tag != TAG_NIL) {
    value_copy(ra + 2, ra + 4);
    JUMP_LOOP();
  }
  PASS_WORD();
  NEXT;
}

/* -- Calls ----------------------------------------------------------------- */

/* Removes the running frame, and loads the variables of the frame below. */
#define LEAVE_FRAME()           \
  do {                          \
    L->frame = --frame;         \
    base = frame->func + 1;     \
    pc = frame->u.lua.pc;       \
    k = frame->u.lua.constants; \
  } while (0)

/* Continues after a NativeFn has returned `count` results.  Adds nils, so that
** there are `wanted`.  The stack may have moved. */
#define DO_RESULTS(count, wanted)                       \
  do {                                                  \
    LOAD_BASE();                                        \
    for (Value *to = RA; (count) < (wanted); (count)++) \
      value_set_nil(&to[count]);                        \
    NEXT;                                               \
  } while (0)

/* Returns from a metamethod, and finishes the instruction that called it.
** `value` is the result. */
#define DO_RETURN_META(value)                       \
  do {                                              \
    const Value *result = (value);                  \
    LEAVE_FRAME();                                  \
    i = pc[-1];                                     \
    if (LIKELY(opcode_is_arithmetic(code_op(i)))) { \
      value_copy(RA, result);                       \
      NEXT;                                         \
    }                                               \
    L->top = (Value *)(uintptr_t)result + 1;        \
    goto shared_finish;                             \
  } while (0)

/* Lowers the frame of a vararg function to where it was called, below its
** arguments. */
#define LOWER_VARARG()                                                      \
  do {                                                                      \
    frame->func -= frame->u.lua.extra_args + CLOSURE()->proto->param_count; \
    base = frame->func--;                                                   \
    stack_lower(L, frame->func);                                            \
  } while (0)

/* Turns the running frame into a call of the Lua function in `function`, with
** the arguments up to the top.  There must be room. */
#define DO_BECOME(function)                                  \
  do {                                                       \
    const LuaClosure *callee = value_lua_closure(function);  \
    const Proto *into = callee->proto;                       \
    SPEND_CODE();                                            \
    pc = closure_code(callee);                               \
    if (UNLIKELY(code_c(i) & RETURN_VARARG)) LOWER_VARARG(); \
    call_remake_lua_frame(L, frame, (function), into);       \
    k = frame->u.lua.constants;                              \
    NEXT_POLLED(COST_SLOW + into->code_size);                \
  } while (0)

/* The slow path of a return: the frame was called from C or for an instruction,
** or it has hooks, a watched stack or variables to close.  `status` is that of
** the frame. */
#define DO_RETURN(status, first, count, close)                     \
  do {                                                             \
    SAVE_PC();                                                     \
    if ((status & FRAME_RETURN_SLOW) == FRAME_FRESH && !(close) && \
        switch_return(L, (first), (count))) {                      \
      L = thread_running(L);                                       \
      RELOAD;                                                      \
    }                                                              \
    slow_return(L, (first), (count), (close));                     \
    if (status & FRAME_FRESH) {                                    \
      if (!switch_back(L)) return LOOP_ENDS;                       \
      L = thread_running(L);                                       \
    }                                                              \
    RELOAD;                                                        \
  } while (0)

/* True if a C function called the running one and takes all results.  The first
** function of a coroutine is an exception: it returns to the resumer. */
#define RETURNS_ALL_TO_C() (frame->wanted < 0 && frame - 1 != L->frames)

/* Finishes the instruction before pc, which called a metamethod.  The result is
** below the top. */
SHARED(finish) {
  const Value *result = L->top - 1;
  i = shared_instruction(pc[-1]);
  if (opcode_is_comparison(code_op(i))) {
    bool holds = value_is_falsy(result) == frame->u2.negated;
    JUMP_IF(holds != opcode_is_negated(code_op(i)));
  }
  if (code_op(i) == OP_GETFIELD || code_op(i) == OP_SELF) {
    value_copy(RA, result);
    PASS_WORD();
    NEXT;
  }
  if (code_op(i) == OP_GETTABLE || code_op(i) == OP_GETINT ||
      code_op(i) == OP_LEN) {
    value_copy(RA, result);
    NEXT;
  }
  slow_finish(L, result);
  RELOAD;
}

HANDLER(CALL) {
  Value *ra = RA;
  SAVE_PC();
  L->top = ra + 1 + code_b(i);
  if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
    const LuaClosure *callee = value_lua_closure(ra);
    if (LIKELY(HAS_SLOTS(ENTER_SIZE(callee->proto))))
      DO_ENTER(ra, callee, code_b(i), frame_mode_of((int)code_c(i), 0));
  } else if (LIKELY(ra->tag == TAG_C_FUNCTION && !hook_sees_calls(L))) {
    SPEND(COST_SLOW);
    int done = native_call(L, ra, code_b(i));
    if (done >= 0) DO_RESULTS(done, (int)code_c(i));
    if (done != NATIVE_RETRY) DO_SWITCH(done, code_c(i));
    if (LIKELY(HAS_SLOTS(STACK_MIN_FREE))) DO_RUN_C(ra, ra->as.f, code_c(i));
  } else if (ra->tag == TAG_C_CLOSURE && !hook_sees_calls(L)) {
    CFunction function = value_c_closure(ra)->function;
    if (switch_is_wrapped_call(L, ra)) {
      int done = switch_wrapped(L, ra + 1, code_b(i), ra);
      if (LIKELY(done != NATIVE_RETRY)) DO_SWITCH(done, code_c(i));
    }
    if (LIKELY(HAS_SLOTS(STACK_MIN_FREE))) DO_RUN_C(ra, function, code_c(i));
  } else if (!value_is_function(ra)) {
    ra = call_use_metamethod(L, ra);
    if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
      const LuaClosure *callee = value_lua_closure(ra);
      unsigned count = (unsigned)(L->top - ra - 1);
      if (LIKELY(HAS_SLOTS(ENTER_SIZE(callee->proto))))
        DO_ENTER(ra, callee, count, frame_mode_of((int)code_c(i), 0));
    }
  }
  call_prepare(L, ra, (int)code_c(i), 0);
  RELOAD;
}
HANDLER(CALLM) {
  Value *ra = RA;
  int wanted = (int)code_c(i) - 1;
  SAVE_PC();
  if (code_b(i) != 0) L->top = ra + code_b(i);
  SPEND_VALUES(L->top - ra);
  if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
    const LuaClosure *callee = value_lua_closure(ra);
    unsigned count = (unsigned)(L->top - ra - 1);
    if (LIKELY(HAS_SLOTS(ENTER_SIZE(callee->proto))))
      DO_ENTER(ra, callee, count, frame_mode_of(wanted, 0));
  } else if (ra->tag == TAG_C_FUNCTION && !hook_sees_calls(L)) {
    SPEND(COST_SLOW);
    int done = native_call(L, ra, (unsigned)(L->top - ra - 1));
    if (done >= 0) {
      if (wanted < 0) L->top = L->frame->func + 1 + code_a(i) + done;
      DO_RESULTS(done, wanted);
    }
    if (done != NATIVE_RETRY) DO_SWITCH(done, wanted);
  } else if (switch_is_wrapped_call(L, ra)) {
    int done = switch_wrapped(L, ra + 1, (unsigned)(L->top - ra - 1), ra);
    if (done != NATIVE_RETRY) DO_SWITCH(done, wanted);
  }
  call_prepare(L, ra, wanted, 0);
  RELOAD;
}
HANDLER(TAILCALL) {
  Value *ra = RA;
  SAVE_PC();
  if (code_b(i) != 0) L->top = ra + code_b(i);
  SPEND_VALUES(L->top - ra);
  if (code_c(i) & RETURN_CLOSE) upvalue_close(L, base);
  if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
    const Proto *p = value_lua_closure(ra)->proto;
    if (LIKELY(L->limit - L->top >= (ptrdiff_t)ENTER_SIZE(p))) DO_BECOME(ra);
  } else if (ra->tag == TAG_C_FUNCTION && !hook_sees_calls(L)) {
    SPEND(COST_SLOW);
    int done = native_call(L, ra, (unsigned)(L->top - ra - 1));
    if (done >= 0) {
      LOAD_BASE();
      unsigned special = frame->status & FRAME_RETURN_SLOW;
      bool single = done == 1 && !(code_c(i) & RETURN_VARARG);
      if (single) SPEND_CODE();
      if (single && special == FRAME_META) DO_RETURN_META(RA);
      if (LIKELY(single && !special && frame->wanted == 1)) {
        value_copy(base - 1, RA); /* executes the RETURN that follows, too */
        LEAVE_FRAME();
        NEXT;
      }
      L->top = RA + done; /* for the RETURN that follows */
      NEXT;
    }
    if (done != NATIVE_RETRY) DO_SWITCH(done, ALL_RESULTS);
  } else if (switch_is_wrapped_call(L, ra)) {
    int done = switch_wrapped(L, ra + 1, (unsigned)(L->top - ra - 1), ra);
    if (done != NATIVE_RETRY) DO_SWITCH(done, ALL_RESULTS);
  }
  if (!call_prepare_tail(L, ra) && UNLIKELY(hook_sees_calls(L))) {
    LOAD_BASE(); /* the RETURN gets no events */
    unsigned status = frame->status |= FRAME_LEAVING;
    DO_RETURN(status, RA, (int)(L->top - RA), false);
  }
  RELOAD;
}
HANDLER(RETURN) {
  SPEND_CODE();
  const Value *from = RA;
  unsigned status = frame->status;
  int count = (int)code_b(i) - 1;
  if (count < 0) {
    count = (int)(L->top - from);
    SAVE_PC();
    SPEND_VALUES(count);
  }
  bool close = (code_c(i) & RETURN_CLOSE) != 0;
  if (close && L->closable_count == 0) {
    upvalue_close(L, base);
    close = false;
  }
  if (UNLIKELY(status & FRAME_RETURN_SLOW || close)) {
    if ((status & FRAME_RETURN_SLOW) == FRAME_META && !close && count > 0) {
      DO_RETURN_META(from);
    }
    DO_RETURN(status, RA, count, close);
  }
  Value *to = base - 1;
  if (UNLIKELY(code_c(i) & RETURN_VARARG))
    to -= frame->u.lua.extra_args + CLOSURE()->proto->param_count + 1;
  int wanted = frame->wanted;
  LEAVE_FRAME();
  if (wanted < 0) {
    wanted = count;
    L->top = to + count;
  }
  for (; wanted > 0 && count > 0; wanted--, count--) value_copy(to++, from++);
  for (; wanted > 0; wanted--) value_set_nil(to++);
  NEXT;
}
HANDLER(RETURN0) {
  SPEND_CODE();
  if (LIKELY(frame_mode(frame) == frame_mode_of(0, 0))) {
    LEAVE_FRAME();
    NEXT;
  }
  unsigned status = frame->status;
  if (frame_mode(frame) == frame_mode_of(0, FRAME_META)) {
    LEAVE_FRAME();
    if (code_op(pc[-1]) == OP_CLOSE) SLOW(slow_close);
    pc += code_length(pc[-1]) - 1; /* no result wanted: it was a store */
    NEXT;
  }
  if (UNLIKELY(status & FRAME_RETURN_SLOW)) {
    if ((status & FRAME_RETURN_SLOW) == FRAME_FRESH && !hook_sees_calls(L) &&
        (frame->wanted == 0 || RETURNS_ALL_TO_C())) {
      L->top = base - 1;
      L->frame = frame - 1;
      return LOOP_ENDS;
    }
    DO_RETURN(status, base, 0, false);
  }
  int wanted = frame->wanted;
  Value *to = base - 1;
  LEAVE_FRAME();
  if (wanted < 0) L->top = to;
  for (; wanted > 0; wanted--) value_set_nil(to++);
  NEXT;
}
HANDLER(RETURN1) {
  SPEND_CODE();
  if (LIKELY(frame_mode(frame) == frame_mode_of(1, 0))) {
    value_copy(base - 1, RA);
    LEAVE_FRAME();
    NEXT;
  }
  unsigned status = frame->status;
  if (UNLIKELY(status & FRAME_RETURN_SLOW)) {
    if ((status & FRAME_RETURN_SLOW) == FRAME_META) {
      DO_RETURN_META(RA);
    }
    if ((status & FRAME_RETURN_SLOW) == FRAME_FRESH && !hook_sees_calls(L) &&
        (frame->wanted == 1 || RETURNS_ALL_TO_C())) {
      value_copy(base - 1, RA);
      L->top = base;
      L->frame = frame - 1;
      return LOOP_ENDS;
    }
    DO_RETURN(status, RA, 1, false);
  }
  int wanted = frame->wanted;
  Value *to = base - 1;
  if (wanted != 0) value_copy(to, RA);
  LEAVE_FRAME();
  if (wanted < 0) L->top = to + 1;
  for (; wanted > 1; wanted--) value_set_nil(++to);
  NEXT;
}
/* Copies the function and its fixed parameters above the arguments:
**
**     func p1 p2 x1 x2 x3 | func p1 p2 ...
**                           ^ the new func of the frame
*/
HANDLER(VARARGPREP) {
  const Proto *p = CLOSURE()->proto;
  Value *func = L->top;
  unsigned fixed = p->param_count;
  if (UNLIKELY(L->limit - func <= (ptrdiff_t)p->frame_size)) {
    SAVE_PC();
    stack_grow(L, (size_t)p->frame_size + 1);
    LOAD_BASE();
    func = L->top;
  }
  frame->u.lua.extra_args = (uint32_t)(func - base) - fixed;
  value_copy(func, base - 1);
  for (unsigned n = 0; n < fixed; n++) {
    value_copy(func + 1 + n, base + n);
    value_set_nil(base + n);
  }
  frame->func = func;
  base = func + 1;
  frame->top = base + p->frame_size;
  L->top = base + fixed;
  SPEND(COST_SLOW);
  NEXT;
}
HANDLER(VARARG) {
  unsigned extra = frame->u.lua.extra_args, wanted = code_b(i) - 1;
  SPEND(COST_SLOW);
  if (code_b(i) == 0) { /* all of them */
    SAVE_PC();
    if (LOOP_COUNTS) budget_spend(L, extra);
    if (UNLIKELY(L->limit - RA < (ptrdiff_t)extra)) {
      L->top = frame->top; /* all registers are in use */
      stack_grow(L, extra);
      LOAD_BASE();
    }
    wanted = extra;
    L->top = RA + wanted;
  }
  const Value *from = base - 1 - extra;
  Value *to = RA;
  for (; wanted > 0 && extra > 0; wanted--, extra--) value_copy(to++, from++);
  for (; wanted > 0; wanted--) value_set_nil(to++);
  NEXT;
}
HANDLER(CLOSURE) {
  SAVE_PC();
  slow_closure(L, RA, CLOSURE()->proto->protos[*pc]);
  if (UNLIKELY(gc_step_due(GC()))) {
    slow_collect_new(L);
    LOAD_BASE();
  }
  PASS_WORD();
  NEXT;
}
HANDLER(CLOSE) { SLOW(slow_close); }
HANDLER(TBC) {
  SAVE_PC();
  slow_mark_closable(L, code_a(i));
  LOAD_BASE();
  NEXT;
}
