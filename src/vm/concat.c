/* SPDX-License-Identifier: MIT */
/*
** concat.c -- concatenation
**
** Any number of strings and numbers are joined at once, without intermediate
** strings.  Numbers are converted to text on the C stack.
*/
#include "object/budget.h"
#include "object/meta.h"
#include "object/number.h"
#include "object/short_text.h"
#include "vm/call.h"
#include "vm/error.h"
#include "vm/operate.h"
#include "vm/operate_impl.h"

enum { CONCAT_NUMBERS = 8 }; /* the most numbers in one operation */

typedef struct Spelled {
  size_t length;
  char text[NUMBER_TEXT_SIZE];
} Spelled;

typedef struct Joint {
  const Value *values;
  int count;
  int number_count;
  size_t length;
  Spelled number[CONCAT_NUMBERS];
} Joint;

/* not covered: 255 operands of 2^55 bytes each are needed */
static COLD _Noreturn void raise_too_long(lua_State *L) {
  raise_error(L, "string length overflow");
}

/* Converts the numbers to text and adds up the lengths. */
static void joint_measure(lua_State *L, Joint *joint, const Value *values,
                          int count) {
  joint->values = values;
  joint->count = count;
  joint->number_count = 0;
  joint->length = 0;
  for (int i = 0; i < count; i++) {
    size_t length;
    if (LIKELY(value_is_string(&values[i]))) {
      length = string_length(value_string(&values[i]));
    } else {
      Spelled *spelled = &joint->number[joint->number_count++];
      budget_text(L, &values[i]);
      length = spelled->length = number_to_text(&values[i], spelled->text);
    }
    if (UNLIKELY(length > STRING_MAX_LENGTH - joint->length)) raise_too_long(L);
    joint->length += length;
  }
}

/* Copies the text of an operand.  Returns the end of the copy. */
static ALWAYS_INLINE char *joint_copy(lua_State *L, char *to, const char *bytes,
                                      size_t length) {
  if (UNLIKELY(length > BUDGET_PIECE))
    budget_copy(L, to, bytes, length);
  else
    bytes_copy_any(to, bytes, length);
  return to + length;
}

static void joint_write(lua_State *L, const Joint *joint, char *to) {
  const Spelled *spelled = joint->number;
  for (int i = 0; i < joint->count; i++) {
    const char *bytes;
    size_t length;
    if (LIKELY(value_is_string(&joint->values[i]))) {
      const String *s = value_string(&joint->values[i]);
      bytes = string_bytes(s);
      length = string_length(s);
    } else {
      bytes = spelled->text;
      length = spelled->length;
      spelled++;
    }
    to = joint_copy(L, to, bytes, length);
  }
}

/* Most results are short and consist of short strings and integers.  They are
** written directly, without measuring them first.  False if the value has
** another type, or the result becomes too long. */
static ALWAYS_INLINE bool join_one(TextWriter *w, const Value *v) {
  if (LIKELY(v->tag == TAG_SHORT_STRING))
    text_write_string(w, value_string(v));
  else if (value_is_integer(v))
    text_write_integer(w, v->as.i);
  else
    return false;
  return text_length(w) <= STRING_MAX_SHORT;
}

static NO_INLINE String *concat_integers(lua_State *L, const Value *values,
                                         int count) {
  uint64_t word[TEXT_CAPACITY];
  TextWriter w = text_begin(word);
  for (int i = 0; i < count; i++)
    if (!join_one(&w, &values[i])) return NULL;
  return text_string(L, &w);
}

/* The same for small integers, which are the most frequent.  The compiled code
** needs no callee-saved registers. */
static ALWAYS_INLINE bool join_small(TextWriter *w, const Value *v) {
  if (LIKELY(v->tag == TAG_SHORT_STRING))
    text_write_string(w, value_string(v));
  else if (LIKELY(value_is_integer(v) && (Unsigned)v->as.i < TEXT_SMALL))
    text_write_small(w, (uint32_t)v->as.i);
  else
    return false;
  return LIKELY(text_length(w) <= STRING_MAX_SHORT);
}

