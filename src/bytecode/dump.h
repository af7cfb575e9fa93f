/* SPDX-License-Identifier: MIT */
/*
** dump.h -- writes functions as bytes, and reads them
**
** A chunk begins like every Lua 5.4 binary chunk, so that tools recognize it.
** Then a mark of Penumbra follows, because the instructions are its own.
**
**     LUA_SIGNATURE  0x54  0  "\x19\x93\r\n\x1a\n"  sizes of instruction,
**     integer, float (a byte each)  0x5678 (integer)  370.5 (float)
**     "Penumbra"  DUMP_VERSION (byte)  number of upvalues (byte)  function
**
** Numbers are in the machine's own format.  Sizes and counts are in groups of
** seven bits, the lowest group first.  The high bit of a byte says that another
** group follows.
*/
#ifndef PENUMBRA_BYTECODE_DUMP_H
#define PENUMBRA_BYTECODE_DUMP_H

#include "bytecode/stream.h"
#include "object/function.h"
#include "lua.h"

#define DUMP_DATA "\x19\x93\r\n\x1a\n"
#define DUMP_MARK "Penumbra"

enum {
  DUMP_LUA_VERSION = LUA_VERSION_NUM / 100 * 16 + LUA_VERSION_NUM % 100,
  DUMP_FORMAT = 0,
  DUMP_VERSION = 13, /* increased with every change of bytecode or format */
  DUMP_INTEGER = 0x5678
};
#define DUMP_FLOAT 370.5

/* The type of a constant. */
enum DumpTag {
  DUMP_NIL,
  DUMP_FALSE,
  DUMP_TRUE,
  DUMP_INT,
  DUMP_NUMBER,
  DUMP_STRING,
  DUMP_TABLE
};

/* Writes the function.  Returns the first result of the writer that is not 0,
** which stops the dump; otherwise 0. */
int dump(lua_State *L, const Proto *p, ByteWriter writer, void *data,
         bool strip);

/* Reads a function and pushes a closure with new upvalues.  The caller has read
** the first byte.  Raises STATUS_ERROR_SYNTAX if the bytes are not a valid
** chunk. */
void undump(lua_State *L, Stream *stream, const char *name);

#endif
