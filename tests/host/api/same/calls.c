/* SPDX-License-Identifier: MIT */
/*
** calls.c -- calls, errors, chunks, variables to be closed
*/
#include "same.h"

static int show_arguments(lua_State *L) {
  show_stack(L, "arguments");
  lua_pushliteral(L, "r1");
  lua_pushliteral(L, "r2");
  lua_pushliteral(L, "r3");
  return 3;
}

static void test_results(lua_State *L) {
  int n;
  SECTION("results");
  for (n = LUA_MULTRET; n <= 5; n++) {
    lua_pushcfunction(L, show_arguments);
    lua_pushinteger(L, 1);
    lua_pushnil(L);
    lua_call(L, 2, n);
    printf("wanted %d ", n);
    show_stack(L, "");
    lua_settop(L, 0);
  }
  run(L, "return function(...) return select('#', ...), ... end");
  lua_pushinteger(L, 5);
  lua_pushliteral(L, "x");
  lua_call(L, 2, LUA_MULTRET);
  show_stack(L, "Lua function");
  lua_settop(L, 0);
  run(L, "return setmetatable({}, {__call = function(self, a) "
         "return type(self), a end})");
  lua_pushinteger(L, 5);
  lua_call(L, 1, 2);
  show_stack(L, "callable table");
  lua_settop(L, 0);
}

static int load_named(lua_State *L, const char *code, const char *name) {
  return luaL_loadbuffer(L, code, strlen(code), name);
}

/* -- Errors ---------------------------------------------------------------- */

static int raise_table(lua_State *L) {
  lua_newtable(L);
  return lua_error(L);
}
static int raise_nil(lua_State *L) {
  lua_pushnil(L);
  return lua_error(L);
}
static int raise_formatted(lua_State *L) {
  return luaL_error(L, "number %d", 5);
}
static int call_nil(lua_State *L) {
  lua_pushnil(L);
  lua_call(L, 0, 0);
  return 0;
}
static int raise_through_lua(lua_State *L) {
  load_named(L, "local t = nil; return t.x", "=chunk");
  lua_call(L, 0, 0);
  return 0;
}
static int argument_error(lua_State *L) {
  return luaL_argerror(L, 2, "not to my taste");
}
static int recurse(lua_State *L) {
  lua_pushcfunction(L, recurse);
  lua_call(L, 0, 0);
  return 0;
}

static int handler(lua_State *L) {
  lua_pushfstring(L, "handled(%s)", luaL_tolstring(L, 1, NULL));
  return 1;
}
static int bad_handler(lua_State *L) {
  return luaL_error(L, "the handler fails");
}

static void test_handlers(lua_State *L) {
  SECTION("handlers");
  lua_pushcfunction(L, handler);
  lua_pushcfunction(L, raise_formatted);
  printf("status %d ", lua_pcall(L, 0, 0, 1));
  show_top(L, "");
  lua_pushcfunction(L, raise_nil);
  printf("status %d ", lua_pcall(L, 0, 0, -2));
  show_top(L, "");
  lua_pushcfunction(L, show_arguments);
  printf("status %d ", lua_pcall(L, 0, 1, 1));
  show_top(L, "");
  lua_settop(L, 0);
  lua_pushcfunction(L, bad_handler);
  lua_pushcfunction(L, raise_formatted);
  printf("bad handler: status %d type %d\n", lua_pcall(L, 0, 0, 1),
         lua_type(L, -1));
  lua_settop(L, 0);
  lua_pushcfunction(L, handler);
  luaL_loadstring(L, "local function f() return f() .. '' end f()");
  printf("overflow: status %d ", lua_pcall(L, 0, 0, 1));
  printf("%d\n", strstr(lua_tostring(L, -1), "stack overflow") != NULL);
  lua_settop(L, 0);
}

static int nested_pcall(lua_State *L) {
  lua_pushcfunction(L, raise_table);
  printf("inner %d %s\n", lua_pcall(L, 0, 0, 0), luaL_typename(L, -1));
  lua_pushliteral(L, "outer");
  return lua_error(L);
}

/* -- Chunks ---------------------------------------------------------------- */

typedef struct Pieces {
  const char *text;
  size_t size; /* of each piece */
} Pieces;

static const char *read_piece(lua_State *L, void *data, size_t *size) {
  Pieces *p = (Pieces *)data;
  const char *piece = p->text;
  size_t left = strlen(piece);
  (void)L;
  *size = left < p->size ? left : p->size;
  p->text += *size;
  return *size ? piece : NULL;
}

static const char *read_and_fail(lua_State *L, void *data, size_t *size) {
  (void)data;
  (void)size;
  luaL_error(L, "cannot read");
  return NULL;
}

static void test_load(lua_State *L) {
  static const char *const codes[] = {
      "return 1 + 1",       "return ...", "x =",
      "return 'unfinished", "",           "goto nowhere"};
  size_t i, size;
  SECTION("load");
  for (i = 0; i < sizeof codes / sizeof *codes; i++) {
    for (size = 1; size <= 100; size += 99) {
      Pieces p;
      int status;
      p.text = codes[i];
      p.size = size;
      status = lua_load(L, read_piece, &p, "=pieces", NULL);
      printf("load %d ", status);
      if (status == LUA_OK) {
        lua_pushliteral(L, "argument");
        lua_call(L, 1, 1);
      }
      show_top(L, "");
    }
  }
  printf("reader fails %d ", lua_load(L, read_and_fail, NULL, "x", NULL));
  show_top(L, "");
  printf("text as binary %d ", luaL_loadbufferx(L, "return 1", 8, "name", "b"));
  show_top(L, "");
  printf("text as text %d ", luaL_loadbufferx(L, "return 1", 8, "name", "t"));
  show_top(L, "");
  printf("name %d ", luaL_loadbuffer(L, "error 'x'", 9, "@file.lua"));
  lua_pcall(L, 0, 0, 0);
  show_top(L, "");
  printf("no name %d ", luaL_loadbuffer(L, "error 'x'", 9, NULL));
  lua_pcall(L, 0, 0, 0);
  show_top(L, "");
  printf("dostring %d %d ", luaL_dostring(L, "return 5"),
         luaL_dostring(L, "error('five', 0)"));
  show_stack(L, "");
  lua_settop(L, 0);
}

