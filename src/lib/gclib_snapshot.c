/* SPDX-License-Identifier: MIT */
/*
** gclib_snapshot.c -- the library `penumbra.gc`: heap snapshots
**
** A snapshot in steps outlives the call that begins it.  Its result is kept
** for `gc.snapshot()`.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gclib_impl.h"
#include "system.h"

typedef struct SnapshotFile {
  FILE *file;
  int finished;
  int failed; /* errno of the file */
  penumbra_Snapshot result;
  char error[128]; /* a copy of result.error */
} SnapshotFile;

static const char snapshot_key = 's'; /* of the registry: its address */

static int snapshot_write(lua_State *L, const void *bytes, size_t size,
                          void *ud) {
  SnapshotFile *s = ud;
  (void)L;
  if (fwrite(bytes, 1, size, s->file) == size) return 0;
  s->failed = errno;
  return 1;
}

static void snapshot_close(SnapshotFile *s) {
  if (s->file && fclose(s->file) != 0) s->failed = errno;
  s->file = NULL;
  s->finished = 1;
}

static void snapshot_done(void *ud, const penumbra_Snapshot *result) {
  SnapshotFile *s = ud;
  s->result = *result;
  if (!result->ok) snprintf(s->error, sizeof s->error, "%s", result->error);
  s->result.error = s->error;
  s->finished = 1;
}

/* Pushes the result: a table, or fail and a message. */
static int snapshot_push_result(lua_State *L, const SnapshotFile *s) {
  if (s->failed != 0 || !s->result.ok) {
    luaL_pushfail(L);
    lua_pushstring(L, s->failed != 0 ? strerror(s->failed) : s->result.error);
    return 2;
  }
  lua_createtable(L, 0, 4);
  gclib_set(L, "nodes", s->result.nodes);
  gclib_set(L, "edges", s->result.edges);
  gclib_set(L, "bytes", s->result.bytes);
  gclib_set(L, "moved", s->result.moved);
  return 1;
}

/* A file system that shortened an older file instead might write all of the new
** one to the disk when it is closed (ext4 does), and the program would wait for
** that. */
static void snapshot_prepare(SnapshotFile *s, const char *name) {
  memset(s, 0, sizeof *s);
  s->result.size = sizeof s->result;
  system_remove_plain(name);
}

static int snapshot_cannot(lua_State *L, const char *name, int error) {
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", name, strerror(error));
  return 2;
}

static int snapshot_at_once(lua_State *L, const char *name) {
  SnapshotFile s;
  snapshot_prepare(&s, name);
  s.file = fopen(name, "wb");
  if (!s.file) return snapshot_cannot(L, name, errno);
  penumbra_snapshot(L, snapshot_write, &s, &s.result);
  snapshot_close(&s);
  return snapshot_push_result(L, &s);
}

/* The last snapshot in steps, or NULL.  It is kept in the registry, because the
** collector writes to it. */
static SnapshotFile *snapshot_last(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &snapshot_key);
  SnapshotFile *s = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return s;
}

/* A finalizer may begin one while the object is made.  The one that is under way
** must stay in the registry. */
static int snapshot_begin_file(lua_State *L, const char *name) {
  SnapshotFile *s = lua_newuserdatauv(L, sizeof *s, 0);
  if (penumbra_isinspecting(L)) {
    luaL_pushfail(L);
    lua_pushliteral(L, "a snapshot is under way");
    return 2;
  }
  snapshot_prepare(s, name);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &snapshot_key);
  if (!penumbra_snapshotfile(L, name, snapshot_done, s)) {
    s->failed = errno;
    s->finished = 1;
    return snapshot_cannot(L, name, s->failed);
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* gc.snapshot(file) writes a snapshot at once; gc.snapshot(file, "steps")
** begins one in steps; gc.snapshot() returns its result, or false while it is
** not finished. */
int gclib_snapshot(lua_State *L) {
  static const char *const modes[] = {"whole", "steps", NULL};
  if (lua_isnoneornil(L, 1)) {
    const SnapshotFile *s = snapshot_last(L);
    if (!s) return luaL_error(L, "no snapshot was begun");
    if (s->finished) return snapshot_push_result(L, s);
    lua_pushboolean(L, 0);
    return 1;
  }
  const char *name = luaL_checkstring(L, 1);
  return luaL_checkoption(L, 2, "whole", modes) == 0
             ? snapshot_at_once(L, name)
             : snapshot_begin_file(L, name);
}
