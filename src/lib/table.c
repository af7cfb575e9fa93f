/* SPDX-License-Identifier: MIT */
/*
** table.c -- the table library, except sort (table_sort.c)
*/

#include <limits.h>
#include <string.h>

#include "declare.h"
#include "string_builder.h"
#include "lib.h"
#include "lualib.h"
#include "table_impl.h"
#include "object/bytes.h"
#include "object/number.h"
#include "vm/access.h"

/* The functions here handle tables without a metatable themselves, with a loop
** that accesses the parts directly.  The ..._framed functions, which use the
** API, handle cases that may call a metamethod, and those that take so long
** that a budget must be charged. */
static ALWAYS_INLINE bool take_plain_table(const Value *args, unsigned argc,
                                           Table **t) {
  if (argc == 0 || !value_is_table(args)) return false;
  *t = value_table(args);
  return !(*t)->metatable;
}

/* Charges for work on `count` elements.  True if that is so much that a budget
** must be checked in between. */
static ALWAYS_INLINE bool are_costly(const lua_State *L, lua_Integer count) {
  enum { MANY = 1024, UNITS = 4 };
  if (LIKELY(!L->global->budget.on)) return false;
  if (count > MANY) return true;
  budget_charge(L, (size_t)count * UNITS);
  return false;
}

static ALWAYS_INLINE void table_put(lua_State *L, Table *t, lua_Integer key,
                                    const Value *v) {
  if (LIKELY(table_fast_set_int(t, key, v)))
    gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(v));
  else
    table_set_int(L, t, key, v);
}

/* True if the metatable at `meta` has the field. */
static bool table_has(lua_State *L, int meta, const char *field) {
  lua_pushstring(L, field);
  const bool has = lua_rawget(L, meta) != LUA_TNIL;
  lua_pop(L, 1);
  return has;
}

/* True if a value that is not a table can be used like one. */
static bool table_imitates(lua_State *L, int arg, int uses) {
  if (!lua_getmetatable(L, arg)) return false;
  const int meta = lua_gettop(L);
  const bool ok = (!(uses & TABLE_READ) || table_has(L, meta, "__index")) &&
                  (!(uses & TABLE_WRITE) || table_has(L, meta, "__newindex")) &&
                  (!(uses & TABLE_LENGTH) || table_has(L, meta, "__len"));
  lua_pop(L, 1);
  return ok;
}

static void table_check_arg(lua_State *L, int arg, int uses) {
  if (luai_unlikely(lua_type(L, arg) != LUA_TTABLE) &&
      !table_imitates(L, arg, uses))
    luaL_checktype(L, arg, LUA_TTABLE);
}

lua_Integer table_check_length(lua_State *L, int arg, int uses) {
  lua_Integer length;
  table_check_arg(L, arg, uses | TABLE_LENGTH);
  access_length(L, L->frame->func + arg, L->top);
  if (UNLIKELY(!value_to_integer(L->top, &length, ROUND_EXACT)))
    luaL_error(L, "object length is not an integer");
  return length;
}

/* -- Shifting ------------------------------------------------------------ */

/* Copies n elements from the table at index 1 to the one at `to`.  The last one
** first, if that is the same table and a higher place. */
static void copy(lua_State *L, int to, lua_Integer from, lua_Integer n,
                 lua_Integer dest, bool last_first) {
  for (lua_Integer i = 0; i < n; i++) {
    const lua_Integer at = last_first ? n - 1 - i : i;
    lib_step(L, (size_t)i);
    lua_geti(L, 1, from + at);
    lua_seti(L, to, dest + at);
  }
}

/* -- One element --------------------------------------------------------- */

/* True if an element can be inserted, or removed, at that position. */
static ALWAYS_INLINE bool is_position(lua_Integer at, lua_Integer last) {
  return (lua_Unsigned)at - 1u < (lua_Unsigned)last;
}

NATIVE(table_insert) {
  Table *t;
  if (!take_plain_table(args, argc, &t) || argc < 2) return NATIVE_RETRY;
  lua_Integer end = (lua_Integer)table_length(L, t) + 1;
  if (LIKELY(argc == 2)) {
    table_put(L, t, end, &args[1]);
    return 0;
  }
  lua_Integer at = args[1].as.i;
  if (argc > 3 || !value_is_integer(&args[1]) || !is_position(at, end) ||
      are_costly(L, end - at))
    return NATIVE_RETRY;
  Value v;
  for (; end > at; end--) {
    table_get_int(L, t, end - 1, &v);
    table_put(L, t, end, &v);
  }
  table_put(L, t, at, &args[2]);
  return 0;
}

