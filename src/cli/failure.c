/* SPDX-License-Identifier: MIT */
/*
** failure.c -- how the failure of a program is reported
**
** A full report has the message, the source line with the suspected word
** underlined, and the functions that were running, each with its line.  A plain
** one is that of lua5.4, byte for byte, because programs compare it.  Full ones
** go to terminals, plain ones elsewhere; --errors chooses.
**
** The stack is noted when the error is raised: by the message handler, or, for
** errors that call none, by the witness (penumbra_setwitness), which may not use
** the state.  So the notes are kept in static memory.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "penumbra.h"

#if defined(LUA_USE_POSIX)
#include <unistd.h>
#endif

/* Of a deep stack, the first levels and the last ones are noted. */
enum { NOTED_FIRST = 12, NOTED_LAST = 10, NOTED = NOTED_FIRST + NOTED_LAST };

/* Bytes of the source line of a level. */
enum { LINE_SHOWN = 60 };

typedef struct Level {
  char file[256];             /* its source file, or "" */
  char place[LUA_IDSIZE];     /* as in messages */
  char name[LUA_IDSIZE + 40]; /* "function 'f'" */
  int line;
  bool is_c;
  bool is_tail; /* called by a tail call: its caller is gone */
} Level;

static struct {
  Level level[NOTED];
  int count;
  int left_out; /* levels after the first NOTED_FIRST */
  bool witnessed;
} noted;

static enum { ERRORS_AUTO, ERRORS_FULL, ERRORS_PLAIN } failure_choice;

/* -- Full or plain ------------------------------------------------------- */

bool failure_option(const char *value) {
  if (strcmp(value, "full") == 0)
    failure_choice = ERRORS_FULL;
  else if (strcmp(value, "plain") == 0)
    failure_choice = ERRORS_PLAIN;
  else
    return false;
  return true;
}

bool failure_is_full(void) {
#if defined(LUA_USE_POSIX)
  if (failure_choice == ERRORS_AUTO) return isatty(STDERR_FILENO) != 0;
#endif
  return failure_choice == ERRORS_FULL;
}

void failure_prefer_full(void) {
  if (failure_choice == ERRORS_AUTO) failure_choice = ERRORS_FULL;
}

/* -- Noting the stack ---------------------------------------------------- */

static void level_set_name(Level *level, const lua_Debug *ar) {
  if (strcmp(ar->namewhat, "global") == 0)
    snprintf(level->name, sizeof level->name, "function '%s'", ar->name);
  else if (*ar->namewhat != '\0')
    snprintf(level->name, sizeof level->name, "%s '%s'", ar->namewhat,
             ar->name);
  else if (*ar->what == 'm')
    snprintf(level->name, sizeof level->name, "main chunk");
  else if (*ar->what != 'C')
    snprintf(level->name, sizeof level->name, "function <%s:%d>", ar->short_src,
             ar->linedefined);
  else
    snprintf(level->name, sizeof level->name, "?");
}

static void level_note(lua_State *L, lua_Debug *ar, Level *level) {
  lua_getinfo(L, "Slnt", ar);
  level->is_tail = ar->istailcall;
  level->is_c = *ar->what == 'C';
  level->line = ar->currentline;
  snprintf(level->place, sizeof level->place, "%s", ar->short_src);
  const bool fits =
      ar->source[0] == '@' && strlen(ar->source + 1) < sizeof level->file;
  snprintf(level->file, sizeof level->file, "%s", fits ? ar->source + 1 : "");
  level_set_name(level, ar);
}

/* How many levels the stack has. */
static int stack_depth(lua_State *L) {
  lua_Debug ar;
  int below = 0, above = 1;
  while (lua_getstack(L, above, &ar)) {
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const int middle = below + (above - below) / 2;
    if (lua_getstack(L, middle, &ar))
      below = middle;
    else
      above = middle;
  }
  return above;
}

void failure_note(lua_State *L, int first) {
  lua_Debug ar;
  const int depth = stack_depth(L);
  failure_forget();
  noted.left_out = depth - first > NOTED ? depth - first - NOTED : 0;
  for (int i = first; i < depth && noted.count < NOTED; i++) {
    if (noted.count == NOTED_FIRST && i == first + NOTED_FIRST)
      i += noted.left_out;
    if (lua_getstack(L, i, &ar))
      level_note(L, &ar, &noted.level[noted.count++]);
  }
}

void failure_forget(void) {
  noted.count = noted.left_out = 0;
  noted.witnessed = false;
}

static void failure_witness(lua_State *L, void *ud, int status) {
  (void)ud, (void)status;
  failure_note(L, 0);
  noted.witnessed = true;
}

void failure_watch(lua_State *L) {
  penumbra_setwitness(L, failure_witness, NULL);
}

/* -- Full reports -------------------------------------------------------- */

/* The level of the error: the first one in Lua. */
static const Level *failure_level(void) {
  for (int i = 0; i < noted.count; i++)
    if (!noted.level[i].is_c && noted.level[i].line > 0) return &noted.level[i];
  return NULL;
}

/* The file that the message begins with, if that name was cut. */
static const char *failure_file(const char *msg, const char *script) {
  const Level *level = failure_level();
  if (strncmp(msg, "...", 3) != 0) return NULL;
  if (!level) return script;
  const size_t n = strlen(level->place);
  return *level->file && strncmp(msg, level->place, n) == 0 ? level->file
                                                            : NULL;
}

