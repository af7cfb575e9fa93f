/* SPDX-License-Identifier: MIT */
/*
** encoding.c -- encoding and decoding of instructions; consistency of the table
** of opcodes
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bytecode/bytecode.h"
#include "bytecode/stream.h"
#include "object/meta.h"

static void test_fields_come_back(void **state) {
  (void)state;
  for (unsigned n = 0; n < 256; n++) {
    Instruction i = code_make_abc(OP_ADD_RI, n, 255 - n, n);
    assert_int_equal(code_op(i), OP_ADD_RI);
    assert_int_equal(code_a(i), n);
    assert_int_equal(code_b(i), 255 - n);
    assert_int_equal(code_c(i), n);
    assert_int_equal(code_sc(i), (int8_t)n);
    assert_int_equal(code_sb(i), (int8_t)(255 - n));
  }
}

static void test_wide_fields_come_back(void **state) {
  static const int ds[] = {CODE_MIN_SD, -1, 0, 1, CODE_MAX_SD};
  static const int es[] = {CODE_MIN_E, -1, 0, 1, CODE_MAX_E};
  (void)state;
  for (int k = 0; k < 5; k++) {
    Instruction i = code_make_ad(OP_LOADI, 7, ds[k]);
    assert_int_equal(code_a(i), 7);
    assert_int_equal(code_sd(i), ds[k]);
    assert_int_equal(code_e(code_make_e(OP_JMP, es[k])), es[k]);
  }
  assert_int_equal(code_d(code_make_ad(OP_LOADK, 7, CODE_MAX_D)), CODE_MAX_D);
}

static void test_comparison_immediates(void **state) {
  static const int values[] = {CODE_MIN_I15, -1, 0, 1, CODE_MAX_I15};
  (void)state;
  for (int k = 0; k < 10; k++) {
    bool is_float = k % 2;
    Instruction i =
        code_make_ad(OP_JLTI, 3, code_make_i15(values[k / 2], is_float));
    assert_int_equal(code_i15(i), values[k / 2]);
    assert_int_equal(code_i15_is_float(i), is_float);
    assert_int_equal(code_a(i), 3);
  }
}

static void test_field_aux(void **state) {
  (void)state;
  Instruction aux = aux_field(CODE_MAX_FIELD, 0x12345678);
  assert_int_equal(aux_key(aux), CODE_MAX_FIELD);
  assert_int_equal(aux_hint(aux), 0x5678);
}

/* The operand letters are known ones, one for each field of the layout. */
static void test_operand_letters(void **state) {
  static const size_t fields[] = {[FORMAT_ABC] = 3,
                                  [FORMAT_ABCX] = 4,
                                  [FORMAT_AD] = 2,
                                  [FORMAT_ADX] = 3,
                                  [FORMAT_E] = 1};
  (void)state;
  for (int op = 0; op < OPCODE_COUNT; op++) {
    const OpInfo *info = &opcode_info[op];
    assert_int_equal(strlen(info->operands), fields[info->format]);
    assert_int_equal(strspn(info->operands, "wrbknmftexsidgqhcuvpj_"),
                     strlen(info->operands));
    bool aux = info->format == FORMAT_ABCX || info->format == FORMAT_ADX;
    assert_int_equal(info->length, aux ? 2 : 1);
  }
}

/* Every condition is next to its opposite, and negated ones are known. */
static void test_conditions_are_pairs(void **state) {
  (void)state;
  assert_int_equal(opcode_opposite(OP_JT), OP_JF);
  assert_int_equal(opcode_opposite(OP_JTSET), OP_JFSET);
  for (int op = OP_JNIL; op <= OP_JNGEI; op += 2) {
    const char *yes = opcode_info[op].name, *no = opcode_info[op + 1].name;
    assert_int_equal(strncmp(no, "JN", 2), 0);
    assert_string_equal(yes + 1, no + 2);
    assert_string_equal(opcode_info[op].operands, opcode_info[op + 1].operands);
    assert_int_equal(opcode_opposite((Opcode)op), op + 1);
    assert_int_equal(opcode_opposite((Opcode)(op + 1)), op);
    assert_false(opcode_is_negated((Opcode)op));
    assert_true(opcode_is_negated((Opcode)(op + 1)));
  }
}

