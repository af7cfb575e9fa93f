/* SPDX-License-Identifier: MIT */
/*
** undump.c -- reads functions from bytes
**
** The reader trusts nothing that it reads.  A forged chunk is refused, or it
** does only what some Lua program could do.  docs/verifier.md has the rules.
** The prototype is on the stack from the start, and all that is being read is
** anchored there.  Memory is allocated for bytes that have arrived, not for the
** sizes that the chunk announces.
*/
#include <string.h>

#include "bytecode/dump.h"
#include "bytecode/bytecode.h"
#include "bytecode/luac.h"
#include "bytecode/undump_impl.h"
#include "object/format.h"
#include "object/thread.h"

_Noreturn void undump_error(Undump *u, const char *why) {
  format_push(u->L, "%s: bad binary format (%s)", u->name, why);
  raise_throw(u->L, STATUS_ERROR_SYNTAX);
}

/* -- Pieces ---------------------------------------------------------------- */

void undump_bytes(Undump *u, void *to, size_t size) {
  if (stream_read(u->stream, to, size) != 0) undump_error(u, "truncated chunk");
}

unsigned undump_byte(Undump *u) {
  int c = stream_get(u->stream);
  if (c == STREAM_END) undump_error(u, "truncated chunk");
  return (unsigned)c;
}

static uint64_t undump_size(Undump *u, uint64_t limit) {
  uint64_t n = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    uint64_t byte = undump_byte(u);
    n |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (n > limit) undump_error(u, "integer overflow");
      return n;
    }
  }
  undump_error(u, "integer overflow");
}

static uint32_t undump_count(Undump *u) {
  return (uint32_t)undump_size(u, INT32_MAX);
}

void undump_vector(Undump *u, Cell *owner, void **field, size_t size,
                   size_t count) {
  size_t done = 0;
  while (done < count) {
    size_t more = size_min(size_max(done, UNDUMP_PIECE / size), count - done);
    vector_resize(u->L, owner, field, size, done + more);
    undump_bytes(u, (char *)*field + done * size, more * size);
    done += more;
  }
}

/* Reads a very long string into a vector that grows as the bytes arrive.  So a
** false length does not allocate memory. */
static String *undump_huge_string(Undump *u, size_t length) {
  lua_State *L = u->L;
  Box *box = box_new_anchored(L);
  undump_vector(u, &box->cell, &box->data, 1, length);
  String *s = string_new_long(L, length);
  memcpy(string_buffer(s), box->data, length);
  box_drop(L, 1);
  return s;
}

String *undump_text(Undump *u, size_t length) {
  lua_State *L = u->L;
  if (length <= STRING_MAX_SHORT) {
    char bytes[STRING_MAX_SHORT];
    undump_bytes(u, bytes, length);
    return string_new(L, bytes, length);
  }
  if (length > 16 * UNDUMP_PIECE) return undump_huge_string(u, length);
  String *s = string_new_long(L, length);
  value_set_string(L->top, s); /* the reader may collect */
  L->top++;
  undump_bytes(u, string_buffer(s), length);
  L->top--;
  return s;
}

/* Reads a string, or NULL.  The caller must anchor it before the next
** allocation. */
static String *undump_string(Undump *u) {
  size_t size = (size_t)undump_size(u, STRING_MAX_LENGTH);
  return size > 0 ? undump_text(u, size - 1) : NULL;
}

static bool undump_simple_constant(Undump *u, Proto *p, Value *v,
                                   unsigned what);

/* Reads the value for the key on top of the stack, and stores both into t.  The
** value is anchored on the stack as well.  Pops the key. */
static void undump_template_value(Undump *u, Proto *p, Table *t) {
  lua_State *L = u->L;
  value_set_nil(L->top++);
  Value value;
  if (!undump_simple_constant(u, p, &value, undump_byte(u)) ||
      value.tag == TAG_NIL)
    undump_error(u, "bad format for constant table");
  L->top[-1] = value;
  table_set(L, t, L->top - 2, L->top - 1);
  L->top -= 2;
}

static void undump_item(Undump *u, Proto *p, Table *t, uint32_t index) {
  stack_ensure(u->L, 2);
  value_set_integer(u->L->top++, (Integer)index);
  undump_template_value(u, p, t);
}

