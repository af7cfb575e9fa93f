/* SPDX-License-Identifier: MIT */
/*
** budget.c -- a program ends when its time is up, in every situation
*/
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "own.h"

/* Sanitizers and debug builds are slow between two readings of the clock. */
enum { BUDGET_MS = 20, LATE_MS = 200 };

static double cpu_ms(void) { return (double)clock() * 1000.0 / CLOCKS_PER_SEC; }

/* The program ends because its time is up, after so many milliseconds. */
static double run_until_over(lua_State *L, const char *code) {
  double begin = cpu_ms();
  int over = 0;
  CHECK(luaL_loadstring(L, code) == LUA_OK);
  int status = penumbra_pcall(L, 0, 0, 0, 0, BUDGET_MS * 1000, &over);
  double took = cpu_ms() - begin;
  if (status != LUA_ERRRUN || !over)
    fprintf(stderr, "%s: status %d, over %d\n", code, status, over);
  CHECK(status == LUA_ERRRUN && over);
  CHECK(strcmp(lua_tostring(L, -1), "budget exhausted") == 0);
  return took;
}

/* It ends soon after its time is up, and the state stays usable.  The system may
** need long for new pages while it is busy; hence three tries. */
static void ends_in_time(lua_State *L, const char *code) {
  double took = run_until_over(L, code);
  for (int n = 0; n < 2 && took > BUDGET_MS + LATE_MS; n++) {
    lua_settop(L, 0);
    took = run_until_over(L, code);
  }
  if (took > BUDGET_MS + LATE_MS) fprintf(stderr, "%s: %.1f ms\n", code, took);
  CHECK(took <= BUDGET_MS + LATE_MS);
  lua_settop(L, 0);
  lua_sethook(L, NULL, 0, 0); /* one of the programs has set a hook */
  own_run(L, "assert(select('#', string.byte('abc', 1, -1)) == 3)");
  lua_settop(L, 0);
}

static const char *const endless[] = {
    "while true do end",
    "for i = 1, math.huge do end",
    "goto a ::a:: goto a",
    "local function f() return f() end f()",
    "while true do pcall(function() while true do end end) end",
    "while true do pcall(error) end",
    "while true do xpcall(function() while true do end end, "
    "  function() while true do end end) end",
    "local co = coroutine.wrap(function() while true do end end) "
    "pcall(co) while true do end",
    "while true do coroutine.resume(coroutine.create(function() "
    "  pcall(function() while true do end end) end)) end",
    "coroutine.wrap(function() coroutine.wrap(function() "
    "  while true do end end)() end)()",
    "local x <close> = setmetatable({}, {__close = function() "
    "  while true do end end}) while true do end",
    "setmetatable({}, {__gc = function() while true do end end}) "
    "collectgarbage() while true do end",
    "debug.sethook(function() while true do end end, 'l') local x = 1\n"
    "while true do\n x = 2\n end",
    "local s = ('x'):rep(100000) s:find(('.-'):rep(30) .. 'b')",
    "local s = ('a'):rep(1000000) while true do s:find('[b-z]') end",
    "local s = ('a'):rep(100000) while true do s:find(('a'):rep(50000) .. 'b', "
    "  1, true) end",
    "local s = ('x'):rep(1e6) while true do s:upper() end",
    "local s = ('x'):rep(1e6) while true do local t = s .. s end",
    "local s, r = ('x'):rep(1e6), ('x'):rep(1e6) while s == r do end",
    "local s, r = ('x'):rep(1e6), ('x'):rep(1e6) while s <= r do end",
    "local t = {} for i = 1, 1e5 do t[i] = i end "
    "while true do table.sort(t, function(a, b) return a > b end) end",
    "local t = {} for i = 1, 1e5 do t[i] = i end "
    "while true do table.insert(t, 1, 0) end",
    "local t = {} for i = 1, 1e5 do t[i] = i end "
    "while true do table.move(t, 1, #t, 2) end",
    "local t = {} for i = 1, 1e5 do t[i] = 'x' end "
    "while true do table.concat(t) end",
    "local t = {} for i = 1, 1e5 do t[i] = i end "
    "while true do select('#', table.unpack(t)) end",
    "local t = {} for i = 1, 1e5 do t[i] = i end "
    "for i = 1, 1e5 do t[i] = nil end while true do next(t) end",
    "local s = ('ab'):rep(1e5) while true do s:gsub('a', 'b') end",
    "local s = ('x = x + 1 '):rep(1e4) while true do load(s) end",
    "local f = load(('x = x + 1 '):rep(1e4)) "
    "while true do string.dump(f) end",
    "local s = ('x'):rep(1e6) while true do string.format('%q', s) end",
    "local s = ('b'):rep(1e5) while true do string.packsize(s) end",
    "local s = ('1'):rep(1e5) while true do tonumber(s) end",
    "local s = ('x'):rep(1e5) while true do utf8.len(s) end",
    NULL};

static void test_time(void) {
  lua_State *L = own_open();
  for (int i = 0; endless[i]; i++) ends_in_time(L, endless[i]);
  lua_close(L);
}

/* -- Interruption ---------------------------------------------------------- */

static lua_State *interrupted;

static void interrupt_now(int signum) {
  (void)signum;
  penumbra_interrupt(interrupted, 1);
}

/* What the witness has seen: how many errors, and the stack of the last one. */
static struct Seen {
  int errors;
  int status;
  int levels;
  int line; /* of the innermost Lua function */
} seen;

