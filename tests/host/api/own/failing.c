/* SPDX-License-Identifier: MIT */
/*
** failing.c -- every allocation fails in turn
**
** Each scenario runs repeatedly with an allocator that refuses its first,
** second, third ... request, either only this one or all from then on, until no
** request of a run is refused.  A failed run must end with LUA_ERRMEM or (from
** lua_newstate) NULL.  The state must work again when memory is back, and not a
** byte may be lost.  Memory comes directly from malloc in pieces of the
** requested size, so that AddressSanitizer sees every access beside them.
**
** The heap requests chunks from its allocator, not objects.  A limit that grows
** a little from run to run makes other objects fail.  tests/unit/api refuses
** every single object, from inside.
*/
#include "own.h"

typedef struct Refusing {
  size_t bytes;
  long countdown; /* requests until one is refused; 0: never */
  int from_then_on;
  int refused;
} Refusing;

static int is_refused(Refusing *r) {
  if (r->countdown == 0) return 0;
  if (r->countdown > 1) {
    r->countdown--;
    return 0;
  }
  if (!r->from_then_on) r->countdown = 0;
  r->refused = 1;
  return 1;
}

static void *refusing(void *ud, void *p, size_t osize, size_t nsize) {
  Refusing *r = (Refusing *)ud;
  char *q;
  if (p == NULL) osize = 0;
  if (nsize == 0) {
    free(p);
    r->bytes -= osize;
    return NULL;
  }
  if (nsize > osize && is_refused(r)) return NULL;
  q = (char *)malloc(nsize);
  CHECK(q != NULL);
  if (p != NULL) memcpy(q, p, osize < nsize ? osize : nsize);
  free(p);
  r->bytes += nsize - osize;
  return q;
}

/* -- Scenarios ----------------------------------------------------------- */

static int run_code(lua_State *L, const char *code) {
  if (luaL_loadstring(L, code) != LUA_OK) return lua_error(L);
  lua_call(L, 0, 0);
  return 0;
}

static int open_libs(lua_State *L) {
  luaL_openlibs(L);
  return 0;
}

static int compile(lua_State *L) {
  return run_code(
      L, "local function f(a, ...) local b <const>, c <close> = 1.5, nil "
         "for i = 1, 3 do a = a .. i goto done ::done:: end "
         "return function(...) return {a, b, n = 1, ...} end end "
         "assert(f('x', 2)().n == 1)");
}

static int tables(lua_State *L) {
  int i;
  lua_createtable(L, 3, 3);
  for (i = 0; i < 300; i++) {
    lua_pushinteger(L, i);
    lua_rawseti(L, -2, i);
    lua_pushfstring(L, "key %d", i);
    lua_createtable(L, 0, 1);
    lua_settable(L, -3);
  }
  return 0;
}

static int strings(lua_State *L) {
  int i;
  lua_pushliteral(L, "");
  for (i = 0; i < 40; i++) {
    lua_pushfstring(L, "%d %s %f", i, "text", (lua_Number)i);
    lua_pushvalue(L, -1);
    lua_concat(L, 3);
  }
  return run_code(L, "local s = ('x'):rep(5000):gsub('x', 'yy') "
                     "assert(#(s .. s):upper():reverse() == 20000) "
                     "string.format('%q %99.9f %s', s, 1.5, {})");
}

static int userdata(lua_State *L) {
  int i;
  luaL_newmetatable(L, "failing.type");
  for (i = 0; i < 20; i++) {
    memset(lua_newuserdatauv(L, (size_t)i * 200, 3), 0, (size_t)i * 200);
    luaL_setmetatable(L, "failing.type");
    lua_newtable(L);
    lua_setiuservalue(L, -2, 2);
    lua_pop(L, 1);
  }
  return 0;
}

static int finalized;

static int count_finalizer(lua_State *L) {
  (void)L;
  finalized++;
  return 0;
}

static int finalizers(lua_State *L) {
  int i;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, count_finalizer);
  lua_setfield(L, -2, "__gc");
  for (i = 0; i < 300; i++) {
    lua_newuserdatauv(L, 8, 0);
    lua_pushvalue(L, 1);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
  }
  lua_gc(L, LUA_GCCOLLECT);
  return 0;
}

static int closing(lua_State *L) {
  return run_code(L,
                  "local closed = 0 "
                  "local mt = {__close = function() closed = closed + 1 "
                  "  local t = {} for i = 1, 20 do t[i] = {i} end end} "
                  "local function f(n) local a <close> = setmetatable({}, mt) "
                  "  if n > 0 then f(n - 1) end end "
                  "f(10) assert(closed == 11)");
}

