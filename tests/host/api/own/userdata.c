/* SPDX-License-Identifier: MIT */
/*
** userdata.c -- the data of userdata have the alignment of malloc
**
** The tests use all sizes around those at which the layout changes, and many
** numbers of user values.  The data must survive collections.
*/
#include <stdint.h>

#include "own.h"

enum { ALIGNMENT = 16, KEPT = 64 };

static const int counts[] = {0,  1,  2,  3,  5,   8,    31,
                             62, 63, 64, 65, 100, 1000, 65534};

/* Pushes a userdata and fills it. */
static void make(lua_State *L, size_t size, int values) {
  char *data = lua_newuserdatauv(L, size, values);
  CHECK((uintptr_t)data % ALIGNMENT == 0);
  CHECK(lua_rawlen(L, -1) == size);
  CHECK(lua_touserdata(L, -1) == data);
  memset(data, (int)(size % 251), size);
  if (values == 0) return;
  CHECK(lua_getiuservalue(L, -1, 1) == LUA_TNIL);
  lua_pop(L, 1);
  lua_pushfstring(L, "%d:%d", (int)size, values);
  CHECK(lua_setiuservalue(L, -2, values) == 1);
}

/* Checks that the userdata on top is unchanged. */
static void look(lua_State *L, size_t size, int values) {
  const unsigned char *data = lua_touserdata(L, -1);
  size_t i;
  char text[40];
  for (i = 0; i<size; i += size> 4000 ? 97 : 1) CHECK(data[i] == size % 251);
  if (values > 0) {
    snprintf(text, sizeof text, "%d:%d", (int)size, values);
    CHECK(lua_getiuservalue(L, -1, values) == LUA_TSTRING);
    CHECK(strcmp(lua_tostring(L, -1), text) == 0);
    lua_pop(L, 1);
  }
  CHECK(lua_getiuservalue(L, -1, values + 1) == LUA_TNONE);
  lua_pop(L, 1);
}

/* Makes KEPT sizes from `first` on, collects, and checks them. */
static void try_sizes(lua_State *L, size_t first, size_t step, int values) {
  int i;
  lua_createtable(L, KEPT, 0);
  for (i = 1; i <= KEPT; i++) {
    make(L, first + (size_t)(i - 1) * step, values);
    lua_rawseti(L, -2, i);
  }
  lua_gc(L, LUA_GCCOLLECT);
  for (i = 1; i <= KEPT; i++) {
    lua_rawgeti(L, -1, i);
    look(L, first + (size_t)(i - 1) * step, values);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

int main(void) {
  lua_State *L = own_open();
  size_t i;
  for (i = 0; i < sizeof counts / sizeof *counts; i++) {
    const int values = counts[i];
    const size_t in_values = (size_t)values * 16;
    if (values > 1000) { /* a megabyte each */
      make(L, 24, values);
      look(L, 24, values);
      lua_settop(L, 0);
      continue;
    }
    try_sizes(L, 0, 1, values);
    try_sizes(L, 64, 7, values);
    try_sizes(L, 500, 16, values);
    if (in_values < 960) try_sizes(L, 960 - in_values, 1, values);
    if (in_values < 1024) try_sizes(L, 1024 - in_values, 1, values);
  }
  for (i = 1; i < 1u << 20; i *= 2) try_sizes(L, i, i, 0);
  lua_close(L);
  return 0;
}
