/* SPDX-License-Identifier: MIT */
/*
** base.c -- the basic functions: print, pairs, pcall and the like
**
** Loading chunks is in base_load.c, collectgarbage in base_gc.c.
*/

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base_impl.h"
#include "declare.h"
#include "lib.h"
#include "lualib.h"
#include "values.h"
#include "object/meta.h"
#include "object/number.h"
#include "vm/call.h"
#include "vm/protect.h"
#include "vm/switch.h"

/* -- Output -------------------------------------------------------------- */

/* Strings are the most common, and need no copy on the stack. */
static void print_value(lua_State *L, int i) {
  size_t len;
  if (lua_type(L, i) == LUA_TSTRING) {
    const char *s = lua_tolstring(L, i, &len);
    penumbra_spend(L, len);
    lua_writestring(s, len);
    return;
  }
  const char *s = values_push_text(L, i, &len);
  penumbra_spend(L, len);
  lua_writestring(s, len);
  lua_pop(L, 1);
}

static int base_print_framed(lua_State *L) {
  const int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    if (i > 1) lua_writestring("\t", 1);
    print_value(L, i);
  }
  lua_writeline();
  return 0;
}

static int base_warn_framed(lua_State *L) {
  const int n = lua_gettop(L);
  for (int i = 1; i < n; i++) lua_warning(L, lua_tostring(L, i), 1);
  lua_warning(L, lua_tostring(L, n), 0);
  return 0;
}

/* -- Conversions --------------------------------------------------------- */

/* The value of a digit in bases up to 36, or 36 if it is none. */
static int digit_value(int c) {
  if (isdigit(c)) return c - '0';
  if (isalpha(c)) return toupper(c) - 'A' + 10;
  return 36;
}

/* Passes blanks.  The text may be long, so they spend units of a budget. */
static const char *base_skip_blanks(lua_State *L, const char *s) {
  size_t i = 0;
  for (; *s == ' ' || ('\t' <= *s && *s <= '\r'); s++) lib_step_byte(L, i++);
  return s;
}

/* Reads an integer in that base.  Returns NULL, or the first character after it
** and the blanks that follow. */
static const char *base_read_integer(lua_State *L, const char *s, int base,
                                     lua_Integer *out) {
  lua_Unsigned n = 0;
  size_t i = 0;
  s = base_skip_blanks(L, s);
  const bool minus = *s == '-';
  if (*s == '-' || *s == '+') s++;
  if (!isalnum((unsigned char)*s)) return NULL;
  do {
    const int digit = digit_value((unsigned char)*s);
    if (digit >= base) return NULL;
    lib_step_byte(L, i++);
    n = n * (lua_Unsigned)base + (lua_Unsigned)digit;
    s++;
  } while (isalnum((unsigned char)*s));
  s = base_skip_blanks(L, s);
  *out = (lua_Integer)(minus ? 0u - n : n);
  return s;
}

/* True if a long string is used under a budget: its cost must be charged. */
static ALWAYS_INLINE bool is_long_string(const lua_State *L, const Value *v) {
  return UNLIKELY(v->tag == TAG_LONG_STRING) && L->global->budget.on;
}

NATIVE(base_tonumber) {
  Value number;
  if (argc == 0 || !is_missing(args, argc, 1)) return NATIVE_RETRY;
  if (value_is_number(args)) return give_value(out, args);
  if (!value_is_string(args)) return give_nil(out);
  if (is_long_string(L, args)) return NATIVE_RETRY;
  budget_numeral(L, args);
  if (!value_to_number(args, &number)) return give_nil(out);
  return give_value(out, &number);
}

/* With a base, or for a long text under a budget. */
static int base_tonumber_framed(lua_State *L) {
  size_t len;
  lua_Integer n = 0;
  const bool any_form = lua_isnoneornil(L, 2);
  const lua_Integer base = any_form ? 10 : luaL_checkinteger(L, 2);
  luaL_checktype(L, 1, LUA_TSTRING);
  const char *s = lua_tolstring(L, 1, &len);
  if (any_form) {
    if (lua_stringtonumber(L, s) != len + 1) luaL_pushfail(L);
    return 1;
  }
  luaL_argcheck(L, 2 <= base && base <= 36, 2, "base out of range");
  if (base_read_integer(L, s, (int)base, &n) == s + len)
    lua_pushinteger(L, n);
  else
    luaL_pushfail(L);
  return 1;
}