static int coroutines(lua_State *L) {
  int i, nres;
  for (i = 0; i < 5; i++) {
    lua_State *thread = lua_newthread(L);
    if (luaL_loadstring(thread, "local a = coroutine.yield(...) "
                                "local t = {} for i = 1, 50 do t[i] = {} end "
                                "return a, #t") != LUA_OK ||
        lua_resume(thread, L, 0, &nres) > LUA_YIELD ||
        (lua_settop(thread, 0), lua_resume(thread, L, 0, &nres)) != LUA_OK) {
      lua_xmove(thread, L, 1);
      return lua_error(L);
    }
    lua_pop(L, 1);
  }
  return run_code(L, "local n = 0 for v in coroutine.wrap(function() "
                     "for i = 1, 30 do coroutine.yield({i}) end end) do "
                     "n = n + v[1] end assert(n == 465)");
}

static int buffers(lua_State *L) {
  luaL_Buffer a, b;
  int i;
  luaL_buffinit(L, &a);
  for (i = 0; i < 400; i++) {
    luaL_addstring(&a, "some text ");
    lua_pushinteger(L, i);
    luaL_addvalue(&a);
  }
  memset(luaL_buffinitsize(L, &b, 5000), 'x', 5000);
  luaL_pushresultsize(&b, 5000);
  luaL_addvalue(&a);
  luaL_addgsub(&a, "abcabc", "b", "a longer text");
  luaL_pushresult(&a);
  return 0;
}

/* Dumps a function and loads it again. */
static int dumping(lua_State *L) {
  size_t size;
  const char *chunk;
  if (luaL_loadstring(L,
                      "local a, b = 'a string', 1.5 local t = {a, b, x = 1} "
                      "return function(...) return t, ..., 'x' end") != LUA_OK)
    return lua_error(L);
  lua_getglobal(L, "string");
  lua_getfield(L, -1, "dump");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  chunk = lua_tolstring(L, -1, &size);
  if (luaL_loadbufferx(L, chunk, size, "dumped", "b") != LUA_OK)
    return lua_error(L);
  lua_call(L, 0, 1);
  return 0;
}

static int errors(lua_State *L) {
  return run_code(
      L, "for i = 1, 10 do local ok, e = pcall(error, {i}) assert(not ok) end "
         "local ok, e = xpcall(function() local x = nil; return x.y end, "
         "debug.traceback) assert(not ok) "
         "assert(not load('x = = 1'))");
}

