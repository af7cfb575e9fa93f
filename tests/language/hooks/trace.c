/* SPDX-License-Identifier: MIT */
/*
** trace.c -- runs a program and records every event that a hook sees
**
**     trace EVENTS LIMIT OUTPUT PROGRAM [ARGUMENT]...
**
** EVENTS are letters as in debug.sethook.  The program ends after LIMIT events.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static FILE *output;
static long events_left;
static int thread_count;

static void show_string(const char *s, size_t length) {
  size_t i;
  fputc('"', output);
  for (i = 0; i < length && i < 40; i++)
    fputc(s[i] >= ' ' && s[i] <= '~' ? s[i] : '?', output);
  fputc('"', output);
}

/* Omits addresses.  Does not convert numbers, because that would change
** them. */
static void show_value(lua_State *L, int index) {
  size_t length;
  const char *s;
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      fputs(lua_toboolean(L, index) ? "true" : "false", output);
      break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index))
        fprintf(output, "%lld", (long long)lua_tointeger(L, index));
      else
        fprintf(output, "%.10gf", (double)lua_tonumber(L, index));
      break;
    case LUA_TSTRING:
      s = lua_tolstring(L, index, &length);
      show_string(s, length);
      break;
    default: fputs(luaL_typename(L, index), output);
  }
}

static void show_transfer(lua_State *L, lua_Debug *ar) {
  int i;
  fprintf(output, " %d+%d(", ar->ftransfer, ar->ntransfer);
  for (i = 0; i < ar->ntransfer && i < 10; i++) {
    const char *name = lua_getlocal(L, ar, ar->ftransfer + i);
    fprintf(output, "%s%s=", i ? " " : "", name ? name : "?");
    if (!name) continue;
    show_value(L, -1);
    lua_pop(L, 1);
  }
  fputc(')', output);
}

/* Numbers threads in the order in which hooks see them. */
static int thread_number(lua_State *L) {
  int number;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &thread_count);
  lua_pushthread(L);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pushthread(L);
    lua_pushinteger(L, ++thread_count);
    lua_rawset(L, -4);
    number = thread_count;
  } else {
    number = (int)lua_tointeger(L, -1);
  }
  lua_pop(L, 2);
  return number;
}

static void hook(lua_State *L, lua_Debug *ar) {
  static const char *const names[] = {"call", "return", "line", "count",
                                      "tail call"};
  if (events_left-- <= 0) {
    fclose(output);
    _Exit(EXIT_SUCCESS);
  }
  lua_getinfo(L, "nSltur", ar);
  fprintf(output, "%d %s %s/%s %s %s:%d-%d@%d up%d par%d%s%s", thread_number(L),
          names[ar->event], ar->name ? ar->name : "-", ar->namewhat, ar->what,
          ar->short_src, ar->linedefined, ar->lastlinedefined, ar->currentline,
          ar->nups, ar->nparams, ar->isvararg ? " vararg" : "",
          ar->istailcall ? " tail" : "");
  if (ar->event != LUA_HOOKLINE && ar->event != LUA_HOOKCOUNT)
    show_transfer(L, ar);
  fputc('\n', output);
}

static int mask_of(const char *events) {
  int mask = 0;
  if (strchr(events, 'c')) mask |= LUA_MASKCALL;
  if (strchr(events, 'r')) mask |= LUA_MASKRET;
  if (strchr(events, 'l')) mask |= LUA_MASKLINE;
  if (strchr(events, 'i')) mask |= LUA_MASKCOUNT;
  return mask;
}

static void set_arguments(lua_State *L, int argc, char **argv) {
  int i;
  lua_createtable(L, argc, 0);
  for (i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i);
  }
  lua_setglobal(L, "arg");
}

static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  if (!L) exit(EXIT_FAILURE);
  luaL_openlibs(L);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &thread_count);
  return L;
}

int main(int argc, char **argv) {
  lua_State *L;
  int status;
  if (argc < 5) return 2;
  events_left = atol(argv[2]);
  output = fopen(argv[3], "w");
  if (!output) return 2;
  L = open_state();
  set_arguments(L, argc - 4, argv + 4);
  status = luaL_loadfile(L, argv[4]);
  if (status == LUA_OK) {
    lua_sethook(L, hook, mask_of(argv[1]), 1);
    status = lua_pcall(L, 0, 0, 0);
    lua_sethook(L, NULL, 0, 0);
  }
  if (status != LUA_OK) {
    fputs("ended by an error: ", output);
    show_value(L, -1);
    fputc('\n', output);
  }
  lua_close(L);
  fclose(output);
  return 0;
}
