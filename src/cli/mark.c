/* SPDX-License-Identifier: MIT */
/*
** mark.c -- errors with their source line
**
** At a terminal each input has a name of its own, such as "stdin[3]".  Its text
** is kept for a while, because a function typed earlier may fail later.  If a
** message begins with such a name, or with that of a file, and a line number,
** that line is printed after it, with the suspected word underlined.  The same
** holds for code of the command line.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#if defined(LUA_USE_POSIX)
#include <sys/ioctl.h>
#include <unistd.h>
#endif

enum {
  MARK_GUTTER = 8,      /* columns of "   12 | " */
  MARK_NARROW = 30,     /* columns of a terminal that are used at least */
  MARK_INPUTS = 200,    /* texts that are kept */
  MARK_FILE = 10000000, /* bytes of a file that are read */
  MARK_NAME = 300,      /* bytes of its name */
  MARK_PLACES = 8       /* places in a message that are read */
};

static const char mark_key = 0; /* registry: number -> text */
static int mark_count;

const char *mark_push_name(lua_State *L, const char *text, bool again) {
  if (again) mark_count--;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &mark_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &mark_key);
  }
  lua_pushstring(L, text);
  lua_rawseti(L, -2, ++mark_count);
  lua_pushnil(L);
  lua_rawseti(L, -2, mark_count - MARK_INPUTS);
  lua_pop(L, 1);
  return lua_pushfstring(L, "=stdin[%d]", mark_count);
}

/* -- The line ------------------------------------------------------------ */

static bool mark_line_of_text(const char *text, int line, char *out) {
  for (; line > 1; line--) {
    text = strchr(text, '\n');
    if (!text) return false;
    text++;
  }
  const size_t n = strcspn(text, "\n");
  const size_t len = n < MARK_LINE ? n : MARK_LINE;
  memcpy(out, text, len);
  out[len] = '\0';
  return true;
}

static bool mark_line_of_input(lua_State *L, int number, int line, char *out) {
  bool found = false;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &mark_key) == LUA_TTABLE) {
    if (lua_rawgeti(L, -1, number) == LUA_TSTRING)
      found = mark_line_of_text(lua_tostring(L, -1), line, out);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return found;
}

static bool mark_line_of_file(const char *name, int line, char *out) {
  FILE *file = fopen(name, "r");
  size_t len = 0;
  int c, left = MARK_FILE;
  if (!file) return false;
  while (line > 0 && left-- > 0 && (c = getc(file)) != EOF) {
    if (c == '\n')
      line--;
    else if (line == 1 && len < MARK_LINE && c != '\r')
      out[len++] = (char)c;
  }
  fclose(file);
  out[len] = '\0';
  return len > 0;
}

static const char *mark_text_name, *mark_text;

void mark_set_text(const char *name, const char *text) {
  mark_text_name = name;
  mark_text = text;
}

bool mark_find(lua_State *L, const char *name, const char *file, int line,
               char *out) {
  int number;
  if (sscanf(name, "stdin[%d]", &number) == 1)
    return mark_line_of_input(L, number, line, out);
  if (mark_text && strcmp(name, mark_text_name) == 0)
    return mark_line_of_text(mark_text, line, out);
  return mark_line_of_file(file ? file : name, line, out);
}

/* The place that a message names at its beginning: "name:12: ...". */
typedef struct Place {
  char name[MARK_NAME];
  int line;
  const char *rest; /* of the message */
} Place;

static bool mark_read_place(const char *msg, Place *place) {
  const char *colon = strchr(msg, ':');
  while (colon && !isdigit((unsigned char)colon[1]))
    colon = strchr(colon + 1, ':');
  if (!colon || memchr(msg, '\n', (size_t)(colon - msg))) return false;
  char *end;
  const long line = strtol(colon + 1, &end, 10);
  if (*end != ':' || line < 1 || line > 100000000) return false;
  const int n = (int)(colon - msg);
  if (n >= (int)sizeof place->name) return false;
  snprintf(place->name, sizeof place->name, "%.*s", n, msg);
  place->line = (int)line;
  place->rest = end[1] == ' ' ? end + 2 : end + 1;
  return true;
}

