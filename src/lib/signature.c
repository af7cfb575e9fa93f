/* SPDX-License-Identifier: MIT */
/*
** signature.c -- how a function is called, as text
**
** Functions of the libraries are described by their declarations (declare.h),
** Lua functions by the names of their parameters.
*/
#include "declare.h"

#include "lib.h"

static bool is_optional(const NativeParam *p) {
  return *p->name != '.' && p->kind & (TAKES_OPTIONAL | TAKES_IF_GIVEN);
}

/* True for an optional parameter in front of one that is needed, and for a thread
** in front of any: it is in brackets of its own. */
static bool is_skipped(const Native *n, int i) {
  const NativeParam *p = &n->takes[i];
  if (p->kind == (TAKES_THREAD | TAKES_OPTIONAL | TAKES_OWN)) return p[1].name;
  for (int k = i + 1; k < NATIVE_PARAMS && n->takes[k].name; k++)
    if (*n->takes[k].name != '.' && !is_optional(&n->takes[k])) return true;
  return false;
}

/* Writes a parameter of the list.  Optional parameters are in brackets.  All
** brackets close after the last parameter.  Returns how many brackets it has
** opened. */
static int add_parameter(luaL_Buffer *b, const Native *n, int i, bool first) {
  const NativeParam *p = &n->takes[i];
  if (!is_optional(p)) {
    if (!first) luaL_addstring(b, ", ");
    luaL_addstring(b, p->name);
    return 0;
  }
  if (is_skipped(n, i)) {
    luaL_addstring(b, first ? "[" : ", [");
    luaL_addstring(b, p->name);
    luaL_addstring(b, ",] ");
    return 0;
  }
  luaL_addstring(b, first ? "[" : " [, ");
  luaL_addstring(b, p->name);
  return 1;
}

static void add_parameters(luaL_Buffer *b, const Native *n) {
  const int begin =
      n->takes[0].kind == TAKES_FILE; /* stands before the colon */
  int brackets = 0;
  bool first = true;
  for (int i = begin; i < NATIVE_PARAMS && n->takes[i].name; i++) {
    brackets += add_parameter(b, n, i, first);
    first = is_optional(&n->takes[i]) && is_skipped(n, i);
  }
  while (brackets-- > 0) luaL_addchar(b, ']');
}

/* The declaration of the C function, or NULL. */
static const Native *find(lua_CFunction function, const char **prefix) {
  static const Native *(*const lists[])(void) = {
      base_list,   global_list, package_list, co_list,
      string_list, utf8_list,   table_list,   math_list,
      io_list,     file_list,   os_list,      debug_list};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const Native *found = NULL, *n = lists[i]();
    for (; n->name; n++)
      if (n->function == function) found = n;
    *prefix = n->prefix;
    if (found) return found;
  }
  return NULL;
}

static int push_native(lua_State *L, lua_CFunction function) {
  luaL_Buffer b;
  const char *prefix;
  const Native *n = find(function, &prefix);
  if (!n) return 0;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, prefix);
  luaL_addstring(&b, n->name);
  luaL_addchar(&b, '(');
  add_parameters(&b, n);
  luaL_addchar(&b, ')');
  luaL_pushresult(&b);
  return 1;
}

/* The name of a parameter, or NULL in a function without debug information. */
static const char *parameter_name(lua_State *L, int function, int number) {
  lua_pushvalue(L, function);
  const char *name = lua_getlocal(L, NULL, number);
  lua_pop(L, 1);
  return name;
}

static int push_lua(lua_State *L, int function) {
  luaL_Buffer b;
  lua_Debug ar;
  lua_pushvalue(L, function);
  lua_getinfo(L, ">u", &ar);
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "function(");
  for (int i = 1; i <= ar.nparams; i++) {
    const char *name = parameter_name(L, function, i);
    if (i > 1) luaL_addstring(&b, ", ");
    luaL_addstring(&b, name ? name : "?");
  }
  if (ar.isvararg) luaL_addstring(&b, ar.nparams > 0 ? ", ..." : "...");
  luaL_addchar(&b, ')');
  luaL_pushresult(&b);
  return 1;
}

/* -- Names in messages ----------------------------------------------------- */

/* Pushes a field of the table on top, without metamethods.  Returns its type. */
static int push_raw_field(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  return lua_rawget(L, -2);
}

/* True if the field of a loaded module is the function at the index. */
static bool is_loaded(lua_State *L, const char *module, const char *name,
                      int function) {
  const int top = lua_gettop(L);
  const bool found =
      lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE) == LUA_TTABLE &&
      push_raw_field(L, module) == LUA_TTABLE &&
      push_raw_field(L, name) == LUA_TFUNCTION && lua_rawequal(L, -1, function);
  lua_settop(L, top);
  return found;
}

bool lib_push_declared_name(lua_State *L) {
  char module[16] = LUA_GNAME;
  const char *prefix;
  const int function = lua_gettop(L);
  const Native *n = lua_iscfunction(L, function)
                        ? find(lua_tocfunction(L, function), &prefix)
                        : NULL;
  const size_t len = n ? strlen(prefix) : 0;
  if (!n || len > sizeof module) return false;
  if (len > 0) {
    memcpy(module, prefix, len);
    module[len - 1] = '\0';
  }
  if (!is_loaded(L, module, n->name, function)) return false;
  lua_pushfstring(L, "%s%s", prefix, n->name);
  return true;
}

/* -- For Lua --------------------------------------------------------------- */

static const char *const kind_names[] = {
    [TAKES_ANY] = "any",
    [TAKES_INTEGER] = "integer",
    [TAKES_NUMBER] = "number",
    [TAKES_STRING] = "string",
    [TAKES_TABLE] = "table",
    [TAKES_FUNCTION] = "function",
    [TAKES_THREAD] = "coroutine",
    [TAKES_NIL_OR_TABLE] = "table or nil",
    [TAKES_FUNCTION_OR_STRING] = "function or string",
    [TAKES_FILE] = "file",
    [TAKES_TABLE_OR_STRING] = "table or string",
};

/* Pushes a list of the parameters of the C function, or nil. */
static void push_parameters(lua_State *L, lua_CFunction function) {
  const char *prefix;
  const Native *n = find(function, &prefix);
  if (!n) return lua_pushnil(L);
  lua_createtable(L, NATIVE_PARAMS, 0);
  for (int i = 0; i < NATIVE_PARAMS && n->takes[i].name; i++) {
    const NativeParam *p = &n->takes[i];
    lua_createtable(L, 0, 3);
    lua_pushstring(L, p->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, kind_names[p->kind & TAKES_KIND]);
    lua_setfield(L, -2, "type");
    lua_pushboolean(L, *p->name == '.' || is_optional(p));
    lua_setfield(L, -2, "optional");
    lua_rawseti(L, -2, i + 1);
  }
}

static int describe_signature(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  if (!penumbra_pushsignature(L, 1)) luaL_pushfail(L);
  return 1;
}

static int describe_parameters(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  push_parameters(L, lua_tocfunction(L, 1));
  return 1;
}

LUAMOD_API int luaopen_penumbra_describe(lua_State *L) {
  static const luaL_Reg functions[] = {{"signature", describe_signature},
                                       {"parameters", describe_parameters},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}

/* -- For C ----------------------------------------------------------------- */

LUALIB_API int penumbra_pushsignature(lua_State *L, int index) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (lua_iscfunction(L, index))
    return push_native(L, lua_tocfunction(L, index));
  return lua_isfunction(L, index) ? push_lua(L, lua_absindex(L, index)) : 0;
}