static void undump_field(Undump *u, Proto *p, Table *t) {
  stack_ensure(u->L, 2);
  String *name = undump_string(u);
  if (!name || !string_is_short(name))
    undump_error(u, "bad format for constant table");
  value_set_string(u->L->top++, name);
  undump_template_value(u, p, t);
}

/* An item of a template is in the chunk, but a slot for an item that the code
** will store is not.  So the code must be large enough for all such slots. */
static bool undump_takes_slots(Undump *u, uint32_t slots, uint32_t items) {
  if (items > slots || slots - items > u->slots_left) return false;
  u->slots_left -= slots - items;
  return true;
}

static void undump_template(Undump *u, Proto *p, Value *v) {
  Table *t = table_new(u->L);
  value_set_table(v, t); /* v is a constant of p, so t is anchored */
  proto_barrier(gc_of(u->L), p, t);
  uint32_t slots = undump_count(u);
  uint32_t items = undump_count(u);
  uint32_t fields = undump_count(u);
  if (slots + fields == 0 || items > CODE_MAX_ITEMS ||
      fields > CODE_MAX_NAMES || (items > 0 && slots > CODE_MAX_ITEMS))
    undump_error(u, "bad format for constant table");
  if (!undump_takes_slots(u, slots, items))
    undump_error(u, "constant tables are too large");
  table_resize(u->L, t, slots, fields);
  for (uint32_t i = 1; i <= items; i++) undump_item(u, p, t, i);
  while (fields-- > 0) undump_field(u, p, t);
}

void undump_integer(Undump *u, Value *v) {
  undump_bytes(u, &v->as.i, sizeof v->as.i);
  v->tag = TAG_INTEGER;
}

void undump_float(Undump *u, Value *v) {
  undump_bytes(u, &v->as.n, sizeof v->as.n);
  v->tag = TAG_FLOAT;
}

void undump_set_string(Undump *u, Proto *p, Value *v, String *s) {
  if (!s) undump_error(u, "bad format for constant string");
  value_set_string(v, s);
  proto_barrier(gc_of(u->L), p, s);
}

/* Reads a constant that is not a table.  False if the tag is another one. */
static bool undump_simple_constant(Undump *u, Proto *p, Value *v,
                                   unsigned what) {
  switch (what) {
    case DUMP_NIL: value_set_nil(v); break;
    case DUMP_FALSE: value_set_bool(v, false); break;
    case DUMP_TRUE: value_set_bool(v, true); break;
    case DUMP_INT: undump_integer(u, v); break;
    case DUMP_NUMBER: undump_float(u, v); break;
    case DUMP_STRING: undump_set_string(u, p, v, undump_string(u)); break;
    default: return false;
  }
  return true;
}

static void undump_constant(Undump *u, Proto *p, Value *v) {
  unsigned what = undump_byte(u);
  if (what == DUMP_TABLE)
    undump_template(u, p, v);
  else if (!undump_simple_constant(u, p, v, what))
    undump_error(u, "invalid constant");
}

/* -- Functions ------------------------------------------------------------- */

static void undump_constants(Undump *u, Proto *p) {
  uint32_t count = undump_count(u);
  u->slots_left = (uint64_t)p->code_size * CODE_ITEMS_PER_WORD;
  for (uint32_t i = 0; i < count; i++) {
    UNDUMP_RESERVE(u, p, p->constants, i, count);
    value_set_nil(&p->constants[i]);
    p->constant_count = i + 1;
    undump_constant(u, p, &p->constants[i]);
  }
}

static void undump_code(Undump *u, Proto *p) {
  uint32_t count = undump_count(u);
  if (count == 0) undump_error(u, "no code");
  UNDUMP_VECTOR(u, p, p->code, count);
  proto_fix_code(p);
  p->code_size = count;
}

static void undump_upvalues(Undump *u, Proto *p) {
  uint32_t count = undump_count(u);
  if (count > CODE_MAX_UPVALUES) undump_error(u, "too many upvalues");
  VECTOR_RESIZE(u->L, p, p->upvalues, count);
  for (uint32_t i = 0; i < count; i++) {
    UpValueInfo *info = &p->upvalues[i];
    info->name = NULL;
    p->upvalue_count = i + 1;
    info->in_stack = undump_byte(u) != 0;
    info->index = (uint8_t)undump_byte(u);
    info->kind = (uint8_t)undump_byte(u);
    String *name = undump_string(u);
    info->name = name;
    if (name) proto_barrier(gc_of(u->L), p, name);
  }
}

