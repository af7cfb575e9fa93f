/* SPDX-License-Identifier: MIT */
/*
** nesting.c -- where the error of a budget ends, in every nesting of calls
**
** A plan is a row of calls, each inside the one before, of all kinds that can
** catch errors or be in their way.  The budget is set at one depth of it, and
** is used up in the innermost call.  A model says which calls of the host must
** catch the error, one after the other.  No other call may, the process must
** not panic, and afterwards the state and the next budget must work.
*/
#include "own.h"

/* -- Plans ----------------------------------------------------------------- */

typedef enum Kind {
  LUA_PCALL, /* the first ones are calls of the host */
  LUA_RESUME,
  LUA_RESUME_NULL, /* ... without a thread to raise the error in */
  PENUMBRA_PCALL,  /* with budgets of their own */
  BOX_RUN,
  HOST_KINDS,
  LUA_PCALLK = HOST_KINDS,
  LUA_CALLK,
  C_PCALL, /* pcall, called by C */
  PCALL,
  XPCALL,
  RESUME,
  RESUME_C, /* the coroutine begins with a C function */
  WRAP,
  INDEX,
  GSUB,
  KINDS
} Kind;

/* How the budget is set: directly, or in a call that has returned since. */
typedef enum Setting {
  SET_HERE,
  SET_IN_LUA_PCALL,
  SET_IN_PCALL,
  SET_IN_RESUME,
  SET_IN_YIELDED, /* a coroutine that has yielded */
  SET_IN_LUA_RESUME,
  SET_IN_FINALIZER,
  SET_IN_HOOK,
  SET_IN_CLOSE,
  SET_IN_HANDLER,
  SET_IN_LOAD, /* the reader of lua_load */
  SETTINGS
} Setting;

/* Where it is used up. */
typedef enum Spending {
  SPEND_HERE,
  SPEND_IN_C,
  SPEND_IN_FINALIZER,
  SPEND_IN_HOOK,
  SPEND_IN_CLOSE,
  SPEND_IN_HANDLER,
  SPEND_IN_LOAD,
  SPENDINGS
} Spending;

enum { DEPTH_MOST = 4, CAUGHT_MOST = 2 * DEPTH_MOST + 8 };

typedef struct Plan {
  int depth;
  Kind kinds[DEPTH_MOST + 1]; /* the first is a lua_pcall around all */
  int set_at;                 /* inside so many calls */
  Setting setting;
  Spending spending;
  lua_Unsigned units, microseconds;
} Plan;

typedef struct Log {
  int count, depth[CAUGHT_MOST];
} Log;

static Plan plan;
static Log expected, seen;
static int last_catcher; /* it removes the budget */

static void log_add(Log *log, int depth) {
  CHECK(log->count < CAUGHT_MOST);
  log->depth[log->count++] = depth;
}

/* -- The model ------------------------------------------------------------- */

static int has_own_budget(Kind k) {
  return k == PENUMBRA_PCALL || k == BOX_RUN;
}

/* The innermost call below `end` with a budget of its own, or -1. */
static int own_budget_below(int end) {
  int i = end - 1;
  while (i >= 0 && !has_own_budget(plan.kinds[i])) i--;
  return i;
}

/* Of the calls below `end`: the outermost one of the host from `base` on.  If
** there is none, the innermost one further out. */
static int catcher_of(int base, int end) {
  int i;
  for (i = base; i < end; i++)
    if (plan.kinds[i] < HOST_KINDS) return i;
  for (i = base - 1; plan.kinds[i] >= HOST_KINDS; i--) continue;
  return i;
}

/* A resume without a thread to raise the error in has to return it, too. */
static int stopover(int catcher, int end) {
  int i = end - 1;
  while (i > catcher && plan.kinds[i] != LUA_RESUME_NULL) i--;
  return i;
}

/* The error is raised again after each stop, until the budget is removed. */
static void model_run(void) {
  int at = plan.depth, done = 0;
  while (!done) {
    int own = own_budget_below(at);
    int inner = own >= plan.set_at;
    int base = inner ? own : plan.set_at < at ? plan.set_at : at;
    int catcher = catcher_of(base, at);
    at = stopover(catcher, at);
    log_add(&expected, at);
    done = at == catcher && !inner;
  }
  last_catcher = at;
}

