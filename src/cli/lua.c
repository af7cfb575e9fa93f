/* SPDX-License-Identifier: MIT */
/*
** lua.c -- the program `penumbra`: Lua's command line
**
** All options are read before any is executed, so that a wrong one stops the
** program before it does anything.  --help, --version and --report-page print a
** text and do nothing else.  Otherwise, in this order: --max-memory, -v, -E,
** --sandbox, --max-time, the options of observe.c, LUA_INIT, -e -l -W in the
** order given, the script, -i.
*/

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "penumbra.h"

typedef struct Options {
  bool wrong;
  bool help;
  bool interactive;    /* -i */
  bool version;        /* -v, and -i */
  bool only_version;   /* --version */
  bool execute;        /* -e */
  bool no_environment; /* -E */
  Limits limits;       /* --max-memory, --max-time */
  bool sandbox;        /* --sandbox */
  Observe observe;     /* --trace and others */
  DebugOptions debug;  /* --debug, --debug-adapter */
  int script;          /* its index; argc if there is none. If wrong: the
                            ** index of the wrong option */
} Options;

static const char usage_text[] =
    "usage: %s [option ...] [program [argument ...]]\n"
    "Runs a Lua program from a file, or asks for one line after the other.\n"
    "\n"
    "  -e code   run this code first\n"
    "  -i        ask for more when the program has ended\n"
    "  -l name   load a module and store it in the global of that name\n"
    "  -l g=name  the same, but the global is called g\n"
    "  -v        say which version this is\n"
    "  -E        as if no environment variables were set\n"
    "  -W        print warnings\n"
    "  --        the next word is the program, even if it begins with -\n"
    "  -         the program comes from the standard input\n"
    "  --max-memory size   stop a program that needs more (bytes, K, M, G)\n"
    "  --max-time time     stop a program that runs longer (s, ms)\n"
    "  --sandbox           run a program that is not trusted: without files,\n"
    "                      modules, other programs, binary chunks, LUA_INIT\n"
    "  --profile file      write where the program spends its time (folded\n"
    "                      stacks; file.pb: for pprof)\n"
    "  --profile-alloc file  write where it allocates memory, and what stays\n"
    "  --report file       write a page about the run (HTML): pauses, heap,\n"
    "                      allocation, and what to do about them\n"
    "  --report-page file  print the page of a report that is in a file "
    "(JSON)\n"
    "  --trace file        write what the collector does (JSON, for Perfetto)\n"
    "  --trace-gc          write a line to stderr for each cycle\n"
    "  --why expression    say at the end why this object is alive\n"
    "  --debug port        wait for a debugger on this port of the loopback\n"
    "  --debug-adapter     talk to an editor that debugs (Debug Adapter\n"
    "                      Protocol), on stdin and stdout; =port: on a port\n"
    "  --snapshot-on sig   write a heap snapshot at USR1, USR2 or HUP\n"
    "  --errors form       report errors with source lines (full), or as "
    "lua5.4\n"
    "                      does (plain); else full on a terminal\n"
    "  --version  print the version, and do nothing else\n"
    "  --help    print this text\n";

/* -- Options ------------------------------------------------------------- */

/* True if nothing follows the option's letter. */
static bool option_is_plain(const char *arg) { return arg[2] == '\0'; }

/* Skips the argument of -e or -l, which may be in the next word. */
static bool option_skip_argument(char **argv, int *i) {
  if (!option_is_plain(argv[*i])) return true;
  ++*i;
  return argv[*i] && argv[*i][0] != '-';
}

/* Reads the option argv[*i]; false if there is no such option. */
static bool option_read(Options *opt, char **argv, int *i) {
  switch (argv[*i][1]) {
    case 'E': opt->no_environment = true; return option_is_plain(argv[*i]);
    case 'W': return option_is_plain(argv[*i]);
    case 'i':
      opt->interactive = true;
      opt->version = true;
      return option_is_plain(argv[*i]);
    case 'v': opt->version = true; return option_is_plain(argv[*i]);
    case 'e': opt->execute = true; return option_skip_argument(argv, i);
    case 'l': return option_skip_argument(argv, i);
    default: return false;
  }
}