static void see(lua_State *L, void *ud, int status) {
  struct Seen *s = ud;
  lua_Debug ar;
  s->errors++;
  s->status = status;
  s->line = 0;
  for (s->levels = 0; lua_getstack(L, s->levels, &ar); s->levels++) {
    CHECK(lua_getinfo(L, "nSltu", &ar));
    if (s->line == 0 && ar.currentline > 0) s->line = ar.currentline;
  }
}

/* Whatever the program does, a signal ends it, and the stack is seen once. */
static void is_interrupted(lua_State *L, const char *code) {
  const struct itimerval soon = {{0, 0}, {0, BUDGET_MS * 1000}};
  memset(&seen, 0, sizeof seen);
  CHECK(luaL_loadstring(L, code) == LUA_OK);
  penumbra_setbudget(L, (lua_Unsigned)1 << 62, 0);
  double begin = cpu_ms();
  setitimer(ITIMER_VIRTUAL, &soon, NULL);
  int status = lua_pcall(L, 0, 0, 0);
  double took = cpu_ms() - begin;
  if (status != LUA_ERRRUN || took > BUDGET_MS + LATE_MS) {
    fprintf(stderr, "%s: status %d, %.1f ms\n", code, status, took);
    abort();
  }
  CHECK(strcmp(lua_tostring(L, -1), "interrupted!") == 0);
  CHECK(seen.errors >= 1 && seen.status == LUA_ERRRUN);
  CHECK(seen.levels >= 1 && seen.line >= 1);
  lua_settop(L, 0);
  penumbra_interrupt(L, 0);
  lua_sethook(L, NULL, 0, 0);
  own_run(L, "assert(select('#', string.byte('abc', 1, -1)) == 3)");
  lua_settop(L, 0);
}

static void test_interrupt(void) {
  lua_State *L = interrupted = own_open();
  signal(SIGVTALRM, interrupt_now);
  penumbra_setwitness(L, see, &seen);
  for (int i = 0; endless[i]; i++) is_interrupted(L, endless[i]);
  penumbra_setwitness(L, NULL, NULL);
  signal(SIGVTALRM, SIG_DFL);
  lua_close(L);
}

/* Also through calls with budgets of their own: that ends, and so does the one
** around it. */
static int call_inside(lua_State *L) {
  int over;
  lua_pushvalue(L, 1);
  int status = penumbra_pcall(L, 0, 0, 0, 1 << 30, 0, &over);
  lua_pushinteger(L, status);
  return 1;
}

static void test_interrupt_inside(void) {
  lua_State *L = interrupted = own_open();
  lua_register(L, "inside", call_inside);
  signal(SIGVTALRM, interrupt_now);
  penumbra_setwitness(L, see, &seen);
  is_interrupted(L,
                 "while true do inside(function() while true do end end) end");
  CHECK(seen.errors == 2); /* of the inner call, and of the outer one */
  lua_close(L);
}

/* The line of the error is that of the loop, and not the one before it. */
static void test_witness_line(void) {
  lua_State *L = own_open();
  static const char *const loops[] = {
      "local n = 0\n\nwhile true do\n n = n + 1\nend",
      "local n = 0\n\nrepeat\n n = n + 1\nuntil false",
      "local n = 0\n\nfor i = 1, math.huge do\n n = n + 1\nend"};
  penumbra_setwitness(L, see, &seen);
  for (int i = 0; i < 3; i++) {
    CHECK(luaL_loadstring(L, loops[i]) == LUA_OK);
    penumbra_setbudget(L, 0, 2000);
    CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
    penumbra_setbudget(L, 0, 0);
    CHECK(seen.line >= 3 && seen.line <= 5);
    lua_settop(L, 0);
  }
  lua_close(L);
}

/* Errors of memory are seen, too, also those that the program catches. */
static void test_witness_memory(void) {
  lua_State *L = own_open();
  penumbra_setwitness(L, see, &seen);
  penumbra_setlimit(L, 4 << 20);
  memset(&seen, 0, sizeof seen);
  own_run(L, "\nassert(not pcall(string.rep, 'x', 1e8))");
  CHECK(seen.errors == 1 && seen.status == LUA_ERRMEM && seen.line == 2);
  own_run(L, "\n\nassert(not pcall(function()\n local t = {}\n"
             " for i = 1, 1e8 do\n  t[i] = {} end end))");
  CHECK(seen.errors == 2 && seen.line >= 5 && seen.line <= 6);
  own_run(L, "assert(not pcall(error, 'x'))"); /* it has a message handler */
  CHECK(seen.errors == 2);
  lua_close(L);
}

/* The death of a coroutine is seen: its stack and its error. Errors that it
** catches are not. */
static void see_death(lua_State *L, void *ud, int status) {
  char *text = ud;
  CHECK(status == LUA_ERRRUN && lua_status(L) == LUA_ERRRUN);
  see(L, &seen, status);
  if (lua_type(L, -1) == LUA_TSTRING) strcpy(text, lua_tostring(L, -1));
}

