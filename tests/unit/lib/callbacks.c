/* SPDX-License-Identifier: MIT */
/*
** callbacks.c -- functions of the API that call something, in every part of a
** cycle
**
** Actions call readers, metamethods, hooks, the debugger...  In one of these
** calls a cycle begins and the running stack is visited, in a later one marking
** ends.  So both happen at each place where they can.  A second marking then
** finds what the first one has missed.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "object/thread.h"
#include "toy/allocator.h"
#include "vm/watch.h"
#include "lauxlib.h"
#include "lualib.h"

/* Where a part of the work is done. */
typedef enum Place { IN_CALLBACK, IN_NESTED_CALL, PLACES } Place;

static struct {
  Place place;
  int calls;  /* of callbacks, since the action began */
  int begin;  /* in this one the running stack is visited */
  int finish; /* in this one marking ends */
} moment;

static bool is_marking(const Gc *gc) {
  return gc->phase > PHASE_PAUSE && gc->phase < PHASE_CLEAR_VALUES;
}

/* True if the slots below the last ones are visited. */
static bool is_visited(const Gc *gc) {
  enum { LAST = 50 };
  const GcStack *stack = (const GcStack *)(const void *)gc->running;
  size_t top = gc_kind(gc, gc->running)->stack_top(gc->running);
  return stack->epoch == gc->epoch && stack->watermark + LAST > top;
}

static void work(Gc *gc) {
  moment.calls++;
  if (moment.calls == moment.begin) {
    do gc_step_work(gc, 1);
    while (is_marking(gc) && !is_visited(gc));
  } else if (is_marking(gc)) {
    do gc_step_work(gc, 1);
    while (is_marking(gc) && moment.calls >= moment.finish);
  }
}

static int nested(lua_State *L) {
  work(gc_of(L));
  return 0;
}

static void called_back(lua_State *L) {
  if (moment.place == IN_CALLBACK) {
    work(gc_of(L));
    return;
  }
  lua_pushcfunction(L, nested);
  lua_call(L, 0, 0);
}

/* -- What is called -------------------------------------------------------- */

static const char *read_some(lua_State *L, void *data, size_t *size) {
  const char **rest = data;
  const char *piece = *rest;
  called_back(L);
  *size = strlen(piece) < 9 ? strlen(piece) : 9;
  *rest += *size;
  return piece;
}

typedef struct Dumped {
  size_t size;
  char bytes[16384];
} Dumped;

static int write_some(lua_State *L, const void *p, size_t size, void *data) {
  Dumped *dumped = data;
  called_back(L);
  if (size > sizeof dumped->bytes - dumped->size) return 1;
  memcpy(dumped->bytes + dumped->size, p, size);
  dumped->size += size;
  return 0;
}

static void watch(lua_State *L, WatchEvent event, void *data) {
  (void)event, (void)data;
  lua_newtable(L);
  called_back(L);
  lua_pop(L, 1);
}

static void hook(lua_State *L, lua_Debug *ar) {
  lua_getinfo(L, "nSf", ar);
  called_back(L);
  lua_pop(L, 1);
}

static int make_table(lua_State *L) {
  lua_newtable(L);
  called_back(L);
  return 1;
}

static int next_table(lua_State *L) {
  called_back(L);
  lua_pushinteger(L, luaL_optinteger(L, 2, 0) + 1);
  lua_newtable(L);
  return lua_tointeger(L, -2) < 4 ? 2 : 0;
}

static int fail_with_table(lua_State *L) {
  lua_newtable(L);
  called_back(L);
  return lua_error(L);
}

static int yield_table(lua_State *L) {
  lua_newtable(L);
  called_back(L);
  return lua_yield(L, 1);
}

/* -- Actions --------------------------------------------------------------- */

static const char program[] =
    "local make, object, nexts, fail = ...\n"
    "local t = {make(), {make()}, name = object .. make()}\n"
    "for i, value in nexts do t[i] = {value, function() return t, i end} end\n"
    "local kept <close> = object\n"
    "t.sum = (object + 1) .. object; t.len, t.neg = #object, -object\n"
    "t.less, t.same = object < t, object == setmetatable({}, "
    "getmetatable(object))\n"
    "object.field = {make()}; t.field = object.field\n"
    "local ok, message = pcall(fail, t)\n"
    "return function(...) return t, message, ... end, object(t)\n";

static void push_object(lua_State *L) {
  static const char *const events[] = {
      "__add", "__concat", "__len",   "__unm",      "__lt",   "__eq",
      "__le",  "__index",  "__close", "__newindex", "__call", "__tostring"};
  lua_newtable(L);
  lua_newtable(L);
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
    lua_pushcfunction(L, make_table);
    lua_setfield(L, -2, events[i]);
  }
  lua_setmetatable(L, -2);
}

/* The functions that the program calls, on a stack with some values. */
static void load_program(lua_State *L) {
  const char *rest = program;
  for (int i = 0; i < 5; i++) lua_newtable(L);
  int status = lua_load(L, read_some, &rest, "=program", "t");
  assert_int_equal(status, LUA_OK);
}

static void push_arguments(lua_State *L) {
  lua_pushcfunction(L, make_table);
  push_object(L);
  lua_pushcfunction(L, next_table);
  lua_pushcfunction(L, fail_with_table);
}

static void run_program(lua_State *L) {
  load_program(L);
  push_arguments(L);
  lua_call(L, 4, LUA_MULTRET);
}

static void run_hooked(lua_State *L) {
  lua_sethook(L, hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE, 0);
  run_program(L);
}