/* True if a metatable may change the text of the value, by a __tostring or a
** name. */
static ALWAYS_INLINE bool has_tostring(lua_State *L, const Value *v) {
  Value method;
  Table *metatable = L->global->type_metatable[value_type(v)];
  return metatable &&
         (!value_is_string(v) ||
          table_get_str(L, metatable, string_new_cached(L, "__tostring"),
                        &method));
}

NATIVE(base_tostring) {
  char text[NUMBER_TEXT_SIZE];
  const char *word;
  if (argc == 0 || has_tostring(L, args)) return NATIVE_RETRY;
  switch (value_type(args)) {
    case LUA_TNUMBER: {
      budget_text(L, args);
      size_t length = number_to_text(args, text);
      return give_new_string(L, out, string_new(L, text, length));
    }
    case LUA_TSTRING: return give_value(out, args);
    default: word = values_word(args);
  }
  if (!word) return NATIVE_RETRY;
  return give_new_string(L, out, string_new_cached(L, word));
}

static int base_tostring_framed(lua_State *L) {
  size_t len;
  values_push_text(L, 1, &len);
  return 1;
}

NATIVE(base_type) {
  if (argc == 0) return NATIVE_RETRY;
  return give_fixed(out, L->global->type_names[value_type(args)]);
}

/* -- Errors -------------------------------------------------------------- */

/* Pushes the first argument with the place of the call at `level` in front. */
static void push_with_place(lua_State *L, int level) {
  luaL_where(L, level);
  lua_pushvalue(L, 1);
  lua_concat(L, 2);
}

static int base_error_framed(lua_State *L) {
  budget_spend(L, 0); /* a message handler may raise an error, and so on */
  const int level = (int)luaL_optinteger(L, 2, 1);
  const bool is_text = lua_type(L, 1) == LUA_TSTRING;
  if (is_text && level > 0)
    push_with_place(L, level);
  else
    lua_settop(L, 1);
  return lua_error(L);
}

/* In the call with a frame the arguments are results without a copy. */
NATIVE(base_assert) {
  if (argc == 0 || value_is_falsy(args)) return NATIVE_RETRY;
  for (unsigned i = 0; i < argc; i++) value_copy(&out[i], &args[i]);
  return (int)argc;
}

static int base_assert_framed(lua_State *L) {
  if (LIKELY(lua_toboolean(L, 1))) return lua_gettop(L);
  lua_remove(L, 1);
  lua_pushliteral(L, "assertion failed!");
  lua_settop(L, 1); /* keeps the given message, or this one */
  return base_error_framed(L);
}

/* Collects the results of a protected call.  The `extra` values below them are
** not results.  Also the continuation if the called function yields. */
static int base_finish_pcall(lua_State *L, int status, lua_KContext extra) {
  if (luai_likely(status == LUA_OK || status == LUA_YIELD))
    return lua_gettop(L) - (int)extra;
  lua_pushboolean(L, 0);
  lua_pushvalue(L, -2);
  return 2;
}

/* Stack during the call: true, function, arguments. */
static int base_pcall_framed(lua_State *L) {
  Value *first = L->frame->func + 1;
  budget_spend_values(L, (size_t)(L->top - first));
  for (Value *v = L->top; v > first; v--) value_copy(v, v - 1);
  value_set_bool(first, true);
  stack_lower(L, first);
  L->top++;
  const int status =
      protect_pcall_k(L, first + 1, LUA_MULTRET, 0, 0, base_finish_pcall);
  return base_finish_pcall(L, status, 0);
}

/* Stack during the call: function, handler, true, function, arguments. */
static int base_xpcall_framed(lua_State *L) {
  const int nargs = lua_gettop(L) - 2;
  budget_spend_values(L, (size_t)nargs);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  const int status = lua_pcallk(L, nargs, LUA_MULTRET, 2, 2, base_finish_pcall);
  return base_finish_pcall(L, status, 2);
}

