/* SPDX-License-Identifier: MIT */
/*
** sandbox.c -- globals for untrusted code, and how to run it
**
** docs/sandbox.md describes what is guaranteed.  A sandbox is a table of
** globals from which nothing outside can be reached.  It has copies of library
** tables, so that each sandbox has its own.  It has no io, debug and require;
** no binary chunks; and no finalizers, because they would run after the code
** has ended.
**
** Methods of strings belong to the state, not to a table of globals.  So the
** functions of a sandbox are marked when they are loaded, and strings have
** another metatable for them (meta_of_type).
*/

#include <math.h>
#include <string.h>

#include "lib.h"
#include "lualib.h"
#include "string_impl.h"
#include "object/budget.h"
#include "object/function.h"

/* -- Marking what is loaded ---------------------------------------------- */

/* Marks a function and those in it.  They nest at most as deep as the compiler
** allows. */
static void mark_proto(Proto *p) {
  p->sandboxed = true;
  for (uint32_t i = 0; i < p->proto_count; i++) mark_proto(p->protos[i]);
}

/* Marks the function on top, which was just loaded. */
static void mark_loaded(lua_State *L) {
  const Value *v = L->top - 1;
  if (v->tag == TAG_LUA_CLOSURE) mark_proto(value_lua_closure(v)->proto);
}

/* -- Functions that are not those of the libraries ----------------------- */

/* load: accepts text only.  Its globals are those of the sandbox, which are
** upvalue 1, unless others are given.  Upvalue 2 is the library's function. */
static int sandbox_load(lua_State *L) {
  const bool has_env = !lua_isnone(L, 4);
  lua_settop(L, 4);
  size_t length = 0;
  const char *mode = luaL_optlstring(L, 3, "t", &length);
  if (!budget_find(L, mode, 't', length)) {
    luaL_pushfail(L);
    lua_pushliteral(L, "attempt to load a binary chunk (mode is 't')");
    return 2;
  }
  lua_pushliteral(L, "t");
  lua_replace(L, 3);
  if (!has_env) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_replace(L, 4);
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, 4, LUA_MULTRET);
  mark_loaded(L);
  return lua_gettop(L);
}

static int sandbox_setmetatable(lua_State *L) {
  if (lua_istable(L, 2)) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL)
      return luaL_error(L, "finalizers are not allowed in a sandbox");
    lua_pop(L, 1);
  }
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

/* getmetatable: a function of its own, because a host may call a function that
** it was given.  The metatable of a type whose values share one is hidden. */
static int sandbox_getmetatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (lua_type(L, 1) == LUA_TSTRING) {
    lua_pushliteral(L, "string");
    return 1;
  }
  const bool has_own = lua_istable(L, 1) || lua_type(L, 1) == LUA_TUSERDATA;
  if (!has_own || !lua_getmetatable(L, 1)) lua_pushnil(L);
  if (lua_istable(L, -1)) luaL_getmetafield(L, 1, "__metatable");
  return 1;
}

static int sandbox_collectgarbage(lua_State *L) {
  const char *option = luaL_optstring(L, 1, "collect");
  if (strcmp(option, "count") != 0)
    return luaL_error(L, "collectgarbage can only count in a sandbox");
  lua_pushnumber(L, (lua_Number)lua_gc(L, LUA_GCCOUNT) +
                        (lua_Number)lua_gc(L, LUA_GCCOUNTB) / 1024);
  return 1;
}

/* -- What there is ------------------------------------------------------- */

typedef struct SafeLibrary {
  const char *name;
  lua_CFunction open;
  const char *functions; /* separated by blanks; NULL: all of them */
} SafeLibrary;

static const char safe_strings[] =
    "byte char find format gmatch gsub len lower match pack packsize rep "
    "reverse sub unpack upper";

static const SafeLibrary safe_libraries[] = {
    {LUA_COLIBNAME, luaopen_coroutine, NULL},
    {LUA_TABLIBNAME, luaopen_table, NULL},
    {LUA_STRLIBNAME, luaopen_string, safe_strings},
    {LUA_MATHLIBNAME, luaopen_math,
     "abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger "
     "min mininteger modf pi rad random sin sqrt tan tointeger type ult"},
    {LUA_UTF8LIBNAME, luaopen_utf8, NULL},
    {LUA_OSLIBNAME, luaopen_os, "clock date difftime time"},
};
enum { SAFE_LIBRARIES = sizeof safe_libraries / sizeof *safe_libraries };

static const char safe_base[] =
    "assert error ipairs next pairs pcall print rawequal rawget "
    "rawlen rawset select tonumber tostring type xpcall _VERSION";

/* True if the name is in the list. */
static bool is_listed(const char *list, const char *name) {
  const size_t len = strlen(name);
  for (const char *p = strstr(list, name); p; p = strstr(p + 1, name))
    if ((p == list || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
      return true;
  return false;
}

/* Copies fields of the table at `from` to the one on top. */
static void copy_listed(lua_State *L, int from, const char *list) {
  const int to = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, from)) {
    if (lua_type(L, -2) == LUA_TSTRING &&
        (!list || is_listed(list, lua_tostring(L, -2)))) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, to);
    } else {
      lua_pop(L, 1);
    }
  }
}

