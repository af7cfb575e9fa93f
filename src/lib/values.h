/* SPDX-License-Identifier: MIT */
/*
** values.h -- several values pushed or stored by one description
*/

#ifndef PENUMBRA_LIB_VALUES_H
#define PENUMBRA_LIB_VALUES_H

#include "lib.h"

/* Pushes a value for each letter of `shape` and returns how many, so that a C
** function can return them:
**
**    -  nil                        i  an int
**    b  a boolean, from an int     I  a lua_Integer
**    s  a string, nil for NULL     v  a copy of the value at that index
*/
int values_push(lua_State *L, const char *shape, ...);

/* Stores the value on top in a field of the value at `t`, and keeps it on the
** stack. */
void values_keep(lua_State *L, int t, const char *name);

/* "nil", "false" or "true"; NULL for other values. */
struct Value;
const char *values_word(const struct Value *v);

/* Pushes the text of an argument, as tostring returns it. */
const char *values_push_text(lua_State *L, int arg, size_t *len);

/* -- Fields of a structure ----------------------------------------------- */

typedef enum FieldKind {
  FIELD_INT,   /* int */
  FIELD_SHORT, /* unsigned short */
  FIELD_BYTE,  /* unsigned char */
  FIELD_FLAG,  /* char, a boolean */
  FIELD_TEXT,  /* const char *, nil for NULL */
  FIELD_CHARS  /* an array of char */
} FieldKind;

typedef struct Field {
  const char *name;
  size_t offset;
  FieldKind kind;
  int delta;   /* added to a number */
  char option; /* a letter that selects the field */
} Field;

/* Stores the field of the structure in the table on top. */
void field_store(lua_State *L, const Field *field, const void *structure);

#endif
