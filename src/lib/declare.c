/* SPDX-License-Identifier: MIT */
/*
** declare.c -- calls of library functions with a frame, and their arguments
*/
#include "declare.h"

#include "io_impl.h"
#include "object/number.h"
#include "state_impl.h"

/* -- Arguments ------------------------------------------------------------- */

static Value *argument(lua_State *L, int arg) { return L->frame->func + arg; }

/* An argument that is not a number may be a string that contains one.
** check_number converts it to a float. */
static void check_integer(lua_State *L, int arg) {
  if (LIKELY(arg <= lua_gettop(L) && value_is_integer(argument(L, arg))))
    return;
  lua_Integer i = luaL_checkinteger(L, arg);
  value_set_integer(argument(L, arg), i);
}

static void check_number(lua_State *L, int arg) {
  if (LIKELY(arg <= lua_gettop(L) && value_is_number(argument(L, arg)))) return;
  lua_Number n = luaL_checknumber(L, arg);
  value_set_float(argument(L, arg), n);
}

/* Checks an argument that may have one of two types. */
static void check_types(lua_State *L, int arg, int one, int other,
                        const char *names) {
  const int type = lua_type(L, arg);
  luaL_argexpected(L, type == one || type == other, arg, names);
}

void native_check_argument(lua_State *L, int arg, int kind) {
  if (kind & TAKES_OPTIONAL && lua_isnoneornil(L, arg)) return;
  if (kind & TAKES_IF_GIVEN && lua_isnone(L, arg)) return;
  switch (kind & TAKES_KIND) {
    case TAKES_ANY: luaL_checkany(L, arg); break;
    case TAKES_INTEGER: check_integer(L, arg); break;
    case TAKES_NUMBER: check_number(L, arg); break;
    case TAKES_STRING: luaL_checkstring(L, arg); break;
    case TAKES_TABLE: luaL_checktype(L, arg, LUA_TTABLE); break;
    case TAKES_FUNCTION: luaL_checktype(L, arg, LUA_TFUNCTION); break;
    case TAKES_THREAD: luaL_checktype(L, arg, LUA_TTHREAD); break;
    case TAKES_NIL_OR_TABLE:
      check_types(L, arg, LUA_TNIL, LUA_TTABLE, "nil or table");
      break;
    case TAKES_TABLE_OR_STRING:
      check_types(L, arg, LUA_TTABLE, LUA_TSTRING, "table or string");
      break;
    case TAKES_FILE: io_check_file(L); break;
    default: ASSERT(false, "no kind of argument: %d", kind);
  }
}

void native_check_rest(lua_State *L, const NativeParam *p, int arg) {
  do native_check_argument(L, arg, p->kind);
  while (arg++ < lua_gettop(L));
}

/* -- Calls ----------------------------------------------------------------- */

int native_run(lua_State *L, NativeFn *run) {
  Value *args = L->frame->func + 1, *out = L->top;
  ptrdiff_t place = stack_save(L, out);
  int count = run(L, args, (unsigned)(out - args), out);
  L->top = stack_restore(L, place) + (count >= 0 ? count : 0);
  return count;
}

static NO_INLINE int enter_again(lua_State *L, const Native *n) {
  native_check(L, n);
  if (n->framed) return n->framed(L);
  int count = native_run(L, n->run);
  ASSERT(count >= 0, "%s does not take what it says", n->name);
  return count;
}

int native_enter(lua_State *L, const Native *n) {
  int count = native_run(L, n->run);
  return LIKELY(count >= 0) ? count : enter_again(L, n);
}

/* -- Opening --------------------------------------------------------------- */

#if PENUMBRA_MACHINE
/* Functions whose NativeFn machine code may call: it calls nothing, and without a
** frame it raises nothing but a memory error.  The others make an object, or
** enlarge one. */
static const char *const pure_names[] = {
    "math.abs",     "math.ceil", "math.cos",  "math.deg",    "math.exp",
    "math.floor",   "math.fmod", "math.log",  "math.max",    "math.min",
    "math.rad",     "math.sin",  "math.sqrt", "math.tan",    "math.tointeger",
    "math.ult",     "next",      "rawequal",  "rawget",      "rawlen",
    "select",       "tonumber",  "type",      "string.byte", "string.len",
    "getmetatable", NULL,
};
static const char *const making_names[] = {
    "math.type",    "rawset",       "setmetatable",   "string.char",
    "string.lower", "string.rep",   "string.reverse", "string.sub",
    "string.upper", "table.concat", "table.insert",   "table.remove",
    "table.unpack", "tostring",     "utf8.char",      NULL,
};

/* The list ends with it. */
static const char *native_prefix(const Native *list) {
  while (list->name) list++;
  return list->prefix;
}

static bool native_is_in(const char *const *names, const char *prefix,
                         const char *name) {
  size_t length = prefix ? strlen(prefix) : 0;
  for (; *names; names++)
    if (strncmp(*names, prefix ? prefix : "", length) == 0 &&
        strcmp(*names + length, name) == 0)
      return true;
  return false;
}

/* True if machine code may call a function of the list. */
static bool list_has_pure(const Native *list) {
  const char *prefix = native_prefix(list);
  for (const Native *n = list; n->name; n++)
    if (native_is_in(pure_names, prefix, n->name)) return true;
  return false;
}

/* The NativeFn of the function if machine code may call it, else NULL. */
static uintptr_t pure_function(const lua_State *L, CFunction function,
                               bool *makes) {
  const LibState *lib = lib_of(L);
  for (int i = 0; i < LIB_OPENED && lib->opened[i]; i++) {
    const char *prefix = native_prefix(lib->opened[i]);
    for (const Native *n = lib->opened[i]; n->name; n++) {
      if (n->function != function) continue;
      *makes = native_is_in(making_names, prefix, n->name);
      bool may = *makes || native_is_in(pure_names, prefix, n->name);
      return n->run && may ? (uintptr_t)n->run : 0;
    }
  }
  return 0;
}

static void note_opened(lua_State *L, const Native *list) {
  LibState *lib = lib_of(L);
  L->global->pure_function = pure_function;
  for (int i = 0; i < LIB_OPENED && list_has_pure(list); i++) {
    if (!lib->opened[i]) lib->opened[i] = list;
    if (lib->opened[i] == list) return;
  }
}
#define NOTE_OPENED(L, list) note_opened(L, list)
#else
#define NOTE_OPENED(L, list) ((void)0)
#endif

void native_open(lua_State *L, const Native *list) {
  NOTE_OPENED(L, list);
  for (const Native *n = list; n->name; n++) {
    if (n->run) native_set(L, n->function, n->run);
    lua_pushcfunction(L, n->function);
    lua_setfield(L, -2, n->name);
  }
}
