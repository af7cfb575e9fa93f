/* SPDX-License-Identifier: MIT */
/*
** luac.c -- the program `penumbrac`: compiles, and writes binary chunks
**
** Several files become one chunk that runs them in order.  The public API
** cannot join functions, so that chunk is compiled from generated source text,
** which holds each file's binary chunk as a string and loads it.  The listing
** of -l shows the files, not that chunk.
*/

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "penumbra.h"

#define LUAC_OUTPUT "luac.out"

typedef struct Settings {
  int listing;     /* how many times -l was given */
  bool parse_only; /* -p */
  bool strip;      /* -s */
  int version;     /* how many times -v was given */
  bool help;
  const char *output; /* -o; NULL for stdout */
  int first;          /* the first file */
} Settings;

static const char usage_text[] =
    "usage: %s [option ...] file ...\n"
    "Compiles Lua programs into one binary chunk.\n"
    "\n"
    "  -l       print the instructions; twice: constants and variables too\n"
    "  -o file  write the chunk there, not to " LUAC_OUTPUT "\n"
    "  -p       write nothing, only look for errors\n"
    "  -s       leave out names and lines\n"
    "  -v       say which version this is\n"
    "  --       all words that follow are files\n"
    "  -        a file: the standard input\n"
    "  --help   print this text\n";

/* -- Options ------------------------------------------------------------- */

static void luac_fail(const char *text) {
  cli_message(text);
  exit(EXIT_FAILURE);
}

static void luac_usage(const char *form, const char *option) {
  if (form) {
    fprintf(stderr, "%s: ", cli_program);
    fprintf(stderr, form, option);
    fputc('\n', stderr);
  }
  fprintf(stderr, usage_text, cli_program);
  exit(EXIT_FAILURE);
}

/* The name after -o; "-" alone is stdout. */
static const char *output_name(const char *name) {
  if (!name || *name == '\0' || (*name == '-' && name[1] != '\0'))
    luac_usage("'%s' needs argument", "-o");
  return strcmp(name, "-") == 0 ? NULL : name;
}

/* Reads one option. True if it is the last. */
static bool settings_set(Settings *set, char **argv, int *i) {
  const char *option = argv[*i];
  if (strcmp(option, "--") == 0) {
    ++*i;
    return true;
  }
  if (strcmp(option, "-l") == 0)
    set->listing++;
  else if (strcmp(option, "-o") == 0)
    set->output = output_name(argv[++*i]);
  else if (strcmp(option, "-p") == 0)
    set->parse_only = true;
  else if (strcmp(option, "-s") == 0)
    set->strip = true;
  else if (strcmp(option, "-v") == 0)
    set->version++;
  else if (strcmp(option, "--help") == 0)
    set->help = true;
  else
    luac_usage("unrecognized option '%s'", option);
  return false;
}

static Settings settings_read(int argc, char **argv) {
  Settings set = {.output = LUAC_OUTPUT};
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++)
    if (settings_set(&set, argv, &i)) break;
  set.first = i;
  return set;
}

/* -- Compiling ----------------------------------------------------------- */

static int output_write(lua_State *L, const void *p, size_t size, void *ud) {
  (void)L;
  return size != 0 && fwrite(p, size, 1, ud) != 1;
}

/* Pushes the function of a file, and lists it if -l was given. */
static void compile_file(lua_State *L, const Settings *set, const char *name) {
  if (strcmp(name, "-") == 0) name = NULL;
  if (luaL_loadfile(L, name) != LUA_OK) luac_fail(lua_tostring(L, -1));
  if (set->listing > 0)
    penumbra_listcode(L, set->listing > 1, output_write, stdout);
}

/* Takes `strip` and some functions, and returns one function that runs them. */
static const char compile_join[] =
    "local strip = ...\n"
    "local parts = {}\n"
    "for i = 2, select('#', ...) do\n"
    "  local binary = string.dump(select(i, ...), strip)\n"
    "  parts[#parts + 1] = ('load(%q, nil, \"b\")()'):format(binary)\n"
    "end\n"
    "return assert(load(table.concat(parts, '\\n'), '=(penumbrac)', 't'))\n";

/* Pushes one function that runs all the files. */
static void compile_files(lua_State *L, const Settings *set, char **names,
                          int n) {
  if (n == 1) {
    compile_file(L, set, names[0]);
    return;
  }
  luaL_checkstack(L, n + LUA_MINSTACK, "too many input files");
  luaL_openlibs(L);
  luaL_loadbuffer(L, compile_join, strlen(compile_join), "=(join)");
  lua_pushboolean(L, set->strip);
  for (int i = 0; i < n; i++) compile_file(L, set, names[i]);
  lua_call(L, n + 1, 1);
}

/* -- Output -------------------------------------------------------------- */

static void output_fail(lua_State *L, const char *what, const char *name) {
  luac_fail(
      lua_pushfstring(L, "cannot %s %s: %s", what, name, strerror(errno)));
}

/* Writes the function on top. */
static void output_chunk(lua_State *L, const Settings *set) {
  const char *name = set->output ? set->output : "(stdout)";
  FILE *f = set->output ? fopen(name, "wb") : stdout;
  if (!f) output_fail(L, "open", name);
  lua_dump(L, output_write, f, set->strip);
  if (ferror(f)) output_fail(L, "write", name);
  if (fclose(f) != 0) output_fail(L, "close", name);
}

/* -- All of it ----------------------------------------------------------- */

static int run_protected(lua_State *L) {
  const Settings *set = lua_touserdata(L, 1);
  char **names = lua_touserdata(L, 2);
  const int n = (int)lua_tointeger(L, 3);
  compile_files(L, set, names, n);
  if (!set->parse_only) output_chunk(L, set);
  return 0;
}

static int run_with_state(Settings *set, char **names, int n) {
  lua_State *L = luaL_newstate();
  if (!L) luac_fail("cannot create state: not enough memory");
  lua_pushcfunction(L, run_protected);
  lua_pushlightuserdata(L, set);
  lua_pushlightuserdata(L, names);
  lua_pushinteger(L, n);
  if (lua_pcall(L, 3, 0, 0) != LUA_OK) luac_fail(lua_tostring(L, -1));
  lua_close(L);
  return EXIT_SUCCESS;
}

/* Without files, -l and -p read the default output file, luac.out. */
int main(int argc, char **argv) {
  static char last_output[] = LUAC_OUTPUT;
  static char *last_names[] = {last_output, NULL};
  cli_program = argc > 0 && argv[0][0] != '\0' ? argv[0] : "penumbrac";
  Settings set = settings_read(argc, argv);
  if (set.help) {
    printf(usage_text, cli_program);
    return EXIT_SUCCESS;
  }
  if (set.version > 0) {
    cli_print_version();
    if (set.version == argc - 1) return EXIT_SUCCESS;
  }
  if (set.first < argc)
    return run_with_state(&set, argv + set.first, argc - set.first);
  if (set.listing == 0 && !set.parse_only)
    luac_usage("%s", "no input files given");
  set.parse_only = true;
  return run_with_state(&set, last_names, 1);
}
