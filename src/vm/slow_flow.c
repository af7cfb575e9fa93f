/* SPDX-License-Identifier: MIT */
/*
** slow_flow.c -- the slow paths of loops, calls, new objects and scopes
*/
#include "object/budget.h"
#include "object/number.h"
#include "vm/call.h"
#include "vm/closing.h"
#include "vm/collect.h"
#include "vm/error.h"
#include "vm/fast_access_impl.h"
#include "vm/hook.h"
#include "vm/loop.h"
#include "vm/machine_impl.h"
#include "vm/operate_impl.h"
#include "vm/presize.h"
#include "vm/slow_impl.h"
#include "vm/slow_meta_impl.h"
#include "vm/switch.h"
#include "vm/watch.h"

/* -- Numeric for ----------------------------------------------------------- */

/* The limit of a loop of integers, clipped to the range of integers.  False if
** there is no iteration.  NaN counts as a limit below all integers, as in PUC
** Lua. */
static bool for_clip(lua_State *L, Integer start, const Value *limit,
                     Integer step, Integer *out) {
  RoundMode mode = step < 0 ? ROUND_CEIL : ROUND_FLOOR;
  budget_numeral(L, limit);
  if (!value_to_integer(limit, out, mode)) {
    Number n;
    if (!value_to_float(limit, &n)) error_for(L, limit, "limit");
    if (n > 0 ? step < 0 : step > 0) return false; /* on the wrong side */
    *out = n > 0 ? INTEGER_MAX : INTEGER_MIN;
  }
  return step > 0 ? start <= *out : start >= *out;
}

/* The number of iterations after the first one. */
static Unsigned for_count(Integer start, Integer limit, Integer step) {
  if (step > 0) return ((Unsigned)limit - (Unsigned)start) / (Unsigned)step;
  return ((Unsigned)start - (Unsigned)limit) / (0u - (Unsigned)step);
}

static bool for_integers(lua_State *L, Value *ra) {
  Integer start = ra->as.i, step = ra[2].as.i, limit;
  if (step == 0) raise_error(L, "'for' step is zero");
  if (!for_clip(L, start, &ra[1], step, &limit)) return false;
  value_set_integer(&ra[1], (Integer)for_count(start, limit, step));
  value_set_integer(&ra[3], start);
  return true;
}

/* False if an operand is NaN, so there is a first iteration. */
static bool for_is_beyond(Number start, Number limit, Number step) {
  return step > 0 ? limit < start : start < limit;
}

static bool for_floats(lua_State *L, Value *ra) {
  Number start, limit, step;
  for (int i = 0; i < 3; i++) budget_numeral(L, &ra[i]);
  if (!value_to_float(&ra[1], &limit)) error_for(L, &ra[1], "limit");
  if (!value_to_float(&ra[2], &step)) error_for(L, &ra[2], "step");
  if (!value_to_float(&ra[0], &start)) error_for(L, &ra[0], "initial value");
  if (step == 0) raise_error(L, "'for' step is zero");
  if (for_is_beyond(start, limit, step)) return false;
  value_set_float(&ra[0], start);
  value_set_float(&ra[1], limit);
  value_set_float(&ra[2], step);
  value_set_float(&ra[3], start);
  return true;
}

/* Ends an instruction with a jump offset in AUX. */
static void flow_jump(Frame *f, bool taken) {
  f->u.lua.pc += taken ? (int32_t)*f->u.lua.pc : 1;
}

static Value *flow_register_a(const Frame *f) {
  return f->func + 1 + code_a(f->u.lua.pc[-1]);
}

void slow_for_prepare(lua_State *L) {
  Value *ra = flow_register_a(L->frame);
  bool enter = value_is_integer(ra) && value_is_integer(ra + 2)
                   ? for_integers(L, ra)
                   : for_floats(L, ra);
  flow_jump(L->frame, !enter);
}

/* The same for step 1.  A loop of integers keeps its limit, and has no
** count. */
void slow_for_prepare1(lua_State *L) {
  Value *ra = flow_register_a(L->frame);
  Number start, last;
  bool enter;
  value_set_integer(&ra[2], 1); /* for debuggers */
  if (value_is_integer(ra)) {
    Integer limit;
    enter = for_clip(L, ra->as.i, &ra[1], 1, &limit);
    if (enter) value_set_integer(&ra[1], limit);
    value_copy(&ra[3], ra);
  } else {
    for (int i = 0; i < 2; i++) budget_numeral(L, &ra[i]);
    if (!value_to_float(&ra[1], &last)) error_for(L, &ra[1], "limit");
    if (!value_to_float(ra, &start)) error_for(L, ra, "initial value");
    enter = !for_is_beyond(start, last, 1);
    value_set_float(&ra[0], start);
    value_set_float(&ra[1], last);
    value_set_float(&ra[2], 1);
    value_set_float(&ra[3], start);
  }
  flow_jump(L->frame, !enter);
}