/* -- Setting and spending -------------------------------------------------- */

static void plan_print(FILE *to) {
  static const char *const names[] = {
      "lua_pcall",      "lua_resume", "lua_resume(NULL)",
      "penumbra_pcall", "box:run",    "lua_pcallk",
      "lua_callk",      "pcall by C", "pcall",
      "xpcall",         "resume",     "resume of C",
      "wrap",           "__index",    "gsub"};
  int i;
  for (i = 0; i < plan.depth; i++) fprintf(to, "%s > ", names[plan.kinds[i]]);
  fprintf(to, "set inside %d, setting %d, spending %d, %d us\n", plan.set_at,
          (int)plan.setting, (int)plan.spending, (int)plan.microseconds);
}

static void log_print(const char *title, const Log *log) {
  int i;
  fprintf(stderr, "%s:", title);
  for (i = 0; i < log->count; i++) fprintf(stderr, " %d", log->depth[i]);
  fprintf(stderr, "\n");
}

static _Noreturn void fail(const char *why) {
  fprintf(stderr, "%s: ", why);
  plan_print(stderr);
  log_print("expected catchers", &expected);
  log_print("seen", &seen);
  abort();
}

static int set_budget(lua_State *L) {
  penumbra_setbudget(L, plan.units, plan.microseconds);
  return 0;
}

static int set_by_yielding(lua_State *L) {
  set_budget(L);
  return lua_yield(L, 0);
}

static void set_by_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  set_budget(L);
}

static const char *set_by_reader(lua_State *L, void *ud, size_t *size) {
  (void)ud;
  set_budget(L);
  *size = 0;
  return NULL;
}

/* Calls a global function with `f` as its argument. */
static void call_helper(lua_State *L, const char *name, lua_CFunction f) {
  lua_getglobal(L, name);
  lua_pushcfunction(L, f);
  lua_call(L, 1, 0);
}

static void set_in_coroutine(lua_State *L, lua_CFunction f) {
  int results;
  lua_State *co = lua_newthread(L);
  lua_pushcfunction(co, f);
  CHECK(lua_resume(co, L, 0, &results) <= LUA_YIELD);
  lua_pop(L, 1);
}

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

static void set_somewhere(lua_State *L) {
  switch (plan.setting) {
    case SET_IN_LUA_PCALL:
      lua_pushcfunction(L, set_budget);
      CHECK(lua_pcall(L, 0, 0, 0) == LUA_OK);
      break;
    case SET_IN_PCALL: call_helper(L, "in_pcall", set_budget); break;
    case SET_IN_RESUME: call_helper(L, "in_resume", set_budget); break;
    case SET_IN_YIELDED: set_in_coroutine(L, set_by_yielding); break;
    case SET_IN_LUA_RESUME: set_in_coroutine(L, set_budget); break;
    case SET_IN_FINALIZER: call_helper(L, "in_finalizer", set_budget); break;
    case SET_IN_HOOK:
      lua_sethook(L, set_by_hook, LUA_MASKCOUNT, 1);
      call_helper(L, "in_pcall", nothing);
      lua_sethook(L, NULL, 0, 0);
      break;
    case SET_IN_CLOSE: call_helper(L, "in_close", set_budget); break;
    case SET_IN_HANDLER: call_helper(L, "in_handler", set_budget); break;
    case SET_IN_LOAD:
      CHECK(lua_load(L, set_by_reader, NULL, "=read", "t") == LUA_OK);
      lua_pop(L, 1);
      break;
    default: set_budget(L); break;
  }
}

/* Raises the error, if the budget is used up. */
static int poll(lua_State *L) {
  penumbra_spend(L, 1);
  return 0;
}

/* Takes longer than any budget here, but ends, because a finalizer of the host
** is not stopped in a sandbox. */
static int spin(lua_State *L) {
  lua_getglobal(L, "spin");
  lua_call(L, 0, 0);
  return 0;
}

static int spend_in_c(lua_State *L) {
  int i;
  for (i = 0; i < 100000000; i++) penumbra_spend(L, 50);
  return 0;
}

