/* SPDX-License-Identifier: MIT */
/*
** value.h -- what a variable, a stack slot or a constant holds
**
** A value is 8 bytes of payload and one byte of tag.  The tag tells the
** complete type, so that each type test is one comparison:
**
**      7   6   5   4   3   2   1   0
**    +---+---+---+---+---+---+---+---+
**    |   | C | variant |  LUA_T...    |     C: the payload is a cell
**    +---+---+---+---+---+---+---+---+
**
** Only nil and false have tags up to TAG_FALSE, which is how the vm tests a
** condition; the variants of nil never get into a register.
*/
#ifndef PENUMBRA_OBJECT_VALUE_H
#define PENUMBRA_OBJECT_VALUE_H

#include <string.h>

#include "gc/gc.h"
#include "object/types.h"

enum ValueTag {
  TAG_TYPE_MASK = 0x0f,
  TAG_VARIANT = 0x10,
  TAG_VARIANT2 = 0x20,
  TAG_COLLECTABLE = 0x40,

  TAG_NIL = TYPE_NIL,
  TAG_FALSE = TYPE_BOOLEAN,
  TAG_TRUE = TYPE_BOOLEAN | TAG_VARIANT,
  TAG_POINTER = TYPE_LIGHT_USERDATA,
  TAG_INTEGER = TYPE_NUMBER,
  TAG_FLOAT = TYPE_NUMBER | TAG_VARIANT,
  TAG_SHORT_STRING = TYPE_STRING | TAG_COLLECTABLE,
  TAG_LONG_STRING = TYPE_STRING | TAG_VARIANT | TAG_COLLECTABLE,
  TAG_TABLE = TYPE_TABLE | TAG_COLLECTABLE,
  TAG_LUA_CLOSURE = TYPE_FUNCTION | TAG_COLLECTABLE,
  TAG_C_FUNCTION = TYPE_FUNCTION | TAG_VARIANT,
  TAG_C_CLOSURE = TYPE_FUNCTION | TAG_VARIANT2 | TAG_COLLECTABLE,
  TAG_USERDATA = TYPE_USERDATA | TAG_COLLECTABLE,
  TAG_THREAD = TYPE_THREAD | TAG_COLLECTABLE,

  /* Never seen by a program. */
  TAG_ABSENT = TYPE_NIL | TAG_VARIANT2, /* what an invalid index holds */
  TAG_PROTO = 9 | TAG_COLLECTABLE,      /* anchors on the stack */
  TAG_UPVALUE = 10 | TAG_COLLECTABLE,
  TAG_BOX = 11 | TAG_COLLECTABLE,
  TAG_DEAD_KEY = 12,     /* key of a removed table entry */
  TAG_CHANGED_INDEX = 13 /* of a loop: see vm/loop_state.h */
};

/* Kinds of cells, for the collector.  In the order of kinds.c. */
typedef enum ObjectKind {
  KIND_SHORT_STRING,
  KIND_LONG_STRING,
  KIND_TABLE,
  KIND_LUA_CLOSURE,
  KIND_C_CLOSURE,
  KIND_UPVALUE,
  KIND_PROTO,
  KIND_USERDATA,
  KIND_THREAD,
  KIND_BOX,
  KIND_ARRAY_PART,   /* slots of a table's array */
  KIND_HASH_PART,    /* nodes of a table's hash */
  KIND_DETOUR_PART,  /* of a table that cannot be read directly */
  KIND_RETIRED_PART, /* of a table that grows */
  KIND_VECTOR_PART,  /* see part.h */
  OBJECT_KIND_COUNT
} ObjectKind;

typedef union Payload {
  uint64_t bits;
  Integer i;
  Number n;
  Cell *cell;
  void *p;
  CFunction f;
} Payload;

typedef struct Value {
  Payload as;
  uint8_t tag;
  uint32_t position; /* only in the control variable of a generic for: where
                      ** next found the key; not part of the value */
} Value;
static_assert(sizeof(Value) == 16, "a value is 16 bytes");

typedef struct String String;
typedef struct Table Table;
typedef struct Proto Proto;
typedef struct LuaClosure LuaClosure;
typedef struct CClosure CClosure;
typedef struct UpValue UpValue;
typedef struct Userdata Userdata;
typedef struct Thread Thread;
typedef struct Box Box;
typedef struct Frame Frame;
typedef struct Global Global;

/* -- Questions ------------------------------------------------------------- */