/* FORLOOP1 after a debugger has changed its state, see loop_state.h.  It works
** like FORLOOP. */
void slow_for_loop(lua_State *L) {
  Value *ra = flow_register_a(L->frame);
  bool again;
  if (UNLIKELY(ra->tag != TAG_CHANGED_INDEX))
    /* not covered: FORPREP1 is refused first, and only debuggers write here */
    error_for(L, ra, "initial value");
  if (value_is_integer(&ra[2])) {
    Unsigned count = (Unsigned)ra[1].as.i;
    again = count > 0;
    if (again) {
      ra->as.i = int_add(ra->as.i, ra[2].as.i);
      value_set_integer(&ra[1], (Integer)(count - 1));
      value_set_integer(&ra[3], ra->as.i);
    }
  } else {
    Number step = ra[2].as.n, limit = ra[1].as.n;
    Number index = ra->as.n + step;
    again = step > 0 ? index <= limit : limit <= index;
    if (again) {
      ra->as.n = index;
      value_set_float(&ra[3], index);
    }
  }
  flow_jump(L->frame, again);
}

/* -- Generic for ----------------------------------------------------------- */

/* Booleans are in the tag alone, so their nodes are not recognized. */
static ALWAYS_INLINE bool node_has_bits(const Node *n, const Value *key) {
  return n->key_tag == key->tag && n->key.bits == key->as.bits &&
         key->tag != TAG_FALSE && key->tag != TAG_TRUE;
}

/* True if the key is at position p - 1. */
static bool hint_is_right(const Table *t, const Value *key, uint32_t p) {
  if (p - 1 < t->array_size)
    return key->tag == TAG_INTEGER && key->as.i == (Integer)p;
  uint32_t index = p - 1 - t->array_size;
  if (p == 0 || index > t->hash->mask) return false;
  return node_has_bits(&t->hash->node[index], key);
}

/* The most common steps: to the next slot of the array, or from a node to the
** one beside it.  False if it is another one, and then nothing has happened. */
static ALWAYS_INLINE bool next_slot(const Table *t, Value *control) {
  uint32_t position = control->position;
  if (control->tag != TAG_INTEGER || control->as.i != position ||
      !table_fast_get_int(t, (Integer)position + 1, control + 3))
    return false;
  control->as.i = control->position = position + 1;
  value_set_integer(control + 2, control->as.i);
  return true;
}

static ALWAYS_INLINE bool next_node(const Table *t, Value *control) {
  Value *pair = control + 2;
  uint32_t index = control->position - 1 - t->array_size;
  if (index >= t->hash->mask) return false;
  const Node *n = &t->hash->node[index], *next = n + 1;
  if (!node_has_bits(n, control) || next->value_tag == TAG_NIL) return false;
  pair[0].as = control->as = next->key;
  pair[0].tag = control->tag = next->key_tag;
  node_get(next, &pair[1]);
  control->position++;
  return true;
}

static ALWAYS_INLINE bool next_beside(const Table *t, Value *control) {
  if (t->cell.user & TABLE_SPECIAL || control->position == 0) return false;
  return control->position < t->array_size ? next_slot(t, control)
                                           : next_node(t, control);
}

/* The slot of the control variable also holds the position of its key in the
** table.  This is a hint, and is checked before use, because a debugger may
** have changed the slot. */
bool slow_for_next(lua_State *L, Table *t, Value *control) {
  if (LIKELY(next_beside(t, control))) return true;
  Value *pair = control + 2;
  size_t position = control->tag == TAG_NIL ? 0 : control->position;
  if (LIKELY(control->tag == TAG_NIL ||
             hint_is_right(t, control, (uint32_t)position))) {
    position = table_next_at(L, t, position, pair);
    if (position == 0) return false;
  } else {
    value_copy(pair, control);
    if (!table_next(L, t, pair)) return false;
    position = 0;
  }
  value_copy(control, pair);
  control->position = (uint32_t)position;
  return true;
}

#if PENUMBRA_MACHINE

static int for_next_step(lua_State *L, Table *t, Value *control) {
  if (LIKELY(next_beside(t, control))) return true;
  size_t position = control->tag == TAG_NIL ? 0 : control->position;
  if (t->cell.user & TABLE_SPECIAL ||
      (control->tag != TAG_NIL &&
       !hint_is_right(t, control, (uint32_t)position)))
    return -1;
  position = table_next_at(L, t, position, control + 2);
  if (position == 0) return false;
  value_copy(control, control + 2);
  control->position = (uint32_t)position;
  return true;
}

