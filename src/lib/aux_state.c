/* SPDX-License-Identifier: MIT */
/*
** aux_state.c -- luaL_newstate: a state with the usual surroundings
**
** Memory comes from aux_memory.c; an error that nobody catches is printed
** before the host is aborted; warnings go to stderr once they are turned on.
**
** Warnings arrive in pieces, and the function that handles the next piece is
** part of the state:
**
**    skipped <--more-- off --"@on"--> on --more--> continued
**        |             ^ ^            | ^             |
**        +-----last----+ +---"@off"---+ +----last-----+
**
** where "more" is a piece that another one follows.  A control message begins
** with '@' and is in one piece, so only `off` and `on` look for one.
*/

#include <stdio.h>
#include <string.h>

#include "lib.h"
#include "penumbra.h"

/* Returning from here makes the core abort the program. */
static int state_panic(lua_State *L) {
  const char *msg = lua_type(L, -1) == LUA_TSTRING
                        ? lua_tostring(L, -1)
                        : "error object is not a string";
  lua_writestringerror("PANIC: unprotected error in call to Lua API (%s)\n",
                       msg);
  return 0;
}

/* -- Warnings ------------------------------------------------------------ */

static void warn_off(void *ud, const char *msg, int tocont);
static void warn_on(void *ud, const char *msg, int tocont);

/* Obeys a control message; false if the message is not one. */
static bool warn_control(lua_State *L, const char *msg, int tocont) {
  if (tocont || *msg != '@') return false;
  if (strcmp(msg, "@off") == 0)
    lua_setwarnf(L, warn_off, L);
  else if (strcmp(msg, "@on") == 0)
    lua_setwarnf(L, warn_on, L);
  return true;
}

static void warn_skip(void *ud, const char *msg, int tocont) {
  lua_State *L = ud;
  (void)msg;
  lua_setwarnf(L, tocont ? warn_skip : warn_off, L);
}

static void warn_off(void *ud, const char *msg, int tocont) {
  if (!warn_control(ud, msg, tocont)) warn_skip(ud, msg, tocont);
}

/* Prints a piece, and ends the line if it is the last one. */
static void warn_continue(void *ud, const char *msg, int tocont) {
  lua_State *L = ud;
  lua_writestringerror("%s", msg);
  if (tocont) {
    lua_setwarnf(L, warn_continue, L);
  } else {
    lua_writestringerror("%s", "\n");
    lua_setwarnf(L, warn_on, L);
  }
}

static void warn_on(void *ud, const char *msg, int tocont) {
  if (warn_control(ud, msg, tocont)) return;
  lua_writestringerror("%s", "Lua warning: ");
  warn_continue(ud, msg, tocont);
}

LUALIB_API lua_State *luaL_newstate(void) {
  AuxMemory *memory = aux_memory_open();
  if (memory == NULL) return NULL;
  lua_State *L = lua_newstate(aux_allocate, memory);
  if (L == NULL) {
    aux_memory_close(memory);
    return NULL;
  }
  aux_memory_use(memory);
  penumbra_zeros_from(L, aux_zeros_from());
  penumbra_discards(L, aux_discard);
  lua_atpanic(L, state_panic);
  lua_setwarnf(L, warn_off, L);
  return L;
}
