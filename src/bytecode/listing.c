/* SPDX-License-Identifier: MIT */
/*
** listing.c -- code for human readers
**
**     main <example.lua:0,0> (4 instructions, 6 words)
**     0+ params, 2 registers, 1 upvalue, 0 locals, 2 constants, 0 functions
**           0  [1]  VARARGPREP    0
**           1  [1]  GETUPFIELD    0 0 0    ; _ENV print
*/
#include "bytecode/listing.h"

#include <stdarg.h>

#include "bytecode/bytecode.h"
#include "bytecode/names.h"
#include "object/number.h"
#include "object/raise.h"

typedef struct Listing {
  ListingWriter *write;
  void *context;
  ListingOptions options;
} Listing;

static PRINTF_LIKE(2, 3) void listing_print(const Listing *l,
                                            const char *format, ...) {
  char text[LISTING_LINE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  l->write(l->context, text);
}

/* -- Values ---------------------------------------------------------------- */

/* Appends to a text of LISTING_LINE bytes. */
static PRINTF_LIKE(2, 3) void text_add(char *text, const char *format, ...) {
  size_t length = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + length, LISTING_LINE - length, format, list);
  va_end(list);
}

static void text_add_byte(char *text, unsigned char c) {
  switch (c) {
    case '"': text_add(text, "\\\""); break;
    case '\\': text_add(text, "\\\\"); break;
    case '\n': text_add(text, "\\n"); break;
    case '\r': text_add(text, "\\r"); break;
    case '\t': text_add(text, "\\t"); break;
    default: text_add(text, c >= ' ' && c < 127 ? "%c" : "\\%03d", c); break;
  }
}

static void text_add_string(char *text, const String *s) {
  enum { SHOWN = 40 };
  size_t length = string_length(s);
  text_add(text, "\"");
  for (size_t i = 0; i < length && i < SHOWN; i++)
    text_add_byte(text, (unsigned char)string_bytes(s)[i]);
  text_add(text, length > SHOWN ? "\"..." : "\"");
}

static void text_add_value(char *text, const Value *v) {
  char number[NUMBER_TEXT_SIZE];
  switch (value_type(v)) {
    case TYPE_NIL: text_add(text, "nil"); break;
    case TYPE_BOOLEAN:
      text_add(text, v->tag == TAG_TRUE ? "true" : "false");
      break;
    case TYPE_NUMBER:
      number_to_text(v, number);
      text_add(text, "%s", number);
      break;
    case TYPE_TABLE: text_add(text, "{...}"); break;
    default: text_add_string(text, value_string(v)); break;
  }
}

/* -- One instruction ------------------------------------------------------- */

/* The fields of an instruction with their letters, in order. */
typedef struct Fields {
  int count;
  char letter[4];
  uint32_t raw[4];
} Fields;

static void fields_add(Fields *f, const char *letters, uint32_t raw) {
  f->letter[f->count] = letters[f->count];
  f->raw[f->count++] = raw;
}

static Fields fields_of(const Instruction *code) {
  Instruction i = *code;
  const OpInfo *info = &opcode_info[code_op(i)];
  Fields f = {.count = 0};
  if (info->format == FORMAT_E) {
    fields_add(&f, info->operands, (uint32_t)code_e(i));
    return f;
  }
  fields_add(&f, info->operands, code_a(i));
  if (info->format == FORMAT_ABC || info->format == FORMAT_ABCX) {
    fields_add(&f, info->operands, code_b(i));
    fields_add(&f, info->operands, code_c(i));
  } else {
    fields_add(&f, info->operands, code_d(i));
  }
  if (info->length > 1) fields_add(&f, info->operands, code[1]);
  return f;
}

static bool is_constant(char letter) {
  return strchr("knmfext", letter) != NULL;
}

static void field_print(char *text, char letter, uint32_t raw) {
  switch (letter) {
    case '_': break;
    case 'i':
    case 'g':
    case 'q':
    case 'h': text_add(text, " %d", (int8_t)raw); break;
    case 'd': text_add(text, " %d", (int16_t)raw); break;
    case 'c': text_add(text, " %d", (int16_t)raw >> 1); break;
    case 's': text_add(text, " k%u", aux_key(raw)); break;
    case 'j': text_add(text, " %+d", (int32_t)raw); break;
    default: text_add(text, is_constant(letter) ? " k%u" : " %u", raw); break;
  }
}

