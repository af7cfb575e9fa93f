/* SPDX-License-Identifier: MIT */
/*
** adapter.c -- --debug-adapter and --debug: the command line for debuggers
**
** The adapter is a process between an editor and a program.  It starts the
** program, passes messages on, and reports its output (adapter.lua).  The
** program answers the messages itself (penumbra_debug).
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter_lua.h"
#include "cli.h"
#include "dap_lua.h"
#include "penumbra.h"

/* -- Options --------------------------------------------------------------- */

/* A number up to `most`; -1 if it is wrong. */
static int number_read(const char *text, long most) {
  char *end;
  if (*text < '0' || *text > '9') return -1;
  const long n = strtol(text, &end, 10);
  return *end == '\0' && n <= most ? (int)n : -1;
}

static bool debug_value_read(DebugOptions *o, const char *text) {
  enum { PORTS = 65535, FDS = 1 << 20 };
  const bool is_fd = strncmp(text, "fd:", 3) == 0;
  const int n = is_fd ? number_read(text + 3, FDS) : number_read(text, PORTS);
  *(is_fd ? &o->fd : &o->port) = n;
  o->on = n >= 0;
  return o->on;
}

int debug_option(DebugOptions *o, char **argv, int *i) {
  static const char adapter[] = "--debug-adapter", debug[] = "--debug";
  const char *arg = argv[*i];
  if (strncmp(arg, adapter, sizeof adapter - 1) == 0) {
    arg += sizeof adapter - 1;
    o->adapter = true;
    if (*arg == '=') o->adapter_port = number_read(arg + 1, 65535);
    return *arg == '\0' || (*arg == '=' && o->adapter_port >= 0) ? 1 : -1;
  }
  if (strncmp(arg, debug, sizeof debug - 1) != 0) return 0;
  arg += sizeof debug - 1;
  if (*arg == '=') return debug_value_read(o, arg + 1) ? 1 : -1;
  if (*arg != '\0') return 0;
  if (!argv[*i + 1]) return -1;
  return debug_value_read(o, argv[++*i]) ? 1 : -1;
}

/* -- The program that is debugged ------------------------------------------ */

bool debug_start(lua_State *L, const DebugOptions *o) {
  if (!o->on) return true;
  const int result = o->fd >= 0 ? penumbra_debugfd(L, o->fd, o->fd)
                                : penumbra_debug(L, o->port);
  if (!result) {
    lua_writestringerror("%s: ", cli_program);
    lua_writestringerror("cannot start the debugger: %s\n", strerror(errno));
    return false;
  }
  if (o->fd < 0) {
    lua_writestringerror("%s: ", cli_program);
    lua_writestringerror("waiting for a debugger on port %d\n", result);
  }
  penumbra_debugwait(L);
  return true;
}

#if defined(LUA_USE_POSIX)

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- Processes, for adapter.lua -------------------------------------------- */

static int fail(lua_State *L) {
  lua_pushnil(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

/* The strings of a list, for execvp.  They stay valid while the list does. */
static char **push_words(lua_State *L, int list) {
  const int count = (int)luaL_len(L, list);
  char **words = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *words, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, list, i + 1);
    words[i] = (char *)luaL_checkstring(L, -1);
    lua_pop(L, 1);
  }
  words[count] = NULL;
  return words;
}

/* What a child gets: [0] stdout, [1] stderr, [2] the debugger's socket. */
typedef struct Child {
  int mine[3], its[3];
  char **words;    /* the command */
  char **settings; /* "NAME=value" ... */
  const char *folder;
} Child;

static void child_close(const int fds[3]) {
  for (int i = 0; i < 3; i++)
    if (fds[i] >= 0) close(fds[i]);
}

static bool child_open(Child *c) {
  int pair[2];
  for (int i = 0; i < 3; i++) c->mine[i] = c->its[i] = -1;
  for (int i = 0; i < 3; i++) {
    const int result =
        i < 2 ? pipe(pair) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    if (result != 0) return false;
    c->mine[i] = pair[0];
    c->its[i] = pair[1];
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
  }
  return true;
}

