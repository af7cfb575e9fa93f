/* SPDX-License-Identifier: MIT */
/*
** opcodes.c -- properties of instructions, from opcodes.def
*/
#include <string.h>

#include "bytecode/bytecode.h"
#include "object/meta.h"

static_assert(OPCODE_ALL <= 256, "an opcode is one byte");

/* Of each shape: letters, format and length. */
enum {
#define SHAPE(format, operands) SHAPE_##format##_##operands,
#include "bytecode/shapes.def"
  SHAPE_COUNT
};

static const struct {
  char operands[5];
  uint8_t format, length;
} shapes[SHAPE_COUNT] = {
#define SHAPE(format, operands) {#operands, FORMAT_##format, LENGTH_##format},
#include "bytecode/shapes.def"
};

/* The columns by name, so that a pair can have those of its first half. */
enum {
#define OP(name, format, operands, check, event, traits, meaning)         \
  SHAPE_OF_##name = SHAPE_##format##_##operands,                          \
  LENGTH_OF_##name = LENGTH_##format, FORMAT_OF_##name = FORMAT_##format, \
  EVENT_OF_##name = META_##event, TRAITS_OF_##name = (traits),
#define PAIR(name, first, second, link)                                     \
  SHAPE_OF_##name = SHAPE_OF_##first, LENGTH_OF_##name = LENGTH_OF_##first, \
  FORMAT_OF_##name = FORMAT_OF_##first, EVENT_OF_##name = EVENT_OF_##first, \
  TRAITS_OF_##name = MAY_CALL,
#include "bytecode/opcodes.def"
};

#define ROW(name, meaning, first, second, link) \
  {#name,                                       \
   shapes[SHAPE_OF_##name].operands,            \
   meaning,                                     \
   FORMAT_OF_##name,                            \
   LENGTH_OF_##name,                            \
   EVENT_OF_##name,                             \
   TRAITS_OF_##name,                            \
   OP_##first,                                  \
   second,                                      \
   LINK_##link},

/* A breakpoint keeps the fields of the instruction under it, and its length. */
#define BREAK_ROW(name, layout)                                            \
  {#name,    "uuuu",    NULL, FORMAT_##layout, LENGTH_##layout, META_NONE, \
   MAY_CALL, OP_##name, 0,    LINK_NOTHING},

const OpInfo opcode_info[OPCODE_ALL] = {
#define OP(name, format, operands, check, event, traits, meaning) \
  ROW(name, meaning, name, 0, NOTHING)
#define PAIR(name, first, second, link) \
  ROW(name, NULL, first, OP_##second, link)
#include "bytecode/opcodes.def"
    BREAK_ROW(BREAK, ABC) BREAK_ROW(BREAKX, ABCX)};

bool opcode_is_jump(Opcode op) {
  return strchr(opcode_info[op].operands, 'j') != NULL;
}

const char *opcode_event(Opcode op) {
  MetaEvent event = (MetaEvent)opcode_info[op].event;
  return event == META_NONE ? NULL : meta_event_name(event);
}
