/* SPDX-License-Identifier: MIT */
/*
** slow_access.c -- the slow paths of instructions that read or write fields
*/
#include "object/budget.h"
#include "object/meta.h"
#include "vm/access_impl.h"
#include "vm/call.h"
#include "vm/collect.h"
#include "vm/slow_impl.h"
#include "vm/slow_meta_impl.h"

/* -- Reading --------------------------------------------------------------- */

/* The object of a reading instruction, and its key. */
static const Value *get_operands(Frame *f, Instruction i, const Value **key,
                                 Value *space) {
  Value *base = f->func + 1;
  const Value *k = f->u.lua.constants;
  *key = &k[aux_key(*f->u.lua.pc)];
  switch (opcode_alone(code_op(i))) {
    case OP_GETUPFIELD: return frame_closure(f)->upvalue[code_b(i)]->v;
    case OP_GETTABLE: *key = &base[code_c(i)]; break;
    case OP_GETINT:
      value_set_integer(space, code_c(i));
      *key = space;
      break;
    default: break; /* GETFIELD, SELF */
  }
  return &base[code_b(i)];
}

void slow_get(lua_State *L) {
  Frame *f = L->frame;
  Instruction i = f->u.lua.pc[-1];
  Value space, result;
  const Value *key;
  AccessCall call;
  const Value *object = get_operands(f, i, &key, &space);
  budget_spend_compared(L, key, key);
  bool found = access_find(L, object, key, &result, &call);
  if (code_op(i) == OP_SELF) value_copy(f->func + 2 + code_a(i), object);
  if (found)
    slow_put(L, &result);
  else
    slow_call_meta(L, &call.method, &call.self, key);
}

/* -- Writing --------------------------------------------------------------- */

typedef struct SetOperands {
  const Value *object;
  const Value *key;
  const Value *value;
  Value space;
} SetOperands;

static void set_operands(Frame *f, Instruction i, SetOperands *s) {
  Value *base = f->func + 1;
  const Value *k = f->u.lua.constants;
  s->object = &base[code_a(i)];
  s->key = &k[aux_key(*f->u.lua.pc)];
  switch (opcode_alone(code_op(i))) {
    case OP_SETUPFIELD:
      s->object = frame_closure(f)->upvalue[code_a(i)]->v;
      s->value = &base[code_b(i)];
      break;
    case OP_SETUPFIELDK:
      s->object = frame_closure(f)->upvalue[code_a(i)]->v;
      s->value = &k[code_d(i)];
      break;
    case OP_SETFIELD: s->value = &base[code_b(i)]; break;
    case OP_SETFIELDK: s->value = &k[code_d(i)]; break;
    case OP_SETTABLE:
    case OP_SETTABLEK:
      s->key = &base[code_b(i)];
      s->value = (code_stores_constant(i) ? k : base) + code_c(i);
      break;
    default: /* SETINT */
      value_set_integer(&s->space, code_b(i));
      s->key = &s->space;
      s->value = &base[code_c(i)];
  }
}

void slow_set(lua_State *L) {
  Frame *f = L->frame;
  Instruction i = f->u.lua.pc[-1];
  SetOperands s;
  AccessCall call;
  set_operands(f, i, &s);
  budget_spend_compared(L, s.key, s.key);
  if (access_store(L, s.object, s.key, s.value, &call)) {
    if (UNLIKELY(gc_step_due(gc_of(L)))) collect_after_growth(L, f->top);
    slow_skip(L);
  } else {
    slow_call_meta3(L, &call.method, &call.self, s.key, s.value);
  }
}

/* -- Fields ---------------------------------------------------------------- */

/* The node of a field with a value; NULL if the table has none.  Updates the
** hint in *aux. */
static ALWAYS_INLINE const Node *find_own(const Table *t, const String *key,
                                          Instruction *aux) {
  const Node *n = table_find_str(t, key);
  if (!n || n->value_tag == TAG_NIL) return NULL;
  *aux = aux_field(aux_key(*aux), table_node_hint(t, n));
  return n;
}