/* -- Tables -------------------------------------------------------------- */

/* The value that getmetatable returns instead of the metatable. */
static ALWAYS_INLINE bool shown_instead(lua_State *L, Table *metatable,
                                        Value *v) {
  return table_get_str(L, metatable, L->global->meta_name[META_METATABLE], v);
}

NATIVE(base_getmetatable) {
  if (argc == 0) return NATIVE_RETRY;
  Table *metatable = LIKELY(value_is_table(args)) ? value_table(args)->metatable
                                                  : meta_of(L, args);
  if (!metatable) return give_nil(out);
  if (!shown_instead(L, metatable, out)) value_set_table(out, metatable);
  return 1;
}

/* The slow path: for an object that needs a finalizer, or has a metatable
** already. */
static NO_INLINE int set_metatable(lua_State *L, Value *args, Value *out) {
  Value v;
  Table *t = value_table(args);
  Table *metatable = value_is_nil(&args[1]) ? NULL : value_table(&args[1]);
  if (!native_has_frame(L) && meta_get_fast(L, metatable, META_GC, &v))
    return NATIVE_RETRY;
  if (UNLIKELY(t->metatable && shown_instead(L, t->metatable, &v))) {
    if (!native_has_frame(L)) return NATIVE_RETRY;
    return luaL_error(L, "cannot change a protected metatable");
  }
  table_set_metatable(L, t, metatable);
  return give_value(out, args);
}

/* The fast path calls no function: it is already known that there is no __gc,
** and the collector has not visited the table yet. */
NATIVE(base_setmetatable) {
  if (argc < 2 || !value_is_table(&args[0])) return NATIVE_RETRY;
  if (UNLIKELY(!value_is_table(&args[1])))
    return value_is_nil(&args[1]) ? set_metatable(L, args, out) : NATIVE_RETRY;
  Table *t = value_table(&args[0]), *metatable = value_table(&args[1]);
  if (UNLIKELY(t->metatable || !(metatable->cell.user & 1u << META_GC) ||
               t->cell.barrier == BARRIER_ARMED))
    return set_metatable(L, args, out);
  t->metatable = metatable;
  return give_value(out, args);
}

NATIVE(base_rawequal) {
  if (argc < 2) return NATIVE_RETRY;
  if (is_long_string(L, &args[0]) && is_long_string(L, &args[1])) {
    if (!native_has_frame(L)) return NATIVE_RETRY;
    ptrdiff_t place = stack_save(L, out), first = stack_save(L, args);
    budget_spend_compared(L, &args[0], &args[1]);
    out = stack_restore(L, place);
    args = stack_restore(L, first);
  }
  return give_bool(out, value_raw_equal(&args[0], &args[1]));
}

NATIVE(base_rawlen) {
  if (argc == 0) return NATIVE_RETRY;
  if (value_is_table(args))
    return give_integer(out, (lua_Integer)table_length(L, value_table(args)));
  if (!value_is_string(args)) return NATIVE_RETRY;
  return give_integer(out, (lua_Integer)string_length(value_string(args)));
}

NATIVE(base_rawget) {
  if (argc < 2 || !value_is_table(&args[0]) || !native_pays_key(L, &args[1]))
    return NATIVE_RETRY;
  table_get(L, value_table(&args[0]), &args[1], out);
  return 1;
}

/* Keys of other types may be invalid (nil or NaN). */
NATIVE(base_rawset) {
  if (argc < 3 || !value_is_table(&args[0])) return NATIVE_RETRY;
  if (!value_is_string(&args[1]) && !value_is_integer(&args[1]) &&
      !native_has_frame(L))
    return NATIVE_RETRY;
  if (!native_pays_key(L, &args[1])) return NATIVE_RETRY;
  table_set(L, value_table(&args[0]), &args[1], &args[2]);
  return give_value(out, &args[0]);
}

/* -- Iteration ----------------------------------------------------------- */

/* True if the table has the key.  Calling next with any other key is an
** error. */
static bool is_key_of(lua_State *L, Table *t, const Value *key) {
  Value v;
  return value_is_nil(key) || table_get(L, t, key, &v);
}