static ALWAYS_INLINE bool tag_is_collectable(unsigned tag) {
  return (tag & TAG_COLLECTABLE) != 0;
}
static ALWAYS_INLINE bool tag_is_nil(unsigned tag) {
  return (tag & TAG_TYPE_MASK) == TYPE_NIL;
}
static ALWAYS_INLINE bool tag_is_string(unsigned tag) {
  return (tag & TAG_TYPE_MASK) == TYPE_STRING;
}
static ALWAYS_INLINE int tag_type(unsigned tag) {
  return (int)(tag & TAG_TYPE_MASK);
}

static ALWAYS_INLINE int value_type(const Value *v) { return tag_type(v->tag); }
static ALWAYS_INLINE bool value_is_nil(const Value *v) {
  return tag_is_nil(v->tag);
}
static ALWAYS_INLINE bool value_is_integer(const Value *v) {
  return v->tag == TAG_INTEGER;
}
static ALWAYS_INLINE bool value_is_float(const Value *v) {
  return v->tag == TAG_FLOAT;
}
static ALWAYS_INLINE bool value_is_number(const Value *v) {
  return value_type(v) == TYPE_NUMBER;
}
static ALWAYS_INLINE bool value_is_string(const Value *v) {
  return tag_is_string(v->tag);
}
static ALWAYS_INLINE bool value_is_table(const Value *v) {
  return v->tag == TAG_TABLE;
}
static ALWAYS_INLINE bool value_is_function(const Value *v) {
  return value_type(v) == TYPE_FUNCTION;
}
static ALWAYS_INLINE bool value_is_lua_closure(const Value *v) {
  return v->tag == TAG_LUA_CLOSURE;
}
static ALWAYS_INLINE bool value_is_userdata(const Value *v) {
  return v->tag == TAG_USERDATA;
}
static ALWAYS_INLINE bool value_is_thread(const Value *v) {
  return v->tag == TAG_THREAD;
}

/* nil or false.  Valid for registers; see the head of the file. */
static ALWAYS_INLINE bool value_is_falsy(const Value *v) {
  return v->tag <= TAG_FALSE;
}

/* -- Taking the payload: the tag must be right ----------------------------- */

static ALWAYS_INLINE Cell *value_cell(const Value *v) { return v->as.cell; }
static ALWAYS_INLINE String *value_string(const Value *v) {
  return (String *)(void *)v->as.cell;
}
static ALWAYS_INLINE Table *value_table(const Value *v) {
  return (Table *)(void *)v->as.cell;
}
static ALWAYS_INLINE LuaClosure *value_lua_closure(const Value *v) {
  return (LuaClosure *)(void *)v->as.cell;
}
static ALWAYS_INLINE CClosure *value_c_closure(const Value *v) {
  return (CClosure *)(void *)v->as.cell;
}
static ALWAYS_INLINE Userdata *value_userdata(const Value *v) {
  return (Userdata *)(void *)v->as.cell;
}
static ALWAYS_INLINE Proto *value_proto(const Value *v) {
  return (Proto *)(void *)v->as.cell;
}
static ALWAYS_INLINE Box *value_box(const Value *v) {
  return (Box *)(void *)v->as.cell;
}

/* The payload as a cell, or NULL if it is none: the argument of barriers. */
static ALWAYS_INLINE Cell *value_cell_or_null(const Value *v) {
  return tag_is_collectable(v->tag) ? v->as.cell : NULL;
}

/* -- Making values --------------------------------------------------------- */