/* -- Memory limits ------------------------------------------------------- */

static const char max_memory[] = "--max-memory";

static bool option_is_max_memory(const char *arg) {
  const size_t n = sizeof max_memory - 1;
  return strncmp(arg, max_memory, n) == 0 && (arg[n] == '\0' || arg[n] == '=');
}

/* The factor that the suffix of a size stands for; 0 if the suffix is wrong. */
static size_t size_factor(const char *suffix) {
  static const char letters[] = "kKmMgG";
  const char *letter;
  if (*suffix == '\0') return 1;
  if (suffix[1] != '\0') return 0;
  letter = strchr(letters, *suffix);
  return letter ? (size_t)1 << 10 * ((letter - letters) / 2 + 1) : 0;
}

/* Reads a number of bytes, with an optional K, M or G. 0 if it is wrong. */
static size_t size_read(const char *text) {
  char *end;
  if (*text < '0' || *text > '9') return 0;
  errno = 0;
  const unsigned long long n = strtoull(text, &end, 10);
  if (errno == ERANGE) return 0;
  const size_t factor = size_factor(end);
  if (factor == 0 || n > (size_t)-1 / factor) return 0;
  return (size_t)n * factor;
}

/* The size follows '=' or is in the next word. */
static bool option_read_max_memory(Options *opt, char **argv, int *i) {
  const char *text = strchr(argv[*i], '=');
  text = text ? text + 1 : argv[++*i];
  if (!text || *text == '\0') return false;
  opt->limits.bytes = size_read(text);
  return opt->limits.bytes > 0;
}

/* -- Time limits and sandboxes ------------------------------------------- */

static const char max_time[] = "--max-time";

static bool option_is_max_time(const char *arg) {
  const size_t n = sizeof max_time - 1;
  return strncmp(arg, max_time, n) == 0 && (arg[n] == '\0' || arg[n] == '=');
}

/* Reads a time in seconds, or with the suffix ms in milliseconds. Returns
** microseconds, 0 if it is wrong. */
static lua_Unsigned time_read(const char *text) {
  char *end;
  if ((*text < '0' || *text > '9') && *text != '.') return 0;
  const double n = strtod(text, &end);
  const double factor = strcmp(end, "ms") == 0                  ? 1e3
                        : *end == '\0' || strcmp(end, "s") == 0 ? 1e6
                                                                : 0;
  if (!(n * factor >= 1 && n * factor < 1e15)) return 0;
  return (lua_Unsigned)(n * factor);
}

static bool option_read_max_time(Options *opt, char **argv, int *i) {
  const char *text = strchr(argv[*i], '=');
  text = text ? text + 1 : argv[++*i];
  if (!text || *text == '\0') return false;
  opt->limits.microseconds = time_read(text);
  return opt->limits.microseconds > 0;
}

/* -- The form of error reports ------------------------------------------- */

static const char errors[] = "--errors";

static bool option_is_errors(const char *arg) {
  const size_t n = sizeof errors - 1;
  return strncmp(arg, errors, n) == 0 && (arg[n] == '\0' || arg[n] == '=');
}

static bool option_read_errors(char **argv, int *i) {
  const char *text = strchr(argv[*i], '=');
  text = text ? text + 1 : argv[++*i];
  return text && failure_option(text);
}

/* The options that begin with two hyphens. */
static bool option_read_long(Options *opt, char **argv, int *i) {
  if (option_is_max_memory(argv[*i]))
    return option_read_max_memory(opt, argv, i);
  if (option_is_max_time(argv[*i])) return option_read_max_time(opt, argv, i);
  if (option_is_errors(argv[*i])) return option_read_errors(argv, i);
  opt->sandbox = strcmp(argv[*i], "--sandbox") == 0;
  if (opt->sandbox) opt->no_environment = true;
  return opt->sandbox;
}