static void test_witness_death(void) {
  lua_State *L = own_open();
  char text[80] = "";
  memset(&seen, 0, sizeof seen);
  penumbra_setwitness(L, see_death, text);
  own_run(L, "local w = coroutine.wrap(function()\n"
             "  pcall(error, 'caught')\n  error('uncaught')\nend)\n"
             "local _, message = pcall(w)\n"
             "assert(message:find 'uncaught')");
  CHECK(seen.errors == 1 && seen.levels == 2 && seen.line == 3);
  CHECK(strstr(text, "3: uncaught"));
  own_run(L, "local co = coroutine.create(function() error({}) end)\n"
             "assert(not pcall(coroutine.wrap(function()\n"
             "  error(select(2, coroutine.resume(co)))\nend)))");
  CHECK(seen.errors == 3 && seen.line == 3);
  lua_State *co = lua_newthread(L);
  int count;
  CHECK(luaL_loadstring(co, "local x = nil + 1") == LUA_OK);
  CHECK(lua_resume(co, L, 0, &count) == LUA_ERRRUN);
  CHECK(seen.errors == 4 && seen.line == 1 && strstr(text, "arithmetic"));
  lua_close(L);
}

/* -- Units ----------------------------------------------------------------- */

static lua_Unsigned spent(lua_State *L, const char *code) {
  CHECK(luaL_loadstring(L, code) == LUA_OK);
  penumbra_setbudget(L, 1000000000, 0);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_OK);
  lua_Unsigned units = penumbra_getbudgetused(L);
  penumbra_setbudget(L, 0, 0);
  return units;
}

static void test_units(void) {
  lua_State *L = own_open();
  const char *loop = "local x = 0 for i = 1, 10000 do x = x + i end";
  lua_Unsigned units = spent(L, loop);
  CHECK(units == spent(L, loop)); /* deterministic */
  CHECK(units >= 20000 && units < 100000);
  /* A hundred times as much takes many slices, and they add up. */
  lua_Unsigned more = spent(L, "local x = 0 for i = 1, 1e6 do x = x + i end");
  CHECK(more > 99 * units && more < 101 * units);
  /* The work of the collector counts. */
  const char *make = "for i = 1, 50000 do local t = {i} end";
  lua_gc(L, LUA_GCSTOP);
  lua_Unsigned alone = spent(L, make);
  lua_gc(L, LUA_GCRESTART);
  CHECK(spent(L, make) > alone + 1000);
  CHECK(luaL_loadstring(L, loop) == LUA_OK);
  penumbra_setbudget(L, units / 2, 0);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
  lua_settop(L, 0);
  CHECK(luaL_loadstring(L, loop) == LUA_ERRRUN); /* no budget is left */
  penumbra_setbudget(L, 0, 0);
  lua_settop(L, 0);
  own_run(L, loop);
  lua_close(L);
}

/* -- Budgets within budgets ------------------------------------------------ */

/* limited(f, units, microseconds): whether it succeeded, and was over */
static int limited(lua_State *L) {
  int over;
  lua_Unsigned units = (lua_Unsigned)luaL_checkinteger(L, 2);
  lua_Unsigned time = (lua_Unsigned)luaL_optinteger(L, 3, 0);
  lua_pushvalue(L, 1);
  int status = penumbra_pcall(L, 0, 0, 0, units, time, &over);
  lua_pushboolean(L, status == LUA_OK);
  lua_pushboolean(L, over);
  return 2;
}

static int set_budget(lua_State *L) {
  penumbra_setbudget(L, (lua_Unsigned)luaL_checkinteger(L, 1),
                     (lua_Unsigned)luaL_checkinteger(L, 2));
  return 0;
}

static int add_budget(lua_State *L) {
  penumbra_addbudget(L, (lua_Unsigned)luaL_checkinteger(L, 1),
                     (lua_Unsigned)luaL_checkinteger(L, 2));
  return 0;
}

static int get_spent(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)penumbra_getbudgetused(L));
  return 1;
}

static int get_ms(lua_State *L) {
  lua_pushnumber(L, cpu_ms());
  return 1;
}

static int collect(lua_State *L) { return lua_gc(L, LUA_GCCOLLECT); }

static lua_State *open_with_budgets(void) {
  lua_State *L = own_open();
  lua_register(L, "limited", limited);
  lua_register(L, "set", set_budget);
  lua_register(L, "add", add_budget);
  lua_register(L, "spent", get_spent);
  lua_register(L, "ms", get_ms);
  own_run(L, "function forever() while true do end end\n"
             "function for_ms(n) local e = ms() + n while ms() < e do end end\n"
             "function nothing() end");
  return L;
}

static void test_nested(void) {
  lua_State *L = open_with_budgets();
  int over;
  CHECK(luaL_loadstring(
            L,
            "local ok, over = limited(function() while true do end end, 1000)\n"
            "assert(not ok and over)\n"
            "ok, over = limited(function() return 1 end, 1000)\n"
            "assert(ok and not over)\n"
            "for i = 1, 10 do limited(function() pcall(function() "
            "  while true do end end) end, 1000) end\n"
            "while true do limited(function() while true do end end, "
            "1000000000) end") == LUA_OK);
  CHECK(penumbra_pcall(L, 0, 0, 0, 1000000, 0, &over) == LUA_ERRRUN);
  CHECK(over);
  lua_close(L);
}

