/* SPDX-License-Identifier: MIT */
/*
** io_read.c -- the io library: reading, by formats and by lines
*/

#include "io_impl.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "system.h"
#include "values.h"

enum {
  READ_LINE = 128,        /* the room for a line, at first */
  READ_PIECE = 1 << 16,   /* the most bytes between two looks at a budget */
  READ_MAX_NUMERAL = 200, /* the longest numeral "n" reads */
  READ_MAX_FORMATS = 250  /* the most formats lines() keeps */
};

/* Locks a file once for many characters. */
#if defined(LUA_USE_POSIX)
#define read_char(f)   getc_unlocked(f)
#define read_lock(f)   flockfile(f)
#define read_unlock(f) funlockfile(f)
#else
#define read_char(f)   getc(f)
#define read_lock(f)   ((void)0)
#define read_unlock(f) ((void)0)
#endif

/* A file may have no end.  Reading a piece costs units of a budget, and can be
** interrupted. */
static void read_spend(lua_State *L, size_t bytes) {
  enum { BYTES_PER_UNIT = 8 };
  if (bytes > READ_LINE) penumbra_spend(L, bytes / BYTES_PER_UNIT);
}

/* -- Numerals ------------------------------------------------------------ */

/* The state machine of numerals: a row for each state, in the order of the
** letters that name them.  A row has the next state for each kind of character.
** A dot ends the numeral before that character. */
static const char *const numeral_next[] = {
    /*                     +-  0  1-9  e  a-f  x  p  point */
    /* A  nothing yet   */ "BCD....E",
    /* B  a sign        */ ".CD....E",
    /* C  a zero        */ ".DDK.G.F",
    /* D  digits        */ ".DDK...F",
    /* E  a point only  */ ".FF.....",
    /* F  a fraction    */ ".FFK....",
    /* G  0x            */ ".HHHH..I",
    /* H  hex digits    */ ".HHHH.KJ",
    /* I  0x and point  */ ".JJJJ...",
    /* J  hex fraction  */ ".JJJJ.K.",
    /* K  e or p        */ "LMM.....",
    /* L  its sign      */ ".MM.....",
    /* M  its digits    */ ".MM.....",
};

/* The column of a character.  Any other character has the column after the last
** one, where each row has its terminating zero. */
static int numeral_column(int c, int locale_point) {
  if (c == '0') return 1;
  if (isdigit(c)) return 2;
  if (c == '.' || c == locale_point) return 7;
  switch (c) {
    case '+':
    case '-': return 0;
    case 'e':
    case 'E': return 3;
    case 'x':
    case 'X': return 5;
    case 'p':
    case 'P': return 6;
    default: return isxdigit(c) ? 4 : 8;
  }
}

/* Returns the first character that is no space.  The file is locked. */
static int numeral_begin(lua_State *L, FILE *f) {
  int c, spaces = 0;
  while (isspace(c = read_char(f))) {
    if (++spaces < READ_PIECE) continue;
    spaces = 0;
    read_unlock(f);
    read_spend(L, READ_PIECE);
    read_lock(f);
  }
  return c;
}

/* Reads the longest text that could begin a numeral, even if it is not a
** complete one; returns no text if it is too long. */
static void numeral_collect(lua_State *L, FILE *f,
                            char text[READ_MAX_NUMERAL + 1]) {
  const int point = lua_getlocaledecpoint();
  char state = 'A';
  int c, n = 0;
  read_lock(f);
  c = numeral_begin(L, f);
  for (;;) {
    state = numeral_next[state - 'A'][numeral_column(c, point)];
    if (state < 'A' || n == READ_MAX_NUMERAL) break;
    text[n++] = (char)c;
    c = read_char(f);
  }
  ungetc(c, f);
  read_unlock(f);
  text[state < 'A' ? n : 0] = '\0';
}

