/* SPDX-License-Identifier: MIT */
/*
** system_windows.c -- what the libraries ask of Windows
*/

#include "system.h"

#if defined(LUA_USE_WINDOWS)

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "lauxlib.h"

/* -- Shared libraries ------------------------------------------------------ */

const char system_load_step[] = "open";

/* Pushes what the last call of the system said about its failure. */
static void push_last_error(lua_State *L) {
  char text[256];
  const DWORD code = GetLastError();
  const DWORD flags =
      FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  DWORD length =
      FormatMessageA(flags, NULL, code, 0, text, (DWORD)sizeof text, NULL);
  while (length > 0 && strchr("\r\n ", text[length - 1])) length--;
  if (length > 0)
    lua_pushlstring(L, text, length);
  else
    lua_pushfstring(L, "system error %d", (int)code);
}

/* All names of a library can be found by those that name it, global or not. */
void *system_load(lua_State *L, const char *file, bool global) {
  (void)global;
  HMODULE lib = LoadLibraryExA(file, NULL, 0);
  if (luai_unlikely(!lib)) push_last_error(L);
  return (void *)lib;
}

lua_CFunction system_find(lua_State *L, void *lib, const char *name) {
  union {
    FARPROC system;
    lua_CFunction lua;
  } symbol;
  symbol.system = GetProcAddress((HMODULE)lib, name);
  if (luai_unlikely(!symbol.system)) {
    push_last_error(L);
    return NULL;
  }
  return symbol.lua;
}

void system_unload(void *lib) { FreeLibrary((HMODULE)lib); }

void system_expand_path(lua_State *L) {
  char folder[MAX_PATH + 1];
  const DWORD length = GetModuleFileNameA(NULL, folder, sizeof folder);
  char *last = length < sizeof folder ? strrchr(folder, '\\') : NULL;
  if (!last) return;
  *last = '\0';
  luaL_gsub(L, lua_tostring(L, -1), LUA_EXEC_DIR, folder);
  lua_remove(L, -2);
}

/* -- Processes ------------------------------------------------------------- */

bool system_has_pipes(void) { return true; }

FILE *system_open_pipe(const char *command, const char *mode) {
  return _popen(command, mode);
}

int system_close_pipe(FILE *f) { return _pclose(f); }

/* Other than -1 it is the status of the command.  errno may be left over from
** the search for the shell. */
bool system_status_is_failure(int status) { return status == -1; }

/* -- Files ----------------------------------------------------------------- */

/* A file of that name would be in the way of os.rename, and programs for Windows
** expect none. */
bool system_temporary_name(char name[SYSTEM_NAME]) {
  char folder[MAX_PATH + 1];
  _Static_assert(MAX_PATH <= (int)SYSTEM_NAME, "a path needs room");
  const DWORD length = GetTempPathA(sizeof folder, folder);
  return length > 0 && length < sizeof folder &&
         GetTempFileNameA(folder, "lua", 0, name) != 0 &&
         DeleteFileA(name) != 0;
}

bool system_has_offset(lua_Integer offset) {
  (void)offset;
  return true;
}

int system_seek(FILE *f, lua_Integer offset, int whence) {
  return _fseeki64(f, offset, whence);
}

lua_Integer system_position(FILE *f) { return _ftelli64(f); }

/* -- Dates ----------------------------------------------------------------- */

/* The conversions of C99 that older C libraries of Windows lack, by those that
** they have. */
static const struct DateMeaning {
  char letter;
  const char *meaning;
} date_meanings[] = {
    {'D', "%m/%d/%y"},    {'F', "%Y-%m-%d"}, {'h', "%b"}, {'n', "\n"},
    {'r', "%I:%M:%S %p"}, {'R', "%H:%M"},    {'t', "\t"}, {'T', "%H:%M:%S"},
};

/* Days since the Monday of its week. */
static int days_since_monday(const struct tm *tm) {
  return (tm->tm_wday + 6) % 7;
}

static bool is_leap(int year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* The number of ISO 8601's weeks in a year: 53 if it begins with a Thursday, or
** with a Wednesday and has a leap day. */
static int weeks_of(int year) {
  const int y = year - 1;
  const int first = (y + y / 4 - y / 100 + y / 400) % 7; /* 0: a Monday */
  return first == 3 || (first == 2 && is_leap(year)) ? 53 : 52;
}

/* The week by ISO 8601, and the year that it belongs to. */
static int iso_week(const struct tm *tm, int *year) {
  const int week = (tm->tm_yday - days_since_monday(tm) + 10) / 7;
  *year = tm->tm_year + 1900;
  if (week < 1) return weeks_of(--*year);
  if (week <= weeks_of(*year)) return week;
  ++*year;
  return 1;
}

/* The number for the conversion, and its form; NULL if it is none of these. */
static const char *date_number(char letter, const struct tm *tm, int *number) {
  int year;
  const int week = iso_week(tm, &year);
  switch (letter) {
    case 'C': *number = (tm->tm_year + 1900) / 100; return "%02d";
    case 'e': *number = tm->tm_mday; return "%2d";
    case 'g': *number = year % 100; return "%02d";
    case 'G': *number = year; return "%d";
    case 'u': *number = days_since_monday(tm) + 1; return "%d";
    case 'V': *number = week; return "%02d";
    default: return NULL;
  }
}

/* A conversion with E or O is the same one without: there are no other forms of
** numbers here. */
size_t system_format_time(char *out, size_t size, const char *conversion,
                          const struct tm *tm) {
  int number;
  char plain[3] = {'%', conversion[strlen(conversion) - 1], '\0'};
  const char *form = date_number(plain[1], tm, &number);
  if (form) return (size_t)snprintf(out, size, form, number);
  for (size_t i = 0; i < sizeof date_meanings / sizeof *date_meanings; i++)
    if (date_meanings[i].letter == plain[1])
      return strftime(out, size, date_meanings[i].meaning, tm);
  return strftime(out, size, plain, tm);
}

#else

typedef int system_windows_is_empty;

#endif