/* Programs with budgets of their own inside one of BUDGET_MS.  What follows them
** is ended by the outer one at its time, not earlier and not later. */
static const char *const outer_wins[] = {
    /* an inner deadline that is later, or none */
    "limited(forever, 0, 1000000)", "limited(forever, 1000000000)",
    "limited(forever, 0, 0)",
    "limited(function() limited(forever, 0, 2000000) end, 0, 1000000)",
    /* inner ones that are earlier, and one after the other */
    "while true do limited(forever, 0, 1000) end",
    "while true do limited(forever, 5000) end",
    "while true do limited(function() limited(forever, 0, 500) end, "
    "  0, 1000) end",
    /* so short that the clock is not read in them */
    "while true do limited(nothing, 0, 1000000) end",
    "while true do limited(nothing, 1000) end",
    "while true do limited(nothing, 0, 0) end",
    "while true do limited(function() limited(nothing, 0, 100) end, 0) end",
    "while true do limited(function() for i = 1, 50000 do end end, "
    "  0, 1000000) end",
    /* set, or added to, during the inner one */
    "limited(function() set(0, 1000000) limited(forever, 0) end, 0, 500000)",
    "limited(function() set(0, 0) limited(forever, 0) end, 0, 500000)",
    "limited(function() set(1 << 27, 0) limited(forever, 0) end, 0, 500000)",
    "limited(function() while true do set(0, 1000000) end end, 0, 500000)",
    "limited(function() while true do set(0, 0) end end, 0, 500000)",
    "limited(function() add(0, 1000000) forever() end, 0, 500000)",
    "limited(function() add(1 << 27, 0) forever() end, 1000000000)",
    "limited(function() while true do add(100, 0) end end, 1000)",
    "limited(function() while true do add(0, 100) end end, 0, 1000)",
    "while true do limited(function() set(0, 50) forever() end, 0, 1000) end",
    NULL};

enum { CODE_MOST = 200 };

static const char *then_forever(const char *program, char code[CODE_MOST]) {
  snprintf(code, CODE_MOST, "%s forever()", program);
  return code;
}

static void test_outer_wins(void) {
  lua_State *L = open_with_budgets();
  char code[CODE_MOST];
  for (int i = 0; outer_wins[i]; i++) {
    double begin = cpu_ms();
    ends_in_time(L, then_forever(outer_wins[i], code));
    if (cpu_ms() - begin < BUDGET_MS) {
      fprintf(stderr, "%s: %.1f ms\n", outer_wins[i], cpu_ms() - begin);
      abort();
    }
  }
  lua_close(L);
}

/* Programs in which the inner budget ends first.  The outer one, of a second or
** of many units, does not notice, but counts. */
static const char *const inner_wins[] = {
    "local begin = ms() local ok, over = limited(forever, 0, 5000)\n"
    "local took = ms() - begin\n"
    "assert(not ok and over and took >= 5 and took < 5 + late)",
    /* the inner one is extended */
    "local begin = ms()\n"
    "local ok, over = limited(function() add(0, 10000) forever() end, 0, "
    "5000)\n"
    "local took = ms() - begin\n"
    "assert(not ok and over and took >= 15 and took < 15 + late)",
    /* ... or set anew, shorter and longer */
    "local begin = ms() local ok, over = limited(function()\n"
    "  set(0, 5000) limited(forever, 0) end, 0, 500000)\n"
    "local took = ms() - begin\n"
    "assert(took >= 5 and took < 5 + late)",
    "local begin = ms() local ok, over = limited(function()\n"
    "  for_ms(3) set(0, 20000) limited(forever, 0) end, 0, 5000)\n"
    "local took = ms() - begin\n"
    "assert(took >= 20 and took < 20 + late)",
    /* time inside units, and units inside time */
    "local ok, over = limited(function()\n"
    "  local ok, over = limited(forever, 1000) assert(not ok and over)\n"
    "  local x = 0 for i = 1, 1000 do x = x + i end end, 0, 200000)\n"
    "assert(ok and not over)",
    "local ok, over = limited(function()\n"
    "  local ok, over = limited(forever, 0, 2000) assert(not ok and over)\n"
    "  end, 100000000)\n"
    "assert(ok and not over)",
    /* an inner one that has ended leaves nothing behind */
    "local begin = ms() limited(function() set(0, 1000) end, 0, 2000)\n"
    "for_ms(10) assert(ms() - begin >= 10)",
    "limited(function() set(100, 0) end, 1000) forever_not()",
    /* what is spent counts outside, before and after it was set inside */
    "local before, inside = spent(), 0\n"
    "limited(function() for i = 1, 50000 do end inside = spent()\n"
    "  set(0, 100000) inside = inside - spent()\n"
    "  limited(function() for i = 1, 50000 do end end, 0) end, 1000000)\n"
    "local used = spent() - before\n"
    "assert(inside > 40000, inside) assert(used >= 100000, used)",
    NULL};

static void test_inner_wins(void) {
  static const lua_Unsigned outer[][2] = {
      {0, 0}, {1000000000, 0}, {0, 1000000}};
  lua_State *L = open_with_budgets();
  lua_pushinteger(L, LATE_MS);
  lua_setglobal(L, "late");
  own_run(L, "function forever_not() for i = 1, 10000 do end end");
  for (int i = 0; inner_wins[i]; i++)
    for (int k = 0; k < 3; k++) {
      int over;
      if (k == 0 && strstr(inner_wins[i], "spent"))
        continue; /* none to count */
      CHECK(luaL_loadstring(L, inner_wins[i]) == LUA_OK);
      if (penumbra_pcall(L, 0, 0, 0, outer[k][0], outer[k][1], &over) || over) {
        fprintf(stderr, "%s\n%s\n", inner_wins[i], lua_tostring(L, -1));
        abort();
      }
    }
  lua_close(L);
}