static void load_wrong(lua_State *L) {
  static const char wrong[] = "local text = 'a long text' .. {'another'} = 1";
  const char *rest = wrong;
  lua_newtable(L);
  int status = lua_load(L, read_some, &rest, "=wrong", "t");
  assert_int_equal(status, LUA_ERRSYNTAX);
  called_back(L);
}

static void dump_and_load(lua_State *L) {
  static Dumped dumped;
  dumped.size = 0;
  load_program(L);
  assert_int_equal(lua_dump(L, write_some, &dumped, 0), 0);
  lua_settop(L, 2);
  int status = luaL_loadbufferx(L, dumped.bytes, dumped.size, "=binary", "b");
  assert_int_equal(status, LUA_OK);
  push_arguments(L);
  lua_call(L, 4, LUA_MULTRET);
}

static void use_object(lua_State *L) {
  push_object(L);
  int object = lua_gettop(L);
  for (int i = 0; i < 2; i++) {
    lua_pushvalue(L, object);
    lua_newtable(L);
    lua_arith(L, LUA_OPADD);
    lua_pushvalue(L, object);
    lua_concat(L, 2);
    lua_len(L, object);
    lua_getfield(L, object, "missing");
    lua_newtable(L);
    lua_setfield(L, object, "missing too");
    lua_newtable(L);
    lua_pushvalue(L, object);
    lua_compare(L, -1, -2, LUA_OPLT);
    lua_pushvalue(L, object);
    lua_toclose(L, -1);
    lua_closeslot(L, -1);
    lua_settop(L, object + 4);
  }
}

static int message_handler(lua_State *L) {
  called_back(L);
  lua_newtable(L);
  return 1;
}

static void catch_errors(lua_State *L) {
  lua_pushcfunction(L, message_handler);
  int handler = lua_gettop(L);
  for (int i = 0; i < 3; i++) {
    lua_newtable(L);
    lua_pushcfunction(L, fail_with_table);
    lua_pushvalue(L, -2);
    lua_pcall(L, 1, 1, handler);
    called_back(L);
  }
}

static void resume_threads(lua_State *L) {
  int results;
  lua_State *co = lua_newthread(L);
  for (int i = 0; i < 3; i++) lua_newtable(co);
  lua_pushcfunction(co, yield_table);
  assert_int_equal(lua_resume(co, L, 0, &results), LUA_YIELD);
  called_back(L);
  lua_xmove(co, L, results);
  lua_newtable(co);
  called_back(L);
  lua_resume(co, L, 1, &results);
  lua_newtable(co);
  lua_pushcfunction(co, make_table);
  lua_call(co, 0, 1); /* on a thread that is not resumed */
  called_back(L);
  lua_xmove(co, L, 1);
  lua_closethread(co, L);
}

static const struct Action {
  const char *name;
  void (*run)(lua_State *L);
} actions[] = {
    {"run_program", run_program},       {"run_hooked", run_hooked},
    {"load_wrong", load_wrong},         {"dump_and_load", dump_and_load},
    {"use_object", use_object},         {"catch_errors", catch_errors},
    {"resume_threads", resume_threads},
};

/* -- Running them ---------------------------------------------------------- */

static int open_base(lua_State *L) {
  luaL_requiref(L, "_G", luaopen_base, 1);
  lua_settop(L, 0);
  return 0;
}

/* The frame has so many values that they are visited in pieces, and the last one
** is so much work that marking does not end with them. */
static void push_many(lua_State *L) {
  enum { SLOTS = 700, ITEMS = 3000 };
  luaL_checkstack(L, 2 * SLOTS, NULL);
  lua_settop(L, SLOTS);
  lua_createtable(L, ITEMS, 0);
  for (int i = 1; i <= ITEMS; i++) {
    lua_pushvalue(L, -1);
    lua_rawseti(L, -2, i);
  }
}

static int act(lua_State *L) {
  const struct Action *action = lua_touserdata(L, 1);
  push_many(L);
  action->run(L);
  called_back(L);
  lua_sethook(L, NULL, 0, 0);
  return 0;
}

static void run(const struct Action *action, bool watched) {
  TestAllocator allocator = {0};
  lua_State *L = lua_newstate(test_allocate, &allocator);
  Gc *gc = gc_of(L);
  gc_stop(gc);
  lua_pushcfunction(L, open_base);
  lua_call(L, 0, 0);
  gc_collect(gc);
  gc->debug.verify = gc->debug.checkmark = gc->heap.poison = true;
  gc->debug.step_always = false;
  if (watched) watch_set(L, watch, NULL);
  moment.calls = 0;
  lua_pushcfunction(L, act);
  lua_pushlightuserdata(L, (void *)(uintptr_t)action);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK)
    fail_msg("%s: %s", action->name, lua_tostring(L, -1));
  gc_collect(gc);
  gc_verify(gc);
  lua_close(L);
  assert_int_equal(allocator.bytes, 0);
}

/* Returns in how many calls a cycle began. */
static int run_everywhere(const struct Action *action, bool watched,
                          int calls) {
  moment.begin = 0;
  do {
    moment.begin++;
    moment.finish = moment.begin + calls;
    run(action, watched);
  } while (moment.calls > moment.begin);
  return moment.begin - 1;
}

static void check_action(const struct Action *action) {
  static const int calls[] = {1, 2, 3, 10};
  int count = 0;
  for (int i = 0; i < 2 * PLACES * 4; i++) {
    moment.place = i % PLACES;
    count += run_everywhere(action, i / PLACES % 2, calls[i / PLACES / 2]);
  }
  print_message("%s: cycles began at %d places\n", action->name, count);
  assert_true(count > 50);
}

static void test_marking_ends_anywhere(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    check_action(&actions[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_marking_ends_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
