/* SPDX-License-Identifier: MIT */
/*
** editor.c -- line editing with GNU readline or libedit
**
** The library is loaded at run time, when stdin is a terminal.  Without it
** there is no line editing, but everything else works.  The environment
** variable PENUMBRA_READLINE may name another library with the same interface;
** if it is empty, none is used.  A build can set other names
** (-DPENUMBRA_READLINE="...").
**
** With GNU readline, several lines are edited as one.  The Enter key adds a
** line while the text is incomplete.  The arrow keys move between the lines
** before they go to the history.  While a line is edited, Ctrl-C is an ordinary
** key, which clears it.  libedit has no such bindings.  There each line is
** edited by itself, and Ctrl-C is a signal whose handler jumps out of the
** library.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#if defined(LUA_USE_POSIX) && defined(LUA_USE_DLOPEN)

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#if !defined(PENUMBRA_READLINE)
#define PENUMBRA_READLINE                                                   \
  "libreadline.so.8", "libreadline.so.7", "libreadline.so", "libedit.so.2", \
      "libedit.so.0", "libedit.so"
#endif

typedef int KeyFunction(int count, int key);
typedef char *Generator(const char *text, int state);
typedef char **Completer(const char *text, int start, int end);

/* Functions and variables of the library. `gnu` and those from `initialize` on
** exist only in GNU readline. */
static struct Editor {
  char *(*readline)(const char *prompt);
  int (*add_history)(const char *line);
  void (*using_history)(void);
  char **(*completion_matches)(const char *text, Generator *generator);
  Completer **attempted_completion;
  int *attempted_completion_over;
  int *append_character;
  char **line_buffer;
  int *point;
  int *end;
  int *gnu;
  const char **word_breaks;
  const char **basic_word_breaks; /* libedit reads these */
  const char **name;
  int (*initialize)(void);
  int (*bind_key)(int key, KeyFunction *function);
  int (*bind_keyseq)(const char *keys, KeyFunction *function);
  int (*insert_text)(const char *text);
  void (*replace_line)(const char *text, int clear_undo);
  int (*on_new_line)(void);
  void (*redisplay)(void);
  int (*crlf)(void);
  KeyFunction *newline;
  KeyFunction *previous_history;
  KeyFunction *next_history;
  void (*prep_terminal)(int meta);
  void (**prep_term_function)(int meta);
} editor;

static const struct Symbol {
  const char *name;
  size_t offset;
  bool is_gnu;
} editor_symbols[] = {
#define SYMBOL(name, field, is_gnu) \
  { name, offsetof(struct Editor, field), is_gnu }
    SYMBOL("readline", readline, false),
    SYMBOL("add_history", add_history, false),
    SYMBOL("using_history", using_history, false),
    SYMBOL("rl_completion_matches", completion_matches, false),
    SYMBOL("rl_attempted_completion_function", attempted_completion, false),
    SYMBOL("rl_attempted_completion_over", attempted_completion_over, false),
    SYMBOL("rl_completion_append_character", append_character, false),
    SYMBOL("rl_line_buffer", line_buffer, false),
    SYMBOL("rl_point", point, false),
    SYMBOL("rl_end", end, false),
    SYMBOL("rl_completer_word_break_characters", word_breaks, false),
    SYMBOL("rl_basic_word_break_characters", basic_word_breaks, false),
    SYMBOL("rl_readline_name", name, false),
    SYMBOL("rl_gnu_readline_p", gnu, true),
    SYMBOL("rl_initialize", initialize, true),
    SYMBOL("rl_bind_key", bind_key, true),
    SYMBOL("rl_bind_keyseq", bind_keyseq, true),
    SYMBOL("rl_insert_text", insert_text, true),
    SYMBOL("rl_replace_line", replace_line, true),
    SYMBOL("rl_on_new_line", on_new_line, true),
    SYMBOL("rl_redisplay", redisplay, true),
    SYMBOL("rl_crlf", crlf, true),
    SYMBOL("rl_newline", newline, true),
    SYMBOL("rl_get_previous_history", previous_history, true),
    SYMBOL("rl_get_next_history", next_history, true),
    SYMBOL("rl_prep_terminal", prep_terminal, true),
    SYMBOL("rl_prep_term_function", prep_term_function, true)
#undef SYMBOL
};

static bool editor_is_gnu;
static lua_State *editor_state; /* for key functions, which get no argument */

/* Fills the table. False if the library lacks a symbol that all must have. */
static bool editor_find(void *lib) {
  const size_t n = sizeof editor_symbols / sizeof *editor_symbols;
  editor_is_gnu = true;
  for (size_t i = 0; i < n; i++) {
    void *address = dlsym(lib, editor_symbols[i].name);
    if (!address && !editor_symbols[i].is_gnu) return false;
    if (!address) editor_is_gnu = false;
    memcpy((char *)&editor + editor_symbols[i].offset, &address,
           sizeof(address));
  }
  return true;
}

