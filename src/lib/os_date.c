/* SPDX-License-Identifier: MIT */
/*
** os_date.c -- os.date, os.time, os.difftime
*/

#include "os_impl.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

/* -- Dates as tables ----------------------------------------------------- */

/* The fields of a date table, as struct tm counts them. A default of
** FIELD_NEEDED means that there is none. */
enum { FIELD_NEEDED = -1, FIELD_NOON = 12 };

static void date_set_field(lua_State *L, const char *key, int value,
                           int delta) {
  lua_pushinteger(L, (lua_Integer)value + delta);
  lua_setfield(L, -2, key);
}

/* Fills the table on top. */
static void date_set_all(lua_State *L, const struct tm *tm) {
  date_set_field(L, "year", tm->tm_year, 1900);
  date_set_field(L, "month", tm->tm_mon, 1);
  date_set_field(L, "day", tm->tm_mday, 0);
  date_set_field(L, "hour", tm->tm_hour, 0);
  date_set_field(L, "min", tm->tm_min, 0);
  date_set_field(L, "sec", tm->tm_sec, 0);
  date_set_field(L, "yday", tm->tm_yday, 1);
  date_set_field(L, "wday", tm->tm_wday, 1);
  if (tm->tm_isdst >= 0) { /* negative: not known */
    lua_pushboolean(L, tm->tm_isdst);
    lua_setfield(L, -2, "isdst");
  }
}

/* True if n - delta fits an int. */
static bool date_fits(lua_Integer n, int delta) {
  return n >= 0 ? n - delta <= INT_MAX : INT_MIN + delta <= n;
}

/* Reads a field of the table on top. */
static int date_get_field(lua_State *L, const char *key, int def, int delta) {
  int ok;
  const int type = lua_getfield(L, -1, key);
  const lua_Integer n = lua_tointegerx(L, -1, &ok);
  lua_pop(L, 1);
  if (ok) {
    if (luai_unlikely(!date_fits(n, delta)))
      luaL_error(L, "field '%s' is out-of-bound", key);
    return (int)(n - delta);
  }
  if (luai_unlikely(type != LUA_TNIL))
    return luaL_error(L, "field '%s' is not an integer", key);
  if (luai_unlikely(def == FIELD_NEEDED))
    return luaL_error(L, "field '%s' missing in date table", key);
  return def;
}

/* -1 lets the system find out. */
static int date_get_isdst(lua_State *L) {
  const int isdst =
      lua_getfield(L, -1, "isdst") == LUA_TNIL ? -1 : lua_toboolean(L, -1);
  lua_pop(L, 1);
  return isdst;
}

static void date_get_all(lua_State *L, struct tm *tm) {
  memset(tm, 0, sizeof(*tm));
  tm->tm_year = date_get_field(L, "year", FIELD_NEEDED, 1900);
  tm->tm_mon = date_get_field(L, "month", FIELD_NEEDED, 1);
  tm->tm_mday = date_get_field(L, "day", FIELD_NEEDED, 0);
  tm->tm_hour = date_get_field(L, "hour", FIELD_NOON, 0);
  tm->tm_min = date_get_field(L, "min", 0, 0);
  tm->tm_sec = date_get_field(L, "sec", 0, 0);
  tm->tm_isdst = date_get_isdst(L);
}

/* -- Times --------------------------------------------------------------- */

static time_t time_check(lua_State *L, int arg) {
  const lua_Integer n = luaL_checkinteger(L, arg);
  luaL_argcheck(L, (lua_Integer)(time_t)n == n, arg, "time out-of-bounds");
  return (time_t)n;
}

/* With a table, also brings its fields into their usual ranges. */
int os_time(lua_State *L) {
  time_t t;
  if (lua_isnoneornil(L, 1)) {
    t = time(NULL);
  } else {
    struct tm tm;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    date_get_all(L, &tm);
    t = mktime(&tm);
    date_set_all(L, &tm);
  }
  if (luai_unlikely(t == (time_t)-1 || (time_t)(lua_Integer)t != t))
    return luaL_error(L, "time result cannot be represented in this "
                         "installation");
  lua_pushinteger(L, (lua_Integer)t);
  return 1;
}

int os_difftime(lua_State *L) {
  const time_t a = time_check(L, 1);
  const time_t b = time_check(L, 2);
  lua_pushnumber(L, (lua_Number)difftime(a, b));
  return 1;
}

/* -- Dates as text ------------------------------------------------------- */

/* Enough for what one conversion gives. */
enum { DATE_ITEM = 250 };

/* Conversions of C99: plain ones, and those that take E or O. */
#define DATE_PLAIN "aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%"
#define DATE_E     "cCxXyY"
#define DATE_O     "deHImMSuUVwWy"

static bool date_is_in(char c, const char *set) {
  return c != '\0' && strchr(set, c) != NULL;
}

/* How long the conversion at p is, behind its '%'; anything else than what
** C99 knows would have undefined effects in strftime. */
static int date_conversion(lua_State *L, const char *p) {
  if (date_is_in(*p, DATE_PLAIN)) return 1;
  if (*p == 'E' && date_is_in(p[1], DATE_E)) return 2;
  if (*p == 'O' && date_is_in(p[1], DATE_O)) return 2;
  return luaL_argerror(
      L, 1, lua_pushfstring(L, "invalid conversion specifier '%%%s'", p));
}

static void date_add_format(lua_State *L, luaL_Buffer *b, const char *p,
                            const char *end, const struct tm *tm) {
  while (p < end) {
    if (*p != '%') {
      luaL_addchar(b, *p++);
      continue;
    }
    char conversion[4] = "%";
    const int len = date_conversion(L, ++p);
    memcpy(conversion + 1, p, (size_t)len);
    char *item = luaL_prepbuffsize(b, DATE_ITEM);
    luaL_addsize(b, strftime(item, DATE_ITEM, conversion, tm));
    p += len;
  }
}

/* The time as a date, in UTC or in local time; NULL if it is too far off. */
static struct tm *date_split(time_t t, bool utc, struct tm *tm) {
#if defined(LUA_USE_POSIX)
  return utc ? gmtime_r(&t, tm) : localtime_r(&t, tm);
#else
  const struct tm *shared = utc ? gmtime(&t) : localtime(&t);
  if (shared == NULL) return NULL;
  *tm = *shared;
  return tm;
#endif
}

int os_date(lua_State *L) {
  size_t len;
  struct tm tm;
  const char *p = luaL_optlstring(L, 1, "%c", &len);
  const char *end = p + len;
  const time_t t = lua_isnoneornil(L, 2) ? time(NULL) : time_check(L, 2);
  const bool utc = *p == '!';
  if (utc) p++;
  if (date_split(t, utc, &tm) == NULL)
    return luaL_error(L, "date result cannot be represented in this "
                         "installation");
  if (strcmp(p, "*t") == 0) {
    lua_createtable(L, 0, 9);
    date_set_all(L, &tm);
    return 1;
  }
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  date_add_format(L, &b, p, end, &tm);
  luaL_pushresult(&b);
  return 1;
}