void undump_check_local(Undump *u, const Proto *p, ActiveLocals *active,
                        const LocalInfo *local) {
  if (!local->name && local->start < local->end)
    undump_error(u, "variable without a name");
  if (local->start < active->last || (uint32_t)local->start > p->code_size ||
      (uint32_t)local->end > p->code_size)
    undump_error(u, "variable out of range");
  active->last = local->start;
  if (local->start >= local->end) return;
  while (active->count > 0 && active->end[active->count - 1] <= local->start)
    active->count--;
  if (active->count >= p->frame_size)
    undump_error(u, "more variables than registers");
  active->end[active->count++] = local->end;
}

static void undump_locals(Undump *u, Proto *p) {
  uint32_t count = undump_count(u);
  ActiveLocals active;
  active.count = 0;
  active.last = 0;
  for (uint32_t i = 0; i < count; i++) {
    UNDUMP_RESERVE(u, p, p->locals, i, count);
    LocalInfo *local = &p->locals[i];
    local->name = NULL;
    p->local_count = i + 1;
    String *name = undump_string(u);
    local->name = name;
    if (name) proto_barrier(gc_of(u->L), p, name);
    local->start = (int32_t)undump_count(u);
    local->end = (int32_t)undump_count(u);
    undump_check_local(u, p, &active, local);
  }
}

static void undump_lines(Undump *u, Proto *p) {
  if (undump_byte(u) == 0) return;
  unsigned shift = undump_byte(u);
  if (shift > 31) undump_error(u, "invalid lines");
  size_t groups = ((p->code_size - 1) >> shift) + 1;
  UNDUMP_VECTOR(u, p, p->line_base, groups);
  for (size_t i = 0; i < groups; i++)
    if (p->line_base[i] < 0 || p->line_base[i] > INT32_MAX - UINT8_MAX)
      undump_error(u, "invalid lines");
  p->line_shift = (uint8_t)shift;
  VECTOR_RESIZE(u->L, p, p->line_offset, p->code_size);
  memset(p->line_offset, 0, p->code_size);
  undump_bytes(u, p->line_offset, p->code_size);
}

Proto *undump_new_nested(Undump *u, Proto *p, uint32_t i, uint32_t count) {
  UNDUMP_RESERVE(u, p, p->protos, i, count);
  p->protos[i] = NULL;
  p->proto_count = i + 1;
  Proto *nested = proto_new(u->L);
  p->protos[i] = nested;
  proto_barrier(gc_of(u->L), p, nested);
  return nested;
}

static void undump_function(Undump *u, Proto *p, String *parent);

static void undump_protos(Undump *u, Proto *p) {
  uint32_t count = undump_count(u);
  if (++u->depth > UNDUMP_DEPTH) undump_error(u, "functions nested too deep");
  for (uint32_t i = 0; i < count; i++) {
    undump_function(u, undump_new_nested(u, p, i, count), p->source);
  }
  u->depth--;
}

/* The starts of loops are not part of the function.  There is one for each jump
** backward. */
static void undump_heads(Undump *u, const Proto *p) {
  uint32_t count = undump_count(u);
  if (count > p->code_size) undump_error(u, "too many loops");
  while (count-- > 0) {
    LoopHead head;
    head.pc = undump_count(u);
    head.lost = undump_count(u);
    verify_add_head(u->L, &u->scratch, head);
  }
}

void undump_verify(Undump *u, const Proto *p) {
  size_t pc;
  const char *wrong = verify_in(u->L, &u->scratch, p, &pc);
  if (wrong) undump_error(u, wrong);
}

static void undump_function(Undump *u, Proto *p, String *parent) {
  p->source = parent;
  if (undump_byte(u)) p->source = undump_string(u);
  if (p->source) proto_barrier(gc_of(u->L), p, p->source);
  p->first_line = (int32_t)undump_count(u);
  p->last_line = (int32_t)undump_count(u);
  p->param_count = (uint8_t)undump_byte(u);
  p->is_vararg = undump_byte(u) != 0;
  p->frame_size = (uint8_t)undump_byte(u);
  undump_code(u, p);
  undump_constants(u, p);
  undump_upvalues(u, p);
  undump_protos(u, p);
  undump_locals(u, p);
  undump_lines(u, p);
  undump_heads(u, p);
  undump_verify(u, p);
}

/* -- The header ------------------------------------------------------------ */

