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
** errors that call none and for coroutines that die, by the witness
** (penumbra_setwitness), which may not use the state.  So the notes are kept in
** static memory.
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

/* Of the coroutines that died of the same error, so many. */
enum { NOTED_STACKS = 4 };

/* Bytes of the source line of a level, and of a message that is compared. */
enum { LINE_SHOWN = 60, MESSAGE_NOTED = 1000 };

typedef struct Level {
  char file[256];             /* its source file, or "" */
  char place[LUA_IDSIZE];     /* as in messages */
  char name[LUA_IDSIZE + 40]; /* "function 'f'" */
  int line;
  bool is_c;
  bool is_tail; /* called by a tail call: its caller is gone */
} Level;

/* The stack of a thread. */
typedef struct NotedStack {
  const lua_State *thread;
  Level level[NOTED];
  int count;
  int left_out; /* levels after the first NOTED_FIRST */
} NotedStack;

/* An error that leaves a coroutine may be raised again by what resumed it.  So
** the stacks of coroutines are kept, innermost first, until another error comes:
** one that is not the same object, and whose message does not end with the same
** text. */
static struct {
  NotedStack stack[NOTED_STACKS];
  int count;
  NotedStack host; /* the stack of the main thread */
  bool witnessed;
  const void *object; /* the error, if it is no string */
  char message[MESSAGE_NOTED];
} noted;

static lua_State *failure_main;

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

static void noted_take(NotedStack *stack, lua_State *L, int first) {
  lua_Debug ar;
  const int depth = stack_depth(L);
  stack->thread = L;
  stack->count = 0;
  stack->left_out = depth - first > NOTED ? depth - first - NOTED : 0;
  for (int i = first; i < depth && stack->count < NOTED; i++) {
    if (stack->count == NOTED_FIRST && i == first + NOTED_FIRST)
      i += stack->left_out;
    if (lua_getstack(L, i, &ar))
      level_note(L, &ar, &stack->level[stack->count++]);
  }
}

void failure_forget(void) {
  noted.count = noted.host.count = 0;
  noted.witnessed = false;
  noted.object = NULL;
  noted.message[0] = '\0';
}

/* True if the error at the index is the one that is noted, with a place in front
** or without. */
static bool error_is_noted(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING)
    return noted.object && lua_topointer(L, index) == noted.object;
  size_t len;
  const char *text = lua_tolstring(L, index, &len);
  const size_t n = strlen(noted.message);
  if (n == 0 || n > len || strcmp(text + len - n, noted.message) != 0)
    return false;
  return n == len ||
         (len - n >= 2 && strncmp(text + len - n - 2, ": ", 2) == 0);
}

static void error_note(lua_State *L, int index) {
  const bool is_text = lua_type(L, index) == LUA_TSTRING;
  noted.object = is_text ? NULL : lua_topointer(L, index);
  snprintf(noted.message, sizeof noted.message, "%s",
           is_text ? lua_tostring(L, index) : "");
}

void failure_note(lua_State *L, int first) {
  if (!error_is_noted(L, 1)) failure_forget();
  noted_take(&noted.host, L, first);
}

/* A coroutine has died of the error on top. */
static void death_note(lua_State *L) {
  const bool is_last =
      noted.count > 0 && noted.stack[noted.count - 1].thread == L;
  if (is_last)
    noted.count--;
  else if (!error_is_noted(L, -1))
    failure_forget();
  if (noted.count < NOTED_STACKS) noted_take(&noted.stack[noted.count++], L, 0);
  error_note(L, -1);
}

static bool level_equals(const Level *a, const Level *b) {
  return a->line == b->line && strcmp(a->place, b->place) == 0 &&
         a->is_c == b->is_c && a->is_tail == b->is_tail &&
         strcmp(a->name, b->name) == 0;
}

static bool noted_equals(const NotedStack *a, const NotedStack *b) {
  if (a->count != b->count || a->left_out != b->left_out) return false;
  for (int i = 0; i < a->count; i++)
    if (!level_equals(&a->level[i], &b->level[i])) return false;
  return true;
}

/* The main thread has resumed the one that fails, and may not learn of it.  If
** it does, because coroutine.wrap raises "not enough memory" again, its stack is
** the one that was noted with the coroutine's. */
static void failure_witness(lua_State *L, void *ud, int status) {
  static NotedStack host;
  (void)ud, (void)status;
  if (lua_status(L) > LUA_YIELD) {
    if (failure_is_full()) death_note(L);
    return;
  }
  limits_note(L);
  noted_take(&host, failure_main, 0);
  if (L == failure_main && noted.count > 0 && noted_equals(&host, &noted.host))
    return;
  failure_forget();
  noted.host = host;
  if (L != failure_main) noted_take(&noted.stack[noted.count++], L, 0);
  noted.witnessed = true;
}

void failure_watch(lua_State *L) {
  failure_main = L;
  penumbra_setwitness(L, failure_witness, NULL);
}

/* -- Full reports -------------------------------------------------------- */

/* How many stacks are noted, and the i-th of them, innermost first. */
static int noted_count(void) { return noted.count + (noted.host.count > 0); }

static const NotedStack *noted_at(int i) {
  return i < noted.count ? &noted.stack[i] : &noted.host;
}