/* -- Completion ---------------------------------------------------------- */

/* The key of the current candidates in the registry. */
static const char editor_key = 0;

/* Returns the matches one by one. The library frees them. */
static char *editor_next_match(const char *text, int state) {
  static int next;
  lua_State *L = editor_state;
  (void)text;
  if (state == 0) next = 1;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &editor_key);
  char *copy = NULL;
  if (lua_istable(L, -1) && lua_rawgeti(L, -1, next++) == LUA_TSTRING) {
    const char *s = lua_tostring(L, -1);
    copy = malloc(strlen(s) + 1);
    if (copy) strcpy(copy, s);
    lua_pop(L, 1);
  } else if (lua_istable(L, -2)) {
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return copy;
}

/* The character to append: '(' if the only candidate is a function, or 0. */
static int editor_follow(lua_State *L, int names, int kinds) {
  int follow = 0;
  if (lua_rawlen(L, names) == 1) {
    lua_rawgeti(L, names, 1);
    lua_rawget(L, kinds);
    if (lua_toboolean(L, -1)) follow = '(';
    lua_pop(L, 1);
  }
  return follow;
}

/* Removes the first `skip` bytes of all names in the table at index `names`.
** For the library a word begins after a dot, also in the name of a module. */
static void editor_shorten(lua_State *L, int names, size_t skip) {
  const int n = (int)lua_rawlen(L, names);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, names, i);
    lua_pushstring(L, lua_tostring(L, -1) + skip);
    lua_rawseti(L, names, i);
    lua_pop(L, 1);
  }
}

/* Runs protected. Leaves the candidates in the registry. */
static int editor_collect(lua_State *L) {
  const lua_Integer start = lua_tointeger(L, 2);
  lua_settop(L, 1);
  lua_pushcfunction(L, complete_line);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 3); /* 2: names, 3: begin, 4: kinds */
  const lua_Integer begin = lua_tointeger(L, 3);
  *editor.append_character = editor_follow(L, 2, 4);
  if (start < begin) return 0;
  if (start > begin) editor_shorten(L, 2, (size_t)(start - begin));
  lua_pushvalue(L, 2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &editor_key);
  return 0;
}

/* Shows the hint for the text, if there is one, above the line. */
static void editor_show_hint(lua_State *L, size_t end) {
  if (!editor_is_gnu) return;
  lua_pushcfunction(L, complete_hint);
  lua_pushlstring(L, *editor.line_buffer, end);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_isstring(L, -1)) {
    editor.crlf();
    fputs(lua_tostring(L, -1), stdout);
    editor.crlf();
    editor.on_new_line();
  }
  lua_pop(L, 1);
}

/* Inside a string, except for `require`, the library completes file names. */
static char **editor_complete(const char *text, int start, int end) {
  lua_State *L = editor_state;
  *editor.attempted_completion_over = 1;
  *editor.append_character = 0;
  if (!lua_checkstack(L, LUA_MINSTACK)) return NULL;
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &editor_key);
  lua_pushcfunction(L, editor_collect);
  lua_pushlstring(L, *editor.line_buffer, (size_t)end);
  lua_pushinteger(L, start);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
    lua_pop(L, 1);
    return NULL;
  }
  char **matches = editor.completion_matches(text, editor_next_match);
  if (!matches && *text == '\0') editor_show_hint(L, (size_t)end);
  if (!matches && start > 0 && strchr("\"'/", (*editor.line_buffer)[start - 1]))
    *editor.attempted_completion_over = 0;
  return matches;
}

/* -- Keys of GNU readline ------------------------------------------------ */

static int editor_on_enter(int count, int key) {
  if (repl_is_unfinished(editor_state, *editor.line_buffer))
    return editor.insert_text("\n");
  *editor.point = *editor.end; /* move the cursor to the last line */
  editor.redisplay();
  return editor.newline(count, key);
}

static int editor_on_interrupt(int count, int key) {
  (void)count, (void)key;
  *editor.point = *editor.end;
  editor.redisplay();
  editor_remember(*editor.line_buffer); /* the user may want it back */
  editor.using_history();               /* it is the last entry now */
  fputs("^C", stdout);
  editor.crlf();
  editor.replace_line("", 1);
  editor.on_new_line();
  editor.redisplay();
  return 0;
}

/* The beginning of the line that contains `place`. */
static int editor_line_begin(int place) {
  const char *s = *editor.line_buffer;
  while (place > 0 && s[place - 1] != '\n') place--;
  return place;
}

static int editor_line_end(int place) {
  return place + (int)strcspn(*editor.line_buffer + place, "\n");
}

