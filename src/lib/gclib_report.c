/* SPDX-License-Identifier: MIT */
/*
** gclib_report.c -- the library `penumbra.gc`: a report of a run
*/

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gclib_impl.h"

static int gclib_report_write(lua_State *L, const void *bytes, size_t size,
                              void *ud) {
  (void)L;
  return fwrite(bytes, 1, size, ud) != size;
}

static int gclib_report_failed(lua_State *L, const char *name,
                               const char *why) {
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", name, why);
  return 2;
}

/* gc.report(true) begins to record, gc.report(false) stops it.
** gc.report(file [, title]) writes what was recorded so far, as JSON. */
int gclib_report(lua_State *L) {
  if (lua_isboolean(L, 1)) {
    if (!penumbra_record(L, lua_toboolean(L, 1)))
      return luaL_error(L, "not enough memory");
    lua_pushboolean(L, 1);
    return 1;
  }
  const char *name = luaL_checkstring(L, 1);
  const char *title = luaL_optstring(L, 2, name);
  FILE *file = fopen(name, "wb");
  if (!file) return gclib_report_failed(L, name, strerror(errno));
  int ok = penumbra_report(L, title, gclib_report_write, file);
  if (fclose(file) != 0) ok = 0;
  if (!ok) return gclib_report_failed(L, name, "cannot write the report");
  lua_pushboolean(L, 1);
  return 1;
}
