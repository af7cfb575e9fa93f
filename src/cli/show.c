/* SPDX-License-Identifier: MIT */
/*
** show.c -- values for human readers
**
** A table is shown with its contents: on one line if they fit, otherwise with
** one entry on each line.  Depth, number of entries, length of strings and time
** are bounded, so that any value can be shown, however large.  Three dots stand
** for what was left out.  No metamethods run except __tostring and __name.
**
** The text is built in a static buffer, which is kept for the next call,
** because an error in a metamethod may jump out at any time.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "penumbra.h"

#if defined(LUA_USE_POSIX)
#include <sys/ioctl.h>
#include <unistd.h>
#endif

enum {
  SHOW_DEPTH = 4,     /* nested tables */
  SHOW_ARRAY = 60,    /* elements of an array */
  SHOW_FIELDS = 60,   /* other fields */
  SHOW_SORTED = 400,  /* fields sorted, to show them in order */
  SHOW_STRING = 1000, /* bytes of a string */
  SHOW_INNER = 120,   /* bytes of a string in a table */
  SHOW_MILLISECONDS = 200,
  SHOW_INDENT = 2
};

/* -- Text ---------------------------------------------------------------- */

typedef struct Show {
  lua_State *L;
  char *text;
  size_t len, size;
  bool color;
  int width;  /* of the terminal */
  int column; /* where the next character goes */
  int tight;  /* number of tables being tried on one line */
  bool fails; /* such a line is too long, or no memory */
  clock_t end;
  int depth;
  const void *path[SHOW_DEPTH + 1]; /* enclosing tables */
} Show;

static Show show;

typedef enum Paint {
  PAINT_NONE,
  PAINT_KEY,
  PAINT_NUMBER,
  PAINT_STRING,
  PAINT_WORD,
  PAINT_OTHER,
  PAINT_DIM
} Paint;

static const char *const show_paints[] = {
    "", "\033[36m", "\033[33m", "\033[32m", "\033[35m", "\033[34m", "\033[2m"};

static void show_append(const char *s, size_t n) {
  if (show.len + n + 1 > show.size) {
    const size_t size = 2 * show.size + n + 64;
    char *text = realloc(show.text, size);
    if (!text) {
      show.fails = true;
      return;
    }
    show.text = text;
    show.size = size;
  }
  memcpy(show.text + show.len, s, n);
  show.len += n;
  show.text[show.len] = '\0';
}

/* The width of a text: continuation bytes of UTF-8 take no column. */
static int show_columns(const char *s, size_t n) {
  int columns = 0;
  for (size_t i = 0; i < n; i++)
    columns += ((unsigned char)s[i] & 0xC0) != 0x80;
  return columns;
}

static void show_put(const char *s, size_t n, Paint paint) {
  if (show.fails) return;
  const bool paints = show.color && paint != PAINT_NONE;
  if (paints) show_append(show_paints[paint], strlen(show_paints[paint]));
  show_append(s, n);
  if (paints) show_append("\033[0m", 4);
  show.column += show_columns(s, n);
  if (show.tight > 0 && show.column > show.width) show.fails = true;
}

static void show_puts(const char *s, Paint paint) {
  show_put(s, strlen(s), paint);
}

static void show_newline(int indent) {
  show_append("\n", 1);
  for (int i = 0; i < indent; i++) show_append(" ", 1);
  show.column = indent;
}

static bool show_is_late(void) { return clock() > show.end; }

/* -- Strings ------------------------------------------------------------- */