/* Moves to the line that begins at `line`, to the same column if it has one. */
static void editor_move_to(int line, int column) {
  const int end = editor_line_end(line);
  *editor.point = line + column < end ? line + column : end;
}

static int editor_on_up(int count, int key) {
  const int begin = editor_line_begin(*editor.point);
  if (begin == 0) return editor.previous_history(count, key);
  editor_move_to(editor_line_begin(begin - 1), *editor.point - begin);
  return 0;
}

static int editor_on_down(int count, int key) {
  const int end = editor_line_end(*editor.point);
  const int begin = editor_line_begin(*editor.point);
  if (end == *editor.end) return editor.next_history(count, key);
  editor_move_to(end + 1, *editor.point - begin);
  return 0;
}

static int editor_on_home(int count, int key) {
  (void)count, (void)key;
  *editor.point = editor_line_begin(*editor.point);
  return 0;
}

static int editor_on_end(int count, int key) {
  (void)count, (void)key;
  *editor.point = editor_line_end(*editor.point);
  return 0;
}

/* Ctrl-C becomes an ordinary key while a line is edited. */
static void editor_prepare_terminal(int meta) {
  struct termios t;
  editor.prep_terminal(meta);
  if (tcgetattr(STDIN_FILENO, &t) != 0) return;
  t.c_cc[VINTR] = _POSIX_VDISABLE;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
}

/* Binds both sequences that terminals may send for such a key. */
static void editor_bind_arrow(const char *letter, KeyFunction *function) {
  char keys[] = "\\e[A";
  keys[3] = *letter;
  editor.bind_keyseq(keys, function);
  keys[2] = 'O';
  editor.bind_keyseq(keys, function);
}

static void editor_bind_keys(void) {
  editor.initialize();
  *editor.prep_term_function = editor_prepare_terminal;
  editor.bind_key('\r', editor_on_enter);
  editor.bind_key('\n', editor_on_enter);
  editor.bind_key(1, editor_on_home);
  editor.bind_key(3, editor_on_interrupt);
  editor.bind_key(5, editor_on_end);
  editor_bind_arrow("A", editor_on_up);
  editor_bind_arrow("B", editor_on_down);
  editor_bind_arrow("H", editor_on_home);
  editor_bind_arrow("F", editor_on_end);
}

/* -- Reading ------------------------------------------------------------- */

static void editor_add(const char *line) { editor.add_history(line); }

static void editor_set_up(lua_State *L) {
  static const char breaks[] = " \t\n\"'`\\><=;:+-*/%^~#{}()[].,&|";
  *editor.name = "penumbra";
  *editor.word_breaks = *editor.basic_word_breaks = breaks;
  *editor.attempted_completion = editor_complete;
  if (editor_is_gnu) editor_bind_keys();
  history_open(L, editor_add);
}

static bool editor_load(const char *name) {
  void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!lib) return false;
  if (editor_find(lib)) return true;
  dlclose(lib);
  memset(&editor, 0, sizeof editor);
  return false;
}

/* The library that the environment names, unless it is ignored (-E). */
static const char *editor_choice(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  const bool ignored = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return ignored ? NULL : getenv("PENUMBRA_READLINE");
}

bool editor_open(lua_State *L) {
  static const char *const names[] = {PENUMBRA_READLINE};
  static bool tried = false;
  editor_state = L;
  if (tried) return editor.readline != NULL;
  tried = true;
  const char *choice = editor_choice(L);
  bool found = choice && *choice != '\0' && editor_load(choice);
  for (size_t i = 0; !choice && !found && i < sizeof names / sizeof *names; i++)
    found = editor_load(names[i]);
  if (found) editor_set_up(L);
  return found;
}

static sigjmp_buf editor_jump;

static void editor_interrupted(int signum) {
  (void)signum;
  siglongjmp(editor_jump, 1);
}

LineStatus editor_push(lua_State *L, const char *prompt) {
  static SignalHandler *before; /* static: it survives the jump */
  if (sigsetjmp(editor_jump, 1) != 0) {
    cli_on_signal(SIGINT, before);
    fputs("\n", stdout);
    return LINE_CLEARED;
  }
  if (!editor_is_gnu) before = cli_on_signal(SIGINT, editor_interrupted);
  char *line = editor.readline(prompt);
  if (!editor_is_gnu) cli_on_signal(SIGINT, before);
  if (!line) return LINE_END;
  lua_pushstring(L, line);
  free(line);
  return LINE_READ;
}

void editor_remember(const char *text) {
  if (!editor.readline || !history_wants(text)) return;
  editor.add_history(text);
  history_add(text);
}

#else

bool editor_open(lua_State *L) {
  (void)L;
  return false;
}

LineStatus editor_push(lua_State *L, const char *prompt) {
  (void)L, (void)prompt;
  return LINE_END;
}

void editor_remember(const char *text) { (void)text; }

#endif
