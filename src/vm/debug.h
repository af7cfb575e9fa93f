/* SPDX-License-Identifier: MIT */
/*
** debug.h -- looking at running functions, and hooks
**
** What lua_getstack and its relatives do, under the same contracts.  The field
** i_ci of lua_Debug holds the number of a frame, not its address.
*/
#ifndef PENUMBRA_VM_DEBUG_H
#define PENUMBRA_VM_DEBUG_H

#include "object/thread.h"

/* -- For the API ----------------------------------------------------------- */

bool debug_get_stack(lua_State *L, int level, lua_Debug *ar);
bool debug_get_info(lua_State *L, const char *what, lua_Debug *ar);
const char *debug_get_local(lua_State *L, const lua_Debug *ar, int n);
const char *debug_set_local(lua_State *L, const lua_Debug *ar, int n);
void debug_set_hook(lua_State *L, lua_Hook hook, int mask, int count);

/* -- For the vm ------------------------------------------------------------ */

/* Makes `ar` speak of that frame. */
void debug_set_frame(lua_Debug *ar, ptrdiff_t number);

/* What kind of thing, and with what name, the function is that this frame is
** calling; NULL if that cannot be told. */
const char *debug_name_callee(const Frame *f, const char **name);

/* The instruction a Lua frame is executing, as an index of its code. */
int debug_current_pc(const Frame *f);
int debug_current_line(const Frame *f);

#endif