static void spin_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  spin(L);
}

static void spend(lua_State *L) {
  switch (plan.spending) {
    case SPEND_IN_C: spend_in_c(L); break;
    case SPEND_IN_FINALIZER: call_helper(L, "in_finalizer", spin); break;
    case SPEND_IN_HOOK:
      lua_sethook(L, spin_hook, LUA_MASKCOUNT, 1);
      spin(L);
      break;
    case SPEND_IN_CLOSE: call_helper(L, "in_close", spin); break;
    case SPEND_IN_HANDLER: call_helper(L, "in_handler", spin); break;
    case SPEND_IN_LOAD: call_helper(L, "in_load", spin); break;
    default: spin(L); break;
  }
  poll(L);
  if (plan.spending != SPEND_IN_FINALIZER) fail("nothing was raised");
  while (1) poll(L); /* the finalizer has used up a part of it */
}

/* -- Calls ----------------------------------------------------------------- */

static int descend(lua_State *L);

static int raise_true(lua_State *L) {
  lua_pushboolean(L, 1);
  return lua_error(L);
}

/* The error has arrived: others can be caught again, even if no budget is left
** yet.  Then removes the budget. */
static void arrived(lua_State *L) {
  lua_getglobal(L, "pcall");
  lua_pushcfunction(L, raise_true); /* a message would take units */
  lua_call(L, 1, 1);
  if (lua_toboolean(L, -1)) fail("no error");
  lua_pop(L, 1);
  penumbra_setbudget(L, 0, 0);
}

/* The call at that depth has returned. */
static void returned(lua_State *L, int depth, int status, int over) {
  if (status != LUA_OK) {
    log_add(&seen, depth);
    if (plan.kinds[depth] >= HOST_KINDS) fail("caught by Lua");
    if (has_own_budget(plan.kinds[depth]) && !over) fail("not marked as over");
    if (depth == last_catcher) arrived(L);
  } else if (over) {
    fail("over, without an error");
  }
  poll(L);
}

/* returned(depth, ok, over) for Lua code. */
static int lua_returned(lua_State *L) {
  returned(L, (int)lua_tointeger(L, 1),
           lua_toboolean(L, 2) ? LUA_OK : LUA_ERRRUN, lua_toboolean(L, 3));
  return 0;
}

static int finish_callk(lua_State *L, int status, lua_KContext depth) {
  returned(L, (int)depth, status == LUA_YIELD ? LUA_OK : status, 0);
  return 0;
}

static void push_descend(lua_State *L, int depth) {
  lua_pushcfunction(L, descend);
  lua_pushinteger(L, depth + 1);
}

/* Pops the error, if there is one. */
static void check_error(lua_State *L, int status) {
  if (status <= LUA_YIELD) return;
  if (strcmp(lua_tostring(L, -1), "budget exhausted") != 0)
    fail(lua_tostring(L, -1));
  lua_pop(L, 1);
}

static int enter_resume(lua_State *L, int depth, lua_State *from) {
  int results, status;
  lua_State *co = lua_newthread(L);
  push_descend(co, depth);
  status = lua_resume(co, from, 1, &results);
  check_error(co, status);
  lua_pop(L, 1);
  return status;
}

/* box:run, called by C, where nothing is raised before the result is noted. */
static int enter_box(lua_State *L, int depth, int *over) {
  int ok, top = lua_gettop(L);
  lua_getglobal(L, "box");
  lua_getfield(L, -1, "run");
  lua_insert(L, -2);
  lua_pushliteral(L, "local f, n = ... f(n)");
  lua_pushliteral(L, "=box");
  push_descend(L, depth);
  lua_call(L, 5, 3);
  ok = lua_toboolean(L, top + 1);
  *over = !ok && strcmp(lua_tostring(L, top + 3), "budget") == 0;
  lua_settop(L, top);
  return ok ? LUA_OK : LUA_ERRRUN;
}

static void enter_by_lua(lua_State *L, int depth) {
  lua_getglobal(L, "enter");
  lua_rawgeti(L, -1, plan.kinds[depth]);
  lua_remove(L, -2);
  lua_pushcfunction(L, descend);
  lua_pushinteger(L, depth);
  lua_call(L, 2, 0);
}