static int table_insert_framed(lua_State *L) {
  const lua_Integer len = table_check_length(L, 1, TABLE_READ | TABLE_WRITE);
  const lua_Integer end = luaL_intop(+, len, 1);
  lua_Integer at = end;
  const int count = lua_gettop(L);
  if (count != 2 && count != 3)
    return luaL_error(L, "wrong number of arguments to 'insert'");
  if (count == 3) {
    at = luaL_checkinteger(L, 2);
    luaL_argcheck(L, is_position(at, end), 2, "position out of bounds");
    copy(L, 1, at, end - at, at + 1, true);
  }
  access_set_int(L, L->frame->func + 1, at, L->top - 1);
  return 0;
}

/* The position after the end can be removed too, and 0 in an empty table. */
static ALWAYS_INLINE bool is_removable(lua_Integer at, lua_Integer len) {
  return at == len || (lua_Unsigned)at - 1u <= (lua_Unsigned)len;
}

NATIVE(table_remove) {
  Table *t;
  Value v, removed, nil = {.tag = TAG_NIL};
  if (!take_plain_table(args, argc, &t)) return NATIVE_RETRY;
  lua_Integer len = (lua_Integer)table_length(L, t), at = len;
  if (!take_integer(args, argc, 1, &at) || !is_removable(at, len) ||
      are_costly(L, len - at))
    return NATIVE_RETRY;
  const bool shifts = at < len;
  table_get_int(L, t, at, &removed);
  for (; at < len; at++) {
    table_get_int(L, t, at + 1, &v);
    table_put(L, t, at, &v);
  }
  if (shifts || !value_is_nil(&removed)) table_set_int(L, t, at, &nil);
  return give_value(out, &removed);
}

static int table_remove_framed(lua_State *L) {
  const lua_Integer len = table_check_length(L, 1, TABLE_READ | TABLE_WRITE);
  lua_Integer at = luaL_optinteger(L, 2, len);
  luaL_argcheck(L, is_removable(at, len), 2, "position out of bounds");
  lua_geti(L, 1, at);
  if (at < len) {
    copy(L, 1, at + 1, len - at, at, false);
    at = len;
  }
  lua_pushnil(L);
  lua_seti(L, 1, at);
  return 1;
}

/* -- Many elements ------------------------------------------------------- */

/* Moves elements between tables without a metatable; with `down` from the last
** to the first. */
static void move_elements(lua_State *L, Table *from, lua_Integer first,
                          lua_Integer last, Table *to, lua_Integer at,
                          bool down) {
  Value v;
  lua_Integer count = last - first + 1;
  for (lua_Integer n = 0; n < count; n++) {
    lua_Integer i = down ? count - 1 - n : n;
    table_get_int(L, from, first + i, &v);
    table_put(L, to, at + i, &v);
  }
}

/* Tables without a metatable.  All other cases are left to the framed
** function. */
NATIVE(table_move) {
  Table *from, *to;
  if (!take_plain_table(args, argc, &from) || argc < 4) return NATIVE_RETRY;
  const Value *target = is_missing(args, argc, 4) ? &args[0] : &args[4];
  for (int i = 1; i <= 3; i++)
    if (!value_is_integer(&args[i])) return NATIVE_RETRY;
  if (!take_plain_table(target, 1, &to)) return NATIVE_RETRY;
  const lua_Integer first = args[1].as.i, last = args[2].as.i;
  const lua_Integer at = args[3].as.i;
  if (first < 1 || last < 0 || last > INT_MAX || at < 1 || at > INT_MAX ||
      are_costly(L, last - first + 1))
    return NATIVE_RETRY;
  bool down = from == to && at > first && at <= last;
  move_elements(L, from, first, last, to, at, down);
  return give_value(out, target);
}

static int table_move_framed(lua_State *L) {
  const lua_Integer from = lua_tointeger(L, 2);
  const lua_Integer last = lua_tointeger(L, 3);
  const lua_Integer dest = lua_tointeger(L, 4);
  const int to = !lua_isnoneornil(L, 5) ? 5 : 1;
  table_check_arg(L, 1, TABLE_READ);
  table_check_arg(L, to, TABLE_WRITE);
  if (last >= from) {
    luaL_argcheck(L, from > 0 || last < LUA_MAXINTEGER + from, 3,
                  "too many elements to move");
    const lua_Integer n = last - from + 1;
    luaL_argcheck(L, dest <= LUA_MAXINTEGER - n + 1, 4,
                  "destination wrap around");
    const bool last_first = from < dest && dest <= last &&
                            (to == 1 || lua_compare(L, 1, to, LUA_OPEQ));
    copy(L, to, from, n, dest, last_first);
  }
  lua_pushvalue(L, to);
  return 1;
}

/* -- table.concat ---------------------------------------------------------- */

/* The values to join: slots of an array, strings and numbers only. */
typedef struct Pieces {
  const Payload *value;
  const uint8_t *tag;
  size_t count;
  const char *separator;
  size_t separator_length;
} Pieces;

