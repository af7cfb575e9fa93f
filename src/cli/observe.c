/* SPDX-License-Identifier: MIT */
/*
** observe.c -- options to observe a program: --profile, --profile-alloc,
** --report, --report-page, --trace, --trace-gc, --snapshot-on, --why
**
** Profiles, the report and the answer to --why are written when the program has ended.  If it ends by
** os.exit, a function for atexit writes them.  If it closes the state first, the
** finalizer of a userdata does, because after that there is no state.
**
** A signal handler may do very little, but it may set a hook.  The hook begins
** a snapshot, and from time to time runs the collector to continue it, even if
** the program allocates nothing.  As with an interruption, a program that is in
** a coroutine notices the signal when the main thread runs again.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(LUA_USE_POSIX)
#include <unistd.h>
#endif

#include "cli.h"
#include "penumbra.h"

/* -- Reading options ----------------------------------------------------- */

/* The value of the option `name`, after '=' or in the next word. NULL if
** argv[*i] is another option, "" if the value is missing. */
static const char *observe_value(const char *name, char **argv, int *i) {
  const size_t n = strlen(name);
  if (strncmp(argv[*i], name, n) != 0) return NULL;
  if (argv[*i][n] == '=') return argv[*i] + n + 1;
  if (argv[*i][n] != '\0') return NULL;
  if (!argv[*i + 1]) return "";
  return argv[++*i];
}

static int observe_signal(const char *name) {
  static const struct {
    const char *name;
    int number;
  } signals[] = {
#if defined(SIGUSR1) && defined(SIGUSR2) && defined(SIGHUP)
    {"USR1", SIGUSR1},
    {"USR2", SIGUSR2},
    {"HUP", SIGHUP},
#endif
    {NULL, 0}
  };
  if (strncmp(name, "SIG", 3) == 0) name += 3;
  for (size_t i = 0; signals[i].name; i++)
    if (strcmp(name, signals[i].name) == 0) return signals[i].number;
  return 0;
}

int observe_option(Observe *o, char **argv, int *i) {
  const char *value;
  if (strcmp(argv[*i], "--trace-gc") == 0) {
    o->trace_lines = true;
    return 1;
  }
  const struct {
    const char *option, **field;
  } texts[] = {
      {"--trace", &o->trace_file},         {"--profile", &o->profile_file},
      {"--profile-alloc", &o->alloc_file}, {"--report", &o->report_file},
      {"--report-page", &o->page_file},    {"--why", &o->why}};
  for (size_t n = 0; n < sizeof texts / sizeof texts[0]; n++) {
    if (!(value = observe_value(texts[n].option, argv, i))) continue;
    *texts[n].field = value;
    return *value != '\0' ? 1 : -1;
  }
  if ((value = observe_value("--snapshot-on", argv, i)) != NULL) {
    o->snapshot_signal = observe_signal(value);
    return o->snapshot_signal != 0 ? 1 : -1;
  }
  return 0;
}

/* -- Traces -------------------------------------------------------------- */

static int observe_line(void *ud, const char *text, size_t size) {
  (void)ud;
  return fwrite(text, 1, size, stderr) != size;
}

static bool observe_begin_trace(lua_State *L, const Observe *o) {
  penumbra_TraceWriter lines = o->trace_lines ? observe_line : NULL;
  if (!o->trace_file) return penumbra_trace(L, NULL, lines, NULL);
  if (penumbra_tracefile(L, o->trace_file, lines, NULL)) return true;
  perror(o->trace_file);
  return false;
}

static bool observe_end_trace(lua_State *L, const char *name) {
  if (penumbra_trace(L, NULL, NULL, NULL)) return true;
  fprintf(stderr, "penumbra: %s: cannot write the trace\n", name);
  return false;
}

/* -- Snapshots ----------------------------------------------------------- */

/* Static variables suffice, because the program has one state. */
static lua_State *observe_main;
static char observe_name[64];
static int observe_count;
static volatile sig_atomic_t observe_busy; /* a snapshot is under way */

static void observe_taken(void *ud, const penumbra_Snapshot *result) {
  (void)ud;
  observe_busy = 0;
  if (result->ok)
    fprintf(stderr, "penumbra: %s: %llu objects, %llu bytes\n", observe_name,
            (unsigned long long)result->nodes,
            (unsigned long long)result->bytes);
  else
    fprintf(stderr, "penumbra: %s: %s\n", observe_name, result->error);
}

/* Continues the snapshot until it is finished. */
static void observe_go_on(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (penumbra_isinspecting(L))
    penumbra_step(L, 100, NULL);
  else
    lua_sethook(L, NULL, 0, 0);
}

static void observe_begin(lua_State *L, lua_Debug *ar) {
  enum { INSTRUCTIONS = 10000 };
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  if (penumbra_isinspecting(L)) return;
#if defined(LUA_USE_POSIX)
  snprintf(observe_name, sizeof observe_name, "penumbra-%d-%d.heapsnapshot",
           (int)getpid(), ++observe_count);
#else
  snprintf(observe_name, sizeof observe_name, "penumbra-%d.heapsnapshot",
           ++observe_count);
#endif
  observe_busy = 1;
  if (penumbra_snapshotfile(L, observe_name, observe_taken, NULL)) {
    lua_sethook(L, observe_go_on, LUA_MASKCOUNT, INSTRUCTIONS);
  } else {
    perror(observe_name);
    observe_busy = 0;
  }
}

