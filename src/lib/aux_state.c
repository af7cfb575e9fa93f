/* SPDX-License-Identifier: MIT */
/*
** aux_state.c -- luaL_newstate: a state with the usual surroundings
**
** Memory comes from aux_memory.c.  An uncaught error is printed before the host
** is aborted.  Warnings go to stderr once they are turned on.
**
** Warnings arrive in pieces, and the function that handles the next piece is
** part of the state:
**
**    skipped <--more-- off --"@on"--> on --more--> continued
**        |             ^ ^            | ^             |
**        +-----last----+ +---"@off"---+ +----last-----+
**
** where "more" is a piece that is followed by another one.  A control message
** begins with '@' and is in one piece, so only `off` and `on` look for one.
** The functions differ only in their row of warn_modes.
*/

#include <stdio.h>
#include <string.h>

#include "lib.h"

/* After this function returns, the core aborts the program. */
static int state_panic(lua_State *L) {
  const char *msg = lua_type(L, -1) == LUA_TSTRING
                        ? lua_tostring(L, -1)
                        : "error object is not a string";
  lua_writestringerror("PANIC: unprotected error in call to Lua API (%s)\n",
                       msg);
  return 0;
}

/* -- Warnings ------------------------------------------------------------ */

typedef enum WarnMode {
  WARN_OFF,
  WARN_SKIPPED,
  WARN_ON,
  WARN_CONTINUED
} WarnMode;

static void warn_off(void *ud, const char *msg, int tocont);
static void warn_skipped(void *ud, const char *msg, int tocont);
static void warn_on(void *ud, const char *msg, int tocont);
static void warn_continued(void *ud, const char *msg, int tocont);

static const struct {
  lua_WarnFunction handler;
  const char *before;    /* printed in front of a piece; NULL: prints nothing */
  bool obeys;            /* ... control messages */
  unsigned char next[2]; /* mode after a last piece, after another piece */
} warn_modes[] = {
    [WARN_OFF] = {warn_off, NULL, true, {WARN_OFF, WARN_SKIPPED}},
    [WARN_SKIPPED] = {warn_skipped, NULL, false, {WARN_OFF, WARN_SKIPPED}},
    [WARN_ON] = {warn_on, "Lua warning: ", true, {WARN_ON, WARN_CONTINUED}},
    [WARN_CONTINUED] = {warn_continued, "", false, {WARN_ON, WARN_CONTINUED}},
};

/* The mode that a control message selects.  An unknown one has no effect. */
static WarnMode warn_asked(WarnMode mode, const char *msg) {
  if (strcmp(msg, "@on") == 0) return WARN_ON;
  return strcmp(msg, "@off") == 0 ? WARN_OFF : mode;
}

static void warn_piece(lua_State *L, WarnMode mode, const char *msg,
                       bool more) {
  WarnMode next = warn_modes[mode].next[more];
  if (warn_modes[mode].obeys && !more && *msg == '@')
    next = warn_asked(mode, msg);
  else if (warn_modes[mode].before)
    fprintf(stderr, "%s%s%s", warn_modes[mode].before, msg, more ? "" : "\n");
  fflush(stderr);
  lua_setwarnf(L, warn_modes[next].handler, L);
}

static void warn_off(void *ud, const char *msg, int tocont) {
  warn_piece(ud, WARN_OFF, msg, tocont != 0);
}

static void warn_skipped(void *ud, const char *msg, int tocont) {
  warn_piece(ud, WARN_SKIPPED, msg, tocont != 0);
}

static void warn_on(void *ud, const char *msg, int tocont) {
  warn_piece(ud, WARN_ON, msg, tocont != 0);
}

static void warn_continued(void *ud, const char *msg, int tocont) {
  warn_piece(ud, WARN_CONTINUED, msg, tocont != 0);
}

LUALIB_API lua_State *luaL_newstate(void) {
  AuxMemory *memory = aux_memory_open();
  if (!memory) return NULL;
  lua_State *L = lua_newstate(aux_allocate, memory);
  if (!L) {
    aux_memory_close(memory);
    return NULL;
  }
  aux_memory_use(memory);
  penumbra_setzeros(L, aux_zeros_from());
  penumbra_setdiscard(L, aux_discard);
  lua_atpanic(L, state_panic);
  lua_setwarnf(L, warn_off, L);
  return L;
}
