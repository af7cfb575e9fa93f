/* SPDX-License-Identifier: MIT */
/*
** assembler.c -- what each operation of the assembler does when it runs
**
** Writes a few operations, runs them, and compares with what C computes.  So the
** same test does for every processor.
*/
#include <math.h>
#include <string.h>

#include "check.h"
#include "machine/area_impl.h"
#include "machine/assembler.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { MEMORY = 1 << 19, MIDDLE = MEMORY / 2, CODE = 1 << 21 };

static Area area;
static Assembler a;
static EnterFn *enter;
static uint8_t *first;         /* where the code of a test is written */
static uint8_t memory[MEMORY]; /* BASE is its middle */
static uint64_t state;

/* -- Writing and running --------------------------------------------------- */

static void write_at(uint8_t *at) {
  a = (Assembler){.start = at,
                  .at = at,
                  .end = area.write + area.size,
                  .apart = area.run - area.write};
}

static void open_area(void) {
  const char *refused = area_map(&area, CODE, false);
  if (refused) printf("SKIPPED: %s\n", refused), exit(77);
  while (area_grow(&area)) continue;
  write_at(area.write);
  enter = (EnterFn *)(uintptr_t)area.run;
  asm_enter(&a, true);
  asm_publish(&a);
  first = a.at;
}

static void begin(void) { write_at(first); }

static void end(void) {
  asm_leave(&a);
  asm_publish(&a);
  CHECK(!a.full);
}

static uint64_t run(const Homes *homes) {
  return enter(&state, memory + MIDDLE, first + a.apart, homes);
}

/* With two integers in homes. */
static uint64_t run_with(uint64_t x, uint64_t y) {
  Homes homes = {{x, y}, {0}};
  return run(&homes);
}

static uint64_t bits_of(double n) {
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  return bits;
}

static uint64_t run_with_floats(double x, double y) {
  Homes homes = {{0}, {bits_of(x), bits_of(y)}};
  return run(&homes);
}

/* The result is 1 if the condition holds, and otherwise 0. */
static void end_with_condition(Condition c) {
  Patch holds = asm_jump(&a, c);
  asm_number(&a, T0, 0);
  asm_leave(&a);
  CHECK(asm_patch(&a, holds, a.at));
  asm_number(&a, T0, 1);
  end();
}

/* -- Integers -------------------------------------------------------------- */

static const uint64_t wholes[] = {0,
                                  1,
                                  2,
                                  7,
                                  63,
                                  64,
                                  100,
                                  0xff,
                                  0x100,
                                  0xfff,
                                  0x1000,
                                  0x1001,
                                  0xffff,
                                  0x10000,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  INT64_MAX,
                                  (uint64_t)INT64_MIN,
                                  (uint64_t)-1,
                                  (uint64_t)-2,
                                  (uint64_t)-100,
                                  (uint64_t)-0x1000,
                                  (uint64_t)-0x1001,
                                  0xffff0000ffff0000,
                                  0x0000ffff0000ffff,
                                  0x123456789abcdef0,
                                  0x5555555555555555,
                                  0xffffffff00000000,
                                  0x8000000000000001,
                                  0xfffffffffffffff7};

static const int32_t numbers[] = {
    0,         1,          2,          7,         8,       100,     127,
    128,       255,        256,        0xffe,     0xfff,   0x1000,  0x1001,
    0xffff,    0x10000,    0x7ffffff,  INT32_MAX, -1,      -2,      -8,
    -100,      -128,       -129,       -0xfff,    -0x1000, -0x1001, -0x10000,
    INT32_MIN, ~(1 << 20), 0x00ff00ff, 0x7ff0};

static void test_numbers(void) {
  for (unsigned n = 0; n < COUNT(wholes); n++)
    for (unsigned shift = 0; shift < 64; shift++) {
      uint64_t number = wholes[n] << shift;
      begin();
      asm_number(&a, whole_home(2), number);
      asm_move(&a, T0, whole_home(2));
      end();
      CHECK(run_with(0, 0) == number);
    }
}

static uint64_t whole_result(WholeOp op, uint64_t x, uint64_t y) {
  switch (op) {
    case WHOLE_ADD: return x + y;
    case WHOLE_SUB: return x - y;
    case WHOLE_OR: return x | y;
    case WHOLE_AND: return x & y;
    case WHOLE_XOR: return x ^ y;
    default: return x; /* a comparison */
  }
}