/* Copies field by field: a load of all 16 bytes would have to wait for two
** stores. */
static ALWAYS_INLINE void value_copy(Value *to, const Value *from) {
  Payload as = from->as;
  uint8_t tag = from->tag;
  to->as = as;
  to->tag = tag;
}
static ALWAYS_INLINE void value_set_nil(Value *v) { v->tag = TAG_NIL; }
static ALWAYS_INLINE void value_set_bool(Value *v, bool b) {
  v->tag = b ? TAG_TRUE : TAG_FALSE;
}
static ALWAYS_INLINE void value_set_integer(Value *v, Integer i) {
  v->as.i = i;
  v->tag = TAG_INTEGER;
}
/* Like value_set_integer, with one store of 16 bytes where possible.  For
** loops: it overwrites the padding. */
static ALWAYS_INLINE void value_store_integer(Value *v, Integer i) {
#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t words[2] = {(uint64_t)i, TAG_INTEGER};
  __asm__("" : "+r"(words[0]), "+r"(words[1])); /* in two registers at once */
  memcpy(v, words, sizeof words);
#else
  value_set_integer(v, i);
#endif
}
static ALWAYS_INLINE void value_set_float(Value *v, Number n) {
  v->as.n = n;
  v->tag = TAG_FLOAT;
}
/* A pointer may be shorter than the payload, so clear the payload: it is
** compared as a whole. */
static ALWAYS_INLINE void value_set_pointer(Value *v, void *p) {
  v->as.bits = 0;
  v->as.p = p;
  v->tag = TAG_POINTER;
}
static ALWAYS_INLINE void value_set_c_function(Value *v, CFunction f) {
  v->as.bits = 0;
  v->as.f = f;
  v->tag = TAG_C_FUNCTION;
}
static ALWAYS_INLINE void value_set_cell(Value *v, void *cell, unsigned tag) {
  v->as.bits = 0;
  v->as.cell = (Cell *)cell;
  v->tag = (uint8_t)tag;
}
/* For short and long strings. */
static ALWAYS_INLINE void value_set_string(Value *v, const String *s) {
  v->as.bits = 0;
  v->as.cell = (Cell *)(uintptr_t)s;
  v->tag = ((const Cell *)(const void *)s)->kind == KIND_SHORT_STRING
               ? TAG_SHORT_STRING
               : TAG_LONG_STRING;
}
static ALWAYS_INLINE void value_set_table(Value *v, Table *t) {
  value_set_cell(v, t, TAG_TABLE);
}

/* Raw equality: no metamethods; integers and floats compare by mathematical
** value. */
bool value_raw_equal_slow(const Value *a, const Value *b);
static inline bool value_raw_equal(const Value *a, const Value *b) {
  if (a->tag == b->tag && a->tag == TAG_SHORT_STRING)
    return a->as.bits == b->as.bits;
  return value_raw_equal_slow(a, b);
}

/* "nil", "number" ...; also for TYPE_NONE and internal types. */
const char *type_name(int type);

/* -- For kinds ------------------------------------------------------------- */

typedef enum EdgeLabel {
#define LABEL(name, text) LABEL_##name,
#include "object/labels.def"
#undef LABEL
  LABEL_COUNT
} EdgeLabel;

/* What GcEdge.label is for each label. */
extern const char *const edge_labels[LABEL_COUNT];

static inline bool edge_is(const GcEdge *edge, EdgeLabel label) {
  return edge->label == edge_labels[label];
}

/* One of many references with that label: tools need to know which one. */
static ALWAYS_INLINE void edge_from(const void *at, void *to,
                                    GcStrength strength, EdgeLabel label,
                                    GcEdgeFn *edge, void *context) {
  edge(context, (GcEdge){(Cell *)to, NULL, strength, edge_labels[label], at});
}
static ALWAYS_INLINE void edge_to(void *to, GcStrength strength,
                                  EdgeLabel label, GcEdgeFn *edge,
                                  void *context) {
  edge_from(NULL, to, strength, label, edge, context);
}
/* Like edge_to, if there is an object. */
static ALWAYS_INLINE void edge_if(void *to, GcStrength strength,
                                  EdgeLabel label, GcEdgeFn *edge,
                                  void *context) {
  if (to) edge_to(to, strength, label, edge, context);
}

/* Reports a payload with that tag, if it is a reference: of that strength,
** unless it is a string. */
static ALWAYS_INLINE void payload_edge_as(const void *at, Payload as,
                                          unsigned tag, GcStrength strength,
                                          EdgeLabel label, GcEdgeFn *edge,
                                          void *context) {
  if (!tag_is_collectable(tag)) return;
  if (tag_is_string(tag))
    edge_from(at, as.cell, EDGE_LEAF, label, edge, context);
  else
    edge_from(at, as.cell, strength, label, edge, context);
}
static ALWAYS_INLINE void payload_edge(const void *at, Payload as, unsigned tag,
                                       EdgeLabel label, GcEdgeFn *edge,
                                       void *context) {
  payload_edge_as(at, as, tag, EDGE_STRONG, label, edge, context);
}
static ALWAYS_INLINE void value_edge(const Value *v, EdgeLabel label,
                                     GcEdgeFn *edge, void *context) {
  payload_edge(v, v->as, v->tag, label, edge, context);
}

/* The table of kinds, in the order of ObjectKind. */
extern const GcKind object_kinds[OBJECT_KIND_COUNT];

#endif