enum { CHILD_SOCKET = 3, CHILD_FAILED = 127 };

static void child_say(const char *text) {
  if (write(2, text, strlen(text)) < 0) return;
}

/* The new process.  Descriptors are moved out of the way first. */
static void child_become(const Child *c) {
  int high[3];
  const int none = open("/dev/null", O_RDONLY);
  for (int i = 0; i < 3; i++) high[i] = fcntl(c->its[i], F_DUPFD_CLOEXEC, 16);
  dup2(none, 0);
  dup2(high[0], 1);
  dup2(high[1], 2);
  dup2(high[2], CHILD_SOCKET);
  for (int fd = CHILD_SOCKET + 1; fd < 16; fd++) close(fd);
  for (int i = 0; c->settings[i]; i++) putenv(c->settings[i]);
  if (*c->folder && chdir(c->folder) != 0) {
    child_say("cannot change to the folder ");
    child_say(c->folder);
  } else {
    execvp(c->words[0], c->words);
    child_say("cannot run ");
    child_say(c->words[0]);
  }
  child_say("\n");
  _exit(CHILD_FAILED);
}

/* spawn(words, settings, folder): pid, stdout, stderr, socket; or nil, message.
** The child finds the socket at descriptor 3. */
static int adapter_spawn(lua_State *L) {
  Child c = {.folder = luaL_checkstring(L, 3)};
  c.words = push_words(L, 1);
  c.settings = push_words(L, 2);
  luaL_argcheck(L, c.words[0], 1, "no command");
  if (!child_open(&c)) {
    child_close(c.mine);
    child_close(c.its);
    return fail(L);
  }
  const pid_t pid = fork();
  if (pid == 0) child_become(&c);
  child_close(c.its);
  if (pid < 0) {
    child_close(c.mine);
    return fail(L);
  }
  lua_pushinteger(L, pid);
  for (int i = 0; i < 3; i++) lua_pushinteger(L, c.mine[i]);
  return 4;
}

/* wait(pid, hangs): its exit code, or 128 + its signal; nil if it still runs. */
static int adapter_wait(lua_State *L) {
  int status;
  const pid_t pid = (pid_t)luaL_checkinteger(L, 1);
  const pid_t result = waitpid(pid, &status, lua_toboolean(L, 2) ? 0 : WNOHANG);
  if (result != pid) return 0;
  lua_pushinteger(L, WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                         : WEXITSTATUS(status));
  return 1;
}

static int adapter_kill(lua_State *L) {
  kill((pid_t)luaL_checkinteger(L, 1), SIGKILL);
  return 0;
}

/* -- Sockets and descriptors, for adapter.lua ------------------------------ */

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((uint16_t)port);
  return address;
}

/* connect(host, port): a descriptor; or nil, message. */
static int adapter_connect(lua_State *L) {
  struct sockaddr_in address = loopback((int)luaL_checkinteger(L, 2));
  const char *host = luaL_checkstring(L, 1);
  if (strcmp(host, "localhost") != 0 &&
      inet_pton(AF_INET, host, &address.sin_addr) != 1)
    return luaL_error(L, "'%s' is not an IPv4 address", host);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return fail(L);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    fail(L);
    close(fd);
    return 2;
  }
  lua_pushinteger(L, fd);
  return 1;
}

/* serve(port, f): waits for a client, after it has called f(port). */
static int adapter_serve(lua_State *L) {
  struct sockaddr_in address = loopback((int)luaL_checkinteger(L, 1));
  socklen_t size = sizeof address;
  const int yes = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return fail(L);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 1) != 0 ||
      getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
    fail(L);
    close(fd);
    return 2;
  }
  lua_pushvalue(L, 2);
  lua_pushinteger(L, ntohs(address.sin_port));
  lua_call(L, 1, 0);
  const int client = accept(fd, NULL, NULL);
  close(fd);
  if (client < 0) return fail(L);
  lua_pushinteger(L, client);
  return 1;
}