static void check_all_wholes(WholeOp op, bool constant, int32_t number) {
  for (unsigned m = 0; m < COUNT(wholes); m++)
    for (unsigned n = 0; n < (constant ? 1 : COUNT(wholes)); n++) {
      uint64_t y = constant ? (uint64_t)(int64_t)number : wholes[n];
      CHECK(run_with(wholes[m], wholes[n]) == whole_result(op, wholes[m], y));
    }
}

static void test_wholes(void) {
  for (int op = WHOLE_ADD; op <= WHOLE_COMPARE; op++) {
    begin();
    asm_move(&a, T0, whole_home(0));
    asm_whole(&a, (WholeOp)op, T0, whole_home(1));
    end();
    check_all_wholes((WholeOp)op, false, 0);
    begin();
    asm_store(&a, memory_at(BASE, 16), whole_home(1));
    asm_move(&a, T0, whole_home(0));
    asm_whole_memory(&a, (WholeOp)op, T0, memory_at(BASE, 16));
    end();
    check_all_wholes((WholeOp)op, false, 0);
    for (unsigned n = 0; n < COUNT(numbers); n++) {
      begin();
      asm_move(&a, T0, whole_home(0));
      asm_whole_number(&a, (WholeOp)op, T0, numbers[n]);
      end();
      check_all_wholes((WholeOp)op, true, numbers[n]);
    }
  }
}

static void test_one_operand(void) {
  for (unsigned n = 0; n < COUNT(wholes); n++) {
    uint64_t x = wholes[n];
    begin();
    asm_move(&a, T0, whole_home(0));
    asm_negate(&a, T0);
    end();
    CHECK(run_with(x, 0) == 0 - x);
    begin();
    asm_move(&a, T0, whole_home(0));
    asm_invert(&a, T0);
    end();
    CHECK(run_with(x, 0) == ~x);
    begin();
    asm_move(&a, T0, whole_home(0));
    asm_extend32(&a, T0);
    end();
    CHECK(run_with(x, 0) == (uint64_t)(int64_t)(int32_t)(uint32_t)x);
    begin();
    asm_store(&a, memory_at(BASE, 8), whole_home(0));
    asm_increment(&a, memory_at(BASE, 8));
    asm_load(&a, T0, memory_at(BASE, 8));
    end();
    CHECK(run_with(x, 0) == x + 1);
  }
}

static uint64_t shifted(ShiftOp op, uint64_t x, unsigned by) {
  if (op == SHIFT_LEFT) return x << by;
  uint64_t result = x >> by;
  bool fills = op == SHIFT_SIGNED && x >> 63 && by > 0;
  return fills ? result | ~bits_below(64 - by) : result;
}

static void test_shifts(void) {
  for (int op = SHIFT_LEFT; op <= SHIFT_SIGNED; op++)
    for (unsigned by = 0; by < 64; by++) {
      begin();
      asm_move(&a, T0, whole_home(0));
      asm_shift(&a, (ShiftOp)op, T0, by);
      asm_move(&a, T1, whole_home(1));
      asm_shift_by_t1(&a, (ShiftOp)op, whole_home(0));
      asm_whole(&a, WHOLE_XOR, T0, whole_home(0)); /* both are the same */
      asm_whole(&a, WHOLE_OR, T0, whole_home(0));
      end();
      for (unsigned n = 0; n < COUNT(wholes); n++)
        CHECK(run_with(wholes[n], by) == shifted((ShiftOp)op, wholes[n], by));
    }
}

static void test_products(void) {
  begin();
  asm_move(&a, T0, whole_home(0));
  asm_multiply(&a, T0, whole_home(1));
  end();
  for (unsigned m = 0; m < COUNT(wholes); m++)
    for (unsigned n = 0; n < COUNT(wholes); n++)
      CHECK(run_with(wholes[m], wholes[n]) == wholes[m] * wholes[n]);
}

/* Not by 0 and -1. */
static void test_divisions(void) {
  for (int remainder = 0; remainder < 2; remainder++) {
    begin();
    asm_move(&a, T0, whole_home(0));
    asm_move(&a, T1, whole_home(1));
    asm_divide(&a, T1);
    if (remainder) asm_move(&a, T0, T2);
    end();
    for (unsigned m = 0; m < COUNT(wholes); m++)
      for (unsigned n = 0; n < COUNT(wholes); n++) {
        int64_t x = (int64_t)wholes[m], y = (int64_t)wholes[n];
        if (y == 0 || y == -1) continue;
        CHECK((int64_t)run_with(wholes[m], wholes[n]) ==
              (remainder ? x % y : x / y));
      }
  }
}