/* The same inside the budget of the state, which the error leaves spent. */
static void test_nested_in_state(void) {
  lua_State *L = open_with_budgets();
  char code[CODE_MOST];
  for (int i = 0; outer_wins[i]; i++) {
    double begin = cpu_ms();
    CHECK(luaL_loadstring(L, then_forever(outer_wins[i], code)) == LUA_OK);
    penumbra_setbudget(L, 0, BUDGET_MS * 1000);
    CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
    double took = cpu_ms() - begin;
    CHECK(took >= BUDGET_MS && took < BUDGET_MS + LATE_MS);
    CHECK(strcmp(lua_tostring(L, -1), "budget exhausted") == 0);
    lua_settop(L, 0);
    CHECK(luaL_dostring(L, "forever()"));
    lua_settop(L, 0);
    penumbra_addbudget(L, 0, 500000);
    own_run(L, "for_ms(1)");
    penumbra_setbudget(L, 0, 0);
  }
  lua_close(L);
}

/* A call that a finalizer, but not the budget, has made long is not over. */
static void test_over(void) {
  lua_State *L = open_with_budgets();
  int over = 2;
  CHECK(luaL_loadstring(L, "setmetatable({}, {__gc = forever})") == LUA_OK);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_OK);
  lua_pushcfunction(L, collect);
  CHECK(penumbra_pcall(L, 0, 0, 0, 10000, 0, &over) == LUA_OK);
  CHECK(over == 0);
  lua_close(L);
}

/* -- The host decides ------------------------------------------------------ */

typedef struct Host {
  int asked, answer, more;
} Host;

static int decide(lua_State *L, void *ud, int canyield) {
  Host *host = ud;
  host->asked++;
  if (host->more > 0) {
    host->more--;
    penumbra_addbudget(L, 10000, 0);
    return PENUMBRA_MORE;
  }
  return host->answer == PENUMBRA_SUSPEND && !canyield ? PENUMBRA_SUSPEND
                                                       : host->answer;
}

static void test_more(void) {
  lua_State *L = own_open();
  Host host = {0, PENUMBRA_STOP, 5};
  penumbra_setbudgethook(L, decide, &host);
  CHECK(luaL_loadstring(L, "while true do end") == LUA_OK);
  penumbra_setbudget(L, 10000, 0);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
  CHECK(host.asked == 6);
  CHECK(penumbra_getbudgetused(L) >= 60000);
  lua_close(L);
}

/* The host is asked during a concatenation, at every depth of the stack.  The
** operands survive this, and the result is right. */
static void test_asked_in_concatenation(void) {
  lua_State *L = own_open();
  Host host = {0, PENUMBRA_STOP, 1000000};
  penumbra_setbudgethook(L, decide, &host);
  CHECK(luaL_loadstring(
            L,
            "local a, b = ('a'):rep(70000), ('b'):rep(70000)\n"
            "local function f(depth)\n"
            "  local s = a .. depth .. b\n"
            "  if s ~= a .. depth .. b or #s < 140001 then error(depth) end\n"
            "  if depth < 150 then return (f(depth + 1)) end\n"
            "  return depth\n"
            "end\n"
            "return f(1)") == LUA_OK);
  penumbra_setbudget(L, 1000, 0);
  CHECK(lua_pcall(L, 0, 1, 0) == LUA_OK);
  CHECK(lua_tointeger(L, -1) == 150 && host.asked > 100);
  lua_close(L);
}

/* Time is added to a limit in time, and to no other. */
static void test_more_time(void) {
  lua_State *L = own_open();
  double begin = cpu_ms();
  CHECK(luaL_loadstring(L, "while true do end") == LUA_OK);
  lua_pushvalue(L, -1);
  penumbra_setbudget(L, 0, 1000);
  penumbra_addbudget(L, 0, BUDGET_MS * 1000);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
  CHECK(cpu_ms() - begin < BUDGET_MS + LATE_MS);
  CHECK(penumbra_getbudgetused(L) > 0);
  lua_pop(L, 1);
  penumbra_setbudget(L, 1000, 0);
  penumbra_addbudget(L, 0, 1000000);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
  CHECK(penumbra_getbudgetused(L) < 10000);
  penumbra_setbudget(L, 0, 0);
  lua_close(L);
}

/* Calls a function with a small budget of its own.  Returns whether that was
** spent. */
static int call_inner(lua_State *L) {
  int over = -1;
  luaL_loadstring(L, lua_toboolean(L, 1) ? "while true do end" : "return");
  penumbra_pcall(L, 0, 0, 0, 1000, 0, &over);
  lua_pushboolean(L, over);
  return 1;
}

/* Whether a budget was spent is said of the call that has it, not of the calls
** around it or after it. */
static void test_whose_budget(void) {
  lua_State *L = own_open();
  int inner, over;
  for (inner = 0; inner < 4; inner++) {
    over = -1;
    lua_pushcfunction(L, call_inner);
    lua_pushboolean(L, inner % 2);
    CHECK(penumbra_pcall(L, 1, 1, 0, 1000000, 0, &over) == LUA_OK);
    CHECK(over == 0 && lua_toboolean(L, -1) == inner % 2);
    lua_pop(L, 1);
  }
  lua_close(L);
}

typedef struct LateHost {
  int asked;
  double asked_at[2];
} LateHost;

