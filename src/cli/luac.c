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
  bool only_version;  /* --version */
  const char *output; /* -o; NULL for stdout */
  bool machine;       /* --machine */
  int first;          /* the first file */
} Settings;

#if defined(PENUMBRA_MACHINE) && PENUMBRA_MACHINE
#define LUAC_MACHINE 1
#define USAGE_MACHINE                                                       \
  "  --machine  run the program with the words that follow, and list its\n" \
  "           machine code, with counters\n"
#else
#define LUAC_MACHINE  0
#define USAGE_MACHINE ""
#endif

static const char usage_text[] =
    "usage: %s [option ...] file ...\n"
    "Compiles Lua programs into one binary chunk.\n"
    "\n"
    "  -l       print the instructions; twice: constants and variables too\n"
    "  -o file  write the chunk there, not to " LUAC_OUTPUT "\n"
    "  -p       write nothing, only look for errors\n"
    "  -s       leave out names and lines\n" USAGE_MACHINE
    "  -v       say which version this is\n"
    "  --version  the same, and do nothing else\n"
    "  --       all words that follow are files\n"
    "  -        a file: the standard input\n"
    "  --help   print this text\n";

/* -- Options ------------------------------------------------------------- */

static void luac_fail(const char *text) {
  cli_message(text);
  exit(EXIT_FAILURE);
}

/* Complains of the command line. */
static void luac_usage(const char *form, const char *option) {
  fprintf(stderr, "%s: ", cli_program);
  fprintf(stderr, form, option);
  fprintf(stderr, " (try '%s --help')\n", cli_program);
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
  else if (LUAC_MACHINE && strcmp(option, "--machine") == 0)
    set->machine = true;
  else if (strcmp(option, "--help") == 0)
    set->help = true;
  else if (strcmp(option, "--version") == 0)
    set->only_version = true;
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

/* -- Machine code -------------------------------------------------------- */

/* Prints a line of a file, without its end. */
static void machine_print_line(FILE *source, int number) {
  int c = '\n';
  rewind(source);
  while (number > 1 && (c = getc(source)) != EOF) number -= c == '\n';
  while ((c = getc(source)) != EOF && c != '\n') putchar(c);
}

/* Adds the text of a line of the program to the line of the listing that names
** it. */
static int machine_write(lua_State *L, const void *p, size_t size, void *ud) {
  FILE *source = ud;
  int line, end = 0;
  if (source && sscanf(p, " line %d:%n", &line, &end) == 1 && end > 0) {
    printf("%.*s ", end, (const char *)p);
    machine_print_line(source, line);
    putchar('\n');
    return 0;
  }
  return output_write(L, p, size, stdout);
}

/* Runs the file with its arguments, and lists its machine code. */
static void machine_run_file(lua_State *L, char **names, int n) {
  luaL_openlibs(L);
  penumbra_setmachine(L, PENUMBRA_RECORDMACHINE);
  if (luaL_loadfile(L, names[0]) != LUA_OK) luac_fail(lua_tostring(L, -1));
  luaL_checkstack(L, n, "too many arguments");
  lua_pushvalue(L, -1);
  for (int i = 1; i < n; i++) lua_pushstring(L, names[i]);
  lua_call(L, n - 1, 0);
  penumbra_Machine figures = {.size = sizeof figures};
  penumbra_getmachine(L, &figures);
  if (figures.why) printf("no machine code: %s\n", figures.why);
  FILE *source = fopen(names[0], "r");
  penumbra_listmachine(L, machine_write, source);
  if (source) fclose(source);
}

/* -- All of it ----------------------------------------------------------- */

static int run_protected(lua_State *L) {
  const Settings *set = lua_touserdata(L, 1);
  char **names = lua_touserdata(L, 2);
  const int n = (int)lua_tointeger(L, 3);
  if (set->machine) {
    machine_run_file(L, names, n);
    return 0;
  }
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
  if (set.only_version) {
    cli_print_version();
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