/* -- Comparisons ----------------------------------------------------------- */

static bool whole_holds(Condition c, uint64_t x, uint64_t y) {
  if (c & 1) return !whole_holds(condition_opposite(c), x, y);
  switch (c) {
    case IF_BELOW: return x < y;
    case IF_EQUAL: return x == y;
    case IF_ABOVE: return x > y;
    case IF_LESS: return (int64_t)x < (int64_t)y;
    default: return (int64_t)x > (int64_t)y;
  }
}

static void test_comparisons(void) {
  for (int c = IF_BELOW; c <= IF_NOT_GREATER; c++) {
    begin();
    asm_whole(&a, WHOLE_COMPARE, whole_home(0), whole_home(1));
    end_with_condition((Condition)c);
    for (unsigned m = 0; m < COUNT(wholes); m++)
      for (unsigned n = 0; n < COUNT(wholes); n++)
        CHECK(run_with(wholes[m], wholes[n]) ==
              whole_holds((Condition)c, wholes[m], wholes[n]));
    for (unsigned n = 0; n < COUNT(numbers); n++) {
      uint64_t y = (uint64_t)(int64_t)numbers[n];
      begin();
      asm_whole_number(&a, WHOLE_COMPARE, whole_home(0), numbers[n]);
      end_with_condition((Condition)c);
      for (unsigned m = 0; m < COUNT(wholes); m++)
        CHECK(run_with(wholes[m], 0) ==
              whole_holds((Condition)c, wholes[m], y));
    }
  }
}

/* A number in memory, of 1, 2, 4 and 8 bytes. */
static void compare_memory(unsigned bytes, uint64_t number) {
  const Memory with = memory_at(BASE, 24);
  switch (bytes) {
    case 1: asm_compare8(&a, with, (uint8_t)number); break;
    case 2: asm_compare16(&a, with, (uint16_t)number); break;
    case 4: asm_compare32(&a, with, (uint32_t)number); break;
    default: asm_compare(&a, with, (int32_t)number); break;
  }
}

static void test_comparisons_with_memory(void) {
  for (unsigned bytes = 1; bytes <= 8; bytes *= 2)
    for (int c = IF_BELOW; c <= IF_NOT_ABOVE; c++)
      for (unsigned n = 0; n < COUNT(numbers); n++) {
        uint64_t field = bits_below(8 * bytes);
        uint64_t y = (uint64_t)(int64_t)numbers[n] & field;
        begin();
        compare_memory(bytes, y);
        end_with_condition((Condition)c);
        for (unsigned m = 0; m < COUNT(wholes); m++) {
          memcpy(memory + MIDDLE + 24, &wholes[m], sizeof wholes[m]);
          CHECK(run_with(0, 0) ==
                whole_holds((Condition)c, wholes[m] & field, y));
        }
      }
}

static void test_tests(void) {
  for (unsigned bits = 0; bits < 256; bits++) {
    begin();
    asm_test8(&a, memory_at(BASE, 24), (uint8_t)bits);
    end_with_condition(IF_EQUAL);
    for (unsigned n = 0; n < 256; n++) {
      memory[MIDDLE + 24] = (uint8_t)n;
      CHECK(run_with(0, 0) == !(n & bits));
    }
  }
  for (int c = IF_EQUAL; c <= IF_NOT_LESS; c++) {
    if (c == IF_ABOVE || c == IF_NOT_ABOVE) continue;
    begin();
    asm_test(&a, whole_home(0), whole_home(1));
    end_with_condition((Condition)c);
    for (unsigned m = 0; m < COUNT(wholes); m++)
      for (unsigned n = 0; n < COUNT(wholes); n++)
        CHECK(run_with(wholes[m], wholes[n]) ==
              whole_holds((Condition)c, wholes[m] & wholes[n], 0));
  }
}

/* -- Memory ---------------------------------------------------------------- */

static const int32_t offsets[] = {
    0,     1,     8,     -1,    -8,    16,     127,   128,     255,  256,
    -255,  -256,  -257,  4080,  4088,  4095,   4096,  8190,    8192, 16380,
    16384, 32760, 32761, 32768, 65536, 100000, -4096, -100000, -4095};

