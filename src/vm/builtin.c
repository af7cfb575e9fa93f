/* SPDX-License-Identifier: MIT */
/*
** builtin.c -- functions of the standard libraries that the loop does itself
*/
#include "object/budget.h"
#include "object/meta.h"
#include "object/number.h"
#include "penumbra.h"
#include "vm/builtin_impl.h"
#include "vm/coroutine.h"
#include "vm/switch.h"

/* -- Basic functions ------------------------------------------------------- */

static int do_assert(lua_State *L, Value *func, unsigned argc) {
  (void)L;
  if (argc == 0 || value_is_falsy(&func[1])) return -1;
  for (unsigned i = 0; i < argc; i++) value_copy(&func[i], &func[i + 1]);
  return (int)argc;
}

static int do_getmetatable(lua_State *L, Value *func, unsigned argc) {
  if (argc == 0 || !value_is_table(&func[1])) return -1;
  Table *metatable = value_table(&func[1])->metatable;
  if (!metatable) {
    value_set_nil(func);
    return 1;
  }
  if (!table_get_str(L, metatable, L->global->meta_name[META_METATABLE], func))
    value_set_table(func, metatable);
  return 1;
}

static int do_rawequal(lua_State *L, Value *func, unsigned argc) {
  if (argc < 2) return -1;
  budget_spend_compared(L, &func[1], &func[2]);
  return give_bool(func, value_raw_equal(&func[1], &func[2]));
}

static int do_rawget(lua_State *L, Value *func, unsigned argc) {
  if (argc < 2 || !value_is_table(&func[1])) return -1;
  table_get(L, value_table(&func[1]), &func[2], func);
  return 1;
}

static int do_rawlen(lua_State *L, Value *func, unsigned argc) {
  if (argc == 0) return -1;
  if (value_is_table(&func[1])) {
    lua_Unsigned length = table_length(L, value_table(&func[1]));
    return give_integer(func, (lua_Integer)length);
  }
  if (!value_is_string(&func[1])) return -1;
  size_t length = string_length(value_string(&func[1]));
  return give_integer(func, (lua_Integer)length);
}

/* Other keys might be wrong ones. */
static int do_rawset(lua_State *L, Value *func, unsigned argc) {
  if (argc < 3 || !value_is_table(&func[1])) return -1;
  if (!value_is_string(&func[2]) && !value_is_integer(&func[2])) return -1;
  table_set(L, value_table(&func[1]), &func[2], &func[3]);
  return give_value(func, &func[1]);
}

/* The C function need not move all the values when few are wanted. */
static int do_select(lua_State *L, Value *func, unsigned argc) {
  enum { MANY = 8 };
  (void)L;
  if (argc == 0) return -1;
  if (func[1].tag == TAG_SHORT_STRING)
    return *string_bytes(value_string(&func[1])) == '#'
               ? give_integer(func, (lua_Integer)argc - 1) : -1;
  if (!value_is_integer(&func[1]) || func[1].as.i <= 0) return -1;
  if (func[1].as.i >= (lua_Integer)argc) return 0;
  unsigned skipped = (unsigned)func[1].as.i + 1;
  unsigned count = argc + 1 - skipped;
  if (count > MANY) return -1;
  for (unsigned i = 0; i < count; i++) value_copy(&func[i], &func[skipped + i]);
  return (int)count;
}

/* Objects whose metatable is not changed, and need no finalizer. */
static NO_INLINE int set_first_metatable(lua_State *L, Value *func) {
  Value method;
  Table *metatable = value_table(&func[2]);
  if (meta_get_fast(L, metatable, META_GC, &method)) return -1;
  table_set_metatable(L, value_table(&func[1]), metatable);
  return give_value(func, &func[1]);
}

/* Mostly it is known already that there is no __gc, and the collector has not
** seen the table yet: no function is called then. */
static int do_setmetatable(lua_State *L, Value *func, unsigned argc) {
  if (argc < 2 || !value_is_table(&func[1]) || !value_is_table(&func[2]))
    return -1;
  Table *t = value_table(&func[1]), *metatable = value_table(&func[2]);
  if (t->metatable) return -1;
  if (UNLIKELY(!(metatable->cell.user & 1u << META_GC) ||
               t->cell.gray == GRAY_WATCHED))
    return set_first_metatable(L, func);
  t->metatable = metatable;
  return give_value(func, &func[1]);
}

static int do_tonumber(lua_State *L, Value *func, unsigned argc) {
  Value number;
  if (argc != 1) return -1;
  budget_spend_compared(L, &func[1], &func[1]);
  if (value_is_number(&func[1])) return give_value(func, &func[1]);
  if (!value_is_string(&func[1]) || !value_to_number(&func[1], &number))
    return -1;
  return give_value(func, &number);
}

