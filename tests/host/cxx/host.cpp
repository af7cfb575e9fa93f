// SPDX-License-Identifier: MIT
//
// host.cpp -- a C++ program that embeds Lua
//
// Compiled once, and linked with liblua5.4 and with liblua5.4-c++. The argument
// names the kind of the library: `jump` or `throw`. Both libraries pass the
// first part. Only liblua5.4-c++ passes the second part, destructors and
// foreign exceptions.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lua.hpp"

static int failures = 0;

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) {                                              \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
      failures++;                                                    \
    }                                                                \
  } while (0)

// Counts the live objects.
struct Guard {
  static int alive;
  Guard() { alive++; }
  ~Guard() { alive--; }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;
};
int Guard::alive = 0;

struct State {
  lua_State *L;
  State() : L(luaL_newstate()) { luaL_openlibs(L); }
  ~State() { lua_close(L); }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  // Runs a chunk. Returns true, or false with the message in `error`.
  bool run(const char *code) {
    bool ok = luaL_dostring(L, code) == LUA_OK;
    error = ok ? "" : luaL_tolstring(L, -1, nullptr);
    lua_settop(L, 0);
    return ok;
  }
  std::string error;
};

// -- True of both libraries --------------------------------------------------

static int host_sum(lua_State *L) {
  std::vector<lua_Integer> numbers;
  for (int i = 1; i <= lua_gettop(L); i++)
    numbers.push_back(lua_tointeger(L, i));
  lua_Integer sum = 0;
  for (lua_Integer n : numbers) sum += n;
  lua_pushinteger(L, sum);
  return 1;
}

// An exception that does not leave the function has no effect on Lua.
static int host_catches(lua_State *L) {
  try {
    Guard guard;
    throw std::runtime_error("inside");
  } catch (const std::exception &e) {
    lua_pushstring(L, e.what());
  }
  return 1;
}

static int box_collect(lua_State *L) {
  void *memory = luaL_checkudata(L, 1, "Box");
  static_cast<std::unique_ptr<Guard> *>(memory)->~unique_ptr();
  return 0;
}

