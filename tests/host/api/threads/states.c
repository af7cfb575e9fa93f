/* SPDX-License-Identifier: MIT */
/*
** states.c -- several states in several threads
**
** Each thread has its own state, and each state does everything that could be
** shared by mistake: opening, all libraries, errors, coroutines, both modes of
** the collector, finalizers, penumbra.h, closing.  Then states go from one
** thread to the next.  The only lock is the one that hands them over, so
** ThreadSanitizer sees every shared write.
*/
#include <pthread.h>

#include "own.h"

enum { THREADS = 4, ROUNDS = OWN_SANITIZED ? 1 : 2 };

static const char program[] =
    "local gc = require 'penumbra.gc'\n"
    "gc.pauses(true) gc.events(16)\n"
    "local t = setmetatable({}, {__mode = 'k'})\n"
    "for _, mode in ipairs {'incremental', 'generational'} do\n"
    "  collectgarbage(mode)\n"
    "  for i = 1, 2000 do\n"
    "    t[{}] = setmetatable({i, tostring(i)}, {__gc = function() end})\n"
    "  end\n"
    "  collectgarbage()\n"
    "end\n"
    "local s = {}\n"
    "for i = 1, 500 do\n"
    "  s[#s + 1] = string.format('%d %g %q', i, i / 3, 'x' .. i)\n"
    "  s[#s + 1] = string.rep('ab', i):gsub('b', 'c')\n"
    "  s[#s + 1] = string.pack('i4z', i, 'z'):byte()\n"
    "end\n"
    "table.sort(s, function(a, b) return tostring(a) < tostring(b) end)\n"
    "local co = coroutine.wrap(function(...)\n"
    "  for i = 1, 100 do coroutine.yield(i, ...) end\n"
    "end)\n"
    "for i = 1, 50 do assert(co(1, 2) == i) end\n"
    "assert(not pcall(error, {}))\n"
    "assert(not pcall(string.rep))\n"
    "assert(select(2, load('x =')):find('near'))\n"
    "local f = load(string.dump(function(a) return a + 1 end))\n"
    "assert(f(1) == 2)\n"
    "assert(math.random(10) <= 10 and os.time() > 0 and os.date('!%Y'))\n"
    "assert(os.getenv('HOME') or true)\n"
    "assert(utf8.char(228, 8364) == '\\u{E4}\\u{20AC}')\n"
    "assert(debug.traceback('x'):find('stack traceback'))\n"
    "local file = io.tmpfile() file:write('x\\n') file:seek('set')\n"
    "assert(file:read('l') == 'x') file:close()\n"
    "pcall(require, 'no.such.module')\n"
    "local function deep(n) return n == 0 and 0 or 1 + deep(n - 1) end\n"
    "assert(deep(5000) == 5000)\n"
    "local name = os.tmpname()\n"
    "assert(gc.snapshot(name, 'steps'))\n"
    "while gc.snapshot() == false do s[1] = {{}, {}} end\n"
    "assert(gc.snapshot().nodes > 100 and os.remove(name))\n"
    "gc.poll() gc.step(100) gc.finalize() gc.stats() gc.pauses(false)\n"
    "count = (count or 0) + 1\n";

static void *run_states(void *unused) {
  int i;
  (void)unused;
  for (i = 0; i < ROUNDS; i++) {
    lua_State *L = own_open();
    own_run(L, program);
    lua_close(L);
  }
  return NULL;
}

static void start_all(pthread_t *threads, void *(*f)(void *), void *data) {
  int i;
  for (i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, f, data) == 0);
}

static void join_all(pthread_t *threads) {
  int i;
  for (i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Any thread may use the state, but only one at a time. */
typedef struct Shared {
  pthread_mutex_t mutex;
  lua_State *L;
} Shared;

static void *take_turns(void *data) {
  Shared *shared = (Shared *)data;
  int i;
  for (i = 0; i < ROUNDS; i++) {
    CHECK(pthread_mutex_lock(&shared->mutex) == 0);
    own_run(shared->L, program);
    CHECK(pthread_mutex_unlock(&shared->mutex) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  Shared shared;
  start_all(threads, run_states, NULL);
  join_all(threads);
  CHECK(pthread_mutex_init(&shared.mutex, NULL) == 0);
  shared.L = own_open();
  start_all(threads, take_turns, &shared);
  join_all(threads);
  lua_getglobal(shared.L, "count");
  CHECK(lua_tointeger(shared.L, -1) == THREADS * ROUNDS);
  lua_close(shared.L);
  return 0;
}
