/* SPDX-License-Identifier: MIT */
/*
** io.c -- the io library: files, except reading from them (io_read.c)
**
** A file is a userdata that holds a luaL_Stream.  Its closef tells how to close
** it, and is NULL once it is closed.  It is also NULL while a file is being
** created, so that the collector may finalize the file then.
*/

#include "io_impl.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "declare.h"
#include "lualib.h"
#include "system.h"
#include "values.h"

/* -- Streams ------------------------------------------------------------- */

/* True if the value is a file: its metatable is the one that the registry has
** for files. */
static bool io_is_stream(lua_State *L, const Value *v) {
  Value metatable;
  return v->tag == TAG_USERDATA &&
         table_get_str(L, value_table(&L->global->registry),
                       L->global->file_type, &metatable) &&
         value_is_table(&metatable) &&
         value_table(&metatable) == value_userdata(v)->metatable;
}

static luaL_Stream *io_check_stream(lua_State *L) {
  const Value *file = L->frame->func + 1;
  if (LIKELY(file < L->top && io_is_stream(L, file)))
    return userdata_bytes(value_userdata(file));
  return luaL_checkudata(L, 1, LUA_FILEHANDLE);
}

FILE *io_check_file(lua_State *L) {
  const luaL_Stream *p = io_check_stream(L);
  if (luai_unlikely(!p->closef)) luaL_error(L, "attempt to use a closed file");
  return p->f;
}

FILE *io_file(lua_State *L) { return ((luaL_Stream *)lua_touserdata(L, 1))->f; }

FILE *io_default_file(lua_State *L, const char *key) {
  lua_getfield(L, LUA_REGISTRYINDEX, key);
  const luaL_Stream *p = lua_touserdata(L, -1);
  if (luai_unlikely(!p->closef))
    luaL_error(L, "default %s file is closed", key + strlen("_IO_"));
  return p->f;
}

/* Pushes a stream that counts as closed. */
static luaL_Stream *io_push_stream(lua_State *L) {
  luaL_Stream *p = lua_newuserdatauv(L, sizeof(luaL_Stream), 0);
  p->f = NULL;
  p->closef = NULL;
  luaL_setmetatable(L, LUA_FILEHANDLE);
  return p;
}

/* -- Closing ------------------------------------------------------------- */

/* The stream counts as closed before its function runs. */
int io_close_file(lua_State *L) {
  luaL_Stream *p = io_check_stream(L);
  const lua_CFunction close = p->closef;
  p->closef = NULL;
  return close(L);
}

static int file_close_framed(lua_State *L) { return io_close_file(L); }

static int io_close_framed(lua_State *L) {
  if (lua_isnone(L, 1)) lua_getfield(L, LUA_REGISTRYINDEX, IO_OUTPUT);
  io_check_file(L);
  return io_close_file(L);
}

static int io_file_gc(lua_State *L) {
  const luaL_Stream *p = io_check_stream(L);
  if (p->closef && p->f) io_close_file(L);
  return 0;
}

static int io_close_regular(lua_State *L) {
  const luaL_Stream *p = io_check_stream(L);
  errno = 0;
  return luaL_fileresult(L, fclose(p->f) == 0, NULL);
}

/* Standard files are not closed. */
static int io_close_standard(lua_State *L) {
  io_check_stream(L)->closef = io_close_standard;
  return values_push(L, "-s", "cannot close standard file");
}

/* -- Opening ------------------------------------------------------------- */

/* A mode is r, w or a, then an optional +, then an optional b. */
static bool io_mode_is_valid(const char *mode) {
  if (*mode == '\0' || !strchr("rwa", *mode)) return false;
  mode++;
  if (*mode == '+') mode++;
  return strspn(mode, "b") == strlen(mode);
}

/* Pushes a stream for the file of that name, or for a temporary file if the
** name is NULL.  False if it cannot be opened, with the reason in errno. */
static bool io_open(lua_State *L, const char *name, const char *mode) {
  luaL_Stream *p = io_push_stream(L);
  p->closef = io_close_regular;
  errno = 0;
  p->f = name ? fopen(name, mode) : tmpfile();
  return p->f != NULL;
}

static int io_open_framed(lua_State *L) {
  const char *name = lua_tostring(L, 1);
  const char *mode = luaL_optstring(L, 2, "r");
  luaL_argcheck(L, io_mode_is_valid(mode), 2, "invalid mode");
  return io_open(L, name, mode) ? 1 : luaL_fileresult(L, 0, name);
}