/* What is taken from the order of the rows is what the rows say. */
static void test_order_of_rows(void **state) {
  (void)state;
  for (int n = 0; n < OPCODE_COUNT; n++) {
    Opcode op = (Opcode)n;
    const OpInfo *info = &opcode_info[op];
    bool arithmetic = info->event >= META_ADD && info->event <= META_BNOT;
    bool compares = info->event == META_EQ || info->event == META_LT ||
                    info->event == META_LE;
    bool returns = strncmp(info->name, "RETURN", 6) == 0;
    bool jumps = info->name[0] == 'J' && op != OP_JMP;
    assert_int_equal(opcode_is_arithmetic(op), arithmetic);
    assert_int_equal(opcode_is_comparison(op), compares);
    assert_int_equal(opcode_is_condition(op), jumps);
    assert_int_equal(opcode_is_return(op), returns);
    assert_int_equal(opcode_is_free_jump(op), jumps || op == OP_JMP);
    assert_int_equal(opcode_is_jump(op), strpbrk(info->operands, "j") != NULL);
    Instruction i = code_make_abc(op, 1, 2, 3);
    bool stores = info->event == META_NEWINDEX && info->format == FORMAT_ABC &&
                  info->operands[1] == 'r';
    assert_int_equal(code_is_store(i, 1, 2), stores);
    if (stores)
      assert_int_equal(code_stores_constant(i), info->operands[2] == 'k');
  }
}

static void test_events(void **state) {
  (void)state;
  assert_string_equal(opcode_event(OP_SUB_IR), "sub");
  assert_string_equal(opcode_event(OP_JNGTI), "lt");
  assert_string_equal(opcode_event(OP_JGEI), "le");
  assert_string_equal(opcode_event(OP_UNM), "unm");
  assert_string_equal(opcode_event(OP_GETFIELD), "index");
  assert_string_equal(opcode_event(OP_SETTABLE_FOR), "newindex");
  assert_null(opcode_event(OP_MOVE));
}

/* A pair has the event of its first half, and can be converted to it. */
static void test_pairs(void **state) {
  (void)state;
  for (int op = 0; op < OPCODE_COUNT; op++) {
    Opcode alone = opcode_alone((Opcode)op);
    assert_int_equal(opcode_alone(alone), alone);
    assert_string_equal(opcode_info[op].operands, opcode_info[alone].operands);
    const char *event = opcode_event((Opcode)op);
    assert_true((event == NULL) == (opcode_event(alone) == NULL));
    if (event) assert_string_equal(event, opcode_event(alone));
    Instruction other = code_make_abc(OP_MOVE, 1, 2, 0);
    if (op != OP_LENAPPEND)
      assert_int_equal(code_pair(code_make_abc((Opcode)op, 1, 2, 3), other),
                       alone);
  }
  Instruction get = code_make_abc(OP_GETTABLE, 1, 2, 3);
  Instruction add = code_make_abc(OP_ADD_RR, 4, 5, 1);
  assert_int_equal(code_pair(get, add), OP_GETTABLE_ADD);
  add = code_make_abc(OP_ADD_RR_FOR1, 4, 5, 1);
  assert_int_equal(code_pair(get, add), OP_GETTABLE_ADD);
  add = code_make_abc(OP_ADD_RR, 4, 1, 1);
  assert_int_equal(code_pair(get, add), OP_GETTABLE);
}

/* The second half uses the result of the first one in one place: a pair may
** read its other operands before the result is there. */
static void test_stored_result(void **state) {
  (void)state;
  Instruction get = code_make_abc(OP_GETTABLE, 1, 2, 3);
  for (unsigned a = 0; a < 3; a++)
    for (unsigned b = 0; b < 3; b++)
      for (unsigned c = 0; c < 3; c++) {
        Instruction set = code_make_abc(OP_SETTABLE, a, b, c);
        bool pair = a != 1 && b != 1 && c == 1;
        assert_int_equal(code_pair(get, set),
                         pair ? OP_GETTABLE_SET : OP_GETTABLE);
      }
}

/* -- Streams --------------------------------------------------------------- */

typedef struct Pieces {
  const char *const *next;
} Pieces;

static const char *read_pieces(lua_State *L, void *context, size_t *size) {
  Pieces *p = context;
  (void)L;
  if (!*p->next) return NULL;
  *size = strlen(*p->next);
  return *p->next++;
}

static void test_stream(void **state) {
  static const char *const pieces[] = {"ab", "c", "defg", NULL};
  Pieces p = {pieces};
  Stream s;
  char text[8] = "";
  (void)state;
  stream_init(&s, NULL, read_pieces, &p);
  assert_int_equal(stream_get(&s), 'a');
  assert_int_equal(stream_read(&s, text, 4), 0);
  assert_memory_equal(text, "bcde", 4);
  assert_int_equal(stream_get(&s), 'f');
  assert_int_equal(s.next[-1], 'f');
  assert_int_equal(stream_read(&s, text, 3), 2);
  assert_int_equal(stream_get(&s), STREAM_END);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fields_come_back),
      cmocka_unit_test(test_wide_fields_come_back),
      cmocka_unit_test(test_comparison_immediates),
      cmocka_unit_test(test_field_aux),
      cmocka_unit_test(test_operand_letters),
      cmocka_unit_test(test_conditions_are_pairs),
      cmocka_unit_test(test_order_of_rows),
      cmocka_unit_test(test_events),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_stored_result),
      cmocka_unit_test(test_stream),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