static void undump_literal(Undump *u, const char *expected, size_t size,
                           const char *message) {
  char found[16];
  undump_bytes(u, found, size);
  if (memcmp(found, expected, size) != 0) undump_error(u, message);
}

static void undump_expect(Undump *u, unsigned expected, const char *message) {
  if (undump_byte(u) != expected) undump_error(u, message);
}

/* Checks the integer of the header.  Its bytes show the byte order of the
** machine that made the chunk. */
static void undump_order(Undump *u) {
  unsigned char bytes[sizeof(Integer)];
  Integer integer;
  undump_bytes(u, bytes, sizeof bytes);
  memcpy(&integer, bytes, sizeof integer);
  if (integer == DUMP_INTEGER) return;
  for (size_t i = 0; i < sizeof bytes / 2; i++) {
    const unsigned char low = bytes[i];
    bytes[i] = bytes[sizeof bytes - 1 - i];
    bytes[sizeof bytes - 1 - i] = low;
  }
  memcpy(&integer, bytes, sizeof integer);
  undump_error(u, integer == DUMP_INTEGER
                      ? "made for machines with the other order of bytes"
                      : "integer format mismatch");
}

static void undump_header(Undump *u) {
  Number number;
  undump_literal(u, &LUA_SIGNATURE[1], sizeof LUA_SIGNATURE - 2,
                 "not a binary chunk");
  undump_expect(u, DUMP_LUA_VERSION, "version mismatch");
  undump_expect(u, DUMP_FORMAT, "format mismatch");
  undump_literal(u, DUMP_DATA, sizeof DUMP_DATA - 1, "corrupted chunk");
  undump_expect(u, sizeof(Instruction), "Instruction size mismatch");
  undump_expect(u, sizeof(Integer), "lua_Integer size mismatch");
  undump_expect(u, sizeof(Number), "lua_Number size mismatch");
  undump_order(u);
  undump_bytes(u, &number, sizeof number);
  if (number != DUMP_FLOAT) undump_error(u, "float format mismatch");
}

/* After the header of every Lua 5.4, a chunk of ours has its mark.  One of PUC's
** `luac` has the number of upvalues and a function there.  A number that is the
** first byte of the mark is not followed by the second one: the name of the
** source would be 13,000 bytes long. */
typedef struct Beginning {
  bool is_ours;
  unsigned upvalues;
  unsigned next; /* the first byte of the function, if it is not ours */
} Beginning;

static Beginning undump_beginning(Undump *u) {
  Beginning b = {.upvalues = undump_byte(u)};
  b.next = undump_byte(u);
  b.is_ours = b.upvalues == (unsigned char)DUMP_MARK[0] &&
              b.next == (unsigned char)DUMP_MARK[1];
  if (!b.is_ours) return b;
  undump_literal(u, &DUMP_MARK[2], sizeof DUMP_MARK - 3,
                 "not made by Penumbra, but by another Lua");
  undump_expect(u, DUMP_VERSION, "made by another version of Penumbra");
  b.upvalues = undump_byte(u);
  return b;
}

static void fill_upvalues(lua_State *L, LuaClosure *c) {
  for (unsigned i = 0; i < c->cell.user; i++) {
    UpValue *upvalue = upvalue_new_closed(L);
    c->upvalue[i] = upvalue;
    gc_barrier_forward(gc_of(L), &c->cell, &upvalue->cell);
  }
}

static const char *chunk_name(const char *name) {
  if (*name == '@' || *name == '=') return name + 1;
  return *name == LUA_SIGNATURE[0] ? "binary string" : name;
}

/* The prototype is anchored on the stack.  The closure, whose size depends on
** the prototype, replaces it at the end. */
void undump(lua_State *L, Stream *stream, const char *name) {
  Undump u = {.L = L, .stream = stream, .name = chunk_name(name)};
  undump_header(&u);
  Beginning beginning = undump_beginning(&u);
  Proto *p = proto_new(L);
  value_set_cell(L->top, p, TAG_PROTO);
  L->top++;
  verify_begin(L, &u.scratch);
  if (beginning.is_ours)
    undump_function(&u, p, NULL);
  else
    luac_read(&u, p, beginning.next);
  verify_end(L);
  if (beginning.upvalues != p->upvalue_count)
    undump_error(&u, "corrupted chunk");
  LuaClosure *c = closure_new_lua(L, p);
  value_set_cell(L->top - 1, c, TAG_LUA_CLOSURE);
  fill_upvalues(L, c);
}