/* Takes its time, and then gives as much again. */
static int decide_late(lua_State *L, void *ud, int canyield) {
  LateHost *host = ud;
  (void)canyield;
  if (host->asked == 2) return PENUMBRA_STOP;
  while (cpu_ms() < host->asked_at[1] + 4 * BUDGET_MS) continue;
  host->asked_at[host->asked++] = cpu_ms();
  penumbra_addbudget(L, 0, BUDGET_MS * 1000);
  return PENUMBRA_MORE;
}

/* Time that is added when the limit has passed long ago begins now. */
static void test_more_time_when_late(void) {
  lua_State *L = own_open();
  LateHost host = {0, {0, 0}};
  double end;
  host.asked_at[1] = cpu_ms();
  penumbra_setbudgethook(L, decide_late, &host);
  CHECK(luaL_loadstring(L, "while true do end") == LUA_OK);
  penumbra_setbudget(L, 0, 1000);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
  end = cpu_ms();
  CHECK(host.asked == 2);
  CHECK(end - host.asked_at[1] >= BUDGET_MS * 0.9);
  CHECK(host.asked_at[1] - host.asked_at[0] >= BUDGET_MS * 0.9);
  lua_close(L);
}

/* A coroutine that is out of budget is resumed later, with all its values. */
static void test_suspend(void) {
  lua_State *L = own_open();
  Host host = {0, PENUMBRA_SUSPEND, 0};
  int results, status, turns = 0;
  lua_State *co = lua_newthread(L);
  penumbra_setbudgethook(L, decide, &host);
  CHECK(luaL_loadstring(
            co, "local sum = 0\n"
                "for i = 1, 100000 do sum = sum + i end\n"
                "local t = {pcall(function(...)\n"
                "  for i = 1, 100000 do sum = sum + select('#', ...) end\n"
                "  return sum, ... end, 1, 2)}\n"
                "local co = coroutine.wrap(function() for i = 1, 3 do\n"
                "  for i = 1, 30000 do end coroutine.yield(i) end end)\n"
                "return t[2], t[4], co() + co() + co()") == LUA_OK);
  do {
    penumbra_setbudget(L, 20000, 0);
    status = lua_resume(co, L, 0, &results);
    turns++;
    if (status == LUA_YIELD) CHECK(results == 0);
  } while (status == LUA_YIELD && turns < 10000);
  penumbra_setbudget(L, 0, 0);
  if (status != LUA_OK) fprintf(stderr, "%s\n", lua_tostring(co, -1));
  CHECK(status == LUA_OK && turns > 10);
  CHECK(results == 3);
  CHECK(lua_tointeger(co, -3) == 5000050000 + 200000);
  CHECK(lua_tointeger(co, -2) == 2);
  CHECK(lua_tointeger(co, -1) == 6);
  lua_close(L);
}

/* -- Coroutines of the program itself are suspended with it ---------------- */

static int always_suspend(lua_State *L, void *ud, int canyield) {
  int *cannot = ud;
  if (canyield) return PENUMBRA_SUSPEND;
  ++*cannot;
  penumbra_addbudget(L, 1000, 0);
  return PENUMBRA_MORE;
}

static int suspend_or_fail(lua_State *L, void *ud, int canyield) {
  int *cannot = ud;
  (void)L;
  if (!canyield) ++*cannot;
  return PENUMBRA_SUSPEND;
}

/* Coroutines within coroutines, resumed and left in all ways there are. */
static const char *const nested =
    "local out = {}\n"
    "local function add(...) out[#out + 1] = table.concat({...}, ' ') end\n"
    "local function spin(n) local x = 0 for i = 1, n do x = x + i end "
    "  return x end\n"
    "local function gen(n) return coroutine.wrap(function()\n"
    "  for i = 1, n do spin(50) coroutine.yield(i) end end) end\n"
    "for i in gen(5) do for j in gen(3) do add(i, j, spin(20)) end end\n"
    /* four deep, by coroutine.resume */
    "local function deep(d, x)\n"
    "  if d == 0 then spin(300) return x end\n"
    "  local co = coroutine.create(function(y) local z = coroutine.yield(y)\n"
    "    spin(100) return deep(d - 1, z + 1) end)\n"
    "  local _, a = coroutine.resume(co, x)\n"
    "  local ok, b = coroutine.resume(co, a)\n"
    "  add('deep', d, coroutine.status(co), tostring(ok), b) return b end\n"
    "add(deep(4, 10))\n"
    /* a pcall between two coroutines, and a yield across a pcall */
    "local co = coroutine.wrap(function(...)\n"
    "  local ok, a, b = pcall(function(...)\n"
    "    local s = 0 for i in gen(4) do s = s + i + select('#', ...) end\n"
    "    local y = coroutine.yield(s) spin(200)\n"
    "    for i in gen(2) do y = y + i end\n"
    "    coroutine.yield(y) spin(100) error({y}) end, ...)\n"
    "  add('pcall', tostring(ok), a[1]) spin(100)\n"
    "  return 'end' end)\n"
    "add(co(1, 2)) add(co(5)) add(co())\n"
    /* coroutines that begin with a C function; errors; __close */
    "local p = coroutine.wrap(pcall)\n"
    "add(select('#', p(function() spin(200) coroutine.yield(1)\n"
    "  for i in gen(3) do spin(30) end end)), tostring(p()))\n"
    "local e = coroutine.create(function() local c <close> = setmetatable({},\n"
    "  {__close = function() add('close') end})\n"
    "  spin(100) error('no', 0) end)\n"
    "add(tostring(coroutine.resume(e)), coroutine.status(e))\n"
    "add(tostring(coroutine.close(e)))\n"
    "local t = setmetatable({}, {__index = function(_, k)\n"
    "  for i in gen(2) do spin(40) end return k end})\n"
    "add(t.x .. t.y, #out)\n"
    "return table.concat(out, ';')";

