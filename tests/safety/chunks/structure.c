/* SPDX-License-Identifier: MIT */
/*
** structure.c -- chunks that are changed as functions, not as bytes
**
** A chunk is taken apart into functions: instructions whose jumps lead to other
** instructions, constants, upvalues, variables.  They are changed so that most of
** the chunk stays in order: an instruction that is inserted has registers of the
** frame, constants of the right type and jumps to instructions; offsets, lines
** and starts of loops are computed anew.  So far more mutants are accepted than
** of those that mutants.c makes, and they differ more.
*/
#include "structure.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/bytecode.h"
#include "bytecode/verify.h"
#include "lua.h"

enum { SOURCES_MAX = 64, NO_TARGET = -1 };

/* -- Bytes ----------------------------------------------------------------- */

typedef struct Bytes {
  unsigned char *at;
  size_t size;
} Bytes;

static void *more(void *old, size_t size) {
  void *result = realloc(old, size ? size : 1);
  if (!result) abort();
  return result;
}

static void bytes_add(Bytes *b, const void *from, size_t size) {
  b->at = more(b->at, b->size + size);
  if (size) memcpy(b->at + b->size, from, size);
  b->size += size;
}

static void bytes_byte(Bytes *b, unsigned byte) {
  unsigned char c = (unsigned char)byte;
  bytes_add(b, &c, 1);
}

static void bytes_number(Bytes *b, uint64_t n) {
  for (; n > 0x7f; n >>= 7) bytes_byte(b, (unsigned)(n & 0x7f) | 0x80);
  bytes_byte(b, (unsigned)n);
}

static void bytes_text(Bytes *b, const char *text) {
  bytes_number(b, strlen(text) + 1);
  bytes_add(b, text, strlen(text));
}

static Bytes bytes_copy(Bytes from) {
  Bytes b = {NULL, 0};
  bytes_add(&b, from.at, from.size);
  return b;
}

/* -- Functions ------------------------------------------------------------- */

typedef struct Item {
  Instruction word, aux;
  int target; /* of a jump: the number of an item */
  int line;
} Item;

typedef struct UpValueItem {
  unsigned char place[3]; /* in the stack, index, kind */
  Bytes name;
} UpValueItem;

typedef struct LocalItem {
  Bytes name;
  int start, end; /* numbers of items */
} LocalItem;

typedef struct Function {
  Bytes source; /* with the byte before it */
  uint64_t first_line, last_line;
  unsigned params, vararg, frame;
  Item *code;
  Bytes *constants;
  UpValueItem *upvalues;
  struct Function **functions;
  LocalItem *locals;
  int code_count, constant_count, upvalue_count, function_count, local_count;
  bool has_lines;
} Function;

/* Makes room for one more element in front of number `at`. */
static int inserted;
static void *insert(void *list, int *count, int at, size_t size) {
  char *bytes = more(list, ((size_t)*count + 1) * size);
  char *place = bytes + (size_t)at * size;
  memmove(place + size, place, (size_t)(*count - at) * size);
  memset(place, 0, size);
  ++*count;
  inserted = at;
  return bytes;
}
#define INSERT(list, count, at) \
  ((list) = insert((list), &(count), (at), sizeof *(list)), (list) + inserted)

static bool is_jump(Instruction i) {
  const char *operands = opcode_info[code_op(i)].operands;
  return operands[strlen(operands) - 1] == 'j';
}

static int item_length(const Item *item) { return code_length(item->word); }

static void function_free(Function *f) {
  free(f->source.at);
  for (int i = 0; i < f->constant_count; i++) free(f->constants[i].at);
  for (int i = 0; i < f->upvalue_count; i++) free(f->upvalues[i].name.at);
  for (int i = 0; i < f->local_count; i++) free(f->locals[i].name.at);
  for (int i = 0; i < f->function_count; i++) function_free(f->functions[i]);
  free(f->code);
  free(f->constants);
  free(f->upvalues);
  free(f->locals);
  free(f->functions);
  free(f);
}

static void *copy_of(const void *from, size_t size) {
  void *to = more(NULL, size);
  if (size) memcpy(to, from, size);
  return to;
}