// A C++ object inside a userdata, destroyed by the collector.
static int host_box(lua_State *L) {
  void *memory = lua_newuserdatauv(L, sizeof(std::unique_ptr<Guard>), 0);
  new (memory) std::unique_ptr<Guard>(new Guard);
  if (luaL_newmetatable(L, "Box")) {
    lua_pushcfunction(L, box_collect);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return 1;
}

static int host_fail(lua_State *L) {
  return luaL_error(L, "failed on purpose");
}

static void test_common() {
  {
    State s;
    lua_register(s.L, "sum", host_sum);
    lua_register(s.L, "catches", host_catches);
    lua_register(s.L, "box", host_box);
    lua_register(s.L, "fail", host_fail);
    CHECK(s.run("assert(sum(1, 2, 3) == 6)"));
    CHECK(s.run("assert(catches() == 'inside')"));
    CHECK(!s.run("fail()") && s.error.find("failed on purpose") > 0);
    CHECK(!s.run("local t = setmetatable({}, {__close = function() sum() end})"
                 "local x <close> = t  error('closing', 0)"));
    CHECK(s.error == "closing");
    CHECK(s.run("for i = 1, 300 do box() end  collectgarbage()"));
    CHECK(Guard::alive == 0);
    CHECK(s.run("kept = box()"));
    CHECK(Guard::alive == 1);
  }
  CHECK(Guard::alive == 0);
}

// -- Only where errors are exceptions ----------------------------------------

static int host_guarded_error(lua_State *L) {
  Guard outer;
  std::string text(100, 'x');
  Guard inner;
  lua_pushstring(L, "through two guards");
  return lua_error(L);
}

// An error in Lua code called from here, on its way to an outer pcall.
static int host_guarded_call(lua_State *L) {
  Guard guard;
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

static int host_guarded_yield(lua_State *L) {
  Guard guard;
  return lua_yield(L, lua_gettop(L));
}

static int host_throw(lua_State *L) {
  Guard guard;
  throw std::runtime_error(luaL_optstring(L, 1, "thrown"));
}

static int host_throw_int(lua_State *) {
  Guard guard;
  throw 42;
}

// An allocator with a limit. Memory errors also run destructors.
static void *limited(void *left, void *block, size_t old_size, size_t size) {
  size_t *room = static_cast<size_t *>(left);
  if (!block) old_size = 0;
  if (size > old_size && size - old_size > *room) return nullptr;
  *room = *room + old_size - size;
  if (size == 0) {
    std::free(block);
    return nullptr;
  }
  return std::realloc(block, size);
}

static int host_guarded_growth(lua_State *L) {
  Guard guard;
  lua_newtable(L);
  for (lua_Integer i = 1;; i++) {
    lua_pushfstring(L, "%I a string that takes some room", i);
    lua_rawseti(L, -2, i);
  }
}

static void test_memory() {
  size_t room = 1 << 20;
  lua_State *L = lua_newstate(limited, &room);
  CHECK(L != nullptr);
  lua_pushcfunction(L, host_guarded_growth);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRMEM);
  CHECK(std::string(lua_tostring(L, -1)) == "not enough memory");
  CHECK(Guard::alive == 0);
  lua_close(L);
}

// Memory errors that leave functions of Lua that have run often, and may have
// machine code.
static void test_memory_in_hot_code() {
  size_t room = 8 << 20;
  lua_State *L = lua_newstate(limited, &room);
  CHECK(L != nullptr);
  luaL_openlibs(L);
  CHECK(luaL_dostring(L,
                      "local kept\n"
                      "local function fill(n)\n"
                      "  for i = 1, n do kept = {kept, i .. 'x'} end\n"
                      "end\n"
                      "for _ = 1, 100 do kept = nil fill(100) end\n"
                      "kept = nil\n"
                      "local ok, message = pcall(fill, 1e9)\n"
                      "kept = nil\n"
                      "return ok, message") == LUA_OK);
  CHECK(!lua_toboolean(L, -2));
  CHECK(std::string(lua_tostring(L, -1)) == "not enough memory");
  lua_close(L);
}

static void test_destructors(State &s) {
  CHECK(!s.run("guarded_error()") && s.error == "through two guards");
  CHECK(Guard::alive == 0);
  CHECK(s.run("for i = 1, 200 do"
              "  local ok, e = pcall(guarded_error)"
              "  assert(not ok and e == 'through two guards') end"));
  CHECK(Guard::alive == 0);
  CHECK(s.run("local ok, e = pcall(guarded_call, function() error{7} end)"
              "assert(e[1] == 7)"));
  CHECK(Guard::alive == 0);
  CHECK(s.run("local co = coroutine.wrap(function()"
              "  guarded_yield(1)  guarded_error() end)"
              "assert(co() == 1)  assert(not pcall(co))"));
  CHECK(Guard::alive == 0);
}

static void test_foreign(State &s) {
  CHECK(s.run("local ok, e = pcall(throw, 'a reason')"
              "assert(not ok and e == 'a reason')"));
  CHECK(s.run("local ok, e = pcall(throw_int)"
              "assert(not ok and e == 'C++ exception')"));
  CHECK(!s.run("throw()") && s.error == "thrown");
  CHECK(Guard::alive == 0);
  // The message handler sees the stack of the error.
  CHECK(s.run("function deep() throw('x') end "
              "local ok, e = xpcall(deep, debug.traceback)"
              "assert(e:find('^x\\n') and e:find(\"'deep'\"), e)"));
  CHECK(s.run("local closed = 0 "
              "pcall(function() local x <close> = setmetatable({}, "
              "  {__close = function(_, e) closed = e end})  throw('y') end)"
              "assert(closed == 'y')"));
  CHECK(s.run("local co = coroutine.create(throw) "
              "local ok, e = coroutine.resume(co, 'in a coroutine') "
              "assert(not ok and e == 'in a coroutine')"
              "assert(coroutine.status(co) == 'dead')"));
  CHECK(s.run("setmetatable({}, {__gc = function() throw('warned') end}) "
              "collectgarbage()"));
  // The state stays usable.
  CHECK(s.run("local t = {} for i = 1, 1000 do t[i] = {pcall(throw, i)} end "
              "collectgarbage() assert(t[77][2] == '77')"));
  CHECK(Guard::alive == 0);
}

// -- Outside of a protected call ----------------------------------------------

static int passed_by = 0; // errors that went through the `catch` below

// Inside a protected call, `catch (...)` sees Lua errors, and passes them on.
static int host_passes_on(lua_State *L) {
  try {
    lua_call(L, lua_gettop(L) - 1, 0);
  } catch (...) {
    passed_by++;
    throw;
  }
  return 0;
}

static void test_catch_inside(State &s) {
  lua_register(s.L, "passes_on", host_passes_on);
  passed_by = 0;
  CHECK(s.run("local ok, e = pcall(passes_on, error, 'seen', 0)"
              "assert(not ok and e == 'seen')"));
  CHECK(passed_by == 1);
  CHECK(s.run("local ok, e = pcall(passes_on, throw, 'own')"
              "assert(not ok and e == 'own')"));
  CHECK(passed_by == 2);
  CHECK(s.run("local co = coroutine.create(passes_on) "
              "local ok, e = coroutine.resume(co, error, 'there', 0) "
              "assert(not ok and e == 'there')"));
  CHECK(passed_by == 3);
}

static int panic_throws(lua_State *L) {
  throw std::logic_error(lua_tostring(L, -1));
}

enum { CAUGHT_RUNTIME = 10, CAUGHT_LOGIC, CAUGHT_OTHER, NOT_CAUGHT };

// Calls the function without a protected call. Returns what was caught.
static int call_unprotected(lua_CFunction f, lua_CFunction panic) {
  lua_State *L = luaL_newstate();
  lua_atpanic(L, panic);
  try {
    lua_pushcfunction(L, f);
    lua_call(L, 0, 0);
  } catch (const std::runtime_error &e) {
    return std::string(e.what()) == "thrown" ? CAUGHT_RUNTIME : CAUGHT_OTHER;
  } catch (const std::logic_error &e) {
    return std::string(e.what()) == "failed on purpose" ? CAUGHT_LOGIC
                                                        : CAUGHT_OTHER;
  } catch (...) {
    return CAUGHT_OTHER;
  }
  return NOT_CAUGHT;
}

// The same in a process of its own, because the state cannot be used again.
// Returns the exit status, or minus the signal that ended the process.
static int in_process(lua_CFunction f, lua_CFunction panic) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    _exit(call_unprotected(f, panic));
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_unprotected() {
  CHECK(in_process(host_throw, nullptr) == CAUGHT_RUNTIME);
  CHECK(in_process(host_throw_int, nullptr) == CAUGHT_OTHER);
  CHECK(in_process(host_fail, panic_throws) == CAUGHT_LOGIC);
  CHECK(in_process(host_fail, nullptr) == -SIGABRT); // no catch sees it
}

static void test_exceptions() {
  State s;
  lua_register(s.L, "guarded_error", host_guarded_error);
  lua_register(s.L, "guarded_call", host_guarded_call);
  lua_register(s.L, "guarded_yield", host_guarded_yield);
  lua_register(s.L, "throw", host_throw);
  lua_register(s.L, "throw_int", host_throw_int);
  test_destructors(s);
  test_foreign(s);
  test_memory();
  test_memory_in_hot_code();
  test_catch_inside(s);
  test_unprotected();
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  test_common();
  if (std::strcmp(argv[1], "throw") == 0) test_exceptions();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