/* Makes the globals of the state those of a sandbox, and its strings' methods
** those of the globals: nothing in the state is trusted. */
static void sandbox_open(lua_State *L) {
  penumbra_setmachine(L, 0); /* less to trust */
  penumbra_pushsandbox(L);
  lua_pushliteral(L, "");
  if (lua_getmetatable(L, -1)) {
    lua_getfield(L, -3, LUA_STRLIBNAME);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "string");
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

/* The kinds of chunks that may be loaded. */
static const char *modes_allowed(const Options *opt) {
  return opt->sandbox ? "t" : NULL;
}

/* -- All options --------------------------------------------------------- */

/* Reads all options, up to the script or the end. */
static Options options_read(int argc, char **argv) {
  Options opt = {.script = argc,
                 .debug = {.fd = -1, .adapter_port = -1, .program = argv[0]}};
  for (int i = 1; i < argc; i++) {
    const int first = i;
    opt.script = i;
    if (argv[i][0] != '-' || argv[i][1] == '\0')
      return opt; /* the script; "-" is stdin */
    if (strcmp(argv[i], "--") == 0) {
      opt.script = i + 1;
      return opt;
    }
    int observed = observe_option(&opt.observe, argv, &i);
    if (observed == 0) observed = debug_option(&opt.debug, argv, &i);
    if (observed > 0) {
      continue;
    } else if (strcmp(argv[i], "--help") == 0) {
      opt.help = true;
    } else if (strcmp(argv[i], "--version") == 0) {
      opt.only_version = true;
    } else if (observed < 0 ||
               (argv[i][1] == '-' ? !option_read_long(&opt, argv, &i)
                                  : !option_read(&opt, argv, &i))) {
      opt.wrong = true;
      opt.script = first;
      return opt;
    }
  }
  opt.script = argc;
  return opt;
}

/* What options need that are not content with every text. */
static const struct {
  const char *option, *value;
} options_needs[] = {{"-e", "code"},
                     {"-l", "a name"},
                     {max_memory, "a size in bytes, or in K, M or G"},
                     {max_time, "a time in s or ms"},
                     {errors, "'full' or 'plain'"},
                     {"--snapshot-on", "USR1, USR2 or HUP"},
                     {"--debug", "a port"},
                     {"--debug-adapter", "a port"},
                     {"--profile", "a file"},
                     {"--profile-alloc", "a file"},
                     {"--report", "a file"},
                     {"--report-page", "a file"},
                     {"--trace", "a file"},
                     {"--why", "an expression"}};

/* What the option needs, or NULL.  Its name ends at '=' or at the end. */
static const char *option_needs(const char *option, size_t n) {
  for (size_t i = 0; i < sizeof options_needs / sizeof options_needs[0]; i++) {
    const char *name = options_needs[i].option;
    if (strlen(name) == n && strncmp(option, name, n) == 0)
      return options_needs[i].value;
  }
  return NULL;
}

static void options_complain(const Options *opt, char **argv) {
  const char *option = argv[opt->script];
  const size_t n = strcspn(option, "=");
  const char *needed = option_needs(option, n);
  const bool is_long = strncmp(option, "--", 2) == 0;
  const char *value = option[n] == '=' ? option + n + 1 : argv[opt->script + 1];
  if (!needed)
    cli_print("unrecognized option '%s' (try '%s --help')", option,
              cli_program);
  else if (is_long && value && *value != '\0')
    cli_print("'%.*s' needs %s (got '%s')", (int)n, option, needed, value);
  else
    cli_print("'%s' needs argument (try '%s --help')", option, cli_program);
}

/* -- Chunks -------------------------------------------------------------- */

static int run_loaded(lua_State *L, int status) {
  if (status == LUA_OK) status = cli_call(L, 0, 0);
  return cli_report(L, status);
}

static int run_file(lua_State *L, const char *name, const char *mode) {
  const int status = luaL_loadfilex(L, name, mode);
  if (status != LUA_OK) return cli_report_file(L, status, name);
  return run_loaded(L, status);
}

static int run_string(lua_State *L, const char *s, const char *name) {
  mark_set_text(name + 1, s);
  return run_loaded(L, luaL_loadbuffer(L, s, strlen(s), name));
}

/* Requires a module into a global variable: "name" or "variable=name". A hyphen
** in a name begins a version, which is not part of the variable. */
static int run_library(lua_State *L, const char *text) {
  const char *equals = strchr(text, '=');
  const char *module = equals ? equals + 1 : text;
  const char *end = equals ? equals : strchr(text, '-');
  if (end)
    lua_pushlstring(L, text, (size_t)(end - text));
  else
    lua_pushstring(L, text);
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  const int status = cli_call(L, 1, 1);
  if (status == LUA_OK) lua_setglobal(L, lua_tostring(L, -2));
  cli_report(L, status);
  lua_pop(L, 1);
  return status;
}

/* Executes -e, -l and -W.  Other options are read once more, because the next
** word may be the value of one. */
static bool run_options(lua_State *L, char **argv, int n) {
  Options known = {.script = n};
  for (int i = 1; i < n; i++) {
    const char letter = argv[i][1];
    if (observe_option(&known.observe, argv, &i) > 0 ||
        debug_option(&known.debug, argv, &i) > 0)
      continue;
    if (letter == '-') option_read_long(&known, argv, &i);
    if (letter == 'W') lua_warning(L, "@on", 0);
    if (letter != 'e' && letter != 'l') continue;
    const char *text = argv[i] + 2;
    if (*text == '\0') text = argv[++i];
    const int status = letter == 'e' ? run_string(L, text, "=(command line)")
                                     : run_library(L, text);
    if (status != LUA_OK) return false;
  }
  return true;
}

/* LUA_INIT holds a chunk, or '@' and the name of a file. */
static int run_init(lua_State *L) {
  const char *name = "=LUA_INIT" LUA_VERSUFFIX;
  const char *init = getenv(name + 1);
  if (!init) {
    name = "=LUA_INIT";
    init = getenv(name + 1);
  }
  if (!init) return LUA_OK;
  return *init == '@' ? run_file(L, init + 1, NULL) : run_string(L, init, name);
}

/* -- The script ---------------------------------------------------------- */

/* The global `arg`: the script at 0, its arguments from 1 on, the rest of the
** command line below 0. */
static void script_set_arg(lua_State *L, char **argv, int argc, int script) {
  if (script == argc) script = 0;
  lua_createtable(L, argc - (script + 1), script + 1);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

/* Pushes the current contents of `arg`, which the program may have changed. */
static int script_push_arguments(lua_State *L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE)
    luaL_error(L, "'arg' is not a table");
  const int n = (int)luaL_len(L, -1);
  luaL_checkstack(L, n + 3, "too many arguments to script");
  for (int i = 1; i <= n; i++) lua_rawgeti(L, -i, i);
  lua_remove(L, -(n + 1));
  return n;
}

static int script_run(lua_State *L, const Options *opt, char **argv) {
  const int script = opt->script;
  const char *name = argv[script];
  if (strcmp(name, "-") == 0 && strcmp(argv[script - 1], "--") != 0)
    name = NULL; /* stdin */
  int status = luaL_loadfilex(L, name, modes_allowed(opt));
  if (status == LUA_OK)
    status = cli_call(L, script_push_arguments(L), LUA_MULTRET);
  return cli_report_file(L, status, name);
}

/* -- All of it ----------------------------------------------------------- */

/* Runs what the command line asks for; false if something failed. */
static bool run_all(lua_State *L, const Options *opt, char **argv, int argc) {
  if (!opt->no_environment && run_init(L) != LUA_OK) return false;
  if (!run_options(L, argv, opt->script)) return false;
  const bool has_script = opt->script < argc;
  if (has_script && script_run(L, opt, argv) != LUA_OK) return false;
  if (opt->interactive) {
    repl_run(L);
  } else if (!has_script && !opt->execute && !opt->version) {
    if (repl_stdin_is_terminal()) {
      cli_print_version();
      repl_run(L);
    } else {
      /* lua5.4 ignores a failure here, too */
      run_file(L, NULL, modes_allowed(opt));
    }
  }
  return true;
}

static int run_openlibs(lua_State *L) {
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, page_open);
  lua_setfield(L, -2, "penumbra.page");
  return 0;
}