static int for_ipairs_step(lua_State *L, Table *t, Value *control) {
  Integer index = int_add(control->as.i, 1);
  if (!table_fast_get_int(t, index, control + 3)) {
    if (may_have(t, META_INDEX)) return -1;
    if (!table_get_int_slow(L, t, index, control + 3)) return false;
  }
  control->as.i = index;
  value_set_integer(control + 2, index);
  return true;
}

int slow_for_step(lua_State *L, Value *ra, unsigned wanted) {
  int found = -1;
  if (ra->tag != TAG_C_FUNCTION || ra[1].tag != TAG_TABLE) return -1;
  if (ra->as.f == vm_of(L)->next_function)
    found = for_next_step(L, value_table(ra + 1), ra + 2);
  else if (ra->as.f == vm_of(L)->ipairs_function && ra[2].tag == TAG_INTEGER)
    found = for_ipairs_step(L, value_table(ra + 1), ra + 2);
  if (found == true)
    for (; wanted > 2; wanted--) value_set_nil(ra + 3 + wanted);
  return found;
}

#endif

/* -- Tables and closures --------------------------------------------------- */

void slow_new_table(lua_State *L, Instruction i, size_t slots) {
  if (code_is_presized(i)) {
    Table *t =
        table_new_presized(L, code_presize(i), code_presize_is_for_names(i));
    value_set_table(flow_register_a(L->frame), t);
    return;
  }
  size_t fields = code_b(i) ? (size_t)1 << (code_b(i) - 1) : 0;
  Table *t = table_new_for(L, slots, fields);
  value_set_table(flow_register_a(L->frame), t);
  table_reserve(L, t, slots, fields);
}

/* For a table that grows bit by bit, or whose array is too small. */
static NO_INLINE void set_list_one_by_one(lua_State *L, Table *t, size_t first,
                                          const Value *items, size_t count) {
  for (size_t n = 0; n < count; n++)
    table_set_int(L, t, (Integer)(first + n + 1), &items[n]);
}

void slow_set_list(lua_State *L) {
  Frame *f = L->frame;
  Instruction i = f->u.lua.pc[-1];
  const Value *ra = flow_register_a(f);
  size_t first = *f->u.lua.pc;
  size_t count = code_b(i) ? code_b(i) - 1 : (size_t)(L->top - ra - 1);
  if (UNLIKELY(!value_is_table(ra))) error_type(L, ra, "index");
  Table *t = value_table(ra);
  if (UNLIKELY(first + count > t->array_size))
    table_resize(L, t, first + count, t->hash->mask ? t->hash->mask + 1 : 0);
  if (UNLIKELY(!table_fast_set_list(t, first, ra + 1, count)))
    set_list_one_by_one(L, t, first, ra + 1, count);
  else if (UNLIKELY(t->cell.barrier == BARRIER_ARMED))
    for (size_t n = 1; n <= count; n++)
      gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(&ra[n]));
  f->u.lua.pc++;
}

/* Runs a step of the collector after an instruction that made an object for
** R[A].  pc is on AUX. */
void slow_collect_new(lua_State *L) {
  const Frame *f = L->frame;
  Instruction i = f->u.lua.pc[-1];
  unsigned live = code_a(i) + 1;
  if (live < code_c(i)) live = code_c(i);
  collect_step_below(L, f->func + 1 + live);
}

/* The table that the instruction copies, or NULL. */
static Table *template_of(const Frame *f) {
  if (!code_copies_table(watch_instruction(f))) return NULL;
  return value_table(&f->u.lua.constants[*f->u.lua.pc]);
}

/* Gives the template free nodes, so that its copies have nodes for names that
** are added to them. */
static void widen_template(lua_State *L, Table *template, Instruction i) {
  if (!template || !code_presize_is_for_names(i)) return;
  table_widen(L, template, table_names_in_space(code_presize(i)));
}

/* Makes the new table a sample (presize.h).  Steps of the collector come at
** irregular intervals of a few dozen tables or more.  So they are good points
** for samples, which cost nothing in between.  The next step measures the
** sample.  A finalizer may have changed the register. */
void slow_collect_table(lua_State *L) {
  const Table *made = value_table(flow_register_a(L->frame));
  slow_collect_new(L);
  Frame *f = L->frame;
  Table *template = template_of(f);
  widen_template(L, template, f->u.lua.pc[-1]);
  const Value *ra = flow_register_a(f);
  if (LIKELY(value_is_table(ra) && value_table(ra) == made))
    presize_sample(L, f->u.lua.pc - 1, value_table(ra), template);
}