/* Pushes the table of a library, and opens the library if necessary.  The basic
** library writes into the globals of the state, the others do not. */
static void push_library(lua_State *L, const char *name, lua_CFunction open) {
  luaL_requiref(L, name, open, 0);
}

/* Makes the metatable of strings for sandboxed code.  One serves all sandboxes
** of the state, because no code can get hold of it or of its methods. */
static void make_sandbox_strings(lua_State *L) {
  lua_newtable(L);
  push_library(L, LUA_STRLIBNAME, luaopen_string);
  lua_insert(L, -2);
  copy_listed(L, lua_gettop(L) - 1, safe_strings);
  string_push_metatable(L);
  lua_pushliteral(L, "string");
  lua_setfield(L, -2, "__metatable");
  L->global->sandbox_strings = value_table(L->top - 1);
  lua_pop(L, 3);
}

static void set_own_functions(lua_State *L, int env, int base) {
  lua_pushvalue(L, env);
  lua_getfield(L, base, "load");
  lua_pushcclosure(L, sandbox_load, 2);
  lua_setfield(L, env, "load");
  lua_getfield(L, base, "setmetatable");
  lua_pushcclosure(L, sandbox_setmetatable, 1);
  lua_setfield(L, env, "setmetatable");
  lua_pushcfunction(L, sandbox_getmetatable);
  lua_setfield(L, env, "getmetatable");
  lua_pushcfunction(L, sandbox_collectgarbage);
  lua_setfield(L, env, "collectgarbage");
  lua_pushvalue(L, env);
  lua_setfield(L, env, LUA_GNAME);
}

LUALIB_API void penumbra_pushsandbox(lua_State *L) {
  luaL_checkstack(L, 10, "sandbox");
  lua_newtable(L);
  const int env = lua_gettop(L);
  push_library(L, LUA_GNAME, luaopen_base);
  const int base = lua_gettop(L);
  lua_pushvalue(L, env);
  copy_listed(L, base, safe_base);
  lua_pop(L, 1);
  set_own_functions(L, env, base);
  for (int i = 0; i < SAFE_LIBRARIES; i++) {
    const SafeLibrary *library = &safe_libraries[i];
    push_library(L, library->name, library->open);
    lua_newtable(L);
    copy_listed(L, lua_gettop(L) - 1, library->functions);
    lua_setfield(L, env, library->name);
    lua_pop(L, 1);
  }
  if (!L->global->sandbox_strings) make_sandbox_strings(L);
  lua_settop(L, env);
}

/* -- Running ------------------------------------------------------------- */

typedef struct SandboxCode {
  const char *bytes, *name;
  size_t length;
  bool in_budget; /* of code that may have made finalizers */
} SandboxCode;

/* Arguments: the globals, a SandboxCode; then those of the code. */
static int run_body(lua_State *L) {
  const SandboxCode *code = lua_touserdata(L, 2);
  L->global->budget.trusts_finalizers = !code->in_budget;
  luaL_checkstack(L, 2, "sandbox");
  if (luaL_loadbufferx(L, code->bytes, code->length, code->name, "t") != LUA_OK)
    return lua_error(L);
  mark_loaded(L);
  lua_pushvalue(L, 1);
  if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  lua_replace(L, 2);
  lua_call(L, lua_gettop(L) - 2, LUA_MULTRET);
  return lua_gettop(L) - 1;
}

/* Reads the limits that the host's version of the header knows.  False if it has
** not set the size: limits that are not read would be none. */
static bool limits_read(penumbra_Limits *known, const penumbra_Limits *theirs) {
  enum { FIRST = offsetof(penumbra_Limits, memory) + sizeof theirs->memory };
  const size_t size = theirs->size;
  if (size < FIRST) return false;
  memset(known, 0, sizeof *known);
  memcpy(known, theirs, size < sizeof *known ? size : sizeof *known);
  return true;
}

static int run_without_limits(lua_State *L) {
  return luaL_error(L, "size of penumbra_Limits not set");
}

/* Needs more memory than there is. */
static int run_without_memory(lua_State *L) {
  lua_newuserdatauv(L, (size_t)-1 / 2, 0);
  return 0;
}

/* The limit of the state's total memory while the code runs: `memory` bytes
** more than now. */
static size_t memory_limit(lua_State *L, size_t memory, size_t old) {
  penumbra_Stats stats = {.size = sizeof stats};
  if (memory == 0) return old;
  penumbra_getstats(L, &stats);
  const size_t held = stats.footprint + stats.external;
  const size_t limit = memory < (size_t)-1 - held ? held + memory : 0;
  return old != 0 && (limit == 0 || old < limit) ? old : limit;
}