/* The result for a field that does not exist. */
static const Node field_absent = {.value_tag = TAG_NIL};

static bool node_is_function(const Node *n) {
  return tag_type(n->value_tag) == TYPE_FUNCTION;
}

/* Calls __index for an instruction that reads a field, or leaves that to the
** loop. */
static SlowStep call_index(lua_State *L, const Node *index, const Table *self,
                           const String *name) {
  const Frame *f = L->frame;
  Instruction i = f->u.lua.pc[-1];
  Value method, object, key;
  node_get(index, &method);
  value_set_table(&object, (Table *)(uintptr_t)self);
  value_set_cell(&key, (void *)(uintptr_t)name, TAG_SHORT_STRING);
  if (code_op(i) == OP_SELF)
    value_copy(f->func + 2 + code_a(i), f->func + 1 + code_b(i));
  if (slow_puts_method(L, &method, &object, &key, NULL)) return STEP_CALLS;
  call_prepare(L, L->frame->top, 1, FRAME_META);
  return STEP_FINISHED;
}

/* Where a search ended without a field. */
typedef struct SearchEnd {
  const Table *table;
  const Node *index; /* its __index, a function; NULL: the search cannot tell */
} SearchEnd;

/* Searches the chain of __index tables of `t`, which does not hold the field
** itself.  NULL at an end. */
static ALWAYS_INLINE const Node *search_along(lua_State *L, const Table *t,
                                              const String *key,
                                              Instruction *aux,
                                              SearchEnd *end) {
  end->index = NULL;
  for (int i = 0; i < ACCESS_CHAIN_MAX; i++) {
    access_charge(L, i);
    const Table *metatable = t->metatable;
    if (UNLIKELY(t->cell.user & TABLE_SPECIAL)) return NULL;
    if (!metatable || metatable->cell.user & 1u << META_INDEX)
      return &field_absent;
    const Node *n = meta_find(L, metatable, META_INDEX);
    if (UNLIKELY(!n)) return NULL;
    if (UNLIKELY(n->value_tag != TAG_TABLE)) {
      end->table = t;
      if (node_is_function(n)) end->index = n;
      return NULL;
    }
    t = (const Table *)(const void *)n->value.cell;
    n = table_hinted_node(t, key, aux_hint(*aux));
    if (!n) n = find_own(t, key, aux);
    if (n) return n;
  }
  return NULL;
}

/* The same for the running instruction.  Calls __index if it is a function. */
static ALWAYS_INLINE SlowStep find_inherited(lua_State *L, const Table *t,
                                             const String *key,
                                             Instruction *aux,
                                             const Node **found) {
  SearchEnd end;
  *found = search_along(L, t, key, aux, &end);
  if (*found) return STEP_DONE;
  if (end.index) return call_index(L, end.index, end.table, key);
  slow_get(L);
  return STEP_FINISHED;
}

SlowStep slow_find_field(lua_State *L, const Table *t, const String *key,
                         Instruction *aux, const Node **found) {
  *found = find_own(t, key, aux);
  return *found ? STEP_DONE : find_inherited(L, t, key, aux, found);
}

/* A method in the table of the field __index, which may be NULL. */
static SlowStep find_method(lua_State *L, const Node *index, const String *key,
                            Instruction *aux, const Node **found) {
  if (!index || index->value_tag != TAG_TABLE) {
    slow_get(L);
    return STEP_FINISHED;
  }
  const Table *t = (const Table *)(const void *)index->value.cell;
  *found = table_hinted_node(t, key, aux_hint(*aux));
  return *found ? STEP_DONE : slow_find_field(L, t, key, aux, found);
}

/* The table of methods of all strings. */
static const Node *string_index(lua_State *L) {
  Global *g = L->global;
  const Table *metatable = meta_of_type(L, TYPE_STRING);
  if (!metatable) return NULL;
  const Node *n = table_find_str(metatable, g->meta_name[META_INDEX]);
  if (n) vm_of(L)->string_index_hint = table_node_hint(metatable, n);
  return n;
}

static const Node *userdata_index(lua_State *L, const Userdata *u) {
  return u->metatable ? meta_find(L, u->metatable, META_INDEX) : NULL;
}

