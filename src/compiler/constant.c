/* SPDX-License-Identifier: MIT */
/*
** constant.c -- the constants of a function
**
** A constant that a function already has is reused.  Two tables of the compiler
** find it: `strings` of the lexer for short strings, `numbers` for numbers.
** All functions share these tables, so the constant found must be compared with
** the one wanted.  At worst a function stores a constant twice.
*/
#include "compiler/emit_impl.h"

static int32_t constant_add(Function *f, const Value *v) {
  lua_State *L = f->compiler->L;
  Proto *p = f->proto;
  VECTOR_RESERVE(L, p, p->constants, p->constant_count + 1, LIMIT_CONSTANTS,
                 "constants");
  p->constants[p->constant_count] = *v;
  if (tag_is_collectable(v->tag)) proto_barrier(gc_of(L), p, v->as.cell);
  return (int32_t)p->constant_count++;
}

static bool constant_is_at(const Function *f, const Value *index,
                           const Value *v) {
  if (index->tag != TAG_INTEGER) return false;
  if (index->as.i >= (Integer)f->proto->constant_count) return false;
  const Value *k = &f->proto->constants[index->as.i];
  return k->tag == v->tag && k->as.bits == v->as.bits;
}

/* Finds the constant v, whose key in `table` is `key`, or adds it. */
static int32_t constant_find(Function *f, Table *table, const Value *key,
                             const Value *v) {
  lua_State *L = f->compiler->L;
  Value index;
  if (table_get(L, table, key, &index) && constant_is_at(f, &index, v))
    return (int32_t)index.as.i;
  value_set_integer(&index, constant_add(f, v));
  table_set(L, table, key, &index);
  return (int32_t)index.as.i;
}

static int32_t constant_tag(Function *f, int32_t *known, unsigned tag) {
  if (*known >= 0) return *known;
  Value v = {.as = {.bits = 0}, .tag = (uint8_t)tag};
  *known = constant_add(f, &v);
  return *known;
}

int32_t constant_nil(Function *f) {
  return constant_tag(f, &f->nil_constant, TAG_NIL);
}

int32_t constant_bool(Function *f, bool b) {
  if (b) return constant_tag(f, &f->true_constant, TAG_TRUE);
  return constant_tag(f, &f->false_constant, TAG_FALSE);
}

int32_t constant_integer(Function *f, Integer i) {
  Value v;
  value_set_integer(&v, i);
  return constant_find(f, f->compiler->numbers, &v, &v);
}

/* The key of a float is its bits: 0.0 and -0.0 differ, and so do 1 and 1.0. */
int32_t constant_float(Function *f, Number n) {
  Value v, key;
  value_set_float(&v, n);
  if (sizeof(void *) < sizeof v.as.bits) return constant_add(f, &v);
  value_set_pointer(&key, (void *)(uintptr_t)v.as.bits);
  return constant_find(f, f->compiler->numbers, &key, &v);
}

int32_t constant_string(Function *f, String *s) {
  Value v;
  value_set_string(&v, s);
  if (!string_is_short(s)) return constant_add(f, &v);
  return constant_find(f, f->compiler->lexer.strings, &v, &v);
}

int32_t constant_table(Function *f, Table *t) {
  Value v;
  value_set_table(&v, t);
  return constant_add(f, &v);
}