/* The fast path for arrays: the next element usually exists. */
static ALWAYS_INLINE bool is_followed(const Table *t, const Value *key,
                                      Value *v) {
  return value_is_integer(key) && key->as.i > 0 &&
         !(t->cell.user & TABLE_SPECIAL) &&
         table_fast_get_int(t, int_add(key->as.i, 1), v);
}

NATIVE(base_next) {
  Value v, nil = {.tag = TAG_NIL};
  if (argc == 0 || !value_is_table(args) || native_free_slots(L, out) < 2)
    return NATIVE_RETRY;
  const Value *key = argc > 1 ? &args[1] : &nil;
  Table *t = value_table(args);
  if (LIKELY(is_followed(t, key, &v))) {
    value_set_integer(&out[0], key->as.i + 1);
    value_copy(&out[1], &v);
    return 2;
  }
  if (!native_pays_key(L, key)) return NATIVE_RETRY;
  if (!native_has_frame(L) && !is_key_of(L, t, key)) return NATIVE_RETRY;
  value_copy(out, key);
  return table_next(L, t, out) ? 2 : give_nil(out);
}

static int base_finish_pairs(lua_State *L, int status, lua_KContext ctx) {
  (void)L;
  (void)status;
  (void)ctx;
  return 3;
}

static int ipairs_step(lua_State *L) {
  lua_Integer i = luaL_checkinteger(L, 2);
  i = luaL_intop(+, i, 1);
  lua_pushinteger(L, i);
  return lua_geti(L, 1, i) == LUA_TNIL ? 1 : 2;
}

/* Returns the three values of a generic for, or NATIVE_RETRY if there is no
** room. */
static ALWAYS_INLINE int give_loop(lua_State *L, Value *out, lua_CFunction step,
                                   const Value *list, const Value *first) {
  if (UNLIKELY(native_free_slots(L, out) < 3)) return NATIVE_RETRY;
  value_copy(&out[1], list);
  value_copy(&out[2], first);
  value_set_c_function(&out[0], step);
  return 3;
}

NATIVE(base_ipairs) {
  static const Value zero = {.tag = TAG_INTEGER};
  if (argc == 0) return NATIVE_RETRY;
  return give_loop(L, out, ipairs_step, args, &zero);
}

/* The __pairs of a value; false if it has none. */
static bool has_own_pairs(lua_State *L, const Value *v, Value *method) {
  Table *metatable = meta_of(L, v);
  return metatable &&
         table_get_str(L, metatable, string_new_cached(L, "__pairs"), method);
}

NATIVE(base_pairs) {
  static const Value nil = {.tag = TAG_NIL};
  Value method;
  if (argc == 0 || has_own_pairs(L, args, &method)) return NATIVE_RETRY;
  return give_loop(L, out, vm_of(L)->next_function, args, &nil);
}

static int base_pairs_framed(lua_State *L) {
  enum { RESULTS = 3 };
  has_own_pairs(L, L->frame->func + 1, L->top);
  L->top++;
  lua_pushvalue(L, 1);
  lua_callk(L, 1, RESULTS, 0, base_finish_pairs);
  return RESULTS;
}

/* The number of arguments that select skips, including the index itself; 0 if
** the index is out of range. */
static inline lua_Integer select_skips(lua_Integer index, unsigned argc) {
  const lua_Integer count = (lua_Integer)argc;
  if (index > 0) return index < count ? index : count;
  return index < 0 && -count < index ? count + index : 0;
}

/* In a call with a frame the values need not be moved. */
NATIVE(base_select) {
  enum { MANY = 8 };
  if (argc == 0) return NATIVE_RETRY;
  if (args->tag == TAG_SHORT_STRING)
    return *string_bytes(value_string(args)) == '#'
               ? give_integer(out, (lua_Integer)argc - 1)
               : NATIVE_RETRY;
  if (!value_is_integer(args)) return NATIVE_RETRY;
  const unsigned skips = (unsigned)select_skips(args->as.i, argc);
  if (skips == 0 || argc - skips > MANY) return NATIVE_RETRY;
  for (unsigned i = skips; i < argc; i++) value_copy(&out[i - skips], &args[i]);
  return (int)(argc - skips);
}