void io_open_or_raise(lua_State *L, const char *name, const char *mode) {
  if (luai_likely(io_open(L, name, mode))) return;
  luaL_error(L, "cannot open file '%s' (%s)", name, strerror(errno));
}

static int io_tmpfile_framed(lua_State *L) {
  return io_open(L, NULL, NULL) ? 1 : luaL_fileresult(L, 0, NULL);
}

static int io_close_process(lua_State *L) {
  const luaL_Stream *p = io_check_stream(L);
  errno = 0;
  return luaL_execresult(L, system_close_pipe(p->f));
}

static int io_popen_framed(lua_State *L) {
  const char *command = lua_tostring(L, 1);
  const char *mode = luaL_optstring(L, 2, "r");
  const bool valid = strspn(mode, "rw") == 1 && mode[1] == '\0';
  luaL_argcheck(L, valid, 2, "invalid mode");
  if (!system_has_pipes()) return luaL_error(L, "'popen' not supported");
  luaL_Stream *p = io_push_stream(L);
  fflush(NULL); /* or the child would write it again */
  errno = 0;
  p->f = system_open_pipe(command, mode);
  p->closef = io_close_process;
  return p->f ? 1 : luaL_fileresult(L, 0, command);
}

/* -- Default files ------------------------------------------------------- */

/* Returns the default file.  An argument, which is a file or its name, becomes
** the new default file. */
static int io_choose_default(lua_State *L, const char *key, const char *mode) {
  lua_settop(L, 1);
  if (lua_isnil(L, 1)) {
    lua_getfield(L, LUA_REGISTRYINDEX, key);
    return 1;
  }
  if (lua_isstring(L, 1))
    io_open_or_raise(L, lua_tostring(L, 1), mode);
  else
    io_check_file(L);
  values_keep(L, LUA_REGISTRYINDEX, key);
  return 1;
}

static int io_input_framed(lua_State *L) {
  return io_choose_default(L, IO_INPUT, "r");
}

static int io_output_framed(lua_State *L) {
  return io_choose_default(L, IO_OUTPUT, "w");
}

/* -- Writing ------------------------------------------------------------- */

