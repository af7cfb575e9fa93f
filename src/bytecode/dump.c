/* SPDX-License-Identifier: MIT */
/*
** dump.c -- writes functions as bytes
*/
#include "bytecode/dump.h"

#include <string.h>

#include "base/check.h"
#include "bytecode/bytecode.h"
#include "bytecode/verify.h"
#include "object/budget.h"
#include "object/table.h"

typedef struct Dump {
  lua_State *L;
  ByteWriter writer;
  void *data;
  bool strip;
  int status;   /* last result of the writer; not 0 stops the dump */
  size_t count; /* bytes that wait for the writer */
  char waiting[512];
} Dump;

/* -- Pieces ---------------------------------------------------------------- */

static void dump_write_out(Dump *d, const void *bytes, size_t size) {
  budget_spend(d->L, 8 + size / 4);
  if (d->status == 0 && size > 0)
    d->status = d->writer(d->L, bytes, size, d->data);
}

static NO_INLINE void dump_flush(Dump *d) {
  dump_write_out(d, d->waiting, d->count);
  d->count = 0;
}

/* Most pieces have a few bytes, which are collected for the writer. */
static ALWAYS_INLINE void dump_bytes(Dump *d, const void *bytes, size_t size) {
  if (UNLIKELY(size > sizeof d->waiting - d->count)) dump_flush(d);
  if (UNLIKELY(size > sizeof d->waiting)) {
    dump_write_out(d, bytes, size);
  } else if (size > 0) {
    memcpy(d->waiting + d->count, bytes, size);
    d->count += size;
  }
}

static void dump_byte(Dump *d, unsigned byte) {
  uint8_t b = (uint8_t)byte;
  dump_bytes(d, &b, 1);
}

static void dump_size(Dump *d, uint64_t n) {
  uint8_t bytes[10];
  size_t count = 0;
  do {
    bytes[count] = (uint8_t)(n & 0x7f);
    n >>= 7;
    if (n) bytes[count] |= 0x80;
    count++;
  } while (n);
  dump_bytes(d, bytes, count);
}

/* Writes the length plus one, and the bytes.  For no string, writes 0. */
static void dump_string(Dump *d, const String *s) {
  if (!s) {
    dump_size(d, 0);
    return;
  }
  dump_size(d, string_length(s) + 1);
  dump_bytes(d, string_bytes(s), string_length(s));
}

static void dump_constant(Dump *d, const Value *v);

typedef struct TemplateField {
  Value slot[2]; /* key and value */
} TemplateField;

/* The order of bytes.  That of string_compare depends on the locale. */
static bool name_is_before(const String *a, const String *b) {
  size_t x = string_length(a), y = string_length(b);
  int order = memcmp(string_bytes(a), string_bytes(b), size_min(x, y));
  return order < 0 || (order == 0 && x < y);
}

/* Adds a field to a list that is in the order of names. */
static void add_in_order(TemplateField *fields, size_t count,
                         const Value slot[2]) {
  const String *name = value_string(&slot[0]);
  ASSERT(count < CODE_MAX_NAMES, "a template with more names");
  while (count > 0 &&
         name_is_before(name, value_string(&fields[count - 1].slot[0]))) {
    fields[count] = fields[count - 1];
    count--;
  }
  memcpy(fields[count].slot, slot, sizeof fields[count].slot);
}

/* Writes the table that a constructor copies: the size of its array, the
** numbers of items and fields, the items, and the fields with their names.
** Fields are in the order of their names: that of the table depends on the
** seed of the state and on the table's history, but equal functions should have
** equal dumps. */
static void dump_template(Dump *d, Table *t) {
  TemplateField fields[CODE_MAX_NAMES];
  Value slot[2];
  uint64_t items = table_length(d->L, t), count = 0;
  dump_size(d, t->array_size);
  dump_size(d, items);
  for (size_t at = 0; (at = table_next_at(d->L, t, at, slot)) != 0;)
    if (slot[0].tag != TAG_INTEGER) add_in_order(fields, count++, slot);
  dump_size(d, count);
  for (uint64_t i = 1; i <= items; i++) {
    table_get_int(d->L, t, (Integer)i, slot);
    dump_constant(d, slot);
  }
  for (uint64_t i = 0; i < count; i++) {
    dump_string(d, value_string(&fields[i].slot[0]));
    dump_constant(d, &fields[i].slot[1]);
  }
}

static void dump_constant(Dump *d, const Value *v) {
  switch (v->tag) {
    case TAG_FALSE: dump_byte(d, DUMP_FALSE); break;
    case TAG_TRUE: dump_byte(d, DUMP_TRUE); break;
    case TAG_INTEGER:
      dump_byte(d, DUMP_INT);
      dump_bytes(d, &v->as.i, sizeof v->as.i);
      break;
    case TAG_FLOAT:
      dump_byte(d, DUMP_NUMBER);
      dump_bytes(d, &v->as.n, sizeof v->as.n);
      break;
    case TAG_SHORT_STRING:
    case TAG_LONG_STRING:
      dump_byte(d, DUMP_STRING);
      dump_string(d, value_string(v));
      break;
    case TAG_TABLE:
      dump_byte(d, DUMP_TABLE);
      dump_template(d, value_table(v));
      break;
    default: dump_byte(d, DUMP_NIL); break;
  }
}