/* Finds the upvalues first; the thread anchors the open ones.  The closure is
** then the last allocation, and stores into a new object need no barrier. */
void slow_closure(lua_State *L, Value *to, Proto *p) {
  UpValue *upvalue[CODE_MAX_UPVALUES];
  Value *base = L->frame->func + 1;
  const LuaClosure *self = value_lua_closure(base - 1);
  uint32_t count = p->upvalue_count;
  for (uint32_t n = 0; n < count; n++) {
    const UpValueInfo *info = &p->upvalues[n];
    upvalue[n] = info->in_stack ? upvalue_find(L, base + info->index)
                                : self->upvalue[info->index];
  }
  LuaClosure *closure = closure_new_bare(L, p);
  for (uint32_t n = 0; n < count; n++) {
    UpValue *u = upvalue[n];
#if defined(__GNUC__)
    __asm__("" : "+r"(u)); /* prevents a call of memcpy for a few */
#endif
    closure->upvalue[n] = u;
  }
  value_set_cell(to, closure, TAG_LUA_CLOSURE);
}

#if PENUMBRA_MACHINE

static bool make_text(Value *ra, String *s) {
  if (!s) return false;
  value_set_cell(ra, s, TAG_SHORT_STRING);
  return true;
}

/* VARARG: `count` of them, or all if it is 0. */
static bool copy_varargs(lua_State *L, const Frame *f, Value *to,
                         unsigned count) {
  unsigned extra = f->u.lua.extra_args, wanted = count - 1;
  const Value *from = f->func - extra;
  if (count == 0) {
    if (UNLIKELY(L->limit - to < (ptrdiff_t)extra)) return false;
    wanted = extra;
    L->top = to + extra;
  }
  for (; wanted > 0 && extra > 0; wanted--, extra--) value_copy(to++, from++);
  for (; wanted > 0; wanted--) value_set_nil(to++);
  return true;
}

/* VARARGPREP: copies the function and its parameters above the arguments. */
static bool set_varargs_aside(lua_State *L, Frame *f) {
  const Proto *p = frame_closure(f)->proto;
  Value *func = L->top, *base = f->func + 1;
  unsigned fixed = p->param_count;
  if (UNLIKELY(L->limit - func <= (ptrdiff_t)p->frame_size)) return false;
  f->u.lua.extra_args = (uint32_t)(func - base) - fixed;
  value_copy(func, f->func);
  for (unsigned n = 0; n < fixed; n++) {
    value_copy(func + 1 + n, base + n);
    value_set_nil(base + n);
  }
  f->func = func;
  f->top = func + 1 + p->frame_size;
  L->top = func + 1 + fixed;
  return true;
}

static bool make_table(lua_State *L, Instruction i, size_t slots, Value *ra) {
  if (code_b(i) | slots)
    slow_new_table(L, i, slots);
  else
    value_set_table(ra, table_new(L));
  return true;
}

static bool set_list(lua_State *L, Instruction i, const Value *ra) {
  if (code_b(i) == 0 || !value_is_table(ra)) return false;
  slow_set_list(L);
  return true;
}

/* False if a metamethod may have to be called. */
static bool is_plain(lua_State *L, const Table *t, MetaEvent event) {
  Value method;
  if (!t->metatable) return true;
  return !(t->cell.user & TABLE_SPECIAL) &&
         !meta_get_fast(L, t->metatable, event, &method);
}

/* Stores in tables, which may grow, and reads what they may not have. */
static bool set_plain(lua_State *L, const Value *object, const Value *key,
                      const Value *v) {
  if (!value_is_table(object)) return false;
  if (key->tag == TAG_NIL || key->tag == TAG_FLOAT) return false; /* errors */
  Table *t = value_table(object);
  if (!is_plain(L, t, META_NEWINDEX)) return false;
  table_set(L, t, key, v);
  return true;
}

static bool get_plain(lua_State *L, const Value *object, const Value *key,
                      Value *to) {
  Value v;
  if (!value_is_table(object)) return false;
  Table *t = value_table(object);
  if (!table_get(L, t, key, &v) && !is_plain(L, t, META_INDEX)) return false;
  value_copy(to, &v);
  return true;
}

static bool set_integer(lua_State *L, const Value *object, Integer i,
                        const Value *v) {
  Value key;
  value_set_integer(&key, i);
  return set_plain(L, object, &key, v);
}