/* Strings and the rest may have a __tostring. */
static int do_tostring(lua_State *L, Value *func, unsigned argc) {
  char text[NUMBER_TEXT_SIZE];
  if (argc == 0 || !value_is_number(&func[1])) return -1;
  if (L->global->type_metatable[LUA_TNUMBER]) return -1;
  size_t length = number_to_text(&func[1], text);
  return give_new_string(L, func, string_new(L, text, length));
}

static int do_type(lua_State *L, Value *func, unsigned argc) {
  if (argc == 0) return -1;
  value_set_cell(func, L->global->type_names[value_type(&func[1])],
                 TAG_SHORT_STRING);
  return 1;
}

/* -- Coroutines ------------------------------------------------------------ */

/* A thread that will begin with the function in func[1], in its place. */
static ALWAYS_INLINE bool make_thread(lua_State *L, Value *func,
                                      unsigned argc) {
  if (argc == 0 || !value_is_function(&func[1])) return false;
  lua_State *co = thread_new(L);
  value_copy(co->top, &func[1]);
  co->top++;
  value_set_thread(func, co);
  return true;
}

static int do_create(lua_State *L, Value *func, unsigned argc) {
  return make_thread(L, func, argc) ? give_new(L) : -1;
}

static int do_wrap(lua_State *L, Value *func, unsigned argc) {
  lua_CFunction wrapped = L->global->wrapped_function;
  if (!wrapped || !make_thread(L, func, argc)) return -1;
  CClosure *c = closure_new_c(L, wrapped, 1);
  value_copy(&c->upvalue[0], func);
  value_set_cell(func, c, TAG_C_CLOSURE);
  return give_new(L);
}

static int do_status(lua_State *L, Value *func, unsigned argc) {
  if (argc == 0 || func[1].tag != TAG_THREAD) return -1;
  ThreadStatus status = coroutine_status(L, value_as_thread(&func[1]));
  value_set_cell(func, L->global->status_names[status], TAG_SHORT_STRING);
  return 1;
}

/* -- Mathematics ----------------------------------------------------------- */

static int do_abs(lua_State *L, Value *func, unsigned argc) {
  (void)L;
  if (argc == 0) return -1;
  lua_Integer i = func[1].as.i;
  if (value_is_integer(&func[1]))
    return give_integer(func, i < 0 ? int_neg(i) : i);
  if (!value_is_float(&func[1])) return -1;
  return give_float(func, fabs(func[1].as.n));
}

static int do_ceil(lua_State *L, Value *func, unsigned argc) {
  (void)L;
  if (argc == 0) return -1;
  if (value_is_integer(&func[1])) return give_value(func, &func[1]);
  if (!value_is_float(&func[1])) return -1;
  lua_Number n = ceil(func[1].as.n);
  if (!float_fits_integer(n)) return give_float(func, n);
  return give_integer(func, (lua_Integer)n);
}

static int do_floor(lua_State *L, Value *func, unsigned argc) {
  (void)L;
  if (argc == 0) return -1;
  if (value_is_integer(&func[1])) return give_value(func, &func[1]);
  if (!value_is_float(&func[1])) return -1;
  lua_Number n = floor(func[1].as.n);
  if (!float_fits_integer(n)) return give_float(func, n);
  return give_integer(func, (lua_Integer)n);
}

/* Whether b is less than a, for two numbers of the same kind. */
static ALWAYS_INLINE bool less(const Value *b, const Value *a) {
  return a->tag == TAG_INTEGER ? b->as.i < a->as.i : b->as.n < a->as.n;
}

static ALWAYS_INLINE bool is_number_pair(const Value *func, unsigned argc) {
  return argc == 2 && func[1].tag == func[2].tag && value_is_number(&func[1]);
}

static int do_max(lua_State *L, Value *func, unsigned argc) {
  (void)L;
  if (!is_number_pair(func, argc)) return -1;
  return give_value(func, &func[less(&func[1], &func[2]) ? 2 : 1]);
}

static int do_min(lua_State *L, Value *func, unsigned argc) {
  (void)L;
  if (!is_number_pair(func, argc)) return -1;
  return give_value(func, &func[less(&func[2], &func[1]) ? 2 : 1]);
}

static int do_sqrt(lua_State *L, Value *func, unsigned argc) {
  lua_Number n;
  (void)L;
  if (argc == 0 || !value_number_to_float(&func[1], &n)) return -1;
  return give_float(func, sqrt(n));
}

/* -- Tables ---------------------------------------------------------------- */