/* Prints the message; a name of a file that was cut is printed in full. */
static void print_message(const char *msg, const char *file) {
  const char *rest = file ? strchr(msg, ':') : NULL;
  if (cli_program) fprintf(stderr, "%s: ", cli_program);
  if (rest) mark_paint("\033[31m", file, strlen(file));
  if (rest) msg = rest;
  mark_paint("\033[31m", msg, strlen(msg));
  fputc('\n', stderr);
}

static bool is_same_line(const Level *a, const Level *b) {
  return a->line == b->line && strcmp(a->place, b->place) == 0;
}

static bool level_equals(const Level *a, const Level *b) {
  return is_same_line(a, b) && a->is_c == b->is_c && a->is_tail == b->is_tail &&
         strcmp(a->name, b->name) == 0;
}

/* True for levels that tell nothing: the host, and `error` itself. */
static bool level_is_dull(int i) {
  const Level *level = &noted.level[i];
  if (!level->is_c) return false;
  return strcmp(level->name, "?") == 0 ||
         (i == 0 && (strcmp(level->name, "function 'error'") == 0 ||
                     strcmp(level->name, "function 'assert'") == 0));
}

static void print_level(lua_State *L, const Level *level, bool with_line) {
  char text[MARK_LINE + 1], place[sizeof level->file + 16];
  const char *name = *level->file ? level->file : level->place;
  if (level->line > 0)
    snprintf(place, sizeof place, "%s:%d", name, level->line);
  else
    snprintf(place, sizeof place, "%s", name);
  int width = fprintf(stderr, "    %s: in %s", place, level->name);
  if (with_line && level->line > 0 &&
      mark_find(L, level->place, *level->file ? level->file : NULL, level->line,
                text)) {
    for (; width < 44; width++) fputc(' ', stderr);
    fputs("  ", stderr);
    const char *begin = text + strspn(text, " \t");
    const size_t n = strlen(begin);
    mark_paint("\033[2m", begin, n < LINE_SHOWN ? n : LINE_SHOWN);
  }
  fputs(level->is_tail ? "\n    (...tail calls...)\n" : "\n", stderr);
}

static void print_repeated(int times) {
  if (times > 1) fprintf(stderr, "    (%d times)\n", times);
}

/* `marked`: the level whose line was printed already, or NULL. */
static void print_levels(lua_State *L, const Level *marked) {
  const Level *last = NULL;
  int times = 1;
  fputs("stack traceback:\n", stderr);
  for (int i = 0; i < noted.count; i++) {
    const Level *level = &noted.level[i];
    if (i == NOTED_FIRST && noted.left_out > 0) {
      print_repeated(times);
      times = 1;
      last = NULL;
      fprintf(stderr, "    ... (%d levels are left out)\n", noted.left_out);
    }
    if (level_is_dull(i)) continue;
    if (last && level_equals(last, level)) {
      times++;
      continue;
    }
    print_repeated(times);
    times = 1;
    print_level(L, level, !marked || !is_same_line(level, marked));
    last = level;
  }
  print_repeated(times);
}

/* How many levels are worth printing. */
static int count_levels(void) {
  int n = 0;
  for (int i = 0; i < noted.count; i++) n += !level_is_dull(i);
  return n;
}

static int push_shown(lua_State *L) {
  lua_pushstring(L, "error object: ");
  show_push_text(L, 1);
  lua_concat(L, 2);
  return 1;
}

/* Replaces an error that is no text by a text. */
static void describe_error(lua_State *L) {
  if (lua_isstring(L, -1)) return;
  const char *type = luaL_typename(L, -1);
  lua_pushcfunction(L, push_shown);
  lua_insert(L, -2);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_isstring(L, -1)) return;
  lua_pop(L, 1);
  lua_pushfstring(L, "(error object is a %s value)", type);
}

static void report_fully(lua_State *L, const char *script) {
  describe_error(L);
  const char *msg = lua_tostring(L, -1);
  const Level *level = failure_level();
  print_message(msg, failure_file(msg, script));
  const bool named = mark_message(L, msg, failure_file(msg, script));
  if (!named && level) {
    fprintf(stderr, "  at %s:%d\n", *level->file ? level->file : level->place,
            level->line);
    mark_level(L, level->place, level->file, level->line);
  }
  if (count_levels() > 1) print_levels(L, level);
}

/* -- Plain reports ------------------------------------------------------- */

/* As luaL_traceback prints it. */
static void print_plain_levels(void) {
  fputs("stack traceback:\n", stderr);
  for (int i = 0; i < noted.count; i++) {
    const Level *level = &noted.level[i];
    if (i == NOTED_FIRST && noted.left_out > 0)
      fprintf(stderr, "\t...\t(skipping %d levels)\n", noted.left_out);
    fprintf(stderr, "\t%s:", level->place);
    if (level->line > 0) fprintf(stderr, "%d:", level->line);
    fprintf(stderr, " in %s\n", level->name);
    if (level->is_tail) fputs("\t(...tail calls...)\n", stderr);
  }
}

static void report_plainly(lua_State *L, bool limited) {
  const char *msg = lua_tostring(L, -1);
  cli_message(msg ? msg : "(error message not a string)");
  if (limited && noted.witnessed) print_plain_levels();
}

/* -- All of it ----------------------------------------------------------- */

void failure_report(lua_State *L, int status, const char *script) {
  fflush(stdout);
  lua_checkstack(L, LUA_MINSTACK);
  const bool limited = limits_is_reached(L, status);
  if (limited) limits_lift(L);
  if (failure_is_full())
    report_fully(L, script);
  else
    report_plainly(L, limited);
  if (limited) limits_explain(L, status);
  fflush(stderr);
  failure_forget();
  lua_pop(L, 1);
}