/* Runs the program, suspended after every `units` units.  Returns how often. */
static int run_suspended(lua_State *L, const char *program, lua_Unsigned units,
                         const char *expected) {
  int results, status, cannot = 0, turns = 0;
  lua_State *co = lua_newthread(L);
  penumbra_setbudgethook(L, always_suspend, &cannot);
  CHECK(luaL_loadstring(co, program) == LUA_OK);
  do {
    penumbra_setbudget(L, units, 0);
    status = lua_resume(co, L, 0, &results);
    penumbra_setbudget(L, 0, 0);
    if (status == LUA_YIELD) CHECK(results == 0);
    if (++turns % 7 == 0) lua_gc(L, LUA_GCCOLLECT);
    own_run(L, "local t = {} for i = 1, 10 do t[i] = {} end");
  } while (status == LUA_YIELD && turns < 1000000);
  if (status != LUA_OK) fprintf(stderr, "%s\n", lua_tostring(co, -1));
  CHECK(status == LUA_OK && results == 1);
  if (strcmp(lua_tostring(co, -1), expected) != 0)
    fprintf(stderr, "%s\n%s\n", lua_tostring(co, -1), expected);
  CHECK(strcmp(lua_tostring(co, -1), expected) == 0);
  lua_pop(L, 1);
  return turns;
}

static void test_suspend_nested(void) {
  lua_State *L = own_open();
  lua_Unsigned units;
  int turns, most = 0;
  CHECK(luaL_dostring(L, nested) == LUA_OK);
  for (units = 64; units < 1000; units += 1 + units / 32) {
    turns = run_suspended(L, nested, units, lua_tostring(L, 1));
    if (turns > most) most = turns;
  }
  printf("suspended up to %d times\n", most);
  CHECK(most > 50);
  lua_close(L);
}

/* With a hook, coroutines do not switch within the loop. */
static void count_hook(lua_State *L, lua_Debug *ar) { (void)L, (void)ar; }

static void test_suspend_hooked(void) {
  lua_State *L = own_open();
  CHECK(luaL_dostring(L, nested) == LUA_OK);
  lua_sethook(L, count_hook, LUA_MASKCOUNT, 3);
  CHECK(run_suspended(L, nested, 97, lua_tostring(L, 1)) > 10);
  lua_close(L);
}

/* Overwrites all that coroutine.resume and the like have on the stack. */
static void forget_temporaries(lua_State *co) {
  lua_Debug ar;
  int level, n;
  for (level = 0; lua_getstack(co, level, &ar); level++) {
    lua_getinfo(co, "S", &ar);
    if (*ar.what != 'C') continue;
    for (n = 1; n < 10; n++) {
      lua_pushnil(co);
      if (!lua_setlocal(co, &ar, n)) break;
    }
  }
}

/* Suspended coroutines live, even if nothing on a stack refers to them. */
static void test_suspend_forgotten(void) {
  lua_State *L = own_open();
  int results, cannot = 0, i;
  lua_State *co = lua_newthread(L);
  penumbra_setbudgethook(L, always_suspend, &cannot);
  CHECK(luaL_loadstring(
            co, "return coroutine.resume(coroutine.create(function()\n"
                "  return coroutine.resume(coroutine.create(function()\n"
                "    for i = 1, 1000 do local t = {i} end\n"
                "    return 'end' end)) end))") == LUA_OK);
  penumbra_setbudget(L, 100, 0);
  CHECK(lua_resume(co, L, 0, &results) == LUA_YIELD);
  penumbra_setbudget(L, 0, 0);
  forget_temporaries(co);
  for (i = 0; i < 3; i++) lua_gc(L, LUA_GCCOLLECT);
  own_run(L, "for i = 1, 100 do coroutine.create(print) end");
  CHECK(lua_resume(co, L, 0, &results) == LUA_OK && results == 3);
  CHECK(strcmp(lua_tostring(co, -1), "end") == 0);
  lua_close(L);
}

/* A C function without a continuation is in the way: an error says so. */
static void test_suspend_impossible(void) {
  lua_State *L = own_open();
  int results, cannot = 0;
  lua_State *co = lua_newthread(L);
  penumbra_setbudgethook(L, suspend_or_fail, &cannot);
  CHECK(luaL_loadstring(co, "pcall(table.sort, {3, 2, 1}, function(a, b)\n"
                            "  pcall(function() while true do end end) end)") ==
        LUA_OK);
  penumbra_setbudget(L, 1000, 0);
  CHECK(lua_resume(co, L, 0, &results) == LUA_ERRRUN);
  CHECK(strcmp(lua_tostring(co, -1),
               "attempt to yield across a C-call boundary") == 0);
  CHECK(cannot > 0);
  penumbra_setbudget(L, 0, 0);
  own_run(L, "assert(pcall(table.sort, {3, 2, 1}))");
  lua_close(L);
}

