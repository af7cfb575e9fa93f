/* SPDX-License-Identifier: MIT */
/*
** deprecated.c -- the old names of penumbra.h compile, link and do the same
*/
#define PENUMBRA_NODEPRECATED

#include "own.h"

static int asked;

static int stop(lua_State *L, void *ud, int canyield) {
  (void)L;
  (void)canyield;
  asked++;
  return *(int *)ud;
}

static void test_budget(lua_State *L) {
  penumbra_Decide f = stop;
  int answer = PENUMBRA_STOP;
  penumbra_setdecide(L, f, &answer);
  penumbra_setbudget(L, 1000, 0);
  CHECK(luaL_dostring(L, "while true do end") != LUA_OK);
  CHECK(asked == 1);
  CHECK(penumbra_getspent(L) >= 1000);
  CHECK(penumbra_getspent(L) == penumbra_getbudgetused(L));
  penumbra_setbudget(L, 0, 0);
  penumbra_setdecide(L, NULL, NULL);
  lua_settop(L, 0);
}

static void test_frame(lua_State *L) {
  CHECK(penumbra_setframe(L, 700) == 0);
  CHECK(penumbra_setframebudget(L, 800) == 700);
  CHECK(penumbra_setframe(L, 0) == 800);
}

/* What a writer has got. */
typedef struct Text {
  char bytes[4096];
  size_t size;
} Text;

static void text_add(Text *text, const void *bytes, size_t size) {
  if (size > sizeof text->bytes - text->size)
    size = sizeof text->bytes - text->size;
  memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
}

static int write_code(lua_State *L, const void *bytes, size_t size, void *ud) {
  (void)L;
  text_add(ud, bytes, size);
  return 0;
}

static void test_list(lua_State *L) {
  static Text was, is;
  CHECK(!luaL_loadstring(L, "return ..."));
  CHECK(penumbra_list(L, 1, write_code, &was) == 0);
  CHECK(penumbra_listcode(L, 1, write_code, &is) == 0);
  CHECK(is.size > 20 && was.size == is.size);
  CHECK(memcmp(was.bytes, is.bytes, is.size) == 0);
  lua_settop(L, 0);
}

static int write_events(void *ud, const char *bytes, size_t size) {
  if (bytes != NULL) text_add(ud, bytes, size);
  return 0;
}

static void test_mark(lua_State *L) {
  static Text text;
  CHECK(penumbra_trace(L, write_events, NULL, &text));
  penumbra_mark(L, "old");
  penumbra_tracemark(L, "old");
  CHECK(penumbra_trace(L, NULL, NULL, NULL));
  CHECK(text.size > 0 && text.size < sizeof text.bytes);
  text.bytes[text.size] = '\0';
  CHECK(strstr(text.bytes, "\"old\"") != NULL); /* from mark to mark */
}

static int write_nothing(lua_State *L, const void *bytes, size_t size,
                         void *ud) {
  (void)L;
  (void)bytes;
  (void)size;
  (void)ud;
  return 0;
}

static void test_snapshot(lua_State *L) {
  CHECK(!penumbra_issnapshot(L));
  CHECK(penumbra_beginsnapshot(L, write_nothing, NULL, NULL));
  CHECK(penumbra_issnapshot(L) && penumbra_isinspecting(L));
  while (penumbra_issnapshot(L)) penumbra_step(L, 1000, NULL);
  CHECK(!penumbra_isinspecting(L));
}

int main(void) {
  lua_State *L = own_open();
  test_budget(L);
  test_frame(L);
  test_list(L);
  test_mark(L);
  test_snapshot(L);
  lua_close(L);
  return 0;
}