static int references(lua_State *L) {
  int i, ref[50];
  for (i = 0; i < 50; i++) {
    lua_newtable(L);
    ref[i] = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  for (i = 0; i < 50; i++) luaL_unref(L, LUA_REGISTRYINDEX, ref[i]);
  luaL_traceback(L, L, "message", 0);
  luaL_tolstring(L, 1, NULL);
  return 0;
}

static int modules(lua_State *L) {
  return run_code(L, "package.preload.m = function(n) return {n} end "
                     "assert(require('m')[1] == 'm') package.loaded.m = nil "
                     "assert(not pcall(require, 'no.such')) "
                     "local gc = require 'penumbra.gc' gc.events(8) gc.stats() "
                     "gc.pauses(true) collectgarbage() gc.poll() "
                     "gc.pauses(false) gc.events(false)");
}

static int sorting(lua_State *L) {
  return run_code(
      L, "local t = {} for i = 1, 60 do t[i] = (i * 37 % 61) .. '' end "
         "table.sort(t, function(a, b) return #a .. a < #b .. b end) "
         "assert(#table.concat(t, ', ') > 100) "
         "table.unpack(table.pack(table.unpack(t)))");
}

static int drop_text(lua_State *L, const void *p, size_t size, void *ud) {
  (void)L, (void)p, (void)size, (void)ud;
  return 0;
}

static void count_site(void *ud, const penumbra_Site *site) {
  CHECK(site->stack != NULL && site->name != NULL);
  ++*(int *)ud;
}

/* Where there is no memory, less is observed. */
static int observing(lua_State *L) {
  int sites = 0;
  penumbra_samplealloc(L, 64);
  penumbra_record(L, 1);
  run_code(L, "local t = {} for i = 1, 200 do t[i] = {i, {}, i .. ''} end "
              "collectgarbage() t = nil collectgarbage()");
  penumbra_report(L, "x", drop_text, NULL);
  penumbra_getsites(L, count_site, &sites);
  penumbra_record(L, 0);
  penumbra_samplealloc(L, 0);
  return 0;
}

typedef struct Scenario {
  const char *name;
  lua_CFunction body;
} Scenario;

static const Scenario scenarios[] = {
    {"open", open_libs},      {"compile", compile},
    {"tables", tables},       {"strings", strings},
    {"userdata", userdata},   {"finalizers", finalizers},
    {"closing", closing},     {"coroutines", coroutines},
    {"buffers", buffers},     {"dump", dumping},
    {"errors", errors},       {"references", references},
    {"modules", modules},     {"sorting", sorting},
    {"observing", observing},
};

/* -- Trials -------------------------------------------------------------- */

/* If there is no memory to grow a stack, the error is a stack overflow. */
static int is_overflow(const char *message) {
  return strstr(message, "stack overflow") != NULL ||
         strstr(message, "too many results") != NULL;
}

/* Runs the scenario.  Afterwards memory is back, and it must succeed. */
static void run_scenario(lua_State *L, const Scenario *s, Refusing *r) {
  int status;
  lua_pushcfunction(L, s->body);
  status = lua_pcall(L, 0, 0, 0);
  if (status != LUA_OK && status != LUA_ERRMEM &&
      !is_overflow(lua_tostring(L, -1))) {
    fprintf(stderr, "%s: status %d, %s\n", s->name, status,
            lua_tostring(L, -1));
    abort();
  }
  if (status == LUA_ERRMEM)
    CHECK(strcmp(lua_tostring(L, -1), "not enough memory") == 0);
  r->countdown = 0;
  penumbra_setlimit(L, 0);
  lua_settop(L, 0);
  lua_pushcfunction(L, s->body);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_OK);
  lua_gc(L, LUA_GCCOLLECT);
}

/* Opens a state and prepares it completely before memory gets short. */
static lua_State *open_state(Refusing *r) {
  lua_State *L;
  memset(r, 0, sizeof *r);
  L = lua_newstate(refusing, r);
  CHECK(L != NULL);
  return L;
}

static int try_allocation(const Scenario *s, long n, int from_then_on) {
  Refusing r;
  int refused;
  lua_State *L = open_state(&r);
  if (s->body != open_libs) luaL_openlibs(L);
  r.countdown = n;
  r.from_then_on = from_then_on;
  run_scenario(L, s, &r);
  refused = r.refused;
  lua_close(L);
  CHECK(r.bytes == 0);
  return refused;
}

/* Sets the limit `more` bytes above the bytes in use. */
static int try_limit(const Scenario *s, size_t more) {
  Refusing r;
  penumbra_Stats stats = {.size = sizeof stats};
  lua_Unsigned before;
  lua_State *L = open_state(&r);
  if (s->body != open_libs) luaL_openlibs(L);
  penumbra_getstats(L, &stats);
  before = stats.emergencies;
  penumbra_setlimit(L, stats.footprint + more);
  run_scenario(L, s, &r);
  penumbra_getstats(L, &stats);
  lua_close(L);
  CHECK(r.bytes == 0);
  return stats.emergencies > before;
}

static void test_scenario(const Scenario *s) {
  long n, last = 0;
  size_t more, limits = 0;
  int from_then_on;
  for (from_then_on = 0; from_then_on <= 1; from_then_on++)
    for (n = 1; try_allocation(s, n, from_then_on); n++) last = n;
  for (more = 1; try_limit(s, more); more += 16384 / 7) limits++;
  printf("%s: %ld allocations, %zu limits\n", s->name, last, limits);
}

/* lua_newstate returns NULL and has freed everything. */
static void test_new_state(void) {
  long n;
  for (n = 1;; n++) {
    Refusing r;
    lua_State *L;
    memset(&r, 0, sizeof r);
    r.countdown = n;
    r.from_then_on = 1;
    L = lua_newstate(refusing, &r);
    if (L != NULL && !r.refused) {
      lua_close(L);
      CHECK(r.bytes == 0);
      break;
    }
    if (L != NULL) lua_close(L);
    CHECK(r.bytes == 0);
  }
  printf("newstate: %ld allocations\n", n - 1);
  CHECK(n > 1);
}