static int base_select_framed(lua_State *L) {
  const int n = lua_gettop(L);
  if (lua_type(L, 1) == LUA_TSTRING && *lua_tostring(L, 1) == '#') {
    lua_pushinteger(L, n - 1);
    return 1;
  }
  const lua_Integer skips = select_skips(luaL_checkinteger(L, 1), (unsigned)n);
  luaL_argcheck(L, skips > 0, 1, "index out of range");
  return n - (int)skips;
}

/* -- The collector ------------------------------------------------------- */

/* Handles the options that only look at the collector or stop it, unless a
** finalizer runs.  "count" is the memory in use in Kbytes.  All other options are
** in base_gc.c. */
NATIVE(base_collectgarbage) {
  if (argc == 0 || args->tag != TAG_SHORT_STRING || vm_of(L)->gc_stopped_by)
    return NATIVE_RETRY;
  const char *option = string_bytes(value_string(args));
  Gc *gc = gc_of(L);
  if (strcmp(option, "count") == 0)
    return give_float(out, (lua_Number)gc_count(gc) / 1024);
  if (strcmp(option, "isrunning") == 0) return give_bool(out, !gc->stopped);
  if (strcmp(option, "stop") != 0) return NATIVE_RETRY;
  gc_stop(gc);
  return give_integer(out, 0);
}

/* -- Opening ------------------------------------------------------------- */

#define BASE_NATIVES(RUN, BOTH, SPLIT, FRAMED)                                 \
  SPLIT(base, assert, ANY(v), REST)                                            \
  SPLIT(base, collectgarbage, MAYBE(ANY, opt), REST)                           \
  FRAMED(base, dofile, MAYBE(STRING, filename))                                \
  FRAMED(base, error, MAYBE(ANY, message), MAYBE(INTEGER, level))              \
  RUN(base, getmetatable, ANY(object))                                         \
  RUN(base, ipairs, ANY(t))                                                    \
  FRAMED(base, load, OWN(FUNCTION_OR_STRING, chunk),                           \
         MAYBE_OWN(STRING, chunkname), MAYBE_OWN(STRING, mode),                \
         MAYBE_OWN(ANY, env))                                                  \
  FRAMED(base, loadfile, MAYBE_OWN(STRING, filename), MAYBE_OWN(STRING, mode), \
         MAYBE_OWN(ANY, env))                                                  \
  RUN(base, next, TABLE(table), MAYBE(ANY, index))                             \
  BOTH(base, pairs, ANY(t))                                                    \
  FRAMED(base, pcall, ANY(f), REST)                                            \
  FRAMED(base, print, REST)                                                    \
  RUN(base, rawequal, ANY(v1), ANY(v2))                                        \
  RUN(base, rawget, TABLE(table), ANY(index))                                  \
  RUN(base, rawlen, {"v", TAKES_TABLE_OR_STRING})                              \
  RUN(base, rawset, TABLE(table), ANY(index), ANY(value))                      \
  SPLIT(base, select, OWN(ANY, n), REST)                                       \
  RUN(base, setmetatable, TABLE(table), {"metatable", TAKES_NIL_OR_TABLE})     \
  BOTH(base, tonumber, ANY(e), MAYBE(ANY, base))                               \
  BOTH(base, tostring, ANY(v))                                                 \
  RUN(base, type, ANY(v))                                                      \
  FRAMED(base, warn, STRING(msg1), REST_OF(STRING))                            \
  FRAMED(base, xpcall, OWN(ANY, f), FUNCTION(msgh), REST)

NATIVE_LIBRARY(base, "", BASE_NATIVES)

LUAMOD_API int luaopen_base(lua_State *L) {
  vm_of(L)->next_function = base_next_c;
  vm_of(L)->ipairs_function = ipairs_step;
  lua_pushglobaltable(L);
  native_open(L, base_natives);
  native_set(L, base_pcall_c, switch_pcall);
  native_set(L, base_xpcall_c, switch_xpcall);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, LUA_GNAME);
  lua_pushliteral(L, LUA_VERSION);
  lua_setfield(L, -2, "_VERSION");
  return 1;
}