LUALIB_API int penumbra_runsandbox(lua_State *L, const char *code, size_t len,
                                   const char *name, int nargs,
                                   const penumbra_Limits *limits, int *over) {
  const size_t old = penumbra_getlimit(L);
  const int env = lua_gettop(L) - nargs;
  const Budget *outer = &L->global->budget;
  SandboxCode chunk = {code, name, len, outer->on && !outer->trusts_finalizers};
  penumbra_Limits known;
  const bool sized = limits_read(&known, limits);
  if (over) *over = 0;
  if (!sized || !lua_checkstack(L, 3)) {
    lua_settop(L, env);
    lua_pushcfunction(L, sized ? run_without_memory : run_without_limits);
    return lua_pcall(L, 0, 0, 0);
  }
  lua_pushcfunction(L, run_body);
  lua_pushvalue(L, env);
  lua_pushlightuserdata(L, &chunk);
  lua_rotate(L, env + 1, 3);
  gc_set_limit(gc_of(L), memory_limit(L, known.memory, old));
  if (L->global->sandbox_runs++ == 0) vm_of(L)->host_limit = old;
  const int status = penumbra_pcall(L, nargs + 2, LUA_MULTRET, 0, known.units,
                                    known.microseconds, over);
  L->global->sandbox_runs--;
  gc_set_limit(gc_of(L), old);
  return status;
}

/* -- The same for Lua programs ------------------------------------------- */

#define BOX_TYPE "penumbra.sandbox"

/* The globals are its user value. */
typedef struct SandboxBox {
  penumbra_Limits limits;
} SandboxBox;

/* A limit in units of 1/scale, rounded up: 0 would mean no limit. */
static lua_Unsigned option_limit(lua_State *L, const char *name,
                                 lua_Number scale) {
  lua_Number n = 0;
  if (lua_getfield(L, 1, name) != LUA_TNIL) {
    n = luaL_checknumber(L, -1);
    luaL_argcheck(L, n > 0 && n < 1e15, 1, "a limit must be positive");
  }
  lua_pop(L, 1);
  return (lua_Unsigned)ceil(n * scale);
}

/* Adds host functions and values to the sandbox. */
static void add_globals(lua_State *L, int env) {
  if (lua_getfield(L, 1, "globals") == LUA_TTABLE) {
    lua_pushvalue(L, env);
    copy_listed(L, lua_gettop(L) - 1, NULL);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* sandbox.new {time = seconds, units = n, memory = bytes, globals = table} */
static int sandbox_new(lua_State *L) {
  lua_settop(L, 1);
  if (lua_isnil(L, 1)) {
    lua_newtable(L);
    lua_replace(L, 1);
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  SandboxBox *box = lua_newuserdatauv(L, sizeof(SandboxBox), 1);
  box->limits.size = sizeof box->limits;
  box->limits.microseconds = option_limit(L, "time", 1e6);
  box->limits.units = option_limit(L, "units", 1);
  const lua_Unsigned memory = option_limit(L, "memory", 1);
  box->limits.memory = memory < (size_t)-1 ? (size_t)memory : (size_t)-1;
  luaL_setmetatable(L, BOX_TYPE);
  penumbra_pushsandbox(L);
  add_globals(L, lua_gettop(L));
  lua_setiuservalue(L, 2, 1);
  return 1;
}

static const char *why_it_ended(int status, int over) {
  if (over) return "budget";
  return status == LUA_ERRMEM ? "memory" : "error";
}

/* box:run(code [, name [, ...]]): returns true and the results; or false, the
** error and the reason: "budget", "memory" or "error". */
static int sandbox_run(lua_State *L) {
  const SandboxBox *box = luaL_checkudata(L, 1, BOX_TYPE);
  size_t len;
  int over;
  const char *code = luaL_checklstring(L, 2, &len);
  const char *name = luaL_optstring(L, 3, "=sandbox");
  const int nargs = lua_gettop(L) > 3 ? lua_gettop(L) - 3 : 0;
  if (nargs == 0) lua_settop(L, 3);
  lua_getiuservalue(L, 1, 1);
  lua_insert(L, 4);
  const int status =
      penumbra_runsandbox(L, code, len, name, nargs, &box->limits, &over);
  lua_pushboolean(L, status == LUA_OK);
  if (status == LUA_OK) {
    lua_insert(L, 5);
    return lua_gettop(L) - 4;
  }
  lua_insert(L, -2);
  lua_pushstring(L, why_it_ended(status, over));
  return 3;
}

static int sandbox_globals(lua_State *L) {
  luaL_checkudata(L, 1, BOX_TYPE);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

static const luaL_Reg sandbox_methods[] = {
    {"run", sandbox_run},
    {"globals", sandbox_globals},
    {NULL, NULL},
};

static const luaL_Reg sandbox_functions[] = {
    {"new", sandbox_new},
    {NULL, NULL},
};

LUAMOD_API int luaopen_penumbra_sandbox(lua_State *L) {
  if (luaL_newmetatable(L, BOX_TYPE)) {
    luaL_newlib(L, sandbox_methods);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, BOX_TYPE);
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
  luaL_newlib(L, sandbox_functions);
  return 1;
}