/* The level of the error: the first one in Lua. */
static const Level *failure_level(void) {
  for (int i = 0; i < noted_count(); i++) {
    const NotedStack *stack = noted_at(i);
    for (int k = 0; k < stack->count; k++)
      if (!stack->level[k].is_c && stack->level[k].line > 0)
        return &stack->level[k];
  }
  return NULL;
}

/* The name of the C function that raised the error, or "". */
static void failure_word(char *word, size_t size) {
  const NotedStack *stack = noted_at(0);
  *word = '\0';
  if (noted_count() == 0 || stack->count == 0 || !stack->level[0].is_c) return;
  const char *begin = strchr(stack->level[0].name, '\'');
  if (!begin) return;
  for (const char *p = begin; *p != '\0'; p++)
    if (*p == '.') begin = p;
  const size_t n = strcspn(begin + 1, "'");
  snprintf(word, size, "%.*s", (int)n, begin + 1);
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

static bool level_is_raiser(const Level *level) {
  return strcmp(level->name, "function 'error'") == 0 ||
         strcmp(level->name, "function 'assert'") == 0;
}

/* True for levels that tell nothing: the host, `error` itself, and what resumed
** a coroutine whose levels were printed. */
static bool level_is_dull(int stack, int i) {
  const Level *level = &noted_at(stack)->level[i];
  if (!level->is_c) return false;
  if (strcmp(level->name, "?") == 0) return true;
  return i == 0 && (stack > 0 || level_is_raiser(level));
}

/* What messages and levels call a place. */
static const char *level_file(const Level *level) {
  return *level->file ? level->file : level->place;
}

static int print_place(const Level *level) {
  if (level->line <= 0) return fprintf(stderr, "%s", level_file(level));
  mark_link(level->file);
  const int width = fprintf(stderr, "%s:%d", level_file(level), level->line);
  mark_link("");
  return width;
}

static void print_level(lua_State *L, const Level *level) {
  char text[MARK_LINE + 1];
  fputs("    ", stderr);
  int width = 4 + print_place(level);
  width += fprintf(stderr, ": in %s", level->name);
  if (level->line > 0 && !mark_is_shown(level->place, level->line) &&
      mark_find(L, level->place, *level->file ? level->file : NULL, level->line,
                text)) {
    for (; width < 44; width++) fputc(' ', stderr);
    fputs("  ", stderr);
    const char *begin = text + strspn(text, " \t");
    const int room = mark_columns() - width - 3;
    const size_t fits = room < LINE_SHOWN ? (size_t)room : LINE_SHOWN;
    const size_t n = strlen(begin);
    if (room > 0) mark_paint("\033[2m", begin, n < fits ? n : fits);
  }
  fputs(level->is_tail ? "\n    (...tail calls...)\n" : "\n", stderr);
}

static void print_repeated(int times) {
  if (times > 1) fprintf(stderr, "    (%d times)\n", times);
}

static void print_stack(lua_State *L, int stack) {
  const NotedStack *t = noted_at(stack);
  const Level *last = NULL;
  int times = 1;
  for (int i = 0; i < t->count; i++) {
    const Level *level = &t->level[i];
    if (i == NOTED_FIRST && t->left_out > 0) {
      print_repeated(times);
      times = 1;
      last = NULL;
      fprintf(stderr, "    ... (%d levels are left out)\n", t->left_out);
    }
    if (level_is_dull(stack, i)) continue;
    if (last && level_equals(last, level)) {
      times++;
      continue;
    }
    print_repeated(times);
    times = 1;
    print_level(L, level);
    last = level;
  }
  print_repeated(times);
}

static void print_stacks(lua_State *L) {
  fputs("stack traceback:\n", stderr);
  for (int i = 0; i < noted_count(); i++) {
    if (i > 0) fputs("  the coroutine was resumed by\n", stderr);
    print_stack(L, i);
  }
}

/* How many levels are worth printing. */
static int count_levels(void) {
  int n = 0;
  for (int i = 0; i < noted_count(); i++)
    for (int k = 0; k < noted_at(i)->count; k++) n += !level_is_dull(i, k);
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
  char word[LUA_IDSIZE];
  describe_error(L);
  const char *msg = lua_tostring(L, -1);
  const Level *level = failure_level();
  failure_word(word, sizeof word);
  if (cli_program) fprintf(stderr, "%s: ", cli_program);
  mark_put_message(msg, failure_file(msg, script));
  const bool named = mark_message(L, msg, failure_file(msg, script), word);
  if (!named && level) {
    fputs("  at ", stderr);
    print_place(level);
    fputc('\n', stderr);
    mark_level(L, level->place, level->file, level->line, word);
  }
  if (count_levels() > 1) print_stacks(L);
}

/* -- Plain reports ------------------------------------------------------- */

/* As luaL_traceback prints it. */
static void print_plain_stack(const NotedStack *stack) {
  for (int i = 0; i < stack->count; i++) {
    const Level *level = &stack->level[i];
    if (i == NOTED_FIRST && stack->left_out > 0)
      fprintf(stderr, "\t...\t(skipping %d levels)\n", stack->left_out);
    fprintf(stderr, "\t%s:", level->place);
    if (level->line > 0) fprintf(stderr, "%d:", level->line);
    fprintf(stderr, " in %s\n", level->name);
    if (level->is_tail) fputs("\t(...tail calls...)\n", stderr);
  }
}

static void print_plain_levels(void) {
  fputs("stack traceback:\n", stderr);
  for (int i = 0; i < noted_count(); i++) print_plain_stack(noted_at(i));
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