SlowStep slow_find_self(lua_State *L, const Value *object, Instruction *aux,
                        const Node **found) {
  const Value *k = L->frame->u.lua.constants;
  const String *key = value_string(&k[aux_key(*aux)]);
  const Node *index = NULL;
  if (value_is_string(object))
    index = string_index(L);
  else if (object->tag == TAG_USERDATA)
    index = userdata_index(L, value_userdata(object));
  return find_method(L, index, key, aux, found);
}

static ALWAYS_INLINE void store_node(lua_State *L, Table *t, Node *n,
                                     const Value *value, Instruction *aux) {
  node_set(n, value);
  gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(value));
  *aux = aux_field(aux_key(*aux), table_node_hint(t, n));
}

/* Adds a field without a value, in a table without __newindex.  `n` is its
** node, or NULL. */
static void add_field(lua_State *L, Table *t, Node *n, String *key,
                      const Value *value, Instruction *aux) {
  if (n) {
    table_forget_absent(t);
    store_node(L, t, n, value, aux);
    return;
  }
  n = table_add_str(L, t, key, value);
  if (n) *aux = aux_field(aux_key(*aux), table_node_hint(t, n));
}

/* Calls method(self, key, value), or leaves that to the loop. */
static SlowStep call_newindex(lua_State *L, const Value *method,
                              const Value *self, const Value *key,
                              const Value *value) {
  if (slow_puts_method(L, method, self, key, value)) return STEP_CALLS;
  call_prepare(L, L->frame->top, 0, FRAME_META);
  return STEP_FINISHED;
}

SlowStep slow_set_field(lua_State *L, Table *t, String *key, const Value *value,
                        Instruction *aux) {
  Value method, self, name;
  for (int i = 0; i < ACCESS_CHAIN_MAX; i++) {
    access_charge(L, i);
    Node *n = table_find_str(t, key);
    if (n && n->value_tag != TAG_NIL) {
      store_node(L, t, n, value, aux);
      return STEP_DONE;
    }
    if (t->metatable && UNLIKELY(t->cell.user & TABLE_SPECIAL)) break;
    if (!meta_get_fast(L, t->metatable, META_NEWINDEX, &method)) {
      add_field(L, t, n, key, value, aux);
      return STEP_DONE;
    }
    if (value_is_function(&method)) {
      value_set_table(&self, t);
      value_set_cell(&name, key, TAG_SHORT_STRING);
      return call_newindex(L, &method, &self, &name, value);
    }
    if (!value_is_table(&method)) break;
    t = value_table(&method);
  }
  slow_set(L);
  return STEP_FINISHED;
}

/* -- Elements -------------------------------------------------------------- */

SlowStep slow_get_element(lua_State *L, const Value *object, const Value *key,
                          Value *out) {
  AccessCall call;
  if (key->tag == TAG_SHORT_STRING) {
    Instruction aux = 0;
    const Node *found;
    SlowStep step =
        find_inherited(L, value_table(object), value_string(key), &aux, &found);
    if (LIKELY(step == STEP_DONE)) node_get(found, out);
    return step;
  }
  if (LIKELY(access_find_beyond(L, object, key, out, &call))) return STEP_DONE;
  if (slow_puts_method(L, &call.method, &call.self, key, NULL))
    return STEP_CALLS;
  call_prepare(L, L->frame->top, 1, FRAME_META);
  return STEP_FINISHED;
}

SlowStep slow_set_element(lua_State *L, const Value *object, const Value *key,
                          const Value *value, bool missed) {
  AccessCall call;
  if (key->tag == TAG_SHORT_STRING) {
    Instruction aux = 0;
    return slow_set_field(L, value_table(object), value_string(key), value,
                          &aux);
  }
  missed = missed && !(value_table(object)->cell.user & TABLE_SPECIAL);
  if (missed ? access_store_beyond(L, object, key, value, &call)
             : access_store(L, object, key, value, &call))
    return STEP_DONE;
  return call_newindex(L, &call.method, &call.self, key, value);
}
