/* SPDX-License-Identifier: MIT */
/*
** dump.h -- functions as bytes, and back
**
** The beginning is that of every Lua 5.4 binary chunk, so that tools recognize
** it; then follows a mark of our own, since the instructions are ours.
**
**     LUA_SIGNATURE  0x54  0  "\x19\x93\r\n\x1a\n"  sizes of instruction,
**     integer, float (a byte each)  0x5678 (integer)  370.5 (float)
**     "Penumbra"  DUMP_VERSION (byte)  number of upvalues (byte)  function
**
** Numbers are in the machine's own format, sizes and counts in groups of seven
** bits, the lowest first, with the high bit saying that another one follows.
*/
#ifndef PENUMBRA_API_DUMP_H
#define PENUMBRA_API_DUMP_H

#include "bytecode/stream.h"
#include "object/function.h"

#define DUMP_DATA "\x19\x93\r\n\x1a\n"
#define DUMP_MARK "Penumbra"

enum {
  DUMP_LUA_VERSION = LUA_VERSION_NUM / 100 * 16 + LUA_VERSION_NUM % 100,
  DUMP_FORMAT = 0,
  DUMP_VERSION = 10,      /* grows with every change of the bytecode */
  DUMP_INTEGER = 0x5678
};
#define DUMP_FLOAT 370.5

/* What a constant or a name is. */
enum DumpTag {
  DUMP_NIL, DUMP_FALSE, DUMP_TRUE, DUMP_INT, DUMP_NUMBER, DUMP_STRING,
  DUMP_TABLE
};

/* Writes the function; the writer's result that ended it, or 0. */
int dump(lua_State *L, const Proto *p, lua_Writer writer, void *data,
         bool strip);

/* Reads a function whose first byte has been taken, and pushes a closure with
** new upvalues.  Raises LUA_ERRSYNTAX if the bytes make no sense. */
void undump(lua_State *L, Stream *stream, const char *name);

#endif