/* What follows the first place in a message, or NULL.  coroutine.wrap and require
** put text in front of a message that names a place of its own. */
static const char *mark_inner_message(const char *msg) {
  static const char loading[] = "error loading module '";
  Place place;
  if (strncmp(msg, loading, sizeof loading - 1) != 0)
    return mark_read_place(msg, &place) ? place.rest : NULL;
  const char *begin = strstr(msg, ":\n\t");
  return begin ? begin + 3 : NULL;
}

/* Finds the innermost place that the message names, and its line. */
static bool mark_find_place(lua_State *L, const char *msg, const char *file,
                            Place *place, char *out) {
  char line[MARK_LINE + 1];
  Place next;
  bool found = false;
  for (int i = 0; msg && i < MARK_PLACES; i++) {
    if (mark_read_place(msg, &next) &&
        mark_find(L, next.name, i == 0 ? file : NULL, next.line, line)) {
      *place = next;
      strcpy(out, line);
      found = true;
    }
    msg = mark_inner_message(msg);
  }
  return found;
}

/* -- The word ------------------------------------------------------------ */

static bool mark_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* The last occurrence of a word in the line, or NULL. */
static const char *mark_find_word(const char *line, const char *word,
                                  size_t n) {
  const char *found = NULL;
  for (const char *p = line; n > 0 && *p != '\0'; p++) {
    if (strncmp(p, word, n) != 0) continue;
    if (mark_is_word(*word) && p > line && mark_is_word(p[-1])) continue;
    if (mark_is_word(word[n - 1]) && mark_is_word(p[n])) continue;
    found = p;
  }
  return found;
}

/* The last part of the message in quotes: near 'x', or (global 'x'). */
static const char *mark_quoted(const char *msg, size_t *n) {
  const size_t len = strcspn(msg, "\n");
  const char *end = msg + len, *begin;
  while (end > msg && end[-1] != '\'') end--;
  if (end <= msg + 1) return NULL;
  end--;
  for (begin = end; begin > msg && begin[-1] != '\'';) begin--;
  if (begin == msg) return NULL;
  *n = (size_t)(end - begin);
  return begin;
}

/* -- Printing ------------------------------------------------------------ */

void mark_paint(const char *color, const char *s, size_t n) {
  const bool paints = show_has_colors(stderr);
  if (paints) fputs(color, stderr);
  fwrite(s, 1, n, stderr);
  if (paints) fputs("\033[0m", stderr);
}

#if defined(LUA_USE_POSIX)

/* The console of Linux would print some of it. */
static bool mark_has_links(void) {
  const char *term = getenv("TERM");
  return show_has_colors(stderr) && strcmp(term, "linux") != 0;
}

void mark_link(const char *file) {
  static bool is_open;
  char *path = *file && mark_has_links() ? realpath(file, NULL) : NULL;
  if (path || is_open) fputs("\033]8;;", stderr);
  if (path) fputs("file://", stderr);
  for (const char *p = path; p && *p != '\0'; p++)
    fprintf(stderr, mark_is_word(*p) || strchr("/.-~", *p) ? "%c" : "%%%02X",
            (unsigned char)*p);
  if (path || is_open) fputs("\033\\", stderr);
  is_open = path != NULL;
  free(path);
}

#else
void mark_link(const char *file) { (void)file; }
#endif

int mark_columns(void) {
#if defined(LUA_USE_POSIX) && defined(TIOCGWINSZ)
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col > MARK_NARROW ? size.ws_col : MARK_NARROW;
#endif
  return 2 * MARK_LINE;
}

