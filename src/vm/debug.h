/* SPDX-License-Identifier: MIT */
/*
** debug.h -- looking at running functions, and hooks
**
** These functions implement lua_getstack and the related functions of the API,
** with the same contracts.  The field i_ci of lua_Debug holds the number of a
** frame, not its address.
*/
#ifndef PENUMBRA_VM_DEBUG_H
#define PENUMBRA_VM_DEBUG_H

#include "object/thread.h"

/* -- For the API ----------------------------------------------------------- */

bool debug_get_stack(lua_State *L, int level, lua_Debug *ar);
bool debug_get_info(lua_State *L, const char *what, lua_Debug *ar);
const char *debug_get_local(lua_State *L, const lua_Debug *ar, int n);
const char *debug_set_local(lua_State *L, const lua_Debug *ar, int n);
void debug_set_hook(lua_State *L, HookFunction hook, int mask, int count);

/* -- For the vm ------------------------------------------------------------ */

/* Makes `ar` describe the frame with that number. */
void debug_set_frame(lua_Debug *ar, ptrdiff_t number);

/* The name of the function that this frame is calling.  Returns its kind, such
** as "local" or "method"; NULL if it is unknown. */
const char *debug_name_callee(const Frame *f, const char **name);

/* The instruction that a Lua frame is executing, as an index into its code. */
int debug_current_pc(const Frame *f);
int debug_current_line(const Frame *f);

#endif