/* Pushes the number, or nil. */
static bool read_number(lua_State *L, FILE *f) {
  char text[READ_MAX_NUMERAL + 1];
  numeral_collect(L, f, text);
  if (luai_likely(lua_stringtonumber(L, text))) return true;
  lua_pushnil(L);
  return false;
}

/* -- Characters ---------------------------------------------------------- */

/* Pushes "" if there is something to read. */
static bool read_nothing(lua_State *L, FILE *f) {
  const int c = getc(f);
  ungetc(c, f);
  lua_pushliteral(L, "");
  return c != EOF;
}

static bool read_chars(lua_State *L, FILE *f, size_t n) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  char *p = luaL_prepbuffsize(&b, n);
  size_t got = 0, piece, more;
  do {
    piece = n - got < READ_PIECE ? n - got : READ_PIECE;
    more = fread(p + got, 1, piece, f);
    got += more;
    read_spend(L, more);
  } while (more == READ_PIECE);
  luaL_pushresultsize(&b, got);
  return got > 0;
}

/* The bytes left in an ordinary file, and one more, so that the end is noticed
** without growing the buffer; 0 for other files. */
static size_t read_expected(FILE *f) {
  const size_t left = system_bytes_left(f);
  return left > 0 ? left + 1 : 0;
}

/* Each piece fills the buffer, which grows with the text. */
static void read_all(lua_State *L, FILE *f) {
  luaL_Buffer b;
  size_t capacity, got;
  luaL_buffinitsize(L, &b, read_expected(f));
  do {
    char *p = luaL_prepbuffsize(&b, b.n == 0 ? 1 : LUAL_BUFFERSIZE);
    capacity = b.size - b.n;
    got = fread(p, 1, capacity, f);
    luaL_addsize(&b, got);
    read_spend(L, got);
  } while (got == capacity);
  luaL_pushresult(&b);
}

/* Reads to the end of the line, but at most n - 1 bytes, and returns how many.
** fgets finds the end much faster than a loop over characters, but does not say
** where it is, and the text may contain zeros.  So the room is filled with
** newlines before.  The first newline is then either one that was read, which
** has a zero behind it, or comes after the zero that ends the text. */
static size_t read_piece(FILE *f, char *p, size_t n) {
  memset(p, '\n', n);
  if (!fgets(p, (int)n, f)) return 0;
  const char *first = memchr(p, '\n', n);
  if (!first) return n - 1;
  const size_t at = (size_t)(first - p);
  return at + 1 < n && p[at + 1] == '\0' ? at + 1 : at - 1;
}

/* The first piece is small, because all of it is filled with newlines.  Few
** lines are longer. */
static bool read_line(lua_State *L, FILE *f, bool chop) {
  luaL_Buffer b;
  size_t capacity = READ_LINE, n;
  bool ended;
  luaL_buffinit(L, &b);
  for (;;) {
    char *p = luaL_prepbuffsize(&b, capacity);
    n = read_piece(f, p, capacity);
    ended = n > 0 && p[n - 1] == '\n';
    luaL_addsize(&b, n - (ended && chop));
    read_spend(L, n);
    if (ended || n < capacity - 1) break;
    capacity = LUAL_BUFFERSIZE;
  }
  const bool ok = ended || luaL_bufflen(&b) > 0;
  luaL_pushresult(&b);
  return ok;
}

/* -- Formats ------------------------------------------------------------- */

/* Reads by one format.  False if there was nothing to read; a value is pushed
** even then. */
static bool read_format(lua_State *L, FILE *f, int arg) {
  if (lua_type(L, arg) == LUA_TNUMBER) {
    const size_t n = (size_t)luaL_checkinteger(L, arg);
    return n == 0 ? read_nothing(L, f) : read_chars(L, f, n);
  }
  const char *p = luaL_checkstring(L, arg);
  if (*p == '*') p++; /* the syntax of older versions */
  switch (*p) {
    case 'n': return read_number(L, f);
    case 'l': return read_line(L, f, true);
    case 'L': return read_line(L, f, false);
    case 'a': read_all(L, f); return true;
    default: return luaL_argerror(L, arg, "invalid format") != 0;
  }
}