static void load(unsigned bytes, Register to, Memory from) {
  switch (bytes) {
    case 1: asm_load8(&a, to, from); break;
    case 2: asm_load16(&a, to, from); break;
    case 4: asm_load32(&a, to, from); break;
    default: asm_load(&a, to, from); break;
  }
}

/* There is no store of 2 bytes. */
static void store(unsigned bytes, Memory to, Register from) {
  switch (bytes) {
    case 1: asm_store8(&a, to, from); break;
    case 4: asm_store32(&a, to, from); break;
    default: asm_store(&a, to, from); break;
  }
}

static void check_load(unsigned bytes, Memory m, uint64_t index) {
  const uint64_t value = 0xf1e2d3c4b5a69788;
  uint8_t *at = memory + MIDDLE + index * m.scale + m.offset;
  begin();
  load(bytes, T0, m);
  end();
  memcpy(at, &value, sizeof value);
  CHECK(run_with(index, 0) == (value & bits_below(8 * bytes)));
}

static void check_store(unsigned bytes, Memory m, uint64_t index) {
  const uint64_t value = 0xf1e2d3c4b5a69788;
  uint64_t found;
  uint8_t *at = memory + MIDDLE + index * m.scale + m.offset;
  if (bytes == 2) return;
  begin();
  store(bytes, m, whole_home(1));
  end();
  memset(at, 0, sizeof found);
  run_with(index, value);
  memcpy(&found, at, sizeof found);
  CHECK(found == (value & bits_below(8 * bytes)));
}

static void check_float(Memory m, uint64_t index) {
  const double value = 1.25e100;
  double found = 0;
  uint8_t *at = memory + MIDDLE + index * m.scale + m.offset;
  begin();
  asm_float_load(&a, FT1, m);
  asm_whole(&a, WHOLE_XOR, T0, T0);
  asm_store(&a, m, T0);
  asm_float_store(&a, m, FT1);
  end();
  memcpy(at, &value, sizeof value);
  run_with(index, 0);
  memcpy(&found, at, sizeof found);
  CHECK(found == value);
}

static void check_address(Memory m, uint64_t index) {
  const uint8_t *at = memory + MIDDLE + index * m.scale + m.offset;
  begin();
  asm_address(&a, T2, m);
  asm_move(&a, T0, T2);
  end();
  CHECK(run_with(index, 0) == (uint64_t)(uintptr_t)at);
}

static void check_memory(Memory m, uint64_t index) {
  for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
    check_load(bytes, m, index);
    check_store(bytes, m, index);
  }
  check_float(m, index);
  check_address(m, index);
}

static void test_memory(void) {
  for (unsigned n = 0; n < COUNT(offsets); n++) {
    Memory m = memory_at(BASE, (size_t)offsets[n]);
    check_memory(m, 0);
    m.index = whole_home(0);
    for (m.scale = 1; m.scale <= 8; m.scale *= 2)
      for (uint64_t index = 0; index <= 3000; index += 1500)
        check_memory(m, index);
  }
}

static void test_stored_numbers(void) {
  for (unsigned n = 0; n < COUNT(offsets); n++)
    for (unsigned k = 0; k < COUNT(numbers); k++) {
      const Memory m = memory_at(BASE, (size_t)offsets[n]);
      uint8_t *at = memory + MIDDLE + offsets[n];
      uint32_t found[2], number = (uint32_t)numbers[k];
      begin();
      asm_store32_number(&a, m, number);
      end();
      memset(at, 0x55, sizeof found);
      run_with(0, 0);
      memcpy(found, at, sizeof found);
      CHECK(found[0] == number && found[1] == 0x55555555);
      begin();
      Patch later = asm_store32_later(&a, m);
      asm_store8_number(&a, m, (uint8_t)~number);
      asm_patch_number(&a, later, number);
      end();
      run_with(0, 0);
      memcpy(found, at, sizeof found);
      CHECK(found[0] == (number ^ 0xff) && found[1] == 0x55555555);
    }
}

/* -- Floats ---------------------------------------------------------------- */

static const double floats[] = {
    0.0,    -0.0,     1.0,       -1.0,   0.5,
    2.0,    1e308,    -1e308,    1e-308, 3.5,
    5e-324, INFINITY, -INFINITY, NAN,    9007199254740993.0};