/* At the end. */
static int do_insert(lua_State *L, Value *func, unsigned argc) {
  if (argc != 2 || !is_plain_table(&func[1])) return -1;
  Table *t = value_table(&func[1]);
  const Value *v = &func[2];
  lua_Integer key = (lua_Integer)table_length(L, t) + 1;
  if (LIKELY(table_fast_set_int(t, key, v)))
    gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(v));
  else
    table_set_int(L, t, key, v);
  return 0;
}

/* From the end. */
static int do_remove(lua_State *L, Value *func, unsigned argc) {
  Value nil;
  if (argc != 1 || !is_plain_table(&func[1])) return -1;
  Table *t = value_table(&func[1]);
  lua_Integer key = (lua_Integer)table_length(L, t);
  if (key == 0) return -1;
  value_set_nil(&nil);
  table_get_int(L, t, key, func);
  table_set_int(L, t, key, &nil);
  return 1;
}

/* -- Which function is which ----------------------------------------------- */

static BuiltinFn *const builtin_functions[PENUMBRA_BUILTIN_COUNT] = {
    [PENUMBRA_ASSERT] = do_assert,
    [PENUMBRA_GETMETATABLE] = do_getmetatable,
    [PENUMBRA_RAWEQUAL] = do_rawequal,
    [PENUMBRA_RAWGET] = do_rawget,
    [PENUMBRA_RAWLEN] = do_rawlen,
    [PENUMBRA_RAWSET] = do_rawset,
    [PENUMBRA_SELECT] = do_select,
    [PENUMBRA_SETMETATABLE] = do_setmetatable,
    [PENUMBRA_TONUMBER] = do_tonumber,
    [PENUMBRA_TOSTRING] = do_tostring,
    [PENUMBRA_TYPE] = do_type,
    [PENUMBRA_COROUTINE_CREATE] = do_create,
    [PENUMBRA_COROUTINE_RESUME] = switch_resume,
    [PENUMBRA_COROUTINE_STATUS] = do_status,
    [PENUMBRA_COROUTINE_WRAP] = do_wrap,
    [PENUMBRA_COROUTINE_YIELD] = switch_yield,
    [PENUMBRA_MATH_ABS] = do_abs,
    [PENUMBRA_MATH_CEIL] = do_ceil,
    [PENUMBRA_MATH_FLOOR] = do_floor,
    [PENUMBRA_MATH_MAX] = do_max,
    [PENUMBRA_MATH_MIN] = do_min,
    [PENUMBRA_MATH_SQRT] = do_sqrt,
    [PENUMBRA_STRING_BYTE] = builtin_byte,
    [PENUMBRA_STRING_CHAR] = builtin_char,
    [PENUMBRA_STRING_FIND] = builtin_find,
    [PENUMBRA_STRING_LEN] = builtin_len,
    [PENUMBRA_STRING_LOWER] = builtin_lower,
    [PENUMBRA_STRING_REP] = builtin_rep,
    [PENUMBRA_STRING_REVERSE] = builtin_reverse,
    [PENUMBRA_STRING_SUB] = builtin_sub,
    [PENUMBRA_STRING_UPPER] = builtin_upper,
    [PENUMBRA_TABLE_CONCAT] = builtin_concat,
    [PENUMBRA_TABLE_INSERT] = do_insert,
    [PENUMBRA_TABLE_REMOVE] = do_remove,
};

/* False if the slot is taken. */
static bool put(Global *g, const Builtin *b) {
  Value v;
  value_set_c_function(&v, b->function);
  Builtin *slot = &g->builtins[builtin_slot(g, v.as.bits)];
  if (slot->function && slot->function != b->function) return false;
  *slot = *b;
  return true;
}

/* Puts all into the slots that another multiplier gives them. */
static bool put_all(Global *g, const Builtin *all, int count) {
  g->builtin_multiplier += UINT64_C(0x9e3779b97f4a7c15);
  memset(g->builtins, 0, sizeof g->builtins);
  for (int i = 0; i < count; i++)
    if (!put(g, &all[i])) return false;
  return true;
}

/* As long as most slots are free, some multiplier keeps all functions apart. */
void builtin_set(Global *g, unsigned which, lua_CFunction function) {
  Builtin all[BUILTIN_SLOTS + 1];
  int count = 0;
  ASSERT(which < PENUMBRA_BUILTIN_COUNT, "there is no builtin %u", which);
  Builtin new = {function, builtin_functions[which]};
  if (g->builtin_multiplier && put(g, &new)) return;
  for (int i = 0; i < BUILTIN_SLOTS; i++)
    if (g->builtins[i].function) all[count++] = g->builtins[i];
  all[count++] = new;
  while (!put_all(g, all, count)) continue;
}
