/* SPDX-License-Identifier: MIT */
/*
** aux_buffer.c -- luaL_Buffer: strings built piece by piece
**
** A buffer owns one stack slot during its lifetime.  While the text fits the
** array inside the buffer, the slot holds a placeholder, and building costs no
** allocation.  Longer text lies in a *box* in that slot: a userdata that owns a
** block from the state's allocator, which counts like any memory of the state.
** The slot is marked to be closed, so the block is freed when the text is done,
** or when an error passes.
**
** The slot is found from the top of the stack.  A value that is pushed and not
** popped before the next use of the buffer would be mistaken for the box.  So a
** debug build checks the slot in every function, and stops if it is wrong.
** Some modules break that rule where it does no harm in any Lua; they run in a
** debug build with PENUMBRA_BUFFERS=unchecked in the environment.
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

#define BOX_TYPE "_UBOX*"

typedef struct BufferBox {
  char *data;
  size_t size;
} BufferBox;

static void box_raise_memory(lua_State *L) {
  lua_pushliteral(L, "not enough memory");
  lua_error(L);
}

/* Gives the box at idx `size` bytes, and keeps its contents. */
static char *box_resize(lua_State *L, int idx, size_t size) {
  BufferBox *box = lua_touserdata(L, idx);
  char *data = penumbra_realloc(L, box->data, box->size, size);
  if (luai_unlikely(!data && size > 0)) box_raise_memory(L);
  box->data = data;
  box->size = size;
  return data;
}

static int box_free(lua_State *L) {
  BufferBox *box = lua_touserdata(L, 1);
  if (box && box->data) box_resize(L, 1, 0);
  return 0;
}

static const luaL_Reg box_methods[] = {
    {"__gc", box_free},
    {"__close", box_free},
    {NULL, NULL},
};

/* Pushes an empty box. */
static void box_push(lua_State *L) {
  *(BufferBox *)lua_newuserdatauv(L, sizeof(BufferBox), 0) =
      (BufferBox){.data = NULL, .size = 0};
  if (luaL_newmetatable(L, BOX_TYPE)) luaL_setfuncs(L, box_methods, 0);
  lua_setmetatable(L, -2);
}

static bool buffer_is_boxed(const luaL_Buffer *B) { return B->b != B->init.b; }

/* True if the value at idx is the buffer's placeholder or box. */
static bool buffer_slot_is_at(luaL_Buffer *B, int idx) {
  if (lua_gettop(B->L) < -idx) return false;
  const void *there = lua_touserdata(B->L, idx);
  if (!buffer_is_boxed(B)) return there == B;
  return there && !lua_islightuserdata(B->L, idx) &&
         lua_rawlen(B->L, idx) == sizeof(BufferBox) &&
         ((const BufferBox *)there)->data == B->b;
}

#if defined(PENUMBRA_DEBUG)
static bool buffers_are_unchecked(void) {
  const char *wish = getenv("PENUMBRA_BUFFERS");
  return wish && strcmp(wish, "unchecked") == 0;
}
#endif

/* An assertion of debug builds: the buffer's slot is at idx, relative to the
** top. */
static void buffer_check(luaL_Buffer *B, int idx, const char *function) {
#if defined(PENUMBRA_DEBUG)
  if (luai_likely(buffer_slot_is_at(B, idx)) || buffers_are_unchecked()) return;
  fprintf(stderr,
          "penumbra: assertion failed: %s: the slot of the buffer is not %s, "
          "where there is a %s: values above it must be popped first\n",
          function, idx == -1 ? "on top" : "below the value on top",
          lua_gettop(B->L) < -idx ? "bottom" : luaL_typename(B->L, idx));
  abort();
#else
  (void)B, (void)idx, (void)function, (void)buffer_slot_is_at;
#endif
}

/* Half as much again, or the needed size if that is more. */
static size_t buffer_next_size(luaL_Buffer *B, size_t more) {
  if (luai_unlikely(more > lib_max_string() - B->n)) {
    if (more > (size_t)-1 - B->n) luaL_error(B->L, "buffer too large");
    box_raise_memory(B->L);
  }
  size_t size = B->size + B->size / 2;
  return size < B->n + more ? B->n + more : size;
}