/* Explains an operand in the comment at the end of the line. */
static void field_explain(char *text, const Proto *p, size_t pc, char letter,
                          uint32_t raw) {
  if (letter == 's') raw = aux_key(raw);
  if (letter == 's' || is_constant(letter)) {
    text_add(text, " ");
    text_add_value(text, &p->constants[raw]);
  }
  switch (letter) {
    case 'v': text_add(text, " %s", names_upvalue(p, raw)); break;
    case 'j': text_add(text, " to %ld", (long)pc + 1 + (int32_t)raw); break;
    case 'p':
      text_add(text, " function at line %d", p->protos[raw]->first_line);
      break;
    default: break;
  }
}

int listing_instruction(const Proto *p, size_t pc, char text[LISTING_LINE]) {
  Fields f = fields_of(&p->code[pc]);
  char comment[LISTING_LINE] = "";
  snprintf(text, LISTING_LINE, "%-13s", opcode_info[code_op(p->code[pc])].name);
  for (int i = 0; i < f.count; i++) {
    field_print(text, f.letter[i], f.raw[i]);
    field_explain(comment, p, pc, f.letter[i], f.raw[i]);
  }
  if (*comment) text_add(text, "\t;%s", comment);
  return code_length(p->code[pc]);
}

/* -- A function ------------------------------------------------------------ */

static const char *plural(uint32_t count) { return count == 1 ? "" : "s"; }

static void listing_head(const Listing *l, const Proto *p) {
  char id[SOURCE_ID_SIZE] = "?";
  unsigned count = 0;
  if (p->source)
    source_to_id(id, string_bytes(p->source), string_length(p->source));
  for (size_t pc = 0; pc < p->code_size; count++)
    pc += (size_t)code_length(p->code[pc]);
  listing_print(l, "\n%s <%s:%d,%d> (%u instruction%s, %u words)\n",
                p->first_line == 0 ? "main" : "function", id, p->first_line,
                p->last_line, count, plural(count), p->code_size);
  listing_print(l, "%d%s param%s, %d registers, %u upvalue%s, %u local%s, ",
                p->param_count, p->is_vararg ? "+" : "", plural(p->param_count),
                p->frame_size, p->upvalue_count, plural(p->upvalue_count),
                p->local_count, plural(p->local_count));
  listing_print(l, "%u constant%s, %u function%s\n", p->constant_count,
                plural(p->constant_count), p->proto_count,
                plural(p->proto_count));
}

static void listing_code(const Listing *l, const Proto *p) {
  char text[LISTING_LINE];
  for (size_t pc = 0; pc < p->code_size;) {
    int line = proto_line(p, pc);
    listing_print(l, "\t%zu\t", pc);
    if (line > 0)
      listing_print(l, "[%d]\t", line);
    else
      listing_print(l, "[-]\t");
    pc += (size_t)listing_instruction(p, pc, text);
    l->write(l->context, text);
    l->write(l->context, "\n");
  }
}

static const char *name_or(const String *name, const char *other) {
  return name ? string_bytes(name) : other;
}

static void listing_details(const Listing *l, const Proto *p) {
  listing_print(l, "constants (%u):\n", p->constant_count);
  for (uint32_t i = 0; i < p->constant_count; i++) {
    char text[LISTING_LINE] = "";
    text_add_value(text, &p->constants[i]);
    listing_print(l, "\t%u\t%s\n", i, text);
  }
  listing_print(l, "locals (%u):\n", p->local_count);
  for (uint32_t i = 0; i < p->local_count; i++)
    listing_print(l, "\t%u\t%s\t%d\t%d\n", i, name_or(p->locals[i].name, "-"),
                  p->locals[i].start, p->locals[i].end);
  listing_print(l, "upvalues (%u):\n", p->upvalue_count);
  for (uint32_t i = 0; i < p->upvalue_count; i++)
    listing_print(l, "\t%u\t%s\t%d\t%d\n", i, name_or(p->upvalues[i].name, "-"),
                  p->upvalues[i].in_stack, p->upvalues[i].index);
}

static void listing_function(const Listing *l, const Proto *p) {
  listing_head(l, p);
  listing_code(l, p);
  if (l->options.full) listing_details(l, p);
  if (!l->options.nested) return;
  for (uint32_t i = 0; i < p->proto_count; i++)
    listing_function(l, p->protos[i]);
}

void listing_write(const Proto *p, ListingOptions options, ListingWriter *write,
                   void *context) {
  Listing l = {write, context, options};
  listing_function(&l, p);
}

static void listing_write_file(void *context, const char *text) {
  fputs(text, (FILE *)context);
}

void listing_to_file(const Proto *p, ListingOptions options, FILE *file) {
  listing_write(p, options, listing_write_file, file);
}
