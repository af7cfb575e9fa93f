/* SPDX-License-Identifier: MIT */
/*
** allocators.c -- allocators that fill memory and always move it
**
** A state begins with the allocator of luaL_newstate, whose memory may be zero,
** and gets another one by lua_setallocf: again and again, in the middle of
** cycles, in finalizers, while tables grow.  The others fill new bytes and freed
** bytes with a pattern each, and move a block whenever its size changes.  The
** program must compute the same as without them.  Samples of allocations follow
** what they sampled when it moves.
*/
#include "own.h"

/* -- Allocators ------------------------------------------------------------ */

typedef struct Filler {
  lua_Alloc inner; /* of luaL_newstate: each can free blocks of the others */
  void *inner_data;
  int fresh, freed; /* patterns; -1: none */
  long moves;
} Filler;

enum { FILLERS = 4 };
static Filler fillers[FILLERS];
static int current;
static long turns;

static void fill(void *p, int pattern, size_t size) {
  if (pattern >= 0) memset(p, pattern, size);
}

static void *fill_new(Filler *f, size_t type, size_t size) {
  void *p = f->inner(f->inner_data, NULL, type, size);
  if (p != NULL) fill(p, f->fresh, size);
  return p;
}

static void fill_free(Filler *f, void *p, size_t size) {
  fill(p, f->freed, size);
  f->inner(f->inner_data, p, size, 0);
}

static void *fill_allocate(void *ud, void *p, size_t osize, size_t nsize) {
  Filler *f = (Filler *)ud;
  void *moved;
  CHECK(f == &fillers[current]);
  if (p == NULL) return nsize == 0 ? NULL : fill_new(f, osize, nsize);
  if (nsize == 0) {
    fill_free(f, p, osize);
    return NULL;
  }
  moved = fill_new(f, 0, nsize);
  if (moved == NULL) return NULL;
  memcpy(moved, p, osize < nsize ? osize : nsize);
  fill_free(f, p, osize);
  f->moves++;
  return moved;
}

static void use_filler(lua_State *L, int number) {
  void *ud;
  current = number;
  lua_setallocf(L, fill_allocate, &fillers[number]);
  CHECK(lua_getallocf(L, &ud) == fill_allocate && ud == &fillers[number]);
}

/* turn(): another allocator from now on. */
static int turn(lua_State *L) {
  turns++;
  use_filler(L, (current + 1) % FILLERS);
  return 0;
}

static int no_turn(lua_State *L) {
  (void)L;
  return 0;
}

static void prepare(lua_State *L) {
  static const int patterns[FILLERS][2] = {
      {0xa5, 0x5a}, {0xff, 0x01}, {-1, -1}, {0x00, 0xee}};
  for (int i = 0; i < FILLERS; i++) {
    Filler f = {NULL, NULL, patterns[i][0], patterns[i][1], 0};
    f.inner = lua_getallocf(L, &f.inner_data);
    fillers[i] = f;
  }
}

/* -- The same results ------------------------------------------------------ */

static const char *const program =
    "local out = {}\n"
    "local function add(...) out[#out + 1] = table.concat({...}, ' ') end\n"
    /* arrays and hashes that grow and shrink, with holes that must be nil */
    "for round = 1, 4 do\n"
    "  local t, h, sum = {}, {}, 0\n"
    "  for i = 1, 30000 do\n"
    "    t[i] = i if i % 5000 == 0 then turn() end\n"
    "  end\n"
    "  for i = 1, 30000, 3 do t[i] = nil end\n"
    "  for i = 1, 60000 do sum = sum + (t[i] or 0) end\n"
    "  for i = 1, 8000 do\n"
    "    h['k' .. i] = i if i % 1999 == 0 then turn() end\n"
    "  end\n"
    "  for i = 1, 8000, 2 do h['k' .. i] = nil end\n"
    "  local count = 0 for k, v in pairs(h) do count = count + v end\n"
    "  add(round, sum, count, h.k2 or 'nil', h.k9999 or 'nil')\n"
    "end\n"
    "for _, n in ipairs {10, 100, 1000, 10000, 100000, 300000} do\n"
    "  local t = table.pack(table.unpack({}, 1, math.min(n, 1000)))\n"
    "  local big = table.move({}, 1, 1, 1, {[n] = 1}) turn()\n"
    "  local holes = 0\n"
    "  for i = 1, n - 1 do if big[i] ~= nil then holes = holes + 1 end end\n"
    "  add(n, #t, holes, big[n])\n"
    "end\n"
    /* strings */
    "local s = '' for i = 1, 2000 do s = s .. i if i % 300 == 0 then turn() "
    "end "
    "  end\n"
    "add(#s, s:sub(-10), (s:gsub('9', 'nine')):len(), select(2, s:gsub('1', "
    "  function() end)))\n"
    "local long = ('x'):rep(1 << 20) turn() add(#(long .. long), "
    "long:byte(-1))\n"
    "add(string.format('%q', s):len(), #string.pack('s4', s))\n"
    /* coroutines with deep stacks */
    "local function deep(n) if n == 0 then turn() coroutine.yield(1) return 0 "
    "  end return 1 + deep(n - 1) end\n"
    "local list = {} for i = 1, 40 do list[i] = coroutine.create(deep)\n"
    "  coroutine.resume(list[i], i * 50) end\n"
    "for i = 1, 40 do add(select(2, coroutine.resume(list[i]))) end\n"
    /* code, closures, sort, weak tables, finalizers */
    "add(#string.dump(assert(load(('local x = 1 '):rep(150) .. "
    "  ('x = x + 1 '):rep(5000)))) > 0 and 'dumped')\n"
    "local v, seed = {}, 42 for i = 1, 20000 do\n"
    "  seed = (seed * 1103515245 + 12345) & 0x7fffffff v[i] = seed end\n"
    "turn() table.sort(v, function(a, b)\n"
    "  if a % 9973 == 0 then turn() end return a < b end)\n"
    "add(v[1], v[10000], v[20000])\n"
    "local weak, kept = setmetatable({}, {__mode = 'k'}), {}\n"
    "for i = 1, 3000 do local k = {} weak[k] = i if i % 3 == 0 then\n"
    "  kept[#kept + 1] = k end end\n"
    "collectgarbage() local w = 0 for k, x in pairs(weak) do w = w + x end\n"
    "add(w)\n"
    "local closed = 0 for i = 1, 300 do\n"
    "  setmetatable({}, {__gc = function() closed = closed + 1\n"
    "    if closed % 50 == 0 then turn() end end}) end\n"
    "collectgarbage() collectgarbage() add(closed)\n"
    "return table.concat(out, '\\n')";