/* Most operands have four bytes or more.  So the result of more than
** CONCAT_FEW is probably not short, and trying would be wasted. */
enum { CONCAT_FEW = STRING_MAX_SHORT / 4 };

String *concat_short(lua_State *L, const Value *values, int count) {
  if (count > CONCAT_FEW) return NULL;
  uint64_t word[TEXT_CAPACITY];
  TextWriter w = text_begin(word);
  for (int i = 0; i < count; i++) {
    if (LIKELY(join_small(&w, &values[i]))) continue;
    return value_is_integer(&values[i]) ? concat_integers(L, values, count)
                                        : NULL;
  }
  return text_string(L, &w);
}

/* An empty operand leaves the other one as it is. */
String *concat_two_short(lua_State *L, const Value *a, const Value *b) {
  uint64_t word[TEXT_CAPACITY];
  TextWriter w = text_begin(word);
  if (UNLIKELY(!join_small(&w, a))) return NULL;
  size_t left = text_length(&w);
  if (UNLIKELY(left == 0) && b->tag == TAG_SHORT_STRING) return value_string(b);
  if (UNLIKELY(!join_small(&w, b))) return NULL;
  if (UNLIKELY(text_length(&w) == left) && a->tag == TAG_SHORT_STRING)
    return value_string(a);
  return text_string(L, &w);
}

/* Here, too, an empty operand leaves the other one as it is. */
String *concat_strings(lua_State *L, String *a, String *b) {
  size_t left = string_length(a), right = string_length(b);
  if (UNLIKELY(left == 0)) return b;
  if (UNLIKELY(right == 0)) return a;
  if (UNLIKELY(right > STRING_MAX_LENGTH - left)) raise_too_long(L);
  if (UNLIKELY(left + right <= STRING_MAX_SHORT)) return NULL;
  String *s = string_new_long(L, left + right);
  char *to = joint_copy(L, string_buffer(s), string_bytes(a), left);
  joint_copy(L, to, string_bytes(b), right);
  return s;
}

static String *concat_any(lua_State *L, const Value *values, int count) {
  Joint joint;
  char text[STRING_MAX_SHORT];
  joint_measure(L, &joint, values, count);
  if (joint.length <= STRING_MAX_SHORT) {
    joint_write(L, &joint, text);
    return string_new_short(L, text, joint.length);
  }
  String *s = string_new_long(L, joint.length);
  joint_write(L, &joint, string_buffer(s));
  return s;
}

String *concat_values(lua_State *L, const Value *values, int count) {
  String *s = concat_short(L, values, count);
  return s ? s : concat_any(L, values, count);
}

int concat_tail(lua_State *L, Value *values, int count, bool tried) {
  int first = count;
  int numbers = 0;
  while (first > 0 && concat_is_plain(&values[first - 1])) {
    if (value_is_number(&values[first - 1]) && ++numbers > CONCAT_NUMBERS)
      break;
    first--;
  }
  if (count - first < 2) return count;
  const Value *from = values + first;
  count -= first;
  tried = tried && first == 0;
  value_set_string(&values[first], tried ? concat_any(L, from, count)
                                         : concat_values(L, from, count));
  return first + 1;
}

void concat_method(lua_State *L, const Value *a, const Value *b,
                   Value *method) {
  if (!meta_get(L, a, META_CONCAT, method) &&
      !meta_get(L, b, META_CONCAT, method))
    error_concat(L, a, b);
}

void operate_concat(lua_State *L, int count) {
  String *s = count > 1 ? concat_short(L, L->top - count, count) : NULL;
  if (s) {
    L->top -= count - 1;
    value_set_string(L->top - 1, s);
    return;
  }
  while (count > 1) {
    int left = concat_tail(L, L->top - count, count, true);
    if (left == count) {
      Value method;
      Value *a = L->top - 2;
      concat_method(L, a, a + 1, &method);
      call_meta_result(L, &method, a, a + 1, a);
      left--;
    }
    L->top -= count - left;
    count = left;
  }
}