/* Cuts a line to the terminal's width, so that `at` is in it.  Dots stand for
** what is left out.  Returns where the line begins now. */
static char *mark_cut(char *line, const char *at) {
  const size_t width = (size_t)mark_columns() - MARK_GUTTER, len = strlen(line);
  const size_t place = (size_t)(at - line);
  if (len <= width) return line;
  const size_t from = place > width / 2 ? place - width / 3 : 0;
  char *begin = line + from;
  if (len - from > width) {
    char *end = begin + width - 3;
    while (((unsigned char)*end & 0xC0) == 0x80) end--;
    strcpy(end, "...");
  }
  for (size_t i = 0; from > 0 && (i < 3 || (begin[i] & 0xC0) == 0x80); i++)
    begin[i] = '.';
  return begin;
}

/* Underlines n bytes of the line, from `at` on. */
static void mark_underline(const char *line, const char *at, size_t n) {
  fputs("      | ", stderr);
  for (const char *p = line; p < at; p++)
    if (((unsigned char)*p & 0xC0) != 0x80)
      fputc(*p == '\t' ? '\t' : ' ', stderr);
  char carets[MARK_LINE + 1];
  size_t columns = 0;
  for (size_t i = 0; i < n && columns < MARK_LINE; i++)
    if (((unsigned char)at[i] & 0xC0) != 0x80) carets[columns++] = '^';
  mark_paint("\033[31m", carets, columns);
  fputc('\n', stderr);
}

void mark_put_message(const char *msg, const char *file) {
  Place place;
  if (mark_read_place(msg, &place)) {
    const char *name = file ? file : place.name;
    const char *line = msg + strlen(place.name);
    mark_link(name);
    mark_paint("\033[31m", name, strlen(name));
    msg = strchr(line + 1, ':');
    mark_paint("\033[31m", line, (size_t)(msg - line));
    mark_link("");
  }
  mark_paint("\033[31m", msg, strlen(msg));
  fputc('\n', stderr);
}

/* The line that was printed last, with a caret. */
static Place mark_shown;

bool mark_is_shown(const char *name, int line) {
  return mark_shown.line == line && strcmp(mark_shown.name, name) == 0;
}

static void mark_print(int number, const char *line) {
  fprintf(stderr, "%5d | %s\n", number, line);
}

/* Underlines the word that the message quotes, or else the given word. */
static void mark_print_line(int number, char *line, const char *msg,
                            const char *other) {
  size_t n = 0;
  const char *word = mark_quoted(msg, &n);
  const char *at = word ? mark_find_word(line, word, n) : NULL;
  if (!at) {
    n = strlen(other);
    at = mark_find_word(line, other, n);
  }
  if (!at) {
    at = line + strspn(line, " \t");
    n = strlen(at);
  }
  line = mark_cut(line, at);
  mark_print(number, line);
  if (n > strlen(at)) n = strlen(at);
  if (n > 0) mark_underline(line, at, n);
}

/* Syntax errors name a second line: "'end' expected (to close 'if' at line 3)". */
static bool mark_other_line(lua_State *L, const char *msg, const char *file) {
  char line[MARK_LINE + 1];
  int number;
  Place place;
  const char *found = strstr(msg, " at line ");
  if (!found || sscanf(found, " at line %d", &number) != 1) return false;
  if (!mark_read_place(msg, &place) || place.line == number) return false;
  if (!mark_find(L, place.name, file, number, line)) return false;
  mark_print(number, mark_cut(line, line));
  return true;
}

bool mark_message(lua_State *L, const char *msg, const char *file,
                  const char *word) {
  char line[MARK_LINE + 1];
  mark_shown.line = 0;
  const bool other = mark_other_line(L, msg, file);
  Place place;
  if (!mark_find_place(L, msg, file, &place, line)) return other;
  mark_shown = place;
  mark_print_line(place.line, line, place.rest, word);
  return true;
}

void mark_level(lua_State *L, const char *name, const char *file, int number,
                const char *word) {
  char line[MARK_LINE + 1];
  if (!mark_find(L, name, *file ? file : NULL, number, line)) return;
  snprintf(mark_shown.name, sizeof mark_shown.name, "%s", name);
  mark_shown.line = number;
  mark_print_line(number, line, "", word);
}
