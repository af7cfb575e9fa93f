/* SPDX-License-Identifier: MIT */
/*
** names.c -- the names of values in messages, found in compiled code
**
** Each program has one instruction of the opcode in question.  The test asks
** for the name of the value in one of its registers.
*/
#include "compiler_test.h"

#include "bytecode/names.h"

static size_t find_opcode(const Proto *p, Opcode op) {
  for (size_t pc = 0; pc < p->code_size;) {
    if (code_op(p->code[pc]) == op) return pc;
    pc += (size_t)code_length(p->code[pc]);
  }
  fail_msg("no %s", opcode_info[op].name);
  return 0;
}

typedef struct NameCase {
  const char *source;
  Opcode op;  /* the instruction that fails */
  char field; /* its field with the register: A, B or C */
  const char *kind;
  const char *name;
} NameCase;

static unsigned field_of(Instruction i, char field) {
  return field == 'A' ? code_a(i) : field == 'B' ? code_b(i) : code_c(i);
}

static void check_name(const char *source, const char *kind,
                       const char *found_kind, const char *name,
                       const char *found_name) {
  if (!kind) {
    if (found_kind) fail_msg("%s: found %s", source, found_kind);
    return;
  }
  if (!found_kind) fail_msg("%s: found nothing", source);
  assert_string_equal(found_kind, kind);
  assert_string_equal(found_name, name);
}

static void test_values(void **state) {
  static const NameCase cases[] = {
      {"local a; a.x = 1", OP_SETFIELDK, 'A', "local", "a"},
      {"local a; return a + 1", OP_ADD_RI, 'B', "local", "a"},
      {"return x + 1", OP_ADD_RI, 'B', "global", "x"},
      {"return x.y.z", OP_GETFIELD, 'B', "global", "x"},
      {"local t; return t.y + 1", OP_ADD_RI, 'B', "field", "y"},
      {"local t; return t[1] + 1", OP_ADD_RI, 'B', "field", "integer index"},
      {"local t, k; return t[k] + 1", OP_ADD_RI, 'B', "field", "?"},
      {"local t; return t:m()", OP_TAILCALL, 'A', "method", "m"},
      {"return ('x') + y", OP_ADD_RR, 'B', "constant", "x"},
      {"local _ENV = {}; return x + 1", OP_ADD_RI, 'B', "global", "x"},
      {"local a, b; return (a or b) + 1", OP_ADD_RI, 'B', NULL, NULL},
      {"local a, b; return (f() or b).x", OP_GETFIELD, 'B', NULL, NULL},
      {"local a; local b = a; return b + 1", OP_ADD_RI, 'B', "local", "b"},
      {"local a; return -a", OP_UNM, 'B', "local", "a"},
      {"_ENV = 1 + x; return _ENV - 1", OP_SUB_RI, 'B', "upvalue", "_ENV"},
      {"f(1)", OP_CALL, 'A', "global", "f"},
      {"local a; a()", OP_CALL, 'A', "local", "a"},
  };
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *name = NULL;
    LuaClosure *closure = test_compile(L, cases[i].source);
    assert_non_null(closure);
    const Proto *p = closure->proto;
    size_t pc = find_opcode(p, cases[i].op);
    unsigned reg = field_of(p->code[pc], cases[i].field);
    const char *kind = names_register(p, pc, reg, &name);
    check_name(cases[i].source, cases[i].kind, kind, cases[i].name, name);
    L->top--;
  }
  global_free(L->global);
}

static void test_called_functions(void **state) {
  static const NameCase cases[] = {
      {"print(1)", OP_CALL, 'A', "global", "print"},
      {"local t; t.f()", OP_CALL, 'A', "field", "f"},
      {"local t; t:g()", OP_CALL, 'A', "method", "g"},
      {"for x in y do end", OP_TFORCALL, 'A', "for iterator", "for iterator"},
      {"local a, b; return a .. b", OP_CONCAT_RR, 'A', "metamethod", "concat"},
      {"local a, b; return a < b", OP_JLT, 'A', "metamethod", "lt"},
      {"local a, b; return a >= 1", OP_JGEI, 'A', "metamethod", "le"},
      {"local a, b; return a == b", OP_JEQ, 'A', "metamethod", "eq"},
      {"local a; return a.x", OP_GETFIELD, 'A', "metamethod", "index"},
      {"local a; a.x = 1", OP_SETFIELDK, 'A', "metamethod", "newindex"},
      {"local a; return #a", OP_LEN, 'A', "metamethod", "len"},
      {"do local a <close> = f() end", OP_CLOSE, 'A', "metamethod", "close"},
      {"local a; a = 1", OP_LOADI, 'A', NULL, NULL},
  };
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *name = NULL;
    LuaClosure *closure = test_compile(L, cases[i].source);
    assert_non_null(closure);
    size_t pc = find_opcode(closure->proto, cases[i].op);
    const char *kind = names_called(closure->proto, pc, &name);
    check_name(cases[i].source, cases[i].kind, kind, cases[i].name, name);
    L->top--;
  }
  global_free(L->global);
}

/* Every word of an instruction leads to its start. */
static void test_second_word(void **state) {
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  (void)state;
  LuaClosure *closure = test_compile(L, "local t; return t.y.z");
  assert_non_null(closure);
  size_t pc = find_opcode(closure->proto, OP_GETFIELD) + 2;
  const char *name;
  assert_int_equal(names_instruction_start(closure->proto, pc), pc);
  assert_int_equal(names_instruction_start(closure->proto, pc + 1), pc);
  assert_string_equal(names_register(closure->proto, pc + 1, 1, &name),
                      "field");
  assert_string_equal(name, "y");
  global_free(L->global);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_called_functions),
      cmocka_unit_test(test_second_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