static void observe_signalled(int signum) {
  const int any = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  (void)signum;
  if (!observe_busy) lua_sethook(observe_main, observe_begin, any, 1);
}

/* -- Profiles ------------------------------------------------------------ */

/* Calls a function of the profile library with one argument, or none. */
static bool observe_profile(lua_State *L, const char *name,
                            const char *argument) {
  luaL_requiref(L, PENUMBRA_PROFILELIBNAME, luaopen_penumbra_profile, 0);
  lua_getfield(L, -1, name);
  if (argument) lua_pushstring(L, argument);
  const int status = lua_pcall(L, argument != NULL, 2, 0);
  const bool ok = status == LUA_OK && (!argument || lua_toboolean(L, -2));
  if (!ok) cli_message(lua_tostring(L, -1));
  lua_settop(L, 0);
  return ok;
}

/* -- The report ---------------------------------------------------------- */

/* The name of the script, or of the program. */
static const char *observe_title(lua_State *L) {
  const char *name = NULL;
  if (lua_getglobal(L, "arg") == LUA_TTABLE) {
    lua_rawgeti(L, -1, 0);
    name = lua_tostring(L, -1);
  }
  return name ? name : "penumbra";
}

static int observe_put(lua_State *L, const void *bytes, size_t size, void *ud) {
  PageCall *call = ud;
  (void)L;
  call->text = bytes;
  call->size = size;
  return !page_run(call);
}

static bool observe_report(lua_State *L, const char *name) {
  PageCall call = {"save", NULL, 0, name};
  lua_checkstack(L, 4);
  const bool ok = penumbra_report(L, observe_title(L), observe_put, &call);
  if (!call.text)
    fprintf(stderr, "penumbra: %s: cannot write the report\n", name);
  lua_settop(L, 0);
  return ok;
}

/* -- Why is this alive? -------------------------------------------------- */

/* Prints why the value of the expression is alive. */
static bool observe_why(lua_State *L, const char *expression) {
  penumbra_Why why = {.size = sizeof why};
  lua_checkstack(L, 8);
  lua_pushfstring(L, "return %s", expression);
  const char *code = lua_tostring(L, -1);
  int status = luaL_loadbuffer(L, code, strlen(code), "=(--why)");
  if (status == LUA_OK) status = lua_pcall(L, 0, 1, 0);
  if (status != LUA_OK) {
    const char *message = lua_tostring(L, -1);
    cli_message(message ? message : "(--why): error");
  } else if (!penumbra_why(L, -1, &why)) {
    fprintf(stderr, "%s: %s\n", expression,
            why.path[0] != '\0' ? why.path : "not an object");
  } else {
    fprintf(stderr, "%s is alive by %s\n  %llu bytes, keeps %llu", expression,
            why.path, (unsigned long long)why.bytes,
            (unsigned long long)why.retained);
    if (why.dominator[0] != '\0')
      fprintf(stderr, ", and is kept by %s alone", why.dominator);
    fprintf(stderr, "\n");
  }
  lua_settop(L, 0);
  return status == LUA_OK;
}

/* -- The end ------------------------------------------------------------- */

static Observe observe_options;
static bool observe_pending; /* files are not written yet */
static lua_State *observe_state;

bool observe_finish(lua_State *L) {
  const Observe *o = &observe_options;
  bool ok = true;
  if (!observe_pending) return true;
  observe_pending = false;
  if (o->why) ok = observe_why(L, o->why);
  if (o->report_file) ok = observe_report(L, o->report_file) && ok;
  if (o->profile_file) ok = observe_profile(L, "stop", o->profile_file) && ok;
  if (o->alloc_file) ok = observe_profile(L, "stopalloc", o->alloc_file) && ok;
  if (o->trace_file) ok = observe_end_trace(L, o->trace_file) && ok;
  return ok;
}

/* os.exit, without closing the state. */
static void observe_exit(void) { observe_finish(observe_state); }

/* os.exit, and the state is being closed. */
static int observe_closed(lua_State *L) {
  observe_finish(L);
  return 0;
}

static void observe_at_end(lua_State *L, const Observe *o) {
  observe_options = *o;
  observe_pending = true;
  observe_state = L;
  atexit(observe_exit);
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, observe_closed);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &observe_pending);
}

/* -- All of it ----------------------------------------------------------- */

bool observe_start(lua_State *L, const Observe *o) {
  if (o->report_file || o->profile_file || o->alloc_file || o->trace_file ||
      o->why)
    observe_at_end(L, o);
  if (o->trace_file || o->trace_lines)
    if (!observe_begin_trace(L, o)) return false;
  if (o->snapshot_signal != 0) {
    observe_main = L;
    signal(o->snapshot_signal, observe_signalled);
  }
  if (o->alloc_file && !observe_profile(L, "startalloc", NULL)) return false;
  if (o->report_file && !penumbra_record(L, 1)) return false;
  return !o->profile_file || observe_profile(L, "start", NULL);
}