static void set_turn(lua_State *L, lua_CFunction f) {
  lua_pushcfunction(L, f);
  lua_setglobal(L, "turn");
}

/* In both modes, and with steps of the host in between. */
static void test_same(void) {
  lua_State *plain = own_open();
  set_turn(plain, no_turn);
  own_run(plain, program);
  for (int round = 0; round < 4; round++) {
    lua_State *L = own_open();
    prepare(L);
    if (round % 2) lua_gc(L, LUA_GCGEN, 0, 0);
    set_turn(L, round < 2 ? turn : no_turn);
    use_filler(L, round % FILLERS);
    own_run(L, program);
    if (strcmp(lua_tostring(L, -1), lua_tostring(plain, -1)) != 0) {
      fprintf(stderr, "round %d:\n%s\nexpected:\n%s\n", round,
              lua_tostring(L, -1), lua_tostring(plain, -1));
      abort();
    }
    lua_close(L);
  }
  lua_close(plain);
}

/* A switch at every point of a cycle. */
static void test_in_cycles(void) {
  lua_State *L = own_open();
  prepare(L);
  use_filler(L, 0);
  own_run(L, "kept = {} for i = 1, 3000 do kept[i] = {i, tostring(i)} end");
  lua_gc(L, LUA_GCSTOP);
  for (int i = 0; i < 3000; i++) {
    turn(L);
    penumbra_step(L, 0, NULL);
    if (i % 10 == 0)
      own_run(L, "local t = {} for i = 1, 100 do t[i] = {i} end");
  }
  own_run(L, "for i = 1, 3000 do\n"
             "  assert(kept[i][1] == i and kept[i][2] == tostring(i)) end");
  lua_close(L);
}

/* -- Samples of what moves ------------------------------------------------- */

typedef struct Total {
  lua_State *L;
  lua_Unsigned live_bytes;
  int tables; /* sites whose object is a table that the program has made */
} Total;

static void add_site(void *ud, const penumbra_Site *site) {
  static const char *const letters = "abcdefghijklmnopqrstuvwxyz ";
  Total *total = (Total *)ud;
  if (strspn(site->type, letters) != strlen(site->type)) {
    fprintf(stderr, "a type is called \"%s\"\n", site->type);
    abort();
  }
  if (strstr(site->stack, "grow") == NULL) return;
  total->live_bytes += site->live_bytes;
  if (!lua_istable(total->L, -1)) return;
  lua_getfield(total->L, -1, "name");
  total->tables += lua_isstring(total->L, -1);
  lua_pop(total->L, 1);
}

static Total sites_total(lua_State *L) {
  Total total = {L, 0, 0};
  CHECK(penumbra_getsites(L, add_site, &total));
  return total;
}

/* Tables whose parts are large grow, so that what was sampled moves, many
** times.  Their bytes stay live as long as they do, and not longer. */
static void test_samples(void) {
  enum { TABLES = 8, ENTRIES = 70000 };
  lua_State *L = own_open();
  prepare(L);
  use_filler(L, 0);
  CHECK(penumbra_samplealloc(L, 4096));
  own_run(L, "tables = {}\n"
             "function grow(from, to) for n = 1, 8 do\n"
             "  local t = tables[n] or {name = 'table ' .. n} tables[n] = t\n"
             "  for i = from, to do t[i] = i end end end\n"
             "for i = 0, 49 do grow(i * 1000 + 1, i * 1000 + 1000)\n"
             "  if i % 10 == 0 then collectgarbage() end end\n"
             "grow(50001, 70000)"); /* and they move after the collection */
  CHECK(fillers[0].moves > 50);
  for (int i = 0; i < 3; i++) {
    Total total = sites_total(L);
    const lua_Unsigned least = (lua_Unsigned)TABLES * ENTRIES * 8;
    if (total.live_bytes < least / 2 || total.live_bytes > least * 6) {
      fprintf(stderr, "%llu bytes are live, of %llu\n",
              (unsigned long long)total.live_bytes, (unsigned long long)least);
      abort();
    }
    lua_gc(L, LUA_GCCOLLECT);
    if (i == 1) own_run(L, "for n = 1, 8 do tables[n][70001] = n end");
  }
  own_run(L, "tables = nil");
  for (int i = 0; i < 2; i++) lua_gc(L, LUA_GCCOLLECT);
  CHECK(sites_total(L).live_bytes == 0);
  lua_close(L);
}

int main(void) {
  test_same();
  test_in_cycles();
  test_samples();
  printf("%ld switches\n", turns);
  return 0;
}