static void enter(lua_State *L, int depth) {
  int over = 0, status = LUA_OK;
  switch (plan.kinds[depth]) {
    case LUA_PCALL:
      push_descend(L, depth);
      status = lua_pcall(L, 1, 0, 0);
      check_error(L, status);
      break;
    case PENUMBRA_PCALL:
      push_descend(L, depth);
      status = penumbra_pcall(L, 1, 0, 0, 1000000000, 100000000, &over);
      check_error(L, status);
      break;
    case BOX_RUN: status = enter_box(L, depth, &over); break;
    case LUA_RESUME: status = enter_resume(L, depth, L); break;
    case LUA_RESUME_NULL: status = enter_resume(L, depth, NULL); break;
    case LUA_PCALLK:
      push_descend(L, depth);
      status = lua_pcallk(L, 1, 0, 0, depth, finish_callk);
      break;
    case LUA_CALLK:
      push_descend(L, depth);
      lua_callk(L, 1, 0, depth, finish_callk);
      break;
    default: enter_by_lua(L, depth); return;
  }
  returned(L, depth, status, over);
}

/* Runs the plan from that depth on. */
static int descend(lua_State *L) {
  int depth = (int)lua_tointeger(L, 1);
  if (depth == plan.set_at) set_somewhere(L);
  if (depth < plan.depth)
    enter(L, depth);
  else
    spend(L);
  return 0;
}

static int panic(lua_State *L) { fail(lua_tostring(L, -1)); }

static int number_of(lua_State *L, const char *name, int value) {
  lua_pushinteger(L, value);
  lua_setglobal(L, name);
  return value;
}

static lua_State *open_state(void) {
  lua_State *L = own_open();
  lua_atpanic(L, panic);
  lua_register(L, "returned", lua_returned);
  number_of(L, "C_PCALL", C_PCALL);
  number_of(L, "PCALL", PCALL);
  number_of(L, "XPCALL", XPCALL);
  number_of(L, "RESUME", RESUME);
  number_of(L, "RESUME_C", RESUME_C);
  number_of(L, "WRAP", WRAP);
  number_of(L, "INDEX", INDEX);
  number_of(L, "GSUB", GSUB);
  own_run(
      L,
      "function spin() for i = 1, 1000000 do end end\n"
      "function in_pcall(f) assert(pcall(f)) end\n"
      "function in_resume(f)\n"
      "  assert(coroutine.resume(coroutine.create(function() f() end)))\n"
      "end\n"
      "function in_finalizer(f)\n"
      "  setmetatable({}, {__gc = function() f() end})\n"
      "  collectgarbage()\n"
      "end\n"
      "function in_close(f)\n"
      "  local c <close> = setmetatable({}, {__close = function() f() end})\n"
      "end\n"
      "function in_handler(f) xpcall(error, function() f() end) end\n"
      "function in_load(f) load(function() f() end) end\n"
      "box = require('penumbra.sandbox').new {time = 100}\n"
      "local function resume(co, f, n)\n"
      "  returned(n, (coroutine.resume(co, n + 1)))\n"
      "end\n"
      "enter = {\n"
      "[C_PCALL] = function(f, n)\n"
      "  string.gsub('x', 'x', function()\n"
      "    returned(n, (select(2, pcall(pcall, f, n + 1))))\n"
      "  end)\n"
      "end,\n"
      "[PCALL] = function(f, n) returned(n, (pcall(f, n + 1))) end,\n"
      "[XPCALL] = function(f, n)\n"
      "  returned(n, (xpcall(f, function(m) return m end, n + 1)))\n"
      "end,\n"
      "[RESUME] = function(f, n)\n"
      "  resume(coroutine.create(function(m) f(m) end), f, n)\n"
      "end,\n"
      "[RESUME_C] = function(f, n) resume(coroutine.create(f), f, n) end,\n"
      "[WRAP] = function(f, n)\n"
      "  coroutine.wrap(function(m) f(m) end)(n + 1)\n"
      "  returned(n, true)\n"
      "end,\n"
      "[INDEX] = function(f, n)\n"
      "  local t = setmetatable({}, {__index = function() f(n + 1) end})\n"
      "  local _ = t.x\n"
      "  returned(n, true)\n"
      "end,\n"
      "[GSUB] = function(f, n)\n"
      "  string.gsub('x', 'x', function() f(n + 1) end)\n"
      "  returned(n, true)\n"
      "end,\n"
      "}");
  lua_settop(L, 0);
  return L;
}