/* penumbra_runsandbox raises nothing: there is no protected call here. */
static int try_sandbox(long n, int from_then_on) {
  static const char code[] =
      "local t = {...} for i = 1, 300 do t[i] = {i} end return #t, 'a name'";
  Refusing r;
  penumbra_Limits limits = {sizeof limits, 0, 0, 16 << 20};
  int status, refused, over = 7;
  lua_State *L = open_state(&r);
  luaL_openlibs(L);
  penumbra_pushsandbox(L);
  lua_pushinteger(L, 1);
  r.countdown = n;
  r.from_then_on = from_then_on;
  status =
      penumbra_runsandbox(L, code, sizeof code - 1,
                          "=a chunk with a name of its own", 1, &limits, &over);
  refused = r.refused;
  r.countdown = 0;
  CHECK(status == LUA_OK || (status == LUA_ERRMEM && refused));
  CHECK(over == 0 && lua_gettop(L) == (status == LUA_OK ? 3 : 2));
  if (status != LUA_OK)
    CHECK(strcmp(lua_tostring(L, -1), "not enough memory") == 0);
  lua_settop(L, 1);
  CHECK(penumbra_runsandbox(L, code, sizeof code - 1, "=x", 0, &limits,
                            &over) == LUA_OK);
  CHECK(lua_tointeger(L, 2) == 300);
  lua_close(L);
  CHECK(r.bytes == 0);
  return refused;
}

/* A stack that cannot grow is reported in the same way. */
static void test_full_stack(void) {
  penumbra_Limits limits = {sizeof limits, 0, 0, 0};
  int status, n = 0, over;
  lua_State *L = luaL_newstate();
  penumbra_pushsandbox(L);
  while (lua_checkstack(L, 1)) lua_pushinteger(L, ++n);
  status = penumbra_runsandbox(L, "return 1", 8, "=x", n, &limits, &over);
  CHECK(status == LUA_ERRMEM && lua_gettop(L) == 2);
  lua_close(L);
}

/* A host that does not say how large its limits are gets an error, not a run
** without limits. */
static void test_limits_without_size(void) {
  penumbra_Limits limits = {0, 0, 1000, 0};
  int over;
  lua_State *L = luaL_newstate();
  penumbra_pushsandbox(L);
  CHECK(penumbra_runsandbox(L, "return 1", 8, "=x", 0, &limits, &over) ==
        LUA_ERRRUN);
  CHECK(strstr(lua_tostring(L, -1), "penumbra_Limits") != NULL);
  CHECK(lua_gettop(L) == 2 && over == 0);
  lua_close(L);
}

static void test_sandbox(void) {
  long n, last = 0;
  int from_then_on;
  for (from_then_on = 0; from_then_on <= 1; from_then_on++)
    for (n = 1; try_sandbox(n, from_then_on); n++) last = n;
  printf("sandbox: %ld allocations\n", last);
  CHECK(last > 0);
  test_full_stack();
  test_limits_without_size();
}

/* penumbra_why tells the whole truth, or that it had no memory. */
static int try_why(long n, int from_then_on, lua_Unsigned *retained) {
  Refusing r;
  penumbra_Why why;
  int answer, refused;
  lua_State *L = open_state(&r);
  why.size = sizeof why;
  luaL_openlibs(L);
  if (luaL_dostring(L, "t = {} for i = 1, 2000 do t[i] = {i} end return t"))
    abort();
  lua_gc(L, LUA_GCCOLLECT);
  r.countdown = n;
  r.from_then_on = from_then_on;
  answer = penumbra_why(L, -1, &why);
  refused = r.refused;
  r.countdown = 0;
  if (answer) {
    if (*retained == 0) *retained = why.retained;
    CHECK(why.retained == *retained && strcmp(why.path, "_G.t") == 0);
  } else {
    CHECK(refused && strcmp(why.path, "not enough memory") == 0);
    CHECK(why.retained == 0);
  }
  lua_close(L);
  CHECK(r.bytes == 0);
  return refused;
}

static void test_why(void) {
  long n, last = 0;
  int from_then_on;
  lua_Unsigned retained = 0;
  try_why(0, 0, &retained);
  CHECK(retained > 2000 * 16);
  for (from_then_on = 0; from_then_on <= 1; from_then_on++)
    for (n = 1; try_why(n, from_then_on, &retained); n++) last = n;
  printf("why: %ld allocations\n", last);
  CHECK(last > 0);
}

int main(void) {
  size_t i;
  test_new_state();
  test_sandbox();
  test_why();
  for (i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    test_scenario(&scenarios[i]);
  CHECK(finalized > 0);
  return 0;
}
