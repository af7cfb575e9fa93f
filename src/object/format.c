/* SPDX-License-Identifier: MIT */
/*
** format.c -- messages made of pieces
**
** Pieces go into a buffer on the C stack.  When it is full, its content is
** appended to the string on top of the Lua stack.
*/
#include "object/format.h"

#include <stdio.h>
#include <string.h>

#include "object/budget.h"
#include "object/number.h"
#include "object/object_impl.h"

enum { FORMAT_BUFFER = 256 };
static_assert((int)FORMAT_BUFFER > (int)STRING_MAX_SHORT, "see message_join");

typedef struct Message {
  lua_State *L;
  bool pushed; /* a part of the message is on top of the stack */
  size_t length;
  char buffer[FORMAT_BUFFER];
} Message;

/* Replaces the part on the stack by itself followed by `bytes`.  Both together
** did not fit the buffer, so the result is a long string. */
static void message_join(Message *m, const char *bytes, size_t length) {
  lua_State *L = m->L;
  budget_spend(L, 0);
  if (!m->pushed) {
    String *s = budget_string(L, bytes, length);
    anchor_push(L, s, string_tag(s));
    m->pushed = true;
    return;
  }
  const String *head = value_string(L->top - 1);
  size_t total = string_length(head) + length;
  String *s = string_new_long(L, total);
  budget_copy(L, string_buffer(s), string_bytes(head), string_length(head));
  budget_copy(L, string_buffer(s) + string_length(head), bytes, length);
  value_set_string(L->top - 1, s);
}

static void message_flush(Message *m) {
  message_join(m, m->buffer, m->length);
  m->length = 0;
}

static void message_add(Message *m, const char *bytes, size_t length) {
  if (length > FORMAT_BUFFER - m->length) {
    message_flush(m);
    if (length > FORMAT_BUFFER) {
      message_join(m, bytes, length);
      return;
    }
  }
  memcpy(m->buffer + m->length, bytes, length);
  m->length += length;
}

static void message_add_number(Message *m, const Value *v) {
  char text[NUMBER_TEXT_SIZE];
  message_add(m, text, number_to_text(v, text));
}

static void message_add_integer(Message *m, Integer i) {
  Value v;
  value_set_integer(&v, i);
  message_add_number(m, &v);
}

static void message_add_float(Message *m, Number n) {
  Value v;
  value_set_float(&v, n);
  message_add_number(m, &v);
}

/* Writes what GNU's printf does for %p.  Calling it would take most of the time
** of tostring. */
static void message_add_pointer(Message *m, const void *p) {
  char text[32];
  if (UNLIKELY(!p)) {
    message_add(m, "(nil)", 5);
    return;
  }
  char *end = text + sizeof text;
  char *at = number_address(end, p);
  message_add(m, at, (size_t)(end - at));
}

static void message_add_utf8(Message *m, unsigned long code) {
  char text[UTF8_MAX_BYTES];
  size_t length = utf8_encode((uint32_t)code, text);
  message_add(m, text + UTF8_MAX_BYTES - length, length);
}

/* The list is passed by address, so that the caller continues after the
** arguments that were taken. */
typedef struct FormatArgs {
  va_list list;
} FormatArgs;

static void message_add_argument(Message *m, char conversion,
                                 FormatArgs *args) {
  switch (conversion) {
    case 's': {
      const char *s = va_arg(args->list, const char *);
      if (!s) s = "(null)";
      message_add(m, s, budget_strlen(m->L, s));
      break;
    }
    case 'c': {
      char c = (char)va_arg(args->list, int);
      message_add(m, &c, 1);
      break;
    }
    case 'd': message_add_integer(m, va_arg(args->list, int)); break;
    case 'I': message_add_integer(m, va_arg(args->list, Integer)); break;
    case 'f': message_add_float(m, va_arg(args->list, Number)); break;
    case 'p': message_add_pointer(m, va_arg(args->list, void *)); break;
    case 'U': message_add_utf8(m, va_arg(args->list, unsigned long)); break;
    case '%': message_add(m, "%", 1); break;
    default:
      raise_error(m->L, "invalid option '%%%c' to 'lua_pushfstring'",
                  conversion);
  }
}

const char *format_push_list(lua_State *L, const char *format, va_list list) {
  Message m;
  FormatArgs args;
  const char *percent;
  m.L = L;
  m.pushed = false;
  m.length = 0;
  va_copy(args.list, list);
  while ((percent = strchr(format, '%')) != NULL) {
    message_add(&m, format, (size_t)(percent - format));
    message_add_argument(&m, percent[1], &args);
    format = percent + 2;
  }
  va_end(args.list);
  message_add(&m, format, strlen(format));
  message_flush(&m);
  return string_bytes(value_string(L->top - 1));
}

const char *format_push(lua_State *L, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const char *text = format_push_list(L, format, list);
  va_end(list);
  return text;
}