typedef struct Bytes {
  size_t size;
  char data[16384];
} Bytes;

static int append(lua_State *L, const void *p, size_t size, void *data) {
  Bytes *bytes = (Bytes *)data;
  (void)L;
  memcpy(bytes->data + bytes->size, p, size);
  bytes->size += size;
  return 0;
}
static int refuse(lua_State *L, const void *p, size_t size, void *data) {
  (void)L;
  (void)p;
  (void)size;
  (void)data;
  return 17;
}

static void test_dump_stripped(lua_State *L, int strip) {
  static Bytes bytes;
  bytes.size = 0;
  load_named(L,
             "local a, b = ... return function() a = a + b; "
             "local t = {1, 2, x = 'y', z = 3} "
             "return a, 'text', 1.5, nil, true, t.x, t[2] end",
             "=dumped");
  printf("dump %d\n", lua_dump(L, append, &bytes, strip));
  printf("begins right: %d\n",
         memcmp(bytes.data, LUA_SIGNATURE "\x54", 5) == 0);
  printf("load as text %d ",
         luaL_loadbufferx(L, bytes.data, bytes.size, "=x", "t"));
  show_top(L, "");
  printf("load %d\n", luaL_loadbufferx(L, bytes.data, bytes.size, "=x", "b"));
  printf("values on the stack: %d\n", lua_gettop(L));
  lua_remove(L, 1);
  lua_pushinteger(L, 10);
  lua_pushinteger(L, 3);
  lua_call(L, 2, 1);
  lua_call(L, 0, LUA_MULTRET);
  show_stack(L, "called");
  lua_settop(L, 0);
  printf("truncated %d\n",
         luaL_loadbufferx(L, bytes.data, bytes.size - 1, "=x", "b"));
  lua_settop(L, 0);
}

static void test_dump(lua_State *L) {
  SECTION("dump");
  test_dump_stripped(L, 0);
  test_dump_stripped(L, 1);
  lua_pushcfunction(L, show_arguments);
  printf("of a C function %d\n", lua_dump(L, refuse, NULL, 0));
  luaL_loadstring(L, "return 1");
  printf("refused %d\n", lua_dump(L, refuse, NULL, 0));
  lua_settop(L, 0);
}

/* -- To-be-closed variables ------------------------------------------------ */

static int close_it(lua_State *L) {
  printf("close ");
  lua_getiuservalue(L, 1, 1);
  show_value(L, -1);
  printf(" with ");
  show_value(L, 2);
  printf("\n");
  return 0;
}

static void push_closable(lua_State *L, int number) {
  lua_newuserdatauv(L, 0, 1);
  lua_pushinteger(L, number);
  lua_setiuservalue(L, -2, 1);
  lua_newtable(L);
  lua_pushcfunction(L, close_it);
  lua_setfield(L, -2, "__close");
  lua_setmetatable(L, -2);
}

static int close_normally(lua_State *L) {
  push_closable(L, 1);
  lua_toclose(L, -1);
  lua_pushnil(L);
  lua_toclose(L, -1);
  push_closable(L, 2);
  lua_toclose(L, -1);
  push_closable(L, 3);
  lua_toclose(L, -1);
  lua_closeslot(L, -1);
  show_stack(L, "after closeslot");
  lua_settop(L, 2);
  printf("settop done\n");
  lua_pushliteral(L, "result");
  return 1;
}

static int close_by_error(lua_State *L) {
  push_closable(L, 4);
  lua_toclose(L, 1);
  push_closable(L, 5);
  lua_toclose(L, 2);
  return luaL_error(L, "oops");
}

static int close_unclosable(lua_State *L) {
  lua_newtable(L);
  lua_toclose(L, 1);
  return 0;
}

static void test_closing(lua_State *L) {
  SECTION("closing");
  lua_pushcfunction(L, close_normally);
  lua_call(L, 0, 1);
  show_top(L, "closed");
  try_call(L, "by error", close_by_error);
  try_call(L, "unclosable", close_unclosable);
}

/* -- Panic ----------------------------------------------------------------- */

static int panic(lua_State *L) {
  printf("panic: %s\n", lua_tostring(L, -1));
  fflush(stdout);
  exit(0);
}

int main(void) {
  lua_State *L = same_open();
  test_results(L);
  SECTION("errors");
  try_call(L, "table", raise_table);
  try_call(L, "nil", raise_nil);
  try_call(L, "formatted", raise_formatted);
  try_call(L, "call nil", call_nil);
  try_call(L, "through Lua", raise_through_lua);
  try_call(L, "argument", argument_error);
  try_call(L, "recursion", recurse);
  try_call(L, "nested", nested_pcall);
  test_handlers(L);
  test_load(L);
  test_dump(L);
  test_closing(L);
  printf("old panic: %d\n", lua_atpanic(L, panic) != NULL);
  printf("old panic is ours: %d\n", lua_atpanic(L, panic) == panic);
  lua_pushliteral(L, "nobody listens");
  lua_error(L);
  return 1;
}