/* The text of piece i; the text of a number is in `text`. */
static ALWAYS_INLINE const char *piece_bytes(const Pieces *p, size_t i,
                                             char text[NUMBER_TEXT_SIZE],
                                             size_t *length) {
  if (LIKELY(tag_is_string(p->tag[i]))) {
    const String *s = (const String *)(const void *)p->value[i].cell;
    *length = string_length(s);
    return string_bytes(s);
  }
  Value number = {.as = p->value[i], .tag = p->tag[i]};
  *length = number_to_text(&number, text);
  return text;
}

/* The total length, or 0 if a piece is not a string or number, or the result is
** too long. */
static size_t pieces_measure(const Pieces *p) {
  char text[NUMBER_TEXT_SIZE];
  size_t total = 0, length;
  for (size_t i = 0; i < p->count; i++) {
    if (!tag_is_string(p->tag[i]) && p->tag[i] != TAG_INTEGER &&
        p->tag[i] != TAG_FLOAT)
      return 0;
    piece_bytes(p, i, text, &length);
    total += length + p->separator_length;
    if (UNLIKELY(total > INT_MAX)) return 0;
  }
  return total - p->separator_length;
}

static void pieces_write(const Pieces *p, char *to) {
  char text[NUMBER_TEXT_SIZE];
  size_t length;
  for (size_t i = 0; i < p->count; i++) {
    if (i > 0) {
      bytes_copy_any(to, p->separator, p->separator_length);
      to += p->separator_length;
    }
    const char *bytes = piece_bytes(p, i, text, &length);
    bytes_copy_any(to, bytes, length);
    to += length;
  }
}

/* Under a budget, the texts of many floats take too long to be made without a
** check. */
static bool pieces_are_costly(const Pieces *p) {
  enum { FEW = 64 };
  size_t floats = 0;
  for (size_t i = 0; i < p->count; i++) floats += p->tag[i] == TAG_FLOAT;
  return floats > FEW;
}
/* Charges for the texts of numbers. */
static void pieces_charge(const lua_State *L, const Pieces *p) {
  for (size_t i = 0; i < p->count; i++)
    budget_text(L, &(Value){.as = p->value[i], .tag = p->tag[i]});
}

/* False if the table has metamethods, or not all pieces are in its array. */
static bool pieces_take(Pieces *p, lua_State *L, const Value *args,
                        unsigned argc) {
  Table *t;
  lua_Integer first = 1, last;
  if (!take_plain_table(args, argc, &t)) return false;
  bool joins = !is_missing(args, argc, 1);
  if (joins && !value_is_string(&args[1])) return false;
  last = argc < 4 ? (lua_Integer)table_length(L, t) : 0;
  if (!take_integer(args, argc, 2, &first)) return false;
  if (argc > 3 && !value_is_integer(&args[3])) return false;
  if (argc > 3) last = args[3].as.i;
  p->count = 0;
  if (last < first) return true;
  if (first < 1 || last > (lua_Integer)t->array_size) return false;
  const String *separator = joins ? value_string(&args[1]) : NULL;
  p->value = t->array + first - 1;
  p->tag = table_tags(t) + first - 1;
  p->count = (size_t)(last - first + 1);
  p->separator = joins ? string_bytes(separator) : "";
  p->separator_length = joins ? string_length(separator) : 0;
  return true;
}

NATIVE(table_concat) {
  Pieces pieces;
  StringBuilder t;
  if (!pieces_take(&pieces, L, args, argc)) return NATIVE_RETRY;
  if (pieces.count == 0) return give_new_string(L, out, string_new(L, "", 0));
  if (are_costly(L, (lua_Integer)pieces.count)) return NATIVE_RETRY;
  if (UNLIKELY(L->global->budget.on)) {
    if (pieces_are_costly(&pieces)) return NATIVE_RETRY;
    pieces_charge(L, &pieces);
  }
  size_t length = pieces_measure(&pieces);
  if (length == 0 || native_is_costly(L, length)) return NATIVE_RETRY;
  pieces_write(&pieces, builder_begin(L, &t, length, out));
  return builder_give(L, &t, out);
}

typedef struct Concat {
  luaL_Buffer buffer;
  const char *separator;
  size_t separator_length;
  lua_Integer first;
  lua_Integer last;
} Concat;

/* Items from the first to the last, of which there is at least one.  The index
** is compared before it grows, because it may be the greatest integer. */
static void concat_items(lua_State *L, Concat *c) {
  for (lua_Integer index = c->first;; index++) {
    const int type = (lib_step(L, (size_t)index), lua_geti(L, 1, index));
    if (type != LUA_TSTRING && type != LUA_TNUMBER)
      luaL_error(L, "invalid value (%s) at index %I in table for 'concat'",
                 lua_typename(L, type), (LUAI_UACINT)index);
    luaL_addvalue(&c->buffer);
    if (index == c->last) return;
    luaL_addlstring(&c->buffer, c->separator, c->separator_length);
  }
}