static double float_result(FloatOpCode op, double x, double y) {
  switch (op) {
    case FLOAT_ADD: return x + y;
    case FLOAT_SUB: return x - y;
    case FLOAT_MUL: return x * y;
    default: return x / y;
  }
}

/* Which NaN it is does not count. */
static bool is_same(uint64_t bits, double n) {
  double found;
  memcpy(&found, &bits, sizeof found);
  return isnan(n) ? isnan(found) : bits == bits_of(n);
}

static void test_float_arithmetic(void) {
  for (int op = FLOAT_ADD; op <= FLOAT_DIV; op++) {
    begin();
    asm_float_move(&a, FT0, float_home(0));
    asm_float(&a, (FloatOpCode)op, FT0, float_home(1));
    asm_float_store(&a, memory_at(BASE, 0), FT0);
    asm_load(&a, T0, memory_at(BASE, 0));
    end();
    for (unsigned m = 0; m < COUNT(floats); m++)
      for (unsigned n = 0; n < COUNT(floats); n++)
        CHECK(is_same(run_with_floats(floats[m], floats[n]),
                      float_result((FloatOpCode)op, floats[m], floats[n])));
  }
}

static bool float_holds(Condition c, double x, double y) {
  if (c & 1) return !float_holds(condition_opposite(c), x, y);
  switch (c) {
    case IF_FLOAT_GREATER: return x > y;
    case IF_FLOAT_AT_LEAST: return x >= y;
    default: return x == y;
  }
}

static void test_float_comparisons(void) {
  for (int c = IF_FLOAT_GREATER; c <= IF_FLOAT_NOT_EQUAL; c++) {
    begin();
    if (c >= IF_FLOAT_EQUAL)
      asm_float_equal(&a, float_home(0), float_home(1));
    else
      asm_float_compare(&a, float_home(0), float_home(1));
    end_with_condition((Condition)c);
    for (unsigned m = 0; m < COUNT(floats); m++)
      for (unsigned n = 0; n < COUNT(floats); n++)
        CHECK(run_with_floats(floats[m], floats[n]) ==
              float_holds((Condition)c, floats[m], floats[n]));
  }
}

static void test_float_moves(void) {
  for (unsigned n = 0; n < COUNT(wholes); n++) {
    begin();
    asm_float_from_whole(&a, FT1, whole_home(0));
    asm_float_store(&a, memory_at(BASE, 0), FT1);
    asm_load(&a, T0, memory_at(BASE, 0));
    end();
    CHECK(is_same(run_with(wholes[n], 0), (double)(int64_t)wholes[n]));
    begin();
    asm_float_bits(&a, float_home(FLOAT_HOMES - 1), whole_home(0));
    asm_float_store(&a, memory_at(BASE, 0), float_home(FLOAT_HOMES - 1));
    asm_load(&a, T0, memory_at(BASE, 0));
    end();
    CHECK(run_with(wholes[n], 0) == wholes[n]);
  }
}

/* -- Jumps ----------------------------------------------------------------- */

/* Returns the number. */
static uint8_t *write_result(uint64_t number) {
  uint8_t *at = a.at;
  asm_number(&a, T0, number);
  asm_leave(&a);
  return at;
}

/* To code that exists, near and as far as there may be code: before and after.
** If a jump with a condition does not reach it, asm_patch says so. */
static void check_go(uint8_t *from, uint8_t *to, Condition c) {
  write_at(to);
  write_result(2);
  asm_publish(&a);
  write_at(first);
  asm_go(&a, ALWAYS, from);
  asm_publish(&a);
  write_at(from);
  asm_whole(&a, WHOLE_COMPARE, whole_home(0), whole_home(1));
  asm_go(&a, c, to);
  write_result(1);
  asm_publish(&a);
  for (uint64_t x = 0; x < 3; x++)
    CHECK(run_with(x, 1) == (whole_holds(c, x, 1) ? 2 : 1));
  write_at(from);
  asm_whole(&a, WHOLE_COMPARE, whole_home(0), whole_home(1));
  Patch jump = asm_jump(&a, c);
  if (!asm_patch(&a, jump, to)) CHECK(asm_patch(&a, jump, a.at));
  write_result(1);
  asm_publish(&a);
  for (uint64_t x = 0; x < 3; x++)
    CHECK(run_with(x, 1) <= (whole_holds(c, x, 1) ? 2 : 1));
}