/* -- Functions ------------------------------------------------------------- */

static bool has_hint(Instruction i) {
  return strchr(opcode_info[code_op(i)].operands, 's') != NULL;
}

/* Hints and learned sizes are reset.  They tell where this state found a field,
** and how large its tables became; another state learns its own. */
static void dump_code(Dump *d, const Proto *p) {
  dump_size(d, p->code_size);
  for (uint32_t pc = 0; pc < p->code_size; pc++) {
    Instruction i = p->code[pc];
    if (code_is_presized(i)) i = code_with_presize(i, 0, false);
    dump_bytes(d, &i, sizeof i);
    if (code_length(i) == 1) continue;
    Instruction aux = p->code[++pc];
    if (has_hint(i)) aux = aux_field(aux_key(aux), 0);
    dump_bytes(d, &aux, sizeof aux);
  }
}

static void dump_upvalues(Dump *d, const Proto *p) {
  dump_size(d, p->upvalue_count);
  for (uint32_t i = 0; i < p->upvalue_count; i++) {
    dump_byte(d, p->upvalues[i].in_stack);
    dump_byte(d, p->upvalues[i].index);
    dump_byte(d, p->upvalues[i].kind);
    dump_string(d, d->strip ? NULL : p->upvalues[i].name);
  }
}

static void dump_locals(Dump *d, const Proto *p) {
  uint32_t count = d->strip ? 0 : p->local_count;
  dump_size(d, count);
  for (uint32_t i = 0; i < count; i++) {
    dump_string(d, p->locals[i].name);
    dump_size(d, (uint64_t)p->locals[i].start);
    dump_size(d, (uint64_t)p->locals[i].end);
  }
}

static void dump_lines(Dump *d, const Proto *p) {
  bool known = p->line_offset && !d->strip;
  dump_byte(d, known);
  if (!known) return;
  size_t groups = ((p->code_size - 1) >> p->line_shift) + 1;
  dump_byte(d, p->line_shift);
  dump_bytes(d, p->line_base, groups * sizeof *p->line_base);
  dump_bytes(d, p->line_offset, p->code_size);
}

static void dump_head(void *context, LoopHead head) {
  dump_size(context, head.pc);
  dump_size(context, head.lost);
}

static void count_head(void *context, LoopHead head) {
  (void)head;
  ++*(uint64_t *)context;
}

/* Writes where loops begin, for the verifier. */
static void dump_heads(Dump *d, const Proto *p) {
  uint64_t count = 0;
  budget_spend(d->L, p->code_size / 4);
  verify_each_head(p, count_head, &count);
  dump_size(d, count);
  if (count > 0) verify_each_head(p, dump_head, d);
}

/* Leaves out the source if it is the same as the parent's, which is the usual
** case for nested functions. */
static void dump_function(Dump *d, const Proto *p, const String *parent) {
  bool own_source = !d->strip && p->source != parent;
  dump_byte(d, own_source);
  if (own_source) dump_string(d, p->source);
  dump_size(d, (uint64_t)p->first_line);
  dump_size(d, (uint64_t)p->last_line);
  dump_byte(d, p->param_count);
  dump_byte(d, p->is_vararg);
  dump_byte(d, p->frame_size);
  dump_code(d, p);
  dump_size(d, p->constant_count);
  for (uint32_t i = 0; i < p->constant_count; i++)
    dump_constant(d, &p->constants[i]);
  dump_upvalues(d, p);
  dump_size(d, p->proto_count);
  for (uint32_t i = 0; i < p->proto_count; i++)
    dump_function(d, p->protos[i], p->source);
  dump_locals(d, p);
  dump_lines(d, p);
  dump_heads(d, p);
}

static void dump_header(Dump *d, const Proto *p) {
  Integer integer = DUMP_INTEGER;
  Number number = DUMP_FLOAT;
  dump_bytes(d, LUA_SIGNATURE, sizeof LUA_SIGNATURE - 1);
  dump_byte(d, DUMP_LUA_VERSION);
  dump_byte(d, DUMP_FORMAT);
  dump_bytes(d, DUMP_DATA, sizeof DUMP_DATA - 1);
  dump_byte(d, sizeof(Instruction));
  dump_byte(d, sizeof(Integer));
  dump_byte(d, sizeof(Number));
  dump_bytes(d, &integer, sizeof integer);
  dump_bytes(d, &number, sizeof number);
  dump_bytes(d, DUMP_MARK, sizeof DUMP_MARK - 1);
  dump_byte(d, DUMP_VERSION);
  dump_byte(d, p->upvalue_count);
}

int dump(lua_State *L, const Proto *p, ByteWriter writer, void *data,
         bool strip) {
  Dump d;
  d.L = L;
  d.writer = writer;
  d.data = data;
  d.strip = strip;
  d.status = 0;
  d.count = 0;
  dump_header(&d, p);
  dump_function(&d, p, NULL);
  dump_flush(&d);
  return d.status;
}