/* -- Running --------------------------------------------------------------- */

/* The state is as before, and another budget works. */
static void check_usable(lua_State *L) {
  int over = 0;
  if (lua_gettop(L) != 0) fail("the stack is not empty");
  lua_pushcfunction(L, spin);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) fail("a budget is left");
  lua_pushcfunction(L, spin);
  if (penumbra_pcall(L, 0, 0, 0, 1000, 0, &over) != LUA_ERRRUN || !over)
    fail("a call with a budget does not end");
  penumbra_setbudget(L, 1000, 0);
  lua_pushcfunction(L, spin);
  if (lua_pcall(L, 0, 0, 0) != LUA_ERRRUN) fail("the next budget does not end");
  penumbra_setbudget(L, 0, 0);
  lua_settop(L, 0);
}

static void plan_run(lua_State *L) {
  expected.count = seen.count = 0;
  lua_sethook(L, NULL, 0, 0);
  model_run();
  enter(L, 0);
  if (seen.count != expected.count ||
      memcmp(seen.depth, expected.depth, sizeof(int) * (size_t)seen.count) != 0)
    fail("caught elsewhere");
  if (plan.setting == SET_IN_FINALIZER || plan.spending == SPEND_IN_FINALIZER)
    lua_gc(L, LUA_GCCOLLECT); /* a finalizer may be left that takes long */
}

static long run_settings(lua_State *L, long stride, long *turn) {
  static const lua_Unsigned limits[][2] = {{20000, 0},
                                           {0, OWN_SANITIZED ? 3000 : 300}};
  long count = 0;
  int i, setting, spending;
  for (plan.set_at = 1; plan.set_at <= plan.depth; plan.set_at++)
    for (setting = 0; setting < SETTINGS; setting++)
      for (spending = 0; spending < SPENDINGS; spending++)
        for (i = 0; i < 2; i++) {
          if ((*turn)++ % stride != 0) continue;
          plan.setting = (Setting)setting;
          plan.spending = (Spending)spending;
          plan.units = limits[i][0];
          plan.microseconds = limits[i][1];
          plan_run(L);
          if (count++ % 16 == 0) check_usable(L);
        }
  return count;
}

/* All rows of `inner` calls; of the ways to set and spend, one of `stride`. */
static long run_rows(lua_State *L, int inner, long stride) {
  long count = 0, turn = 0, row, rows = 1;
  int i;
  for (i = 0; i < inner; i++) rows *= KINDS;
  plan.depth = inner + 1;
  plan.kinds[0] = LUA_PCALL;
  for (row = 0; row < rows; row++) {
    long rest = row;
    for (i = 1; i <= inner; i++, rest /= KINDS)
      plan.kinds[i] = (Kind)(rest % KINDS);
    count += run_settings(L, stride, &turn);
  }
  return count;
}

/* All rows have their turn in a full run.  No stride has a factor in common with
** the number of ways to set and spend, 154 for each depth at which the budget is
** set, so that the ways take turns. */
int main(void) {
  static const long strides[3][DEPTH_MOST + 1] = {
      {1, 5, 71, 1511, 30011},     /* usually */
      {1, 1, 13, 97, 769},         /* full */
      {1, 29, 409, 8009, 150011}}; /* with sanitizers */
  int full = getenv("PENUMBRA_FULL") != NULL;
  const long *stride = strides[OWN_SANITIZED ? 2 : full ? 1 : 0];
  lua_State *L = open_state();
  long count = 0;
  int inner;
  for (inner = 0; inner <= DEPTH_MOST; inner++)
    count += run_rows(L, inner, stride[inner]);
  lua_close(L);
  printf("%ld nestings\n", count);
  return 0;
}