/* The length of the character at s if it is valid UTF-8, otherwise 0. */
static size_t show_character(const unsigned char *s, size_t n) {
  const size_t len = *s < 0x80   ? 1
                     : *s < 0xC2 ? 0
                     : *s < 0xE0 ? 2
                     : *s < 0xF0 ? 3
                     : *s < 0xF5 ? 4
                                 : 0;
  if (len == 0 || len > n) return 0;
  for (size_t i = 1; i < len; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  return len;
}

/* Writes one character of a string to `out`, escaped if necessary. Returns its
** length in the string. */
static size_t show_escaped(const unsigned char *s, size_t n, char *out) {
  static const char plain[] = "abtnvfr";
  const size_t len = show_character(s, n);
  const unsigned char next = n > 1 ? s[1] : 0;
  if (*s == '"' || *s == '\\')
    sprintf(out, "\\%c", *s);
  else if (*s >= 7 && *s <= 13)
    sprintf(out, "\\%c", plain[*s - 7]);
  else if (len == 0 || *s < 32 || *s == 127)
    sprintf(out, isdigit(next) ? "\\%03u" : "\\%u", (unsigned)*s);
  else {
    memcpy(out, s, len);
    out[len] = '\0';
    return len;
  }
  return 1;
}

static void show_string(int index) {
  size_t len;
  const char *s = lua_tolstring(show.L, index, &len);
  const size_t limit = show.depth == 0 ? SHOW_STRING : SHOW_INNER;
  luaL_Buffer b;
  luaL_buffinit(show.L, &b);
  luaL_addchar(&b, '"');
  for (size_t i = 0; i < len && i < limit;) {
    char out[8];
    i += show_escaped((const unsigned char *)s + i, len - i, out);
    luaL_addstring(&b, out);
  }
  luaL_addchar(&b, '"');
  luaL_pushresult(&b);
  size_t n;
  s = lua_tolstring(show.L, -1, &n);
  show_put(s, n, PAINT_STRING);
  lua_pop(show.L, 1);
  if (len > limit) {
    char more[48];
    sprintf(more, "... %lu bytes", (unsigned long)len);
    show_puts(more, PAINT_DIM);
  }
}

static bool show_is_name(const char *s, size_t len) {
  if (len == 0 || isdigit((unsigned char)*s) || len > SHOW_INNER) return false;
  for (size_t i = 0; i < len; i++)
    if (!isalnum((unsigned char)s[i]) && s[i] != '_') return false;
  return !complete_is_keyword(s);
}

/* -- Keys ---------------------------------------------------------------- */

typedef struct ShowKey {
  int type;
  const char *s;
  size_t len;
  lua_Number n;
  int place; /* in the list of keys */
} ShowKey;

static int show_compare(const void *p, const void *q) {
  const ShowKey *a = p, *b = q;
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  if (a->type == LUA_TNUMBER && a->n != b->n) return a->n < b->n ? -1 : 1;
  if (a->type == LUA_TSTRING) {
    const size_t n = a->len < b->len ? a->len : b->len;
    const int order = memcmp(a->s, b->s, n);
    if (order != 0) return order;
    if (a->len != b->len) return a->len < b->len ? -1 : 1;
  }
  return a->place - b->place;
}

/* True for a key of the array 1 to n, whether it is shown or left out. */
static bool show_in_array(int index, lua_Integer n) {
  if (!lua_isinteger(show.L, index)) return false;
  const lua_Integer i = lua_tointeger(show.L, index);
  return i >= 1 && i <= n;
}

/* Pushes a list of the keys that are not in the array 1 to n, and fills and
** sorts `keys`. The traversal begins after a long array. Sets *more if there
** may be more keys. Returns their number. */
static int show_collect(int table, lua_Integer n, ShowKey *keys, bool *more) {
  lua_State *L = show.L;
  int count = 0;
  lua_newtable(L);
  const int list = lua_gettop(L);
  if (n > SHOW_SORTED)
    lua_pushinteger(L, n);
  else
    lua_pushnil(L);
  for (int steps = 0; lua_next(L, table); steps++) {
    lua_pop(L, 1);
    if (steps >= 2 * SHOW_SORTED || count >= SHOW_SORTED || show_is_late()) {
      *more = true;
      lua_pop(L, 1);
      break;
    }
    if (show_in_array(-1, n)) continue;
    ShowKey *key = &keys[count++];
    memset(key, 0, sizeof(*key));
    key->place = count;
    key->type = lua_type(L, -1);
    if (key->type == LUA_TNUMBER) key->n = lua_tonumber(L, -1);
    if (key->type == LUA_TSTRING) key->s = lua_tolstring(L, -1, &key->len);
    lua_pushvalue(L, -1);
    lua_rawseti(L, list, count);
  }
  qsort(keys, (size_t)count, sizeof(*keys), show_compare);
  return count;
}

/* -- Tables -------------------------------------------------------------- */

static void show_value(int index);

typedef struct Row {
  bool first; /* no entry yet */
  int indent;
} Row;

/* Writes the separator before an entry. Values of an array that are not tables
** share lines. */
static void show_separate(Row *row, bool may_share) {
  if (!row->first) show_puts(",", PAINT_NONE);
  if (show.tight > 0) {
    if (!row->first) show_puts(" ", PAINT_NONE);
  } else if (row->first || !may_share || show.column + 12 > show.width) {
    show_newline(row->indent);
  } else {
    show_puts(" ", PAINT_NONE);
  }
  row->first = false;
}

static void show_dots(Row *row, lua_Integer left) {
  char text[64] = "...";
  if (left > 0) sprintf(text, "... %lld more", (long long)left);
  show_separate(row, false);
  show_puts(text, PAINT_DIM);
}

static void show_array(int table, lua_Integer n, Row *row) {
  lua_Integer i = 1;
  for (; i <= n && i <= SHOW_ARRAY && !show.fails && !show_is_late(); i++) {
    lua_rawgeti(show.L, table, i);
    show_separate(row, i > 1 && !lua_istable(show.L, -1));
    show_value(lua_gettop(show.L));
    lua_pop(show.L, 1);
  }
  if (i <= n && !show.fails) show_dots(row, n - i + 1);
}

static void show_key(int index) {
  size_t len;
  lua_State *L = show.L;
  if (lua_type(L, index) == LUA_TSTRING) {
    const char *s = lua_tolstring(L, index, &len);
    if (show_is_name(s, len)) {
      show_put(s, len, PAINT_KEY);
      show_puts(" = ", PAINT_NONE);
      return;
    }
  }
  show_puts("[", PAINT_NONE);
  const int depth = show.depth;
  show.depth = SHOW_DEPTH; /* a table as a key is not expanded */
  show_value(index);
  show.depth = depth;
  show_puts("] = ", PAINT_NONE);
}

static void show_fields(int table, lua_Integer n, Row *row) {
  static ShowKey pool[SHOW_DEPTH][SHOW_SORTED];
  lua_State *L = show.L;
  ShowKey *keys = pool[show.depth - 1];
  bool more = false;
  const int count = show_collect(table, n, keys, &more);
  const int list = lua_gettop(L);
  int i = 0;
  for (; i < count && i < SHOW_FIELDS && !show.fails && !show_is_late(); i++) {
    lua_rawgeti(L, list, keys[i].place);
    show_separate(row, false);
    show_key(list + 1);
    lua_rawget(L, table);
    show_value(list + 1);
    lua_settop(L, list);
  }
  if ((i < count || more) && !show.fails) show_dots(row, more ? 0 : count - i);
  lua_pop(L, 1);
}

static void show_entries(int table, int indent) {
  Row row = {.first = true, .indent = indent + SHOW_INDENT};
  const lua_Integer n = (lua_Integer)lua_rawlen(show.L, table);
  show_puts("{", PAINT_NONE);
  show_array(table, n, &row);
  show_fields(table, n, &row);
  if (show.tight == 0 && !row.first) show_newline(indent);
  show_puts("}", PAINT_NONE);
}

/* The indentation of the current line. */
static int show_line_indent(void) {
  size_t i = show.len;
  int indent = 0;
  while (i > 0 && show.text[i - 1] != '\n') i--;
  for (; i < show.len && show.text[i] == ' '; i++) indent++;
  return indent;
}

/* Writes a table on one line if possible, otherwise on several. */
static void show_open(int table) {
  const size_t len = show.len;
  const int column = show.column;
  const int top = lua_gettop(show.L);
  const int indent = show_line_indent();
  show.tight++;
  show_entries(table, indent);
  show.tight--;
  if (!show.fails || show.tight > 0) return;
  show.fails = false;
  show.len = len;
  show.column = column;
  lua_settop(show.L, top);
  show_entries(table, indent);
}

/* How many levels up the table encloses this place, or -1 if it does not. */
static int show_cycle(const void *table) {
  for (int i = show.depth - 1; i >= 0; i--)
    if (show.path[i] == table) return show.depth - 1 - i;
  return -1;
}

static void show_table(int index) {
  const void *table = lua_topointer(show.L, index);
  const int up = show_cycle(table);
  luaL_checkstack(show.L, LUA_MINSTACK, NULL);
  if (up >= 0) {
    char text[48] = "<cycle: the table itself>";
    if (up > 0) sprintf(text, "<cycle: %d up>", up);
    show_puts(text, PAINT_DIM);
  } else if (show.depth >= SHOW_DEPTH || show_is_late()) {
    lua_pushnil(show.L);
    const bool empty = !lua_next(show.L, index);
    if (!empty) lua_pop(show.L, 2);
    show_puts(empty ? "{}" : "{...}", PAINT_NONE);
  } else {
    show.path[show.depth++] = table;
    show_open(index);
    show.depth--;
  }
}

/* -- Values -------------------------------------------------------------- */

/* Writes the result of tostring. */
static void show_plainly(int index, Paint paint) {
  size_t len;
  const char *s = luaL_tolstring(show.L, index, &len);
  show_put(s, len, paint);
  lua_pop(show.L, 1);
}

static void show_function(int index) {
  lua_Debug ar;
  const int top = lua_gettop(show.L);
  show_plainly(index, PAINT_OTHER);
  lua_pushvalue(show.L, index);
  lua_getinfo(show.L, ">S", &ar);
  if (*ar.what != 'C')
    lua_pushfstring(show.L, " <%s:%d>", ar.short_src, ar.linedefined);
  else if (penumbra_pushsignature(show.L, index))
    lua_pushfstring(show.L, " <%s>", lua_tostring(show.L, -1));
  else
    return;
  show_puts(lua_tostring(show.L, -1), PAINT_DIM);
  lua_settop(show.L, top);
}

/* True if the value has __tostring. */
static bool show_has_text(int index) {
  if (luaL_getmetafield(show.L, index, "__tostring") == LUA_TNIL) return false;
  lua_pop(show.L, 1);
  return true;
}

/* Writes the __name of the value, if it has one. */
static void show_kind(int index) {
  if (luaL_getmetafield(show.L, index, "__name") == LUA_TNIL) return;
  if (lua_type(show.L, -1) == LUA_TSTRING) {
    show_puts(lua_tostring(show.L, -1), PAINT_OTHER);
    show_puts(" ", PAINT_NONE);
  }
  lua_pop(show.L, 1);
}

static void show_value(int index) {
  if (show.fails) return;
  switch (lua_type(show.L, index)) {
    case LUA_TNUMBER: show_plainly(index, PAINT_NUMBER); break;
    case LUA_TSTRING: show_string(index); break;
    case LUA_TNIL:
    case LUA_TBOOLEAN: show_plainly(index, PAINT_WORD); break;
    case LUA_TFUNCTION: show_function(index); break;
    case LUA_TTABLE:
      if (show_has_text(index)) {
        show_plainly(index, PAINT_OTHER);
      } else {
        show_kind(index);
        show_table(index);
      }
      break;
    default: show_plainly(index, PAINT_OTHER);
  }
}

static int show_width(void) {
#if defined(LUA_USE_POSIX) && defined(TIOCGWINSZ)
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
    return size.ws_col;
#endif
  return 80;
}

static void show_begin(lua_State *L) {
  show.L = L;
  show.len = 0;
  show.color = show_has_colors(stdout);
  show.width = show_width() - 1;
  show.column = show.tight = show.depth = 0;
  show.fails = false;
  show.end = clock() + SHOW_MILLISECONDS * (CLOCKS_PER_SEC / 1000);
}

int show_print(lua_State *L) {
  const int n = lua_gettop(L);
  show_begin(L);
  bool lines = false;
  for (int i = 1; i <= n; i++) lines = lines || lua_istable(L, i);
  for (int i = 1; i <= n; i++) {
    if (i > 1 && lines) show_newline(0);
    if (i > 1 && !lines) show_puts("\t", PAINT_NONE);
    show_value(i);
  }
  show_append("\n", 1);
  fwrite(show.text, 1, show.len, stdout);
  fflush(stdout);
  return 0;
}

static int show_push(lua_State *L) {
  show_begin(L);
  show.color = show_has_colors(stderr);
  show_value(1);
  lua_pushlstring(L, show.text ? show.text : "", show.len);
  return 1;
}

void show_push_text(lua_State *L, int index) {
  lua_pushvalue(L, index);
  lua_pushcfunction(L, show_push);
  lua_insert(L, -2);
  lua_call(L, 1, 1);
}

bool show_has_colors(FILE *file) {
#if defined(LUA_USE_POSIX)
  const char *no = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  if (no && *no != '\0') return false;
  if (!term || strcmp(term, "dumb") == 0) return false;
  return isatty(fileno(file)) != 0;
#else
  (void)file;
  return false;
#endif
}
