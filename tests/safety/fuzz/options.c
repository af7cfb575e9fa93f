/* SPDX-License-Identifier: MIT */
/*
** options.c -- the command line's options, separated by NUL bytes
**
** The options are read, and what they set is looked at.  Nothing is run: no
** script, no code of -e, no module of -l.
*/
int cli_main(int argc, char **argv);
#define main cli_main
#include "lua.c"
#undef main

#include "fuzz.h"

enum { ARGUMENTS_MOST = 64 };

/* Copies the arguments.  Each has memory of exactly its size, so that a
** sanitizer sees reads beyond it. */
static int split(const uint8_t *data, size_t size, char **argv) {
  int argc = 0;
  argv[argc++] = strdup("penumbra");
  while (size > 0 && argc < ARGUMENTS_MOST) {
    const uint8_t *end = memchr(data, 0, size);
    size_t length = end ? (size_t)(end - data) : size;
    char *copy = malloc(length + 1);
    CHECK(copy != NULL);
    memcpy(copy, data, length);
    copy[length] = '\0';
    argv[argc++] = copy;
    if (!end) break;
    data += length + 1;
    size -= length + 1;
  }
  return argc;
}

/* The table `arg` has the script, or the program itself, at 0 and all other
** arguments around it. */
static void check_arg(lua_State *L, const Options *opt, char **argv, int argc) {
  const int first = opt->script < argc ? opt->script : 0;
  script_set_arg(L, argv, argc, opt->script);
  CHECK(lua_getglobal(L, "arg") == LUA_TTABLE);
  for (int i = 0; i < argc; i++) {
    CHECK(lua_rawgeti(L, -1, i - first) == LUA_TSTRING);
    CHECK(strcmp(lua_tostring(L, -1), argv[i]) == 0);
    lua_pop(L, 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *argv[ARGUMENTS_MOST + 1];
  size_t held;
  const int argc = split(data, size, argv);
  argv[argc] = NULL;
  const Options opt = options_read(argc, argv);
  CHECK(opt.script >= 1 && opt.script <= argc);
  if (opt.wrong) {
    CHECK(opt.script < argc);
    options_complain(&opt, argv);
  } else {
    lua_State *L = fuzz_open(&held);
    check_arg(L, &opt, argv, argc);
    fuzz_close(L, &held);
  }
  for (int i = 0; i < argc; i++) free(argv[i]);
  return 0;
}