/* Reads by `nargs` formats from argument `first` up, or one line if there are
** none.  Pushes the results; the first failure is the last one. */
static int read_formats(lua_State *L, FILE *f, int first, int nargs) {
  int n = 1;
  bool ok;
  if (feof(f) || ferror(f)) clearerr(f); /* which locks the file */
  errno = 0;
  if (nargs <= 0) {
    ok = read_line(L, f, true);
  } else {
    luaL_checkstack(L, nargs + LUA_MINSTACK, "too many arguments");
    ok = true;
    for (n = 0; n < nargs && ok; n++) ok = read_format(L, f, first + n);
  }
  if (ferror(f)) return luaL_fileresult(L, 0, NULL);
  if (!ok) {
    lua_pop(L, 1);
    luaL_pushfail(L);
  }
  return n;
}

/* The default file is on top of the arguments. */
int io_read_framed(lua_State *L) {
  const int nargs = lua_gettop(L);
  return read_formats(L, io_default_file(L, IO_INPUT), 1, nargs);
}

int file_read_framed(lua_State *L) {
  return read_formats(L, io_file(L), 2, lua_gettop(L) - 1);
}

/* -- Lines --------------------------------------------------------------- */

/* Upvalues of the iterator; the formats follow. */
enum { LINES_FILE = 1, LINES_CLOSE, LINES_FIRST };

/* At the end of the file, or after an error. */
static int lines_end(lua_State *L, int n) {
  if (n > 1) return luaL_error(L, "%s", lua_tostring(L, -n + 1));
  if (lua_toboolean(L, lua_upvalueindex(LINES_CLOSE))) {
    lua_settop(L, 0);
    lua_pushvalue(L, lua_upvalueindex(LINES_FILE));
    io_close_file(L);
  }
  return 0;
}

/* Pushes the formats and returns their number. */
static int lines_push_formats(lua_State *L) {
  int end = LINES_FIRST;
  while (!lua_isnone(L, lua_upvalueindex(end))) end++;
  luaL_checkstack(L, end, "too many arguments");
  for (int i = LINES_FIRST; i < end; i++) lua_pushvalue(L, lua_upvalueindex(i));
  return end - LINES_FIRST;
}

static int lines_step(lua_State *L) {
  const luaL_Stream *p = lua_touserdata(L, lua_upvalueindex(LINES_FILE));
  if (!p->closef) return luaL_error(L, "file is already closed");
  lua_settop(L, 1);
  const int n = read_formats(L, p->f, 2, lines_push_formats(L));
  return lua_toboolean(L, -n) ? n : lines_end(L, n);
}

/* Replaces the file at the bottom of the stack and the formats above it by the
** iterator. */
static int lines_push(lua_State *L, bool close) {
  const int most = READ_MAX_FORMATS + 1;
  luaL_argcheck(L, lua_gettop(L) <= most, most + 1, "too many arguments");
  lua_pushboolean(L, close);
  lua_insert(L, LINES_CLOSE);
  lua_pushcclosure(L, lines_step, lua_gettop(L));
  return 1;
}

int file_lines_framed(lua_State *L) { return lines_push(L, false); }

/* With a file name, the file is also the closing value of the loop. */
int io_lines_framed(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  if (lua_gettop(L) == 0) lua_settop(L, 1);
  if (name)
    io_open_or_raise(L, name, "r");
  else
    lua_getfield(L, LUA_REGISTRYINDEX, IO_INPUT);
  lua_replace(L, 1);
  if (!name) {
    io_check_file(L);
    return lines_push(L, false);
  }
  const int iterator = lines_push(L, true);
  values_push(L, "--");
  lua_getupvalue(L, iterator, LINES_FILE);
  return lua_gettop(L);
}