/* Does not use fprintf, which takes most of the time of writing numbers. */
static bool io_write_integer(FILE *f, lua_Integer n) {
  char text[24];
  char *end = text + sizeof(text), *p = end;
  lua_Unsigned rest = n < 0 ? 0u - (lua_Unsigned)n : (lua_Unsigned)n;
  do {
    *--p = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (n < 0) *--p = '-';
  const size_t len = (size_t)(end - p);
  return fwrite(p, 1, len, f) == len;
}

static bool io_write_value(lua_State *L, FILE *f, int arg) {
  if (lua_type(L, arg) == LUA_TNUMBER) {
    if (lua_isinteger(L, arg))
      return io_write_integer(f, lua_tointeger(L, arg));
    return fprintf(f, LUA_NUMBER_FMT, (LUAI_UACNUMBER)lua_tonumber(L, arg)) > 0;
  }
  size_t len;
  const char *s = luaL_checklstring(L, arg, &len);
  return fwrite(s, 1, len, f) == len;
}

/* Writes the arguments from `first` up to the file.  The file is the value on
** top of them, and the result. */
static int io_write(lua_State *L, FILE *f, int first) {
  const int last = lua_gettop(L) - 1;
  bool ok = true;
  errno = 0;
  for (int arg = first; arg <= last; arg++)
    ok = io_write_value(L, f, arg) && ok;
  return luai_likely(ok) ? 1 : luaL_fileresult(L, 0, NULL);
}

static int io_write_framed(lua_State *L) {
  return io_write(L, io_default_file(L, IO_OUTPUT), 1);
}

static int file_write_framed(lua_State *L) {
  FILE *f = io_file(L);
  lua_pushvalue(L, 1);
  return io_write(L, f, 2);
}

static int io_flush_framed(lua_State *L) {
  FILE *f = io_default_file(L, IO_OUTPUT);
  errno = 0;
  return luaL_fileresult(L, fflush(f) == 0, NULL);
}

static int file_flush_framed(lua_State *L) {
  FILE *f = io_file(L);
  errno = 0;
  return luaL_fileresult(L, fflush(f) == 0, NULL);
}

/* -- Other operations on files ------------------------------------------- */

/* The names of options, and their constants in the C library. */
static const char *const seek_names[] = {"set", "cur", "end", NULL};
static const int seek_values[] = {SEEK_SET, SEEK_CUR, SEEK_END};
static const char *const setvbuf_names[] = {"no", "full", "line", NULL};
static const int setvbuf_values[] = {_IONBF, _IOFBF, _IOLBF};

static int file_seek_framed(lua_State *L) {
  FILE *f = io_file(L);
  const int whence = seek_values[luaL_checkoption(L, 2, "cur", seek_names)];
  const lua_Integer offset = luaL_optinteger(L, 3, 0);
  luaL_argcheck(L, system_has_offset(offset), 3,
                "not an integer in proper range");
  errno = 0;
  if (system_seek(f, offset, whence) != 0) return luaL_fileresult(L, 0, NULL);
  return values_push(L, "I", system_position(f));
}

static int file_setvbuf_framed(lua_State *L) {
  FILE *f = io_file(L);
  const int mode = setvbuf_values[luaL_checkoption(L, 2, NULL, setvbuf_names)];
  const size_t size = (size_t)luaL_optinteger(L, 3, LUAL_BUFFERSIZE);
  errno = 0;
  return luaL_fileresult(L, setvbuf(f, NULL, mode, size) == 0, NULL);
}

static int io_file_tostring(lua_State *L) {
  const luaL_Stream *p = io_check_stream(L);
  lua_pushfstring(L, p->closef ? "file (%p)" : "file (closed)", (void *)p->f);
  return 1;
}

NATIVE(io_type) {
  if (argc == 0) return NATIVE_RETRY;
  if (!io_is_stream(L, args)) return give_nil(out);
  const luaL_Stream *p = userdata_bytes(value_userdata(args));
  const char *name = p->closef ? "file" : "closed file";
  return give_new_string(L, out, string_new_cached(L, name));
}

#define IO_NATIVES(RUN, BOTH, SPLIT, FRAMED)              \
  FRAMED(io, close, MAYBE_OWN(FILE, file))                \
  FRAMED(io, flush, NOTHING)                              \
  FRAMED(io, input, MAYBE_OWN(FILE, file))                \
  FRAMED(io, lines, MAYBE(STRING, filename), REST)        \
  FRAMED(io, open, STRING(filename), MAYBE(STRING, mode)) \
  FRAMED(io, output, MAYBE_OWN(FILE, file))               \
  FRAMED(io, popen, STRING(prog), MAYBE(STRING, mode))    \
  FRAMED(io, read, REST)                                  \
  FRAMED(io, tmpfile, NOTHING)                            \
  RUN(io, type, ANY(obj))                                 \
  FRAMED(io, write, REST)

NATIVE_LIBRARY(io, "io.", IO_NATIVES)

#define FILE_NATIVES(RUN, BOTH, SPLIT, FRAMED)               \
  FRAMED(file, close, OPEN_FILE(file))                       \
  FRAMED(file, flush, OPEN_FILE(file))                       \
  FRAMED(file, lines, OPEN_FILE(file), REST)                 \
  FRAMED(file, read, OPEN_FILE(file), REST)                  \
  FRAMED(file, seek, OPEN_FILE(file), MAYBE(STRING, whence), \
         MAYBE_OWN(INTEGER, offset))                         \
  FRAMED(file, setvbuf, OPEN_FILE(file), STRING(mode),       \
         MAYBE_OWN(INTEGER, size))                           \
  FRAMED(file, write, OPEN_FILE(file), REST)

NATIVE_LIBRARY(file, "file:", FILE_NATIVES)

/* -- Opening the library ------------------------------------------------- */

static const luaL_Reg io_metamethods[] = {
    {"__index", NULL},
    {"__gc", io_file_gc},
    {"__close", io_file_gc},
    {"__tostring", io_file_tostring},
    {NULL, NULL},
};

static void io_open_metatable(lua_State *L) {
  luaL_newmetatable(L, LUA_FILEHANDLE);
  luaL_setfuncs(L, io_metamethods, 0);
  lua_createtable(L, 0, file_count);
  native_open(L, file_natives);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

/* Adds the standard files to the library on top.  The first two are the default
** files. */
static void io_add_standards(lua_State *L) {
  static const char *const names[] = {"stdin", "stdout", "stderr"};
  static const char *const keys[] = {IO_INPUT, IO_OUTPUT, NULL};
  FILE *const files[] = {stdin, stdout, stderr};
  for (int i = 0; i < 3; i++) {
    *io_push_stream(L) = (luaL_Stream){files[i], io_close_standard};
    if (keys[i]) values_keep(L, LUA_REGISTRYINDEX, keys[i]);
    lua_setfield(L, -2, names[i]);
  }
}

LUAMOD_API int luaopen_io(lua_State *L) {
  lua_createtable(L, 0, io_count + 3);
  native_open(L, io_natives);
  io_open_metatable(L);
  io_add_standards(L);
  return 1;
}
