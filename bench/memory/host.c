/* SPDX-License-Identifier: MIT */
/*
** host.c -- typical uses of memory by a host, as functions for host.lua
**
** A module that any Lua 5.4 can load.  It uses the plain API.  The functions
** that tell a collector of external memory are looked up when the module is
** loaded.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"

static int (*add_external)(lua_State *L, size_t bytes);
static void (*remove_external)(lua_State *L, size_t bytes);

static void *touch(void *memory, size_t size) {
  return memset(memory, 0x5a, size);
}

/* userdata(size, fill) */
static int host_userdata(lua_State *L) {
  const size_t size = (size_t)luaL_checkinteger(L, 1);
  void *memory = lua_newuserdatauv(L, size, 1);
  if (lua_toboolean(L, 2)) touch(memory, size);
  return 1;
}

/* finalizable(size, metatable) */
static int host_finalizable(lua_State *L) {
  const size_t size = (size_t)luaL_checkinteger(L, 1);
  touch(lua_newuserdatauv(L, size, 0), size);
  lua_pushvalue(L, 2);
  lua_setmetatable(L, -2);
  return 1;
}

typedef struct Buffer {
  void *memory;
  size_t size;
} Buffer;

static int buffer_free(lua_State *L) {
  Buffer *buffer = lua_touserdata(L, 1);
  if (buffer->memory != NULL && remove_external != NULL)
    remove_external(L, buffer->size);
  free(buffer->memory);
  buffer->memory = NULL;
  return 0;
}

static void buffer_set_class(lua_State *L) {
  if (luaL_newmetatable(L, "memory.buffer")) {
    lua_pushcfunction(L, buffer_free);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
}

/* external(size): external memory if the state can be told of it, else a
** userdata */
static int host_external(lua_State *L) {
  const size_t size = (size_t)luaL_checkinteger(L, 1);
  const size_t inside = add_external == NULL ? size : 0;
  Buffer *buffer = lua_newuserdatauv(L, sizeof *buffer + inside, 0);
  buffer->memory = NULL;
  buffer->size = size;
  buffer_set_class(L);
  if (inside != 0) {
    touch(buffer + 1, size);
    return 1;
  }
  if (!add_external(L, size)) return luaL_error(L, "not enough memory");
  buffer->memory = malloc(size);
  if (buffer->memory == NULL) return luaL_error(L, "not enough memory");
  touch(buffer->memory, size);
  return 1;
}

/* buffer(size): a string of that size, built from pieces of 1000 bytes */
static int host_buffer(lua_State *L) {
  const size_t size = (size_t)luaL_checkinteger(L, 1);
  char piece[1000];
  luaL_Buffer buffer;
  touch(piece, sizeof piece);
  luaL_buffinit(L, &buffer);
  for (size_t done = 0; done < size; done += sizeof piece)
    luaL_addlstring(&buffer, piece, sizeof piece);
  luaL_pushresult(&buffer);
  return 1;
}

/* tables(count): each is a reference in the registry for a while */
static int host_tables(lua_State *L) {
  enum { ALIVE = 1000 };
  const lua_Integer count = luaL_checkinteger(L, 1);
  int reference[ALIVE];
  for (int i = 0; i < ALIVE; i++) reference[i] = LUA_NOREF;
  for (lua_Integer i = 0; i < count; i++) {
    lua_createtable(L, 2, 0);
    lua_pushinteger(L, i);
    lua_rawseti(L, -2, 1);
    if (i % 10 != 0) {
      lua_pop(L, 1);
      continue;
    }
    luaL_unref(L, LUA_REGISTRYINDEX, reference[i / 10 % ALIVE]);
    reference[i / 10 % ALIVE] = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  for (int i = 0; i < ALIVE; i++)
    luaL_unref(L, LUA_REGISTRYINDEX, reference[i]);
  return 0;
}

/* strings(count, size) */
static int host_strings(lua_State *L) {
  const lua_Integer count = luaL_checkinteger(L, 1);
  const size_t size = (size_t)luaL_checkinteger(L, 2);
  char *text = touch(lua_newuserdatauv(L, size, 0), size);
  for (lua_Integer i = 0; i < count; i++) {
    memcpy(text, &i, sizeof i);
    lua_pushlstring(L, text, size);
    lua_pop(L, 1);
  }
  return 0;
}

/* threads(count) */
static int host_threads(lua_State *L) {
  const lua_Integer count = luaL_checkinteger(L, 1);
  for (lua_Integer i = 0; i < count; i++) {
    lua_State *thread = lua_newthread(L);
    lua_createtable(thread, 4, 0);
    lua_pop(L, 1);
  }
  return 0;
}

static const luaL_Reg functions[] = {
    {"userdata", host_userdata}, {"finalizable", host_finalizable},
    {"external", host_external}, {"buffer", host_buffer},
    {"tables", host_tables},     {"strings", host_strings},
    {"threads", host_threads},   {NULL, NULL},
};

/* The C standard has no conversion from an object to a function pointer. */
static void find(const char *name, void *function) {
  *(void **)function = dlsym(RTLD_DEFAULT, name);
}

LUAMOD_API int luaopen_memory_host(lua_State *L);

LUAMOD_API int luaopen_memory_host(lua_State *L) {
  find("penumbra_addexternal", &add_external);
  find("penumbra_removeexternal", &remove_external);
  luaL_newlib(L, functions);
  return 1;
}
