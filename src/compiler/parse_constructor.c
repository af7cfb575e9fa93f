/* SPDX-License-Identifier: MIT */
/*
** parse_constructor.c -- table constructors
**
** List items wait in registers until there are enough for a SETLIST.  Fields
** are stored immediately.
**
** A constructor that will probably run again gets a *template*, a constant
** table with all its names.  The new table begins as a copy of it, so the
** fields exist before they are stored.  Fields with constant values are not
** stored at all.  If a name occurs twice, only the first one is in the
** template; later ones are stored in the usual way.
**
** List items that are constants are in the template too, up to the first item
** that is not.  But items must be stored after all fields, which makes a
** difference if a field has the same key, computed at run time.  So if the
** constructor has a computed key, the items of the template are stored again.
*/
#include "compiler/parse_impl.h"

enum { LIMIT_ITEMS = INT32_MAX };

typedef struct Constructor {
  Expr item; /* the last list item, not yet in a register */
  Expr table;
  int32_t pc;       /* of NEWTABLE */
  uint32_t items;   /* list items stored */
  uint32_t waiting; /* list items in registers, not stored yet */
  uint32_t known;   /* list items stored in the template */
  uint32_t fields;
  bool repeated;   /* it may run again: worth a template */
  bool computed;   /* has a field whose key is computed at run time */
  Table *template; /* or NULL */
  int32_t template_constant;
} Constructor;

/* -- Templates ------------------------------------------------------------- */

static bool constructor_is_repeated(const Function *f) {
  if (f->outer) return true; /* the main function runs once */
  for (const Scope *s = f->block; s; s = s->outer)
    if (s->is_loop) return true;
  return false;
}

static void template_create(Compiler *c, Constructor *t) {
  lua_State *L = c->L;
  stack_ensure(L, 1);
  t->template = table_new(L);
  value_set_table(L->top++, t->template); /* anchored until it is a constant */
  t->template_constant = constant_table(c->function, t->template);
  L->top--;
}

/* Adds a new name to the template.  Adds its value too, if it is known and no
** field before can have the same name.  True if nothing is left to do for the
** field. */
static bool template_add(Compiler *c, Constructor *t, String *name,
                         const Expr *value) {
  Value v;
  if (!t->repeated || t->fields > CODE_MAX_NAMES || !string_is_short(name))
    return false;
  if (t->template && table_get_str(c->L, t->template, name, &v)) return false;
  bool known = !t->computed && expr_to_known(c->function, value, &v);
  if (known && v.tag == TAG_NIL) return true;
  if (!known) value_set_bool(&v, false); /* a placeholder */
  if (!t->template) template_create(c, t);
  table_set_str(c->L, t->template, name, &v);
  return known;
}

/* Adds the last item to the template if it is known and all items before it are
** there.  False if not. */
static bool template_add_item(Compiler *c, Constructor *t) {
  Value v;
  if (!t->repeated || t->computed || t->waiting > 0 || t->items > t->known ||
      t->known == CODE_MAX_ITEMS || !expr_to_known(c->function, &t->item, &v) ||
      v.tag == TAG_NIL)
    return false;
  if (!t->template) template_create(c, t);
  table_set_int(c->L, t->template, ++t->known, &v);
  t->items++;
  t->item.kind = EXPR_VOID;
  return true;
}

/* -- List items ------------------------------------------------------------ */

static void constructor_flush(Compiler *c, Constructor *t, bool open) {
  Function *f = c->function;
  if (t->waiting == 0 && !open) return;
  unsigned reg = (unsigned)t->table.as.index;
  emit_abcx(f, OP_SETLIST, reg, open ? 0 : t->waiting + 1, 0, t->items);
  t->items += t->waiting;
  t->waiting = 0;
  f->free_register = (uint8_t)(reg + 1);
  parse_poll(c);
}

/* Moves the last item to a register, because another entry follows. */
static void constructor_keep_item(Compiler *c, Constructor *t) {
  if (t->item.kind == EXPR_VOID || template_add_item(c, t)) return;
  expr_to_next(c->function, &t->item);
  t->item.kind = EXPR_VOID;
  if (++t->waiting == CODE_MAX_FLUSH) constructor_flush(c, t, false);
}

/* Stores the items of the template again, because a field with a computed key
** may have overwritten one. */
static void constructor_repeat_known(Compiler *c, Constructor *t) {
  unsigned reg = (unsigned)t->table.as.index;
  for (uint32_t i = 1; i <= t->known; i++) {
    Expr item;
    Value v;
    table_get_int(c->L, t->template, i, &v);
    expr_init(&item, EXPR_VOID, 0);
    expr_from_known(&item, &v);
    expr_to_next(c->function, &item);
  }
  emit_abcx(c->function, OP_SETLIST, reg, t->known + 1, 0, 0);
  c->function->free_register = (uint8_t)(reg + 1);
}