/* Replaces the placeholder at idx by a box that holds the text so far. */
static char *buffer_move_to_box(luaL_Buffer *B, int idx, size_t size) {
  lua_State *L = B->L;
  box_push(L);
  lua_copy(L, -1, idx - 1);
  lua_pop(L, 1);
  lua_toclose(L, idx);
  char *data = box_resize(L, idx, size);
  memcpy(data, B->b, B->n);
  return data;
}

/* Room for `more` characters at the end; idx is the buffer's slot, relative
** to the top. */
static char *buffer_reserve(luaL_Buffer *B, size_t more, int idx) {
  if (luai_likely(B->size - B->n >= more)) return B->b + B->n;
  size_t size = buffer_next_size(B, more);
  B->b = buffer_is_boxed(B) ? box_resize(B->L, idx, size)
                            : buffer_move_to_box(B, idx, size);
  B->size = size;
  return B->b + B->n;
}

LUALIB_API char *luaL_prepbuffsize(luaL_Buffer *B, size_t sz) {
  buffer_check(B, -1, "luaL_prepbuffsize");
  return buffer_reserve(B, sz, -1);
}

LUALIB_API void luaL_buffinit(lua_State *L, luaL_Buffer *B) {
  B->L = L;
  B->b = B->init.b;
  B->n = 0;
  B->size = LUAL_BUFFERSIZE;
  lua_pushlightuserdata(L, B);
}

LUALIB_API char *luaL_buffinitsize(lua_State *L, luaL_Buffer *B, size_t sz) {
  luaL_buffinit(L, B);
  return buffer_reserve(B, sz, -1);
}

/* Adds `l` bytes; many bytes in pieces, because a budget may end. */
static void buffer_add(luaL_Buffer *B, const char *s, size_t l, int idx) {
  enum { FEW = 256, PIECE = 1 << 16, BYTES_PER_UNIT = 8 };
  char *to = buffer_reserve(B, l, idx);
  B->n += l;
  for (; luai_unlikely(l > PIECE); l -= PIECE) {
    memcpy(to, s, PIECE);
    penumbra_spend(B->L, PIECE / BYTES_PER_UNIT);
    to += PIECE;
    s += PIECE;
  }
  if (luai_unlikely(l > FEW)) penumbra_spend(B->L, l / BYTES_PER_UNIT);
  memcpy(to, s, l);
}

LUALIB_API void luaL_addlstring(luaL_Buffer *B, const char *s, size_t l) {
  buffer_check(B, -1, "luaL_addlstring");
  if (l == 0) return;
  buffer_add(B, s, l, -1);
}

LUALIB_API void luaL_addstring(luaL_Buffer *B, const char *s) {
  buffer_check(B, -1, "luaL_addstring");
  luaL_addlstring(B, s, strlen(s));
}

/* The value lies above the buffer's slot. */
LUALIB_API void luaL_addvalue(luaL_Buffer *B) {
  size_t len;
  buffer_check(B, -2, "luaL_addvalue");
  const char *s = lua_tolstring(B->L, -1, &len);
  buffer_add(B, s, len, -2);
  lua_pop(B->L, 1);
}

/* The string replaces the buffer's slot. */
LUALIB_API void luaL_pushresult(luaL_Buffer *B) {
  lua_State *L = B->L;
  buffer_check(B, -1, "luaL_pushresult");
  penumbra_spend(L, B->n / 8);
  lua_pushlstring(L, B->b, B->n);
  if (buffer_is_boxed(B)) lua_closeslot(L, -2);
  lua_replace(L, -2);
}

LUALIB_API void luaL_pushresultsize(luaL_Buffer *B, size_t sz) {
  buffer_check(B, -1, "luaL_pushresultsize");
  B->n += sz;
  luaL_pushresult(B);
}

LUALIB_API void luaL_addgsub(luaL_Buffer *b, const char *s, const char *p,
                             const char *r) {
  const size_t len = strlen(p);
  const char *hit;
  buffer_check(b, -1, "luaL_addgsub");
  while ((hit = strstr(s, p)) != NULL) {
    luaL_addlstring(b, s, (size_t)(hit - s));
    luaL_addstring(b, r);
    s = hit + len;
  }
  luaL_addstring(b, s);
}

LUALIB_API const char *luaL_gsub(lua_State *L, const char *s, const char *p,
                                 const char *r) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addgsub(&b, s, p, r);
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}