static int run_opensandbox(lua_State *L) {
  sandbox_open(L);
  return 0;
}

/* Opens the libraries. If a memory limit is too small for them, the error names
** the option. */
static void run_libraries(lua_State *L, const Options *opt) {
  lua_pushcfunction(L, opt->sandbox ? run_opensandbox : run_openlibs);
  const int status = lua_pcall(L, 0, 0, 0);
  if (status == LUA_OK) return;
  if (status != LUA_ERRMEM || opt->limits.bytes == 0) lua_error(L);
  penumbra_setlimit(L, 0); /* there is nothing left to run */
  luaL_error(L, "'%s' is too small: %I bytes are not enough for the libraries",
             max_memory, (LUAI_UACINT)opt->limits.bytes);
}

/* The program prints the page and does nothing else. */
static bool run_page(const char *name) {
  return page_run(&(PageCall){"convert", name, strlen(name), NULL});
}

/* Runs protected: everything after the creation of the state. */
static int run_protected(lua_State *L) {
  const int argc = (int)lua_tointeger(L, 1);
  char **argv = lua_touserdata(L, 2);
  const Options opt = options_read(argc, argv);
  luaL_checkversion(L);
  if (opt.wrong) {
    options_complain(&opt, argv);
    return 0;
  }
  if (opt.help) {
    printf(usage_text, cli_program);
    lua_pushboolean(L, 1);
    return 1;
  }
  if (opt.only_version) {
    cli_print_version();
    lua_pushboolean(L, 1);
    return 1;
  }
  if (opt.observe.page_file) {
    lua_pushboolean(L, run_page(opt.observe.page_file));
    return 1;
  }
  if (opt.debug.adapter) {
    lua_pushboolean(L, adapter_run(&opt.debug));
    return 1;
  }
  penumbra_setlimit(L, opt.limits.bytes);
  if (opt.version) cli_print_version();
  if (opt.no_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  }
  run_libraries(L, &opt);
  failure_watch(L);
  limits_start(L, &opt.limits,
               !opt.observe.alloc_file && !opt.observe.report_file);
  script_set_arg(L, argv, argc, opt.script);
  lua_gc(L, LUA_GCRESTART);
  lua_gc(L, LUA_GCGEN, 0, 0);
  bool ok = observe_start(L, &opt.observe) && debug_start(L, &opt.debug) &&
            run_all(L, &opt, argv, argc);
  ok = observe_finish(L) && ok;
  lua_pushboolean(L, ok);
  return 1;
}

int main(int argc, char **argv) {
  if (argc > 0 && argv[0][0] != '\0') cli_program = argv[0];
  lua_State *L = luaL_newstate();
  if (!L) {
    cli_message("cannot create state: not enough memory");
    return EXIT_FAILURE;
  }
  lua_gc(L, LUA_GCSTOP); /* while the libraries are opened */
  lua_pushcfunction(L, run_protected);
  lua_pushinteger(L, argc);
  lua_pushlightuserdata(L, argv);
  const int status = lua_pcall(L, 2, 1, 0);
  const bool ok = lua_toboolean(L, -1);
  cli_report(L, status);
  lua_close(L);
  return status == LUA_OK && ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
