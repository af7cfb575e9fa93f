/* SPDX-License-Identifier: MIT */
/*
** os_date.c -- os.date, os.time, os.difftime
*/

#include "os_impl.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "system.h"
#include "values.h"

/* -- Dates as tables ----------------------------------------------------- */

/* The fields of a date table, in the units of struct tm.  A program may omit
** those that have a default; the last two are only results. */
enum { DATE_NEEDED = -1, DATE_GIVEN = 6 };

#define DATE(name, member, delta) \
  { name, offsetof(struct tm, member), FIELD_INT, delta, '\0' }

static const struct DateField {
  Field field;
  int missing; /* the default value */
} date_fields[] = {
    {DATE("year", tm_year, 1900), DATE_NEEDED},
    {DATE("month", tm_mon, 1), DATE_NEEDED},
    {DATE("day", tm_mday, 0), DATE_NEEDED},
    {DATE("hour", tm_hour, 0), 12},
    {DATE("min", tm_min, 0), 0},
    {DATE("sec", tm_sec, 0), 0},
    {DATE("yday", tm_yday, 1), 0},
    {DATE("wday", tm_wday, 1), 0},
};

/* Fills the table on top. */
static void date_set_all(lua_State *L, const struct tm *tm) {
  for (size_t i = 0; i < sizeof(date_fields) / sizeof(date_fields[0]); i++)
    field_store(L, &date_fields[i].field, tm);
  if (tm->tm_isdst < 0) return; /* unknown */
  lua_pushboolean(L, tm->tm_isdst);
  lua_setfield(L, -2, "isdst");
}

/* The number in a field of the table on top, in the units of struct tm. */
static int date_get_field(lua_State *L, const struct DateField *date) {
  int is_integer;
  const char *problem = "missing in date table";
  const bool missing = lua_getfield(L, -1, date->field.name) == LUA_TNIL;
  const lua_Integer n = lua_tointegerx(L, -1, &is_integer);
  const lua_Unsigned shifted =
      (lua_Unsigned)n - (lua_Unsigned)INT_MIN - (lua_Unsigned)date->field.delta;
  lua_pop(L, 1);
  if (is_integer && shifted <= (lua_Unsigned)INT_MAX - INT_MIN)
    return (int)(n - date->field.delta);
  if (missing && date->missing != DATE_NEEDED) return date->missing;
  if (!missing) problem = is_integer ? "is out-of-bound" : "is not an integer";
  return luaL_error(L, "field '%s' %s", date->field.name, problem);
}

static void date_get_all(lua_State *L, struct tm *tm) {
  memset(tm, 0, sizeof(*tm));
  for (size_t i = 0; i < DATE_GIVEN; i++) {
    const int n = date_get_field(L, &date_fields[i]);
    memcpy((char *)tm + date_fields[i].field.offset, &n, sizeof(n));
  }
  const bool known = lua_getfield(L, -1, "isdst") != LUA_TNIL;
  tm->tm_isdst = known ? lua_toboolean(L, -1) : -1; /* -1: unknown */
  lua_pop(L, 1);
}

/* -- Times --------------------------------------------------------------- */

static time_t time_check(lua_State *L, int arg) {
  const lua_Integer n = luaL_checkinteger(L, arg);
  luaL_argcheck(L, (lua_Integer)(time_t)n == n, arg, "time out-of-bounds");
  return (time_t)n;
}

/* The year from 1900 on, almost. */
static long long year_of(const struct tm *tm) {
  return tm->tm_year + tm->tm_mon / 12LL + tm->tm_mday / 366LL +
         tm->tm_hour / (366LL * 24) + tm->tm_min / (366LL * 24 * 60) +
         tm->tm_sec / (366LL * 24 * 60 * 60);
}

/* What mktime costs in a budget.  If it is known whether the time is a summer
** time, and it is not, glibc looks for one in 17 years before and after it.
** That takes 0.05 to 0.2 ms, 0.7 ms in the far future, and 17 ms where it meets
** years that struct tm cannot have. */
static size_t time_units(const struct tm *tm) {
  enum { PLAIN = 64, NEAR = 1 << 12, FAR = 1 << 18, EXTREME = 1 << 24 };
  const long long year = year_of(tm);
  if (tm->tm_isdst < 0) return PLAIN;
  if (year > -200 && year < 200) return NEAR;
  return year < INT_MIN + 100LL || year > INT_MAX - 100LL ? EXTREME : FAR;
}

/* With a table, also normalizes its fields. */
int os_time_framed(lua_State *L) {
  time_t t;
  if (lua_isnoneornil(L, 1)) {
    t = time(NULL);
  } else {
    struct tm tm;
    lua_settop(L, 1);
    date_get_all(L, &tm);
    penumbra_spend(L, time_units(&tm));
    t = mktime(&tm);
    date_set_all(L, &tm);
  }
  if (luai_unlikely(t == (time_t)-1 || (time_t)(lua_Integer)t != t))
    return luaL_error(L, "time result cannot be represented in this "
                         "installation");
  lua_pushinteger(L, (lua_Integer)t);
  return 1;
}

int os_difftime_framed(lua_State *L) {
  const time_t a = time_check(L, 1);
  const time_t b = time_check(L, 2);
  lua_pushnumber(L, (lua_Number)difftime(a, b));
  return 1;
}

/* -- Dates as text ------------------------------------------------------- */

/* Enough for the text of one conversion, and what it costs in a budget. */
enum { DATE_ITEM = 250, DATE_UNITS = 32 };

/* Conversions of C99: plain ones, and those that take E or O. */
#define DATE_PLAIN "aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%"
#define DATE_E     "cCxXyY"
#define DATE_O     "deHImMSuUVwWy"

static bool date_is_in(char c, const char *set) {
  return c != '\0' && strchr(set, c);
}

/* The length of the conversion at p, without its '%'.  Conversions that C99
** does not define would be undefined behavior in strftime. */
static int date_conversion(lua_State *L, const char *p) {
  if (date_is_in(*p, DATE_PLAIN)) return 1;
  if (*p == 'E' && date_is_in(p[1], DATE_E)) return 2;
  if (*p == 'O' && date_is_in(p[1], DATE_O)) return 2;
  return luaL_argerror(
      L, 1, lua_pushfstring(L, "invalid conversion specifier '%%%s'", p));
}

static void date_add_format(lua_State *L, luaL_Buffer *b, const char *p,
                            const char *end, const struct tm *tm) {
  for (size_t i = 0; p < end; i++) {
    lib_step(L, i);
    if (*p != '%') {
      luaL_addchar(b, *p++);
      continue;
    }
    char conversion[4] = "%";
    penumbra_spend(L, DATE_UNITS);
    const int len = date_conversion(L, ++p);
    memcpy(conversion + 1, p, (size_t)len);
    char *item = luaL_prepbuffsize(b, DATE_ITEM);
    luaL_addsize(b, system_format_time(item, DATE_ITEM, conversion, tm));
    p += len;
  }
}

int os_date_framed(lua_State *L) {
  size_t len;
  struct tm tm;
  const char *p = luaL_optlstring(L, 1, "%c", &len);
  const char *end = p + len;
  const time_t t = lua_isnoneornil(L, 2) ? time(NULL) : time_check(L, 2);
  const bool utc = *p == '!';
  if (utc) p++;
  if (!system_split_time(t, utc, &tm))
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