static void test_jumps(void) {
  uint8_t *near_to = first + 4096, *far_to = area.write + CODE - 4096;
  for (int c = IF_BELOW; c <= IF_NOT_GREATER; c++) {
    check_go(near_to, near_to + 256, (Condition)c);
    check_go(near_to + 256, near_to, (Condition)c);
    check_go(near_to, far_to, (Condition)c);
    check_go(far_to, near_to, (Condition)c);
  }
}

/* Code that has run is changed: the jump in it, and all of it. */
static void test_changes(void) {
  begin();
  Patch jump = asm_jump(&a, ALWAYS);
  uint8_t *one = write_result(1), *two = write_result(2);
  uint8_t *three = write_result(3);
  CHECK(asm_patch(&a, jump, one));
  asm_publish(&a);
  for (int n = 0; n < 3; n++) {
    CHECK(run_with(0, 0) == 1);
    CHECK(asm_patch(&a, jump, two));
    CHECK(run_with(0, 0) == 2);
    asm_replace_by_jump(&a, two, three);
    CHECK(run_with(0, 0) == 3);
    CHECK(asm_patch(&a, jump, one));
    write_at(two);
    write_result(2);
    asm_publish(&a);
  }
}

/* -- Calls ----------------------------------------------------------------- */

static uint64_t call_three(uint64_t x, uint64_t y, uint64_t z) {
  return x * 10000 + y * 100 + z;
}
static double call_floats(double x, double y) { return x - 2 * y; }

static void test_calls(void) {
  static const Register from[] = {T0, T1, T2, T3, BASE, STATE};
  for (unsigned m = 0; m < COUNT(from); m++)
    for (unsigned n = 0; n < COUNT(from); n++) {
      if (from[m] == T3 && m != n) continue;
      begin();
      for (unsigned k = 0; k < COUNT(from); k++)
        asm_number(&a, from[k], 11 + k);
      asm_arguments(&a, from[m], from[n]);
      asm_third_argument(&a, 77);
      asm_call(&a, (uintptr_t)call_three);
      asm_whole(&a, WHOLE_ADD, T0, BASE);
      asm_whole(&a, WHOLE_ADD, T0, STATE);
      end();
      CHECK(run_with(0, 0) == call_three(11 + m, 11 + n, 77) + 15 + 16);
    }
}

static void test_float_calls(void) {
  begin();
  asm_float_move(&a, FT1, float_home(1));
  asm_float_move(&a, FT0, float_home(0));
  asm_call(&a, (uintptr_t)call_floats);
  asm_float_store(&a, memory_at(BASE, 0), FT0);
  asm_load(&a, T0, memory_at(BASE, 0));
  end();
  CHECK(is_same(run_with_floats(3.5, 1.25), call_floats(3.5, 1.25)));
}

/* Each home has its value, and STATE and BASE have theirs. */
static void test_way_in(void) {
  Homes homes;
  for (unsigned n = 0; n < WHOLE_HOMES; n++) homes.whole[n] = 100 + n;
  for (unsigned n = 0; n < FLOAT_HOMES; n++) homes.floats[n] = 200 + n;
  for (unsigned n = 0; n < WHOLE_HOMES; n++) {
    begin();
    asm_move(&a, T0, whole_home(n));
    end();
    CHECK(run(&homes) == 100 + n);
  }
  for (unsigned n = 0; n < FLOAT_HOMES; n++) {
    begin();
    asm_float_store(&a, memory_at(BASE, 0), float_home(n));
    asm_load(&a, T0, memory_at(BASE, 0));
    end();
    CHECK(run(&homes) == 200 + n);
  }
  begin();
  asm_address(&a, T0, memory_at(BASE, 0));
  asm_whole(&a, WHOLE_SUB, T0, STATE);
  end();
  CHECK(run(&homes) ==
        (uint64_t)((uintptr_t)(memory + MIDDLE) - (uintptr_t)&state));
}

int main(void) {
  open_area();
  test_numbers();
  test_wholes();
  test_one_operand();
  test_shifts();
  test_products();
  test_divisions();
  test_comparisons();
  test_comparisons_with_memory();
  test_tests();
  test_memory();
  test_stored_numbers();
  test_float_arithmetic();
  test_float_comparisons();
  test_float_moves();
  test_jumps();
  test_changes();
  test_calls();
  test_float_calls();
  test_way_in();
  area_unmap(&area);
  return 0;
}