/* poll(list, milliseconds): a list of those that have bytes or have ended. */
static int adapter_poll(lua_State *L) {
  struct pollfd fds[8] = {{0}};
  const unsigned count = (unsigned)luaL_len(L, 1);
  luaL_argcheck(L, count <= 8, 1, "too many");
  for (unsigned i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    fds[i] = (struct pollfd){.fd = (int)lua_tointeger(L, -1), .events = POLLIN};
    lua_pop(L, 1);
  }
  lua_newtable(L);
  if (poll(fds, (nfds_t)count, (int)luaL_checkinteger(L, 2)) <= 0) return 1;
  for (unsigned i = 0, n = 0; i < count; i++) {
    if (!fds[i].revents) continue;
    lua_pushinteger(L, fds[i].fd);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

/* read(fd): some bytes; nil at the end. */
static int adapter_read(lua_State *L) {
  char bytes[16384];
  const ssize_t size = read((int)luaL_checkinteger(L, 1), bytes, sizeof bytes);
  if (size <= 0) return 0;
  lua_pushlstring(L, bytes, (size_t)size);
  return 1;
}

/* write(fd, bytes): true if all were written. */
static int adapter_write(lua_State *L) {
  size_t size;
  const int fd = (int)luaL_checkinteger(L, 1);
  const char *bytes = luaL_checklstring(L, 2, &size);
  while (size > 0) {
    const ssize_t count = write(fd, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    bytes += count;
    size -= (size_t)count;
  }
  lua_pushboolean(L, size == 0);
  return 1;
}

static int adapter_close(lua_State *L) {
  close((int)luaL_checkinteger(L, 1));
  return 0;
}

static const luaL_Reg adapter_functions[] = {
    {"spawn", adapter_spawn}, {"wait", adapter_wait},
    {"kill", adapter_kill},   {"connect", adapter_connect},
    {"serve", adapter_serve}, {"poll", adapter_poll},
    {"read", adapter_read},   {"write", adapter_write},
    {"close", adapter_close}, {NULL, NULL},
};

/* -- The adapter ----------------------------------------------------------- */

/* The path of this program, for those that it starts in another folder. */
static const char *program_path(const char *name) {
  static char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  if (size > 0) {
    path[size] = '\0';
    return path;
  }
  return strchr(name, '/') && realpath(name, path) ? path : name;
}

static void run_chunk(lua_State *L, const unsigned char *code, size_t size,
                      const char *name) {
  if (luaL_loadbufferx(L, (const char *)code, size, name, "t")) lua_error(L);
  lua_call(L, 0, 1);
}

static int adapter_body(lua_State *L) {
  const DebugOptions *o = lua_touserdata(L, 1);
  luaL_openlibs(L);
  luaL_newlib(L, adapter_functions);
  lua_setglobal(L, "process");
  run_chunk(L, dap_lua, sizeof dap_lua, "=dap");
  lua_setglobal(L, "dap");
  run_chunk(L, adapter_lua, sizeof adapter_lua, "=adapter");
  lua_pushstring(L, program_path(o->program));
  lua_pushinteger(L, o->adapter_port);
  lua_call(L, 2, 0);
  return 0;
}

bool adapter_run(const DebugOptions *o) {
  lua_State *L = luaL_newstate();
  if (!L) {
    cli_message("cannot start the debug adapter: not enough memory");
    return false;
  }
  signal(SIGPIPE, SIG_IGN);
  lua_pushcfunction(L, adapter_body);
  lua_pushlightuserdata(L, (void *)o);
  const int status = cli_report(L, lua_pcall(L, 1, 0, 0));
  lua_close(L);
  return status == LUA_OK;
}

#else

bool adapter_run(const DebugOptions *o) {
  (void)o;
  cli_message("there is no debug adapter on this system");
  return false;
}

#endif
