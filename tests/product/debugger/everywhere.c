/* SPDX-License-Identifier: MIT */
/*
** everywhere.c -- runs a program with a breakpoint at every instruction
**
**     everywhere PROGRAM [ARGUMENT]...
**     everywhere -e CODE
**
** The debugger does nothing, so the program must not notice anything.  If
** EVERYWHERE is `step`, all threads are stepped as well.  If it is a number,
** there are breakpoints at that line only; `none`: nowhere.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/watch.h"

#include "lauxlib.h"
#include "lualib.h"

static long long breaks, steps;
static const char *mode = "";

typedef struct Place {
  lua_State *L;
  Proto *proto;
} Place;

static void break_at(void *context, uint32_t pc) {
  Place *place = context;
  watch_break_at(place->L, place->proto, pc);
}

static void break_at_line(lua_State *L, Proto *p, int line) {
  Place place = {L, p};
  watch_each_place(p, line, break_at, &place);
  for (uint32_t i = 0; i < p->proto_count; i++)
    break_at_line(L, p->protos[i], line);
}

/* A huge function would take long: each breakpoint looks at the code before
** it. */
static void break_everywhere(lua_State *L, Proto *p) {
  enum { HUGE_CODE = 5000 };
  for (uint32_t pc = 0; pc < p->code_size;
       pc += (uint32_t)code_length(proto_code(p)[pc]))
    if (p->code_size < HUGE_CODE && watch_is_place(p, pc))
      watch_break_at(L, p, pc);
  for (uint32_t i = 0; i < p->proto_count; i++)
    break_everywhere(L, p->protos[i]);
}

static int load_body(lua_State *L) {
  Proto *p = ((LuaClosure *)lua_touserdata(L, 1))->proto;
  if (atoi(mode) > 0)
    break_at_line(L, p, atoi(mode));
  else if (strcmp(mode, "none") != 0)
    break_everywhere(L, p);
  return 0;
}

static void watch(lua_State *L, WatchEvent event, void *data) {
  const Value *chunk = L->top - 1;
  (void)data;
  if (event == WATCH_BREAK) breaks++;
  if (event == WATCH_STEP) steps++;
  if (event != WATCH_LOAD || !value_is_lua_closure(chunk)) return;
  lua_pushcfunction(L, load_body);
  lua_pushlightuserdata(L, value_lua_closure(chunk));
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
}

static void set_arguments(lua_State *L, int argc, char **argv) {
  lua_newtable(L);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
}

static int run(lua_State *L) {
  int argc = (int)lua_tointeger(L, 1);
  char **argv = lua_touserdata(L, 2);
  bool is_code = argc == 3 && strcmp(argv[1], "-e") == 0;
  luaL_openlibs(L);
  set_arguments(L, argc, argv);
  watch_set(L, watch, NULL);
  if (argc < 2) return luaL_error(L, "no program");
  if (is_code ? luaL_loadstring(L, argv[2]) : luaL_loadfile(L, argv[1]))
    return lua_error(L);
  if (strcmp(mode, "step") == 0) watch_step(L, true);
  int count = is_code ? 0 : argc - 2;
  for (int i = 0; i < count; i++) lua_pushstring(L, argv[i + 2]);
  lua_call(L, count, 0);
  return 0;
}

static int traceback(lua_State *L) {
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (getenv("EVERYWHERE")) mode = getenv("EVERYWHERE");
  lua_pushcfunction(L, traceback);
  lua_pushcfunction(L, run);
  lua_pushinteger(L, argc);
  lua_pushlightuserdata(L, argv);
  int status = lua_pcall(L, 2, 0, 1);
  if (status != LUA_OK) fprintf(stderr, "lua: %s\n", lua_tostring(L, -1));
  lua_close(L);
  if (getenv("EVERYWHERE_COUNTS"))
    fprintf(stderr, "%lld breakpoints, %lld steps\n", breaks, steps);
  bool wrong = atoi(mode) == 0 && strcmp(mode, "none") != 0 && breaks == 0;
  if (strcmp(mode, "step") == 0 && steps == 0) wrong = true;
  if (wrong) fprintf(stderr, "everywhere: the debugger was not called\n");
  if (wrong) return EXIT_FAILURE;
  return status == LUA_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