/* The host wants to suspend, but a C function is at work.  It is asked again
** when that function has returned. */
static void test_suspend_later(void) {
  lua_State *L = own_open();
  int results, cannot = 0;
  lua_State *co = lua_newthread(L);
  penumbra_setbudgethook(L, suspend_or_fail, &cannot);
  CHECK(luaL_loadstring(co, "local s = ('x'):rep(1 << 20):upper()\n"
                            "for i = 1, 100000 do end\n"
                            "return #s, s:sub(-1)") == LUA_OK);
  penumbra_setbudget(L, 1000, 0);
  CHECK(lua_resume(co, L, 0, &results) == LUA_YIELD && results == 0);
  CHECK(cannot > 0);
  penumbra_setbudget(L, 0, 0);
  CHECK(lua_resume(co, L, 0, &results) == LUA_OK && results == 2);
  CHECK(lua_tointeger(co, -2) == 1 << 20);
  CHECK(strcmp(lua_tostring(co, -1), "X") == 0);
  lua_close(L);
}

/* A suspended program is not continued: closed, or just forgotten. */
static void test_suspend_forever(void) {
  static const char *const program =
      "local function gen(d) return coroutine.wrap(function()\n"
      "  local c <close> = setmetatable({}, {__close = function() "
      "    closed = (closed or 0) + 1 end})\n"
      "  if d > 0 then gen(d - 1)() else while true do end end end) end\n"
      "inner = coroutine.create(function() gen(2)() end)\n"
      "coroutine.resume(inner)";
  lua_State *L = own_open();
  int results, cannot = 0, i;
  penumbra_setbudgethook(L, always_suspend, &cannot);
  for (i = 0; i < 2; i++) {
    lua_State *co = lua_newthread(L);
    CHECK(luaL_loadstring(co, program) == LUA_OK);
    penumbra_setbudget(L, 10000, 0);
    CHECK(lua_resume(co, L, 0, &results) == LUA_YIELD);
    penumbra_setbudget(L, 0, 0);
    own_run(L, "assert(not closed and coroutine.status(inner) == 'normal')\n"
               "assert(not coroutine.resume(inner))\n"
               "assert(not pcall(coroutine.close, inner))\n"
               "assert(#debug.traceback(inner) > 0)");
    if (i == 0) {
      CHECK(lua_closethread(co, L) == LUA_OK);
      own_run(L, "assert(closed == 3) closed = nil\n"
                 "assert(coroutine.status(inner) == 'dead')");
    } else {
      own_run(L, "inner = nil");
    }
    lua_pop(L, 1);
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCCOLLECT);
  }
  lua_close(L);
}

/* Endless finalizers do not prevent closing the state. */
static void test_close(void) {
  lua_State *L = own_open();
  own_run(L, "for i = 1, 10 do setmetatable({}, {__gc = function() "
             "  while true do end end}) end");
  penumbra_setbudget(L, 0, 1000);
  double begin = cpu_ms();
  lua_close(L);
  CHECK(cpu_ms() - begin < LATE_MS);
}

/* -- Variables to be closed ------------------------------------------------ */

static int closed_count(lua_State *L) {
  lua_Integer count = lua_tointeger(L, lua_upvalueindex(1)) + 1;
  lua_pushinteger(L, count);
  lua_replace(L, lua_upvalueindex(1));
  lua_pushinteger(L, count);
  lua_setglobal(L, "closed");
  return luaL_error(L, "closing fails");
}

/* Calls code with globals `object`, userdata, and `other`, a table.  Both have a
** function in C as their __close, which counts and then fails. */
static int run_closing(lua_State *L, const char *code, int *over) {
  lua_newuserdatauv(L, 0, 0);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, closed_count, 1);
  lua_setfield(L, -2, "__close");
  lua_pushvalue(L, -1);
  lua_setmetatable(L, -3);
  lua_setmetatable(L, -3);
  lua_setglobal(L, "other");
  lua_setglobal(L, "object");
  CHECK(luaL_loadstring(L, code) == LUA_OK);
  return penumbra_pcall(L, 0, 0, 0, 10000, 0, over);
}

/* When the budget is spent, userdata is closed and nothing else.  What fails
** meanwhile does not replace the error. */
static void test_closing(void) {
  static const char *const shapes[] = {
      "local a <close>, b = object local c <close> = object "
      "local d <close> = other while true do end",
      "coroutine.wrap(function() local d <close> = other "
      "while true do end end)() ",
      "local a <close> = object pcall(function() local b <close> = object "
      "local c <close> = other while true do end end)",
      "for _ in next, {1}, nil, object do local c <close> = other "
      "local d <close> = object while true do end end",
  };
  static const lua_Integer counts[] = {2, 0, 2, 2};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    lua_State *L = own_open();
    int over = 0;
    own_run(L, "closed = 0");
    CHECK(run_closing(L, shapes[i], &over) == LUA_ERRRUN && over);
    CHECK(strcmp(lua_tostring(L, -1), "budget exhausted") == 0);
    lua_getglobal(L, "closed");
    CHECK(lua_tointeger(L, -1) == counts[i]);
    lua_close(L);
  }
}

int main(void) {
  test_time();
  test_interrupt();
  test_interrupt_inside();
  test_witness_line();
  test_witness_memory();
  test_witness_death();
  test_units();
  test_nested();
  test_outer_wins();
  test_inner_wins();
  test_nested_in_state();
  test_over();
  test_more();
  test_more_time();
  test_more_time_when_late();
  test_whose_budget();
  test_asked_in_concatenation();
  test_suspend();
  test_suspend_nested();
  test_suspend_hooked();
  test_suspend_forgotten();
  test_suspend_impossible();
  test_suspend_later();
  test_suspend_forever();
  test_close();
  test_closing();
  return 0;
}