static Function *function_copy(const Function *from) {
  Function *f = more(NULL, sizeof *f);
  *f = *from;
  f->source = bytes_copy(from->source);
#define COPY(list, count) \
  (f->list = copy_of(from->list, (size_t)(count) * sizeof *f->list))
  COPY(code, f->code_count);
  COPY(constants, f->constant_count);
  COPY(upvalues, f->upvalue_count);
  COPY(locals, f->local_count);
  COPY(functions, f->function_count);
#undef COPY
  for (int i = 0; i < f->constant_count; i++)
    f->constants[i] = bytes_copy(from->constants[i]);
  for (int i = 0; i < f->upvalue_count; i++)
    f->upvalues[i].name = bytes_copy(from->upvalues[i].name);
  for (int i = 0; i < f->local_count; i++)
    f->locals[i].name = bytes_copy(from->locals[i].name);
  for (int i = 0; i < f->function_count; i++)
    f->functions[i] = function_copy(from->functions[i]);
  return f;
}

/* -- Reading --------------------------------------------------------------- */

typedef struct Reader {
  const unsigned char *bytes;
  size_t at, size;
} Reader;

static unsigned read_byte(Reader *r) {
  if (r->at >= r->size) {
    fprintf(stderr, "structure: the format is not what it was\n");
    exit(2);
  }
  return r->bytes[r->at++];
}