static void constructor_finish_items(Compiler *c, Constructor *t) {
  if (expr_is_open(&t->item)) {
    expr_set_open(c->function, &t->item);
    constructor_flush(c, t, true);
    if (t->items > t->known) t->items++; /* most often, it gives one value */
    return;
  }
  if (t->item.kind != EXPR_VOID && !template_add_item(c, t)) {
    expr_to_next(c->function, &t->item);
    t->waiting++;
  }
  constructor_flush(c, t, false);
}

/* -- Fields ---------------------------------------------------------------- */

/* name = value */
static void constructor_named_field(Compiler *c, Constructor *t, String *name) {
  Expr value;
  parse_expect(c, '=');
  parse_expression(c, &value);
  if (!template_add(c, t, name, &value))
    expr_store_named(c->function, (unsigned)t->table.as.index, name, &value);
}

/* [key] = value */
static void constructor_keyed_field(Compiler *c, Constructor *t) {
  Expr element = t->table, key, value;
  parse_next(c);
  parse_expression(c, &key);
  expr_to_value(c->function, &key);
  parse_expect(c, ']');
  if (key.kind == EXPR_STRING) {
    constructor_named_field(c, t, key.as.string);
    return;
  }
  t->computed = true;
  parse_expect(c, '=');
  expr_index(c->function, &element, &key);
  parse_expression(c, &value);
  expr_store(c->function, &element, &value);
}

static void constructor_field(Compiler *c, Constructor *t) {
  Function *f = c->function;
  uint8_t free_register = f->free_register;
  compile_check_limit(f, ++t->fields, LIMIT_ITEMS, "items in a constructor");
  if (parse_kind(c) == TOKEN_NAME)
    constructor_named_field(c, t, parse_name(c));
  else
    constructor_keyed_field(c, t);
  f->free_register = free_register;
}

/* -- All of it ------------------------------------------------------------- */

static void constructor_entry(Compiler *c, Constructor *t) {
  constructor_keep_item(c, t);
  bool field = parse_kind(c) == '[' ||
               (parse_kind(c) == TOKEN_NAME && lexer_peek(&c->lexer) == '=');
  if (field) {
    constructor_field(c, t);
    return;
  }
  parse_expression(c, &t->item);
  compile_check_limit(c->function, (size_t)t->items + t->waiting + 1,
                      LIMIT_ITEMS, "items in a constructor");
}

/* One more than the binary logarithm of the number of fields, rounded up. */
static unsigned constructor_field_bits(uint32_t fields) {
  unsigned bits = 0;
  if (fields == 0) return 0;
  while ((UINT32_C(1) << bits) < fields) bits++;
  return bits + 1;
}

static void constructor_entries(Compiler *c, Constructor *t) {
  while (parse_kind(c) != '}') {
    constructor_entry(c, t);
    if (!parse_accept(c, ',') && !parse_accept(c, ';')) break;
  }
}

/* The number of array slots of a template.  A template that has items must not
** grow step by step later, because it can be copied at any time.  So it gets no
** slots for many more items. */
static uint32_t constructor_slots(const Constructor *t) {
  return t->known > 0 && t->items > CODE_MAX_ITEMS ? t->known : t->items;
}

/* Sets the first instruction, now that the sizes are known. */
static void constructor_finish(Compiler *c, Constructor *t) {
  Instruction *i = emit_at(c->function, t->pc);
  unsigned reg = (unsigned)t->table.as.index;
  if (!t->template) {
    i[0] =
        code_make_abc(OP_NEWTABLE, reg, constructor_field_bits(t->fields), reg);
    i[1] = t->items;
    return;
  }
  i[0] = code_make_abc(OP_DUPTABLE, reg, 0, reg);
  i[1] = (Instruction)t->template_constant;
  table_resize(c->L, t->template, constructor_slots(t), t->fields);
}

void parse_constructor(Compiler *c, Expr *e) {
  Function *f = c->function;
  int line = c->lexer.line;
  parse_expect(c, '{');
  int32_t pc = emit_abcx(f, OP_NEWTABLE, 0, 0, f->free_register, 0);
  if (parse_accept(c, '}')) { /* empty: any register will do */
    expr_init(e, EXPR_PENDING, pc);
    return;
  }
  Constructor t = {.pc = pc, .repeated = constructor_is_repeated(f)};
  expr_init(&t.item, EXPR_VOID, 0);
  expr_init(&t.table, EXPR_REGISTER, (int32_t)register_reserve(f, 1));
  constructor_entries(c, &t);
  parse_expect_match(c, '}', '{', line);
  constructor_finish_items(c, &t);
  if (t.computed && t.known > 0) constructor_repeat_known(c, &t);
  constructor_finish(c, &t);
  *e = t.table;
}
