/* SPDX-License-Identifier: MIT */
/*
** slow_access.c -- instructions that read or write fields, the general way
*/
#include "object/budget.h"
#include "object/meta.h"
#include "vm/access_impl.h"
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
    default: break;             /* GETFIELD, SELF */
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
  if (code_op(i) == OP_SELF)
    value_copy(f->func + 2 + code_a(i), object);
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
      s->value = code_op(i) >= OP_SETTABLEK ? &k[code_c(i)] : &base[code_c(i)];
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
    slow_skip(L);
    if (UNLIKELY(gc_step_due(gc_of(L)))) collect_after_growth(L, f->top);
  } else {
    slow_call_meta3(L, &call.method, &call.self, s.key, s.value);
  }
}

/* -- Fields ---------------------------------------------------------------- */

/* The field of that table, if it has a value.  The place is remembered. */
static ALWAYS_INLINE const Node *find_own(const Table *t, const String *key,
                                          Instruction *aux) {
  const Node *n = table_find_str(t, key);
  if (!n || n->value_tag == TAG_NIL) return NULL;
  *aux = aux_field(aux_key(*aux), table_node_hint(t, n));
  return n;
}

/* A field that is not there, for certain. */
static const Node field_absent = {.value_tag = TAG_NIL};

/* Where to go on when `t` has not got a field: true, and *next, if there is
** a table as __index.  If not, *found is field_absent or, if that is not so
** simple, NULL. */
static ALWAYS_INLINE bool find_next(const lua_State *L, const Table *t,
                                    const Table **next, const Node **found) {
  const Table *metatable = t->metatable;
  *found = NULL;
  if (UNLIKELY(t->cell.user & TABLE_DETOUR)) return false;
  if (!metatable || metatable->cell.user & 1u << META_INDEX) {
    *found = &field_absent;
    return false;
  }
  const Node *n = table_find_str(metatable, L->global->meta_name[META_INDEX]);
  if (UNLIKELY(!n || n->value_tag != TAG_TABLE)) return false;
  *next = (const Table *)(const void *)n->value.cell;
  return true;
}

/* Objects and classes: a few steps along tables are enough. */
enum { FIELD_CHAIN = 8 };

/* In `t`, by the hint or otherwise, or in what it inherits from. */
static ALWAYS_INLINE const Node *find_along(lua_State *L, const Table *t,
                                            const String *key,
                                            Instruction *aux) {
  for (int i = 0; i < FIELD_CHAIN; i++) {
    const Node *n = table_hinted_node(t, key, aux_hint(*aux));
    if (n) return n;
    n = find_own(t, key, aux);
    if (n) return n;
    if (!find_next(L, t, &t, &n)) return n;
  }
  return NULL;
}

const Node *slow_find_field(lua_State *L, const Table *t, const String *key,
                            Instruction *aux) {
  const Node *n = find_own(t, key, aux);
  if (n || !find_next(L, t, &t, &n)) return n;
  return find_along(L, t, key, aux);
}

const Node *slow_find_in_string(lua_State *L, const String *key,
                                Instruction *aux) {
  Global *g = L->global;
  const Table *metatable = g->type_metatable[LUA_TSTRING];
  if (!metatable) return NULL;
  const Node *n = table_find_str(metatable, g->meta_name[META_INDEX]);
  if (!n || n->value_tag != TAG_TABLE) return NULL;
  g->string_index_hint = table_node_hint(metatable, n);
  return find_along(L, (const Table *)(const void *)n->value.cell, key, aux);
}

bool slow_set_field(lua_State *L, Table *t, String *key, const Value *value,
                    Instruction *aux) {
  Value method;
  Node *n = table_find_str(t, key);
  if (n && n->value_tag != TAG_NIL) {
    *aux = aux_field(aux_key(*aux), table_node_hint(t, n));
    node_set(n, value);
    gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(value));
    return true;
  }
  if (t->metatable &&
      (t->cell.user & TABLE_DETOUR ||
       meta_get_fast(L, t->metatable, META_NEWINDEX, &method)))
    return false;
  if (n) {
    node_set(n, value);
    table_forget_absent(t);
    gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(value));
  } else {
    n = table_add_str(L, t, key, value);
  }
  if (n) *aux = aux_field(aux_key(*aux), table_node_hint(t, n));
  return true;
}
