/* SPDX-License-Identifier: MIT */
/*
** system.h -- what the libraries ask of the operating system
**
** Beyond the C library: shared libraries, processes, temporary names, large
** files, dates.  system_posix.c and system_windows.c have it; system_plain.c has
** what the C library can do by itself, for all systems.
*/

#ifndef PENUMBRA_SYSTEM_H
#define PENUMBRA_SYSTEM_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "lua.h"

/* -- Shared libraries ------------------------------------------------------ */

/* Where package.loadlib says a failure was: "open", or "absent" if the system
** has no shared libraries. */
extern const char system_load_step[];

/* Both push a message and return NULL on failure.  The names in a `global`
** library can be used by those loaded later. */
void *system_load(lua_State *L, const char *file, bool global);
lua_CFunction system_find(lua_State *L, void *lib, const char *name);
void system_unload(void *lib);

/* Replaces LUA_EXEC_DIR, in the path on top of the stack, by the folder of the
** program.  Only on Windows, where paths have that. */
void system_expand_path(lua_State *L);

/* -- Processes ------------------------------------------------------------- */

/* False if the system has no pipes to processes. */
bool system_has_pipes(void);

FILE *system_open_pipe(const char *command, const char *mode);
int system_close_pipe(FILE *f);

/* Whether system() or system_close_pipe() failed, and did not just return the
** status of the command. */
bool system_status_is_failure(int status);

/* Splits such a status into a number and its kind, "exit" or "signal". */
const char *system_status_kind(int *status);

/* -- Files ----------------------------------------------------------------- */

enum { SYSTEM_NAME = 512 };

/* Makes an unused name; false if there is none.  With POSIX also creates the
** file, so that no other process can. */
bool system_temporary_name(char name[SYSTEM_NAME]);

int system_seek(FILE *f, lua_Integer offset, int whence);
lua_Integer system_position(FILE *f);

/* Whether a file can be that long. */
bool system_has_offset(lua_Integer offset);

/* The number of bytes left to read in an ordinary file; 0 if it is another file,
** or nothing is known about it. */
size_t system_bytes_left(FILE *f);

/* Removes an ordinary file that has no other name.  Does nothing otherwise. */
void system_remove_plain(const char *name);

/* -- Dates ----------------------------------------------------------------- */

/* The time as a date, in UTC or in local time; false if it is out of range. */
bool system_split_time(time_t t, bool utc, struct tm *tm);

/* strftime for one conversion of C99. */
size_t system_format_time(char *out, size_t size, const char *conversion,
                          const struct tm *tm);

#endif