/* A `__close` may run anything. */
static bool close_upvalues(lua_State *L, Value *level) {
  if (L->closable_count > 0) return false;
  upvalue_close(L, level);
  return true;
}

/* A step of the collector is left to the loop, which looks for one after each of
** these instructions, or soon. */
uint64_t slow_make(lua_State *L, Instruction *pc) {
  Frame *f = L->frame;
  Instruction i = *pc;
  Value *base = f->func + 1, *ra = base + code_a(i), *rb = base + code_b(i);
  if (UNLIKELY(gc_step_due(gc_of(L)))) return false;
  const Value *k = f->u.lua.constants;
  f->u.lua.pc = pc + 1;
  switch (opcode_alone(code_op(i))) {
    case OP_NEWTABLE: return make_table(L, i, pc[1], ra);
    case OP_DUPTABLE:
      table_new_copy(L, ra, value_table(&k[pc[1]]), code_presize(i));
      return true;
    case OP_CLOSURE:
      slow_closure(L, ra, frame_closure(f)->proto->protos[pc[1]]);
      return true;
    case OP_CONCAT: return make_text(ra, concat_short(L, rb, (int)code_c(i)));
    case OP_CONCAT_RR:
      return make_text(ra, concat_two_short(L, rb, base + code_c(i)));
    case OP_SETLIST: return set_list(L, i, ra);
    case OP_VARARG: return copy_varargs(L, f, ra, code_b(i));
    case OP_VARARGPREP: return set_varargs_aside(L, f);
    case OP_SETUPVAL:
      upvalue_set(gc_of(L), frame_closure(f)->upvalue[code_b(i)], ra);
      return true;
    case OP_CLOSE: return close_upvalues(L, ra);
    case OP_GETTABLE: return get_plain(L, rb, base + code_c(i), ra);
    case OP_GETFIELD: return get_plain(L, rb, &k[aux_key(pc[1])], ra);
    case OP_SETFIELD: return set_plain(L, ra, &k[aux_key(pc[1])], rb);
    case OP_SETFIELDK:
      return set_plain(L, ra, &k[aux_key(pc[1])], &k[code_d(i)]);
    case OP_SETTABLE: return set_plain(L, ra, rb, base + code_c(i));
    case OP_SETTABLEK: return set_plain(L, ra, rb, &k[code_c(i)]);
    case OP_SETINT: return set_integer(L, ra, code_b(i), base + code_c(i));
    default: return false;
  }
}

#endif

/* -- Scopes ---------------------------------------------------------------- */

/* A __close in Lua runs in the same loop.  Its return continues here. */
void slow_close(lua_State *L) {
  Frame *f = L->frame;
  Value *level = flow_register_a(f), *func = f->top;
  upvalue_close(L, level);
  if (!closing_is_pending(L, level)) return;
  closing_put(L, func, closing_last(L), NULL);
  if (value_is_lua_closure(func) && !L->hook_mask) {
    L->closable_count--;
    call_prepare(L, func, 0, FRAME_META);
  } else {
    L->top = func;
    closing_run(L, level, CLOSE_NORMALLY, true);
  }
}

void slow_mark_closable(lua_State *L, unsigned reg) {
  closing_mark(L, L->frame->func + 1 + reg);
}

/* -- Return ---------------------------------------------------------------- */

/* Closes variables before a return.  The __close metamethods run above the
** values to return.  Returns the new address of `first`. */
static Value *return_close(lua_State *L, Value *first, int count) {
  Frame *f = L->frame;
  f->u2.results = count; /* for loop_resume */
  if (L->top < f->top) L->top = f->top;
  ptrdiff_t offset = stack_save(L, first);
  closing_run(L, f->func + 1, CLOSE_NORMALLY, true);
  return stack_restore(L, offset);
}

void slow_return(lua_State *L, Value *first, int count, bool close) {
  if (close) {
    L->top = first + count;
    first = return_close(L, first, count);
  }
  Frame *f = L->frame;
  L->top = first + count;
  if (UNLIKELY(L->hook_mask)) {
    ptrdiff_t offset = stack_save(L, first);
    hook_return(L, count);
    first = stack_restore(L, offset);
    f = L->frame;
    L->top = first + count;
  }
  const Proto *p = frame_closure(f)->proto;
  Value *to = f->func;
  if (p->is_vararg) to -= f->u.lua.extra_args + p->param_count + 1;
  unsigned status = f->status;
  call_move_results(L, to, count, f->wanted);
  call_pop_frame(L);
  if (UNLIKELY(status & FRAME_META)) loop_finish(L);
  if (status & FRAME_SWITCH) switch_end_pcall(L);
}
