/* SPDX-License-Identifier: MIT */
/*
** snapshots.c -- snapshots that a thread of the library writes
*/
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "own.h"

static char name[64];

typedef struct Outcome {
  int calls, ok;
  char error[64];
} Outcome;

static void done(void *ud, const penumbra_Snapshot *result) {
  Outcome *outcome = (Outcome *)ud;
  outcome->calls++;
  outcome->ok = result->ok;
  if (!result->ok) snprintf(outcome->error, 64, "%s", result->error);
}

/* A state with objects enough for some hundred jobs of the thread. */
static lua_State *state_with_objects(void) {
  lua_State *L = own_open();
  own_run(L,
          "kept = {} for i = 1, 40000 do kept[i] = {i, name = 'n' .. i} end");
  return L;
}

static void check_whole(void) {
  char last[4] = "";
  FILE *file = fopen(name, "rb");
  CHECK(file != NULL);
  CHECK(fgetc(file) == '{');
  CHECK(fseek(file, -3, SEEK_END) == 0);
  CHECK(fread(last, 1, 3, file) == 3);
  CHECK(strcmp(last, "]}\n") == 0);
  CHECK(ftell(file) > 1000000);
  fclose(file);
}

static void test_written(void) {
  lua_State *L = state_with_objects();
  Outcome outcome = {0, 0, ""};
  CHECK(penumbra_snapshotfile(L, name, done, &outcome) == 1);
  CHECK(penumbra_snapshotfile(L, name, done, &outcome) == 0 && errno == 0);
  while (penumbra_isinspecting(L)) own_run(L, "kept[1] = {{}, {}}");
  CHECK(outcome.calls == 1 && outcome.ok);
  check_whole();
  CHECK(penumbra_snapshotfile(L, name, NULL, NULL) == 1);
  lua_gc(L, LUA_GCCOLLECT);
  CHECK(!penumbra_isinspecting(L));
  check_whole();
  lua_close(L);
}

/* Before the objects are written, closing the state ends the snapshot; after
** that, it waits for the file. */
static void test_closed(void) {
  int steps;
  for (steps = 0; steps < 2000; steps += 100) {
    lua_State *L = state_with_objects();
    Outcome outcome = {0, 0, ""};
    int i;
    CHECK(penumbra_snapshotfile(L, name, done, &outcome) == 1);
    for (i = 0; i < steps && penumbra_isinspecting(L); i++)
      penumbra_step(L, 20, NULL);
    lua_close(L);
    CHECK(outcome.calls == 1);
    if (outcome.ok)
      check_whole();
    else
      CHECK(strcmp(outcome.error, "state closed") == 0);
  }
}

static void test_errors(void) {
  lua_State *L = state_with_objects();
  Outcome outcome = {0, 0, ""};
  CHECK(penumbra_snapshotfile(L, "/no/such/folder/x", done, &outcome) == 0);
  CHECK(errno == ENOENT && outcome.calls == 0);
  if (access("/dev/full", W_OK) == 0) {
    CHECK(penumbra_snapshotfile(L, "/dev/full", done, &outcome) == 1);
    lua_gc(L, LUA_GCCOLLECT);
    CHECK(outcome.calls == 1 && !outcome.ok);
    CHECK(strcmp(outcome.error, strerror(ENOSPC)) == 0);
  }
  lua_close(L);
}

/* A forked process does not write to its parent's file, nor to its trace. */
static void test_fork(void) {
  lua_State *L = state_with_objects();
  CHECK(penumbra_tracefile(L, "/dev/null", NULL, NULL) == 1);
  Outcome outcome = {0, 0, ""};
  int i, status;
  pid_t child;
  CHECK(penumbra_snapshotfile(L, name, done, &outcome) == 1);
  for (i = 0; i < 200 && penumbra_isinspecting(L); i++)
    penumbra_step(L, 20, NULL);
  CHECK(penumbra_isinspecting(L));
  child = fork();
  if (child == 0) {
    lua_gc(L, LUA_GCCOLLECT);
    CHECK(outcome.calls == 1 && !outcome.ok);
    CHECK(strcmp(outcome.error, "the process was forked") == 0);
    CHECK(penumbra_trace(L, NULL, NULL, NULL) == 0);
    lua_close(L);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(penumbra_trace(L, NULL, NULL, NULL) == 1);
  lua_gc(L, LUA_GCCOLLECT);
  CHECK(outcome.calls == 1 && outcome.ok);
  check_whole();
  lua_close(L);
}

int main(void) {
  strcpy(name, "/tmp/penumbra_XXXXXX");
  CHECK(close(mkstemp(name)) == 0);
  test_written();
  test_closed();
  test_errors();
  test_fork();
  CHECK(remove(name) == 0);
  return 0;
}