static uint64_t read_number(Reader *r) {
  uint64_t n = 0;
  unsigned shift = 0, byte;
  do {
    byte = read_byte(r);
    n |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return n;
}

static void skip_text(Reader *r) {
  uint64_t length = read_number(r);
  if (length > 0) r->at += (size_t)length - 1;
}

static void skip_constant(Reader *r) {
  switch (read_byte(r)) {
    case 3:
    case 4: r->at += 8; break;
    case 5: skip_text(r); break;
    case 6: {
      read_number(r);
      uint64_t items = read_number(r), fields = read_number(r);
      while (items-- > 0) skip_constant(r);
      while (fields-- > 0) {
        skip_text(r);
        skip_constant(r);
      }
      break;
    }
    default: break;
  }
}

/* The bytes that `skip` skips. */
static Bytes read_bytes(Reader *r, void (*skip)(Reader *)) {
  size_t from = r->at;
  Bytes b = {NULL, 0};
  skip(r);
  bytes_add(&b, r->bytes + from, r->at - from);
  return b;
}

static void skip_source(Reader *r) {
  if (read_byte(r)) skip_text(r);
}

/* The number of the item at pc; the number of items for the end. */
static int item_at(const Function *f, const uint32_t *pcs, int64_t pc) {
  int low = 0, high = f->code_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (pcs[middle] < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The pc of each item, and of the end. */
static uint32_t *places(const Function *f) {
  uint32_t *pc = more(NULL, ((size_t)f->code_count + 1) * sizeof *pc);
  pc[0] = 0;
  for (int i = 0; i < f->code_count; i++)
    pc[i + 1] = pc[i] + (uint32_t)item_length(&f->code[i]);
  return pc;
}

static void read_code(Reader *r, Function *f) {
  uint64_t size = read_number(r);
  const unsigned char *code = r->bytes + r->at;
  for (uint64_t pc = 0; pc < size;) {
    Item *item = INSERT(f->code, f->code_count, f->code_count);
    memcpy(&item->word, code + 4 * pc, 4);
    item->target = NO_TARGET;
    if (item_length(item) == 2) memcpy(&item->aux, code + 4 * pc + 4, 4);
    pc += (uint64_t)item_length(item);
  }
  uint32_t *pcs = places(f);
  for (int i = 0; i < f->code_count; i++) {
    Item *item = &f->code[i];
    int64_t next = (int64_t)pcs[i] + 1;
    if (is_jump(item->word))
      item->target =
          item_at(f, pcs, next + code_jump_offset(item->word, item->aux));
  }
  free(pcs);
  r->at += 4 * size;
}

static void read_lines(Reader *r, Function *f) {
  f->has_lines = read_byte(r) != 0;
  if (!f->has_lines) return;
  unsigned shift = read_byte(r);
  int size = 0, pc = 0;
  for (int i = 0; i < f->code_count; i++) size += item_length(&f->code[i]);
  const unsigned char *base = r->bytes + r->at;
  size_t groups = ((size_t)(size - 1) >> shift) + 1;
  const unsigned char *offset = base + 4 * groups;
  for (int i = 0; i < f->code_count; i++) {
    int32_t line;
    memcpy(&line, base + 4 * ((size_t)pc >> shift), 4);
    f->code[i].line = line + offset[pc];
    pc += item_length(&f->code[i]);
  }
  r->at += 4 * groups + (size_t)size;
}

static Function *read_function(Reader *r) {
  Function *f = more(NULL, sizeof *f);
  memset(f, 0, sizeof *f);
  f->source = read_bytes(r, skip_source);
  f->first_line = read_number(r);
  f->last_line = read_number(r);
  f->params = read_byte(r);
  f->vararg = read_byte(r);
  f->frame = read_byte(r);
  read_code(r, f);
  for (uint64_t n = read_number(r); n > 0; n--)
    *INSERT(f->constants, f->constant_count, f->constant_count) =
        read_bytes(r, skip_constant);
  for (uint64_t n = read_number(r); n > 0; n--) {
    UpValueItem *u = INSERT(f->upvalues, f->upvalue_count, f->upvalue_count);
    for (int i = 0; i < 3; i++) u->place[i] = (unsigned char)read_byte(r);
    u->name = read_bytes(r, skip_text);
  }
  for (uint64_t n = read_number(r); n > 0; n--)
    *INSERT(f->functions, f->function_count, f->function_count) =
        read_function(r);
  uint32_t *pcs = places(f);
  for (uint64_t n = read_number(r); n > 0; n--) {
    LocalItem *l = INSERT(f->locals, f->local_count, f->local_count);
    l->name = read_bytes(r, skip_text);
    l->start = item_at(f, pcs, (int64_t)read_number(r));
    l->end = item_at(f, pcs, (int64_t)read_number(r));
  }
  free(pcs);
  read_lines(r, f);
  for (uint64_t n = read_number(r); n > 0; n--) {
    read_number(r);
    read_number(r);
  }
  return f;
}

typedef struct Source {
  Bytes header; /* up to the number of upvalues */
  Function *main;
} Source;

static Source sources[SOURCES_MAX];
static size_t source_count;

void structure_add(const unsigned char *bytes, size_t size) {
  Reader r = {bytes, 0, size};
  while (memcmp(bytes + r.at, "Penumbra", 8) != 0) r.at++;
  r.at += 9;
  Source *s = &sources[source_count++];
  bytes_add(&s->header, bytes, r.at);
  read_byte(&r);
  s->main = read_function(&r);
  if (r.at != size || source_count == SOURCES_MAX) {
    fprintf(stderr, "structure: the format is not what it was\n");
    exit(2);
  }
}

/* -- Writing --------------------------------------------------------------- */

static void write_list(Bytes *b, const Bytes *list, int count) {
  for (int i = 0; i < count; i++) bytes_add(b, list[i].at, list[i].size);
}

static void item_fix_jump(Item *item, const uint32_t *pc, int at) {
  if (item->target == NO_TARGET || !is_jump(item->word)) return;
  int offset = (int)pc[item->target] - (int)pc[at] - 1;
  if (code_op(item->word) == OP_JMP)
    item->word = code_make_e(OP_JMP, offset);
  else
    item->aux = (Instruction)offset;
}

typedef struct Heads {
  Bytes bytes;
  uint64_t count;
} Heads;

static void add_head(void *context, LoopHead head) {
  Heads *heads = context;
  bytes_number(&heads->bytes, head.pc);
  bytes_number(&heads->bytes, head.lost);
  heads->count++;
}

/* Finds the starts of loops as a dump does. */
static void write_heads(Bytes *b, const Instruction *code, uint32_t size) {
  Heads heads = {{NULL, 0}, 0};
  Proto p;
  memset(&p, 0, sizeof p);
  p.code = (Instruction *)(uintptr_t)code;
  p.code_size = size;
  verify_each_head(&p, add_head, &heads);
  bytes_number(b, heads.count);
  bytes_add(b, heads.bytes.at, heads.bytes.size);
  free(heads.bytes.at);
}

static void write_lines(Bytes *b, const Function *f, uint32_t size) {
  bytes_byte(b, f->has_lines);
  if (!f->has_lines) return;
  bytes_byte(b, 0);
  for (int i = 0; i < f->code_count; i++)
    for (int w = 0; w < item_length(&f->code[i]); w++)
      bytes_add(b, &f->code[i].line, 4);
  for (uint32_t i = 0; i < size; i++) bytes_byte(b, 0);
}

static void write_function(Bytes *b, Function *f) {
  uint32_t *pc = places(f), size = pc[f->code_count];
  bytes_add(b, f->source.at, f->source.size);
  bytes_number(b, f->first_line);
  bytes_number(b, f->last_line);
  bytes_byte(b, f->params);
  bytes_byte(b, f->vararg);
  bytes_byte(b, f->frame);
  bytes_number(b, size);
  Bytes code = {NULL, 0};
  for (int i = 0; i < f->code_count; i++) {
    Item *item = &f->code[i];
    item_fix_jump(item, pc, i);
    bytes_add(&code, &item->word, 4);
    if (item_length(item) == 2) bytes_add(&code, &item->aux, 4);
  }
  bytes_add(b, code.at, code.size);
  bytes_number(b, (uint64_t)f->constant_count);
  write_list(b, f->constants, f->constant_count);
  bytes_number(b, (uint64_t)f->upvalue_count);
  for (int i = 0; i < f->upvalue_count; i++) {
    bytes_add(b, f->upvalues[i].place, 3);
    bytes_add(b, f->upvalues[i].name.at, f->upvalues[i].name.size);
  }
  bytes_number(b, (uint64_t)f->function_count);
  for (int i = 0; i < f->function_count; i++)
    write_function(b, f->functions[i]);
  bytes_number(b, (uint64_t)f->local_count);
  for (int i = 0; i < f->local_count; i++) {
    bytes_add(b, f->locals[i].name.at, f->locals[i].name.size);
    bytes_number(b, pc[f->locals[i].start]);
    bytes_number(b, pc[f->locals[i].end]);
  }
  write_lines(b, f, size);
  write_heads(b, (const Instruction *)(const void *)code.at, size);
  free(code.at);
  free(pc);
}

/* -- Random choices -------------------------------------------------------- */

static uint64_t (*random_bits)(void);

static int below(int n) {
  return n > 0 ? (int)(random_bits() % (uint64_t)n) : 0;
}
static bool once_in(int n) { return below(n) == 0; }

/* The byte that a constant begins with, for a letter of opcodes.def. */
static unsigned wanted_tag(char letter) {
  switch (letter) {
    case 'n':
    case 'm': return 3;
    case 'f':
    case 'e': return 4;
    case 's':
    case 'x': return 5;
    case 't': return 6;
    default: return 0;
  }
}

static unsigned random_constant(const Function *f, char letter) {
  unsigned tag = wanted_tag(letter);
  int from = below(f->constant_count);
  for (int n = 0; tag && n < f->constant_count; n++) {
    int i = (from + n) % f->constant_count;
    if (f->constants[i].at[0] == tag) return (unsigned)i;
  }
  return (unsigned)from;
}

/* What may stand in a field with that letter. */
static uint32_t random_field(const Function *f, char letter) {
  switch (letter) {
    case 'w':
    case 'r':
    case 'b': return (uint32_t)below((int)f->frame);
    case 'k':
    case 'n':
    case 'm':
    case 'f':
    case 'e':
    case 's':
    case 'x':
    case 't': return random_constant(f, letter);
    case 'v': return (uint32_t)below(f->upvalue_count);
    case 'p': return (uint32_t)below(f->function_count);
    case 'u': return (uint32_t)below(once_in(4) ? (int)f->frame + 1 : 4);
    case '_': return 0;
    default: return (uint32_t)(below(20) - 4);
  }
}

static void set_field(Item *item, int n, uint32_t v) {
  Instruction *i = &item->word;
  int format = opcode_info[code_op(*i)].format;
  bool wide = format == FORMAT_AD || format == FORMAT_ADX;
  if (n == 0) *i = (*i & ~UINT32_C(0xff)) | (v & 0xff);
  if (n == 1 && wide) *i = (*i & UINT32_C(0xffff)) | v << 16;
  if (n == 1 && !wide) *i = (*i & ~UINT32_C(0xff0000)) | (v & 0xff) << 16;
  if (n == 2 && wide) item->aux = v;
  if (n == 2 && !wide) *i = (*i & ~UINT32_C(0xff000000)) | v << 24;
  if (n == 3) item->aux = v;
}

static void random_operand(const Function *f, Item *item, int n) {
  char letter = opcode_info[code_op(item->word)].operands[n];
  if (letter == 'j')
    item->target = below(f->code_count);
  else
    set_field(item, n, random_field(f, letter));
}

static Item random_item(const Function *f) {
  Item item = {0, 0, NO_TARGET, 1 + below(9)};
  item.word = (Instruction)below(OPCODE_COUNT) << 8;
  int count = (int)strlen(opcode_info[code_op(item.word)].operands);
  for (int n = 0; n < count; n++) random_operand(f, &item, n);
  if (code_op(item.word) == OP_CLOSURE || code_op(item.word) == OP_NEWTABLE ||
      code_op(item.word) == OP_DUPTABLE)
    set_field(&item, 2, f->frame);
  return item;
}

/* -- Changes --------------------------------------------------------------- */

/* Moves everything that refers to items from number `at` on. */
static void shift_items(Function *f, int at, int by) {
  for (int i = 0; i < f->code_count; i++)
    if (f->code[i].target >= at && f->code[i].target != NO_TARGET)
      f->code[i].target += by;
  for (int i = 0; i < f->local_count; i++) {
    if (f->locals[i].start >= at) f->locals[i].start += by;
    if (f->locals[i].end >= at) f->locals[i].end += by;
  }
}

static void insert_item(Function *f, int at, Item item) {
  shift_items(f, at, 1);
  if (item.target >= at) item.target++;
  *INSERT(f->code, f->code_count, at) = item;
}

static void remove_item(Function *f, int at) {
  if (f->code_count < 2) return;
  shift_items(f, at + 1, -1);
  memmove(f->code + at, f->code + at + 1,
          (size_t)(f->code_count - at - 1) * sizeof *f->code);
  f->code_count--;
  for (int i = 0; i < f->code_count; i++)
    if (f->code[i].target >= f->code_count)
      f->code[i].target = f->code_count - 1;
}

/* Another opcode with the same operands. */
static void change_opcode(Item *item) {
  const OpInfo *old = &opcode_info[code_op(item->word)];
  for (int tries = 0; tries < 200; tries++) {
    Opcode op = (Opcode)below(OPCODE_COUNT);
    if (opcode_info[op].format != old->format ||
        strcmp(opcode_info[op].operands, old->operands) != 0)
      continue;
    item->word = code_with_op(item->word, op);
    return;
  }
}

/* Some instructions of another place, or of another function. */
static void copy_items(Function *f, const Function *from) {
  int count = 1 + below(6), start = below(from->code_count);
  int to = below(f->code_count);
  if (count > from->code_count - start) count = from->code_count - start;
  for (int n = 0; n < count; n++) {
    Item item = from->code[start + n];
    if (item.target != NO_TARGET) {
      int distance = item.target - start - n;
      item.target = to + n + distance;
      if (item.target < 0 || item.target >= f->code_count)
        item.target = below(f->code_count);
    }
    insert_item(f, to + n, item);
  }
}

static void new_template(Bytes *b) {
  int items = below(4), fields = below(4), more_slots = below(4);
  bytes_byte(b, 6);
  bytes_number(b, (uint64_t)(items + more_slots));
  bytes_number(b, (uint64_t)items);
  bytes_number(b, (uint64_t)fields);
  for (int i = 0; i < items; i++) bytes_byte(b, 1 + (unsigned)below(2));
  for (int i = 0; i < fields; i++) {
    const char name[] = {(char)('a' + below(6)), 0};
    bytes_text(b, name);
    bytes_byte(b, 1 + (unsigned)below(2));
  }
}

static Bytes new_constant(void) {
  static const lua_Integer integers[] = {
      0, 1, -1, 2, 64, 255, 1 << 20, -7, 3, LLONG_MIN, LLONG_MAX};
  static const lua_Number floats[] = {0.0, 1.0, 0.5, -2.0, 1e300, 5e-324, 4.0};
  Bytes b = {NULL, 0};
  unsigned tag = (unsigned)below(7);
  if (tag == 6) {
    new_template(&b);
    return b;
  }
  bytes_byte(&b, tag);
  if (tag == 3) bytes_add(&b, &integers[below(11)], 8);
  if (tag == 4) bytes_add(&b, &floats[below(7)], 8);
  if (tag == 5)
    bytes_text(&b, once_in(3) ? "a string that is longer than those of names, "
                                "which are short"
                   : once_in(2) ? "a"
                                : "x");
  return b;
}

static void change_constant(Function *f) {
  if (f->constant_count == 0 || once_in(2)) {
    *INSERT(f->constants, f->constant_count, f->constant_count) =
        new_constant();
    return;
  }
  Bytes *b = &f->constants[below(f->constant_count)];
  free(b->at);
  *b = new_constant();
}

static void change_local(Function *f) {
  if (f->local_count == 0 || once_in(3)) {
    LocalItem *l = INSERT(f->locals, f->local_count, f->local_count);
    if (!once_in(8)) bytes_text(&l->name, once_in(4) ? "(for state)" : "v");
    if (l->name.size == 0) bytes_byte(&l->name, 0);
    l->start = f->local_count > 1 ? f->locals[f->local_count - 2].start : 0;
    l->end = below(f->code_count + 1);
    return;
  }
  LocalItem *l = &f->locals[below(f->local_count)];
  if (once_in(2)) l->start = below(f->code_count + 1);
  if (once_in(2)) l->end = below(f->code_count + 1);
}

static void change_upvalue(Function *f) {
  if (f->upvalue_count == 0) return;
  UpValueItem *u = &f->upvalues[below(f->upvalue_count)];
  if (once_in(2)) u->place[0] ^= 1;
  u->place[1] = (unsigned char)below(8);
  u->place[2] = (unsigned char)random_bits();
}

static void change_functions(Function *f) {
  if (f->function_count == 0) return;
  int one = below(f->function_count), other = below(f->function_count);
  Function *copy = function_copy(f->functions[one]);
  if (once_in(2)) {
    *INSERT(f->functions, f->function_count, other) = copy;
  } else {
    function_free(f->functions[other]);
    f->functions[other] = copy;
  }
}

static void change_shape(Function *f) {
  switch (below(4)) {
    case 0: f->frame = (f->frame + (unsigned)below(9)) & 0xff; break;
    case 1: f->params = (unsigned)below((int)f->frame + 1); break;
    case 2: f->code[below(f->code_count)].line = below(0x7fffff00); break;
    default: f->first_line = (uint64_t)below(3); break;
  }
}

static const Function *any_function(const Function *f) {
  while (f->function_count > 0 && !once_in(3))
    f = f->functions[below(f->function_count)];
  return f;
}

static void change_once(Function *f) {
  int at = below(f->code_count);
  Item *item = &f->code[at];
  switch (below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      random_operand(
          f, item,
          below((int)strlen(opcode_info[code_op(item->word)].operands)));
      break;
    case 6:
    case 7: change_opcode(item); break;
    case 8: remove_item(f, at); break;
    case 9:
    case 10:
    case 11: insert_item(f, at, random_item(f)); break;
    case 12: copy_items(f, f); break;
    case 13:
      copy_items(f, any_function(sources[below((int)source_count)].main));
      break;
    case 14:
      if (at > 0) {
        Item before = item[-1];
        item[-1] = *item;
        *item = before;
      }
      break;
    case 15: change_constant(f); break;
    case 16: change_local(f); break;
    case 17: change_upvalue(f); break;
    case 18: change_functions(f); break;
    default: change_shape(f); break;
  }
}

/* Assigns all registers but the parameters, so that more may be read. */
static void assign_registers(Function *f) {
  unsigned first = f->params;
  if (f->frame <= first) return;
  insert_item(f, f->vararg ? 1 : 0,
              (Item){code_make_abc(OP_LOADNIL, first, f->frame - first - 1, 0),
                     0, NO_TARGET, 1});
  if (f->code_count > 1 && !f->vararg)
    for (int i = 1; i < f->code_count; i++)
      if (f->code[i].target == 0) f->code[i].target = 1;
}

unsigned char *structure_mutant(uint64_t (*random)(void), size_t *size) {
  random_bits = random;
  const Source *s = &sources[below((int)source_count)];
  Function *main = function_copy(s->main);
  for (int n = 1 + below(4); n > 0; n--) {
    Function *f = (Function *)(uintptr_t)any_function(main);
    if (once_in(3)) assign_registers(f);
    change_once(f);
  }
  Bytes b = bytes_copy(s->header);
  bytes_byte(&b, (unsigned)main->upvalue_count);
  write_function(&b, main);
  function_free(main);
  *size = b.size;
  return b.at;
}