static int table_concat_framed(lua_State *L) {
  enum { TABLE = 1, SEPARATOR, FIRST, LAST };
  Concat c;
  const lua_Integer length = table_check_length(L, TABLE, TABLE_READ);
  c.separator = luaL_optlstring(L, SEPARATOR, "", &c.separator_length);
  c.first = luaL_optinteger(L, FIRST, 1);
  c.last = luaL_optinteger(L, LAST, length);
  luaL_buffinit(L, &c.buffer);
  if (c.first <= c.last) concat_items(L, &c);
  luaL_pushresult(&c.buffer);
  return 1;
}

/* -- Arguments and tables -------------------------------------------------- */

NATIVE(table_pack) {
  if (are_costly(L, argc) && !native_has_frame(L)) return NATIVE_RETRY;
  ptrdiff_t place = stack_save(L, out), first = stack_save(L, args);
  budget_spend(L, argc);
  out = stack_restore(L, place);
  args = stack_restore(L, first);
  Table *t = table_new_for(L, argc, 1);
  value_set_table(out, t);
  if (native_has_frame(L)) L->top = out + 1;
  table_reserve(L, t, argc, 1);
  Value count;
  value_set_integer(&count, (lua_Integer)argc);
  table_set_str(L, t, string_new_cached(L, "n"), &count);
  for (unsigned i = 0; i < argc; i++)
    if (!value_is_nil(&args[i])) table_put(L, t, (lua_Integer)i + 1, &args[i]);
  return give_new(L, out);
}

/* Accepts all values that can be indexed, and so checks nothing. */
NATIVE(table_unpack) {
  Table *t;
  lua_Integer first = 1, last;
  if (!take_plain_table(args, argc, &t) || !take_integer(args, argc, 1, &first))
    return NATIVE_RETRY;
  last = is_missing(args, argc, 2) ? (lua_Integer)table_length(L, t) : 0;
  if (!take_integer(args, argc, 2, &last)) return NATIVE_RETRY;
  if (first > last) return 0;
  lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first + 1;
  if (UNLIKELY(count - 1 >= native_free_slots(L, out))) {
    if (!native_has_frame(L) || count >= INT_MAX || count == 0 ||
        are_costly(L, (lua_Integer)count) || !lua_checkstack(L, (int)count))
      return NATIVE_RETRY;
    out = L->top;
  }
  budget_charge(L, (size_t)count);
  for (lua_Unsigned i = 0; i < count; i++)
    table_get_int(L, t, int_add(first, (lua_Integer)i), &out[i]);
  return (int)count;
}

static int table_unpack_framed(lua_State *L) {
  lua_Integer i = luaL_optinteger(L, 2, 1);
  const lua_Integer last = luaL_opt(L, luaL_checkinteger, 3, luaL_len(L, 1));
  if (i > last) return 0;
  const lua_Unsigned n = (lua_Unsigned)last - (lua_Unsigned)i;
  if (luai_unlikely(n >= (unsigned int)INT_MAX ||
                    !lua_checkstack(L, (int)n + 1)))
    return luaL_error(L, "too many results to unpack");
  for (; i < last; i++) {
    lib_step(L, (size_t)i);
    lua_geti(L, 1, i);
  }
  lua_geti(L, 1, last);
  return (int)n + 1;
}

/* -- Opening --------------------------------------------------------------- */

/* table_check_length checks values that are used like tables. */
#define TABLE_NATIVES(RUN, BOTH, SPLIT, FRAMED)                         \
  BOTH(table, concat, OWN(TABLE, list), MAYBE_OWN(STRING, sep),         \
       MAYBE_OWN(INTEGER, i), MAYBE_OWN(INTEGER, j))                    \
  SPLIT(table, insert, OWN(TABLE, list), MAYBE_OWN(INTEGER, pos),       \
        OWN(ANY, value))                                                \
  BOTH(table, move, OWN(TABLE, a1), INTEGER(f), INTEGER(e), INTEGER(t), \
       MAYBE_OWN(TABLE, a2))                                            \
  RUN(table, pack, REST)                                                \
  BOTH(table, remove, OWN(TABLE, list), MAYBE_OWN(INTEGER, pos))        \
  FRAMED(table, sort, OWN(TABLE, list), MAYBE_OWN(FUNCTION, comp))      \
  BOTH(table, unpack, OWN(TABLE, list), MAYBE_OWN(INTEGER, i),          \
       MAYBE_OWN(INTEGER, j))

NATIVE_LIBRARY(table, "table.", TABLE_NATIVES)

LUAMOD_API int luaopen_table(lua_State *L) {
  luaL_checkversion(L);
  lua_createtable(L, 0, table_count);
  native_open(L, table_natives);
  return 1;
}
