/* SPDX-License-Identifier: MIT */
/*
** code.c -- the instructions that small programs compile to
**
** Each case is a chunk and its expected code, without the VARARGPREP at its
** beginning and the RETURN at its end.  The locals a, b, c are declared before
** the chunk and are in registers 0 to 2.
*/
#include "compiler_test.h"

typedef struct CodeCase {
  const char *source;
  const char *code;
} CodeCase;

static const char prefix[] = "local a, b, c = ...; ";
static const char before[] = "VARARGPREP 0; VARARG 0 4; ";

/* Compiles the chunk after the prefix, and compares all code in between. */
static void check_case(lua_State *L, const CodeCase *c) {
  char source[512], found[2048], expected[2048];
  snprintf(source, sizeof source, "%s%s", prefix, c->source);
  LuaClosure *closure = test_compile(L, source);
  if (!closure) fail_msg("%s: %s", source, test_message(L));
  test_describe(closure->proto, true, found, sizeof found);
  L->top--;
  assert_memory_equal(found, before, sizeof before - 1);
  snprintf(expected, sizeof expected, "%s", c->code);
  char *code = found + sizeof before - 1;
  char *end = strstr(code, "RETURN");
  for (char *next; end && (next = strstr(end + 1, "RETURN"));) end = next;
  assert_non_null(end);
  if (end != code)
    end[-2] = '\0';
  else
    *end = '\0';
  if (strcmp(code, expected) != 0)
    fail_msg("%s\n  expected: %s\n  found:    %s", c->source, expected, code);
}

static void check_cases(const CodeCase *cases, size_t count) {
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  for (size_t i = 0; i < count; i++) check_case(L, &cases[i]);
  global_free(L->global);
  assert_int_equal(memory.bytes, 0);
}

#define CHECK(...)                                      \
  do {                                                  \
    static const CodeCase cases[] = {__VA_ARGS__};      \
    (void)state;                                        \
    check_cases(cases, sizeof cases / sizeof cases[0]); \
  } while (0)

static void test_loads(void **state) {
  CHECK({"a = 5", "LOADI 0 5"}, {"a = -32768", "LOADI 0 -32768"},
        {"a = 32768", "LOADK 0 k0"}, {"a = 3.0", "LOADF 0 3"},
        {"a = -0.0", "LOADF 3 0; UNM 0 3"}, {"a = 0.5", "LOADK 0 k0"},
        {"a = nil", "LOADNIL 0 0"},
        {"a = true; b = false", "LOADTRUE 0; LOADFALSE 1"},
        {"local d, e, f", "LOADNIL 3 2"}, {"local d; local e", "LOADNIL 3 1"},
        {"a = b", "MOVE 0 1"}, {"a, b = b, a", "MOVE 3 1; MOVE 1 0; MOVE 0 3"},
        {"a = {}", "NEWTABLE 0 0 3 0"},
        {"a = 'x'; b = 'x'", "LOADK 0 k0; LOADK 1 k0"},
        {"a = 1.0 == 1", "LOADI 3 1; JEQI 3 1 +2; LOADFALSESKIP 0; "
                         "LOADTRUE 0"});
}

static void test_folding(void **state) {
  CHECK({"a = 2 + 3 * 4", "LOADI 0 14"},
        {"a = 7 // 2 + 7 % 4 - 2 ^ 2", "LOADF 0 2"}, {"a = -(-3)", "LOADI 0 3"},
        {"a = ~0", "LOADI 0 -1"}, {"a = 1 << 4 | 3", "LOADI 0 19"},
        {"a = 1 // 0", "LOADI 3 0; LOADI 4 1; IDIV_RR 0 4 3"},
        {"a = 1 % 0", "LOADI 3 0; LOADI 4 1; MOD_RR 0 4 3"},
        {"a = 0 / 0", "LOADI 3 0; DIV_RI 0 3 0"},
        {"a = 1.5 | 1", "LOADK 3 k1; BOR_RN 0 3 k0"},
        {"a = 9223372036854775807 + 1", "LOADK 0 k0"},
        {"a = '1' + 1", "LOADK 3 k0; ADD_RI 0 3 1"},
        {"local k <const> = 10; a = k * 2", "LOADI 0 20"},
        {"local k <const> = 'x'; a = b[k]", "GETFIELD 0 1 k0"},
        {"a = not nil", "LOADTRUE 0"}, {"a = not 1", "LOADFALSE 0"});
}

static void test_arithmetic(void **state) {
  CHECK({"a = b + c", "ADD_RR 0 1 2"}, {"a = b + 1", "ADD_RI 0 1 1"},
        {"a = b - 1", "SUB_RI 0 1 1"}, {"a = b - -128", "SUB_RI 0 1 -128"},
        {"a = 1 + b", "ADD_IR 0 1 1"}, {"a = 2 * b", "MUL_IR 0 2 1"},
        {"a = b * 1000", "MUL_RN 0 1 k0"}, {"a = b * 0.5", "MUL_RF 0 1 k0"},
        {"a = 0.5 * b", "MUL_FR 0 k0 1"}, {"a = 1 / b", "DIV_IR 0 1 1"},
        {"a = b / 1000", "DIV_RN 0 1 k0"}, {"a = b % 3", "MOD_RI 0 1 3"},
        {"a = b % 64", "MOD_RI2 0 1 64"}, {"a = b % 1", "MOD_RI2 0 1 1"},
        {"a = b % -3", "LOADI 3 -3; MOD_RR 0 1 3"},
        {"a = b // 1000", "IDIV_RN 0 1 k0"},
        {"a = 5 % b", "LOADI 3 5; MOD_RR 0 3 1"}, {"a = b ^ 2", "POW_RI 0 1 2"},
        {"a = b ^ 0.5", "POW_RF 0 1 k0"}, {"a = b & 255", "BAND_RN 0 1 k0"},
        {"a = 255 & b", "LOADI 3 255; BAND_RR 0 3 1"},
        {"a = b << 3", "SHL_RI 0 1 3"},
        {"a = b << 64", "LOADI 3 64; SHL_RR 0 1 3"},
        {"a = 1 << b", "SHL_IR 0 1 1"}, {"a = b >> 3", "SHR_RI 0 1 3"},
        {"a = -b; b = ~b; c = #c", "UNM 0 1; BNOT 1 1; LEN 2 2"},
        {"a = (b + c) * (b - c)", "ADD_RR 3 1 2; SUB_RR 4 1 2; MUL_RR 0 3 4"});
}

static void test_concatenation(void **state) {
  CHECK(
      {"a = b .. c", "CONCAT_RR 0 1 2 3"},
      {"a = b .. 'x'", "LOADK 4 k0; CONCAT_RR 0 1 4 3"},
      {"a = 'x' .. b", "LOADK 3 k0; CONCAT_RR 0 3 1 3"},
      {"a = a .. b .. c", "MOVE 3 0; MOVE 4 1; MOVE 5 2; CONCAT 0 3 3"},
      {"a = b .. c()", "MOVE2 3 1 2; CALL 4 0 1; CONCAT 0 3 2"},
      {"a = b() .. c", "MOVE 3 1; CALL 3 0 1; CONCAT_RR 0 3 2 3"},
      {"a = (b .. c) .. a", "CONCAT_RR 3 1 2 3; CONCAT_RR 0 3 0 3"},
      {"a = b .. (c or a)", "MOVE 3 1; JTSET 4 2 +2; MOVE 4 0; CONCAT 0 3 2"});
}

static void test_conditions(void **state) {
  CHECK({"if a < b then c = 1 end", "JNLT 0 1 +2; LOADI 2 1"},
        {"if a > b then c = 1 end", "JNLT 1 0 +2; LOADI 2 1"},
        {"if a >= 5 then c = 1 end", "JNGEI 0 5 +2; LOADI 2 1"},
        {"if 5 < a then c = 1 end", "JNGTI 0 5 +2; LOADI 2 1"},
        {"if a == nil then c = 1 end", "JNNIL 0 +2; LOADI 2 1"},
        {"if a ~= 'x' then c = 1 end", "JEQS 0 k0 +2; LOADI 2 1"},
        {"if a == true then c = 1 end", "JNEQK 0 k0 +2; LOADI 2 1"},
        {"if a == 0.5 then c = 1 end", "JNEQK 0 k0 +2; LOADI 2 1"},
        {"if 1 == a then c = 1 end", "JNEQI 0 1 +2; LOADI 2 1"},
        {"if not a then c = 1 end", "JT 0 +2; LOADI 2 1"},
        {"if not (a < b) then c = 1 end", "JLT 0 1 +2; LOADI 2 1"},
        {"if a and b then c = 1 end", "JF 0 +4; JF 1 +2; LOADI 2 1"},
        {"if a or b then c = 1 end", "JT 0 +3; JF 1 +2; LOADI 2 1"},
        {"if a then b = 1 else c = 1 end",
         "JF 0 +3; LOADI 1 1; JMP +1; LOADI 2 1"},
        {"if false then b = 1 end", "JMP +1; LOADI 1 1"},
        {"if true then b = 1 end", "LOADI 1 1"});
}

static void test_logical_values(void **state) {
  CHECK({"a = b or c", "JTSET 0 1 +2; MOVE 0 2"},
        {"a = a or b", "JT 0 +2; MOVE 0 1"},
        {"a = b and c", "JFSET 0 1 +2; MOVE 0 2"},
        {"a = b and c or a", "JF 1 +3; JTSET 0 2 +1"},
        {"a = b < c", "JLT 1 2 +2; LOADFALSESKIP 0; LOADTRUE 0"},
        {"a = not b", "NOT 0 1"},
        {"a = not (b == c)", "JNEQ 1 2 +2; LOADFALSESKIP 0; LOADTRUE 0"},
        {"a = b == nil or c",
         "JNIL 1 +4; MOVE 0 2; JMP +2; LOADFALSESKIP 0; LOADTRUE 0"});
}

static void test_tables(void **state) {
  CHECK({"a = b.x", "GETFIELD 0 1 k0"}, {"a = b[c]", "GETTABLE 0 1 2"},
        {"a = b[1]", "GETINT 0 1 1"},
        {"a = b[256]", "LOADI 3 256; GETTABLE 0 1 3"},
        {"a = b[-1]", "LOADI 3 -1; GETTABLE 0 1 3"},
        {"a.x = b", "SETFIELD 0 1 k0"}, {"a.x = 1", "SETFIELDK 0 k1 k0"},
        {"a.x = nil", "SETFIELDK 0 k1 k0"}, {"a[b] = c", "SETTABLE 0 1 2"},
        {"a[b] = true", "SETTABLEK 0 1 k0"}, {"a[1] = b", "SETINT 0 1 1"},
        {"a[#a + 1] = b", "LENAPPEND 3 0; ADD_RI 3 3 1; SETTABLE 0 3 1"},
        {"a[#a + 1] = 5", "LENAPPEND 3 0; ADD_RI 3 3 1; SETTABLEK 0 3 k0"},
        {"a[#a + 2] = b", "LEN 3 0; ADD_RI 3 3 2; SETTABLE 0 3 1"},
        {"a[#b + 1] = c", "LEN 3 1; ADD_RI 3 3 1; SETTABLE 0 3 2"},
        {"a[#a + 1] = b + c",
         "LEN 3 0; ADD_RI 3 3 1; ADD_RR 4 1 2; SETTABLE 0 3 4"},
        {"x = a", "SETUPFIELD 0 0 k0"}, {"x = 'y'", "SETUPFIELDK 0 k1 k0"},
        {"a = x", "GETUPFIELD 0 0 k0"},
        {"a = x.y", "GETUPFIELD 3 0 k0; GETFIELD 0 3 k1"},
        {"a = {b, c}", "NEWTABLE 3 0 3 2; MOVE2 4 1 2; "
                       "SETLIST 3 3 0; MOVE 0 3"},
        {"local d = {x = 1, y = b}",
         "NEWTABLE 3 2 3 0; SETFIELDK 3 k1 k0; SETFIELD 3 1 k2"},
        {"local d = {...}", "NEWTABLE 3 0 3 0; VARARG 4 0; SETLIST 3 0 0"},
        {"a[b], a = c, b", "MOVE2 3 0 2; MOVE 0 1; SETTABLE 3 1 4"});
}

/* Superinstructions that include the next instruction.  They are not used if
** both operands of the next instruction are the result of the first. */
static void test_pairs(void **state) {
  CHECK({"a = a + b.x", "GETFIELD_ADD 3 1 k0; ADD_RR 0 0 3"},
        {"a = a - b.x", "GETFIELD_SUB 3 1 k0; SUB_RR 0 0 3"},
        {"a = a * b.x", "GETFIELD_MUL 3 1 k0; MUL_RR 0 0 3"},
        {"a = b.x - c", "GETFIELD_SUBL 3 1 k0; SUB_RR 0 3 2"},
        {"a = b.x * c", "GETFIELD 3 1 k0; MUL_RR 0 3 2"},
        {"local d = b.x; a = d * d", "GETFIELD 3 1 k0; MUL_RR 0 3 3"},
        {"a = a + b[c]", "GETTABLE_ADD 3 1 2; ADD_RR 0 0 3"},
        {"a = a * b[c]", "GETTABLE 3 1 2; MUL_RR 0 0 3"},
        {"a = b[c] * 0.5", "GETTABLE 3 1 2; MUL_RF 0 3 k0"},
        {"a = b[c] * a", "GETTABLE 3 1 2; MUL_RR 0 3 0"},
        {"local d = b[c]; a = d + d", "GETTABLE 3 1 2; ADD_RR 0 3 3"},
        {"a = c + a * b[c]",
         "GETTABLE_MUL_ADD 3 1 2; MUL_RR_ADD 3 0 3; ADD_RR 0 2 3"},
        {"local d = b[c]; a = b * d; c = c + a",
         "GETTABLE_MUL_ADD 3 1 2; MUL_RR_ADD 0 1 3; ADD_RR 2 2 0"},
        {"a = a + b[c] * c[b]",
         "GETTABLE 3 1 2; GETTABLE_MUL_ADD 4 2 1; MUL_RR_ADD 3 3 4; "
         "ADD_RR 0 0 3"},
        {"a[b] = b[c]", "GETTABLE_SET 3 1 2; SETTABLE 0 1 3"},
        {"local d = b[c]; a[d] = d", "GETTABLE 3 1 2; SETTABLE 0 3 3"},
        {"a = b[c + 1]", "ADD_RI_GET 3 2 1; GETTABLE 0 1 3"},
        {"a = (b + c) * 0.5", "ADD_RR 3 1 2; MUL_RF 0 3 k0"},
        {"a = a + b * c", "MUL_RR_ADD 3 1 2; ADD_RR 0 0 3"},
        {"a = b * c + a", "MUL_RR_ADDL 3 1 2; ADD_RR 0 3 0"},
        {"a = a - b * c", "MUL_RR_SUB 3 1 2; SUB_RR 0 0 3"},
        {"a = a + b * 0.5", "MUL_RF 3 1 k0; ADD_RR 0 0 3"},
        {"for i = 1, a do b = b + c end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +4; ADD_RR_FOR1 1 1 2; "
         "FORLOOP1 3 -2"},
        {"for i = 1, a do b[i] = c end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +4; SETTABLE_FOR1 1 6 2; "
         "FORLOOP1 3 -2"},
        {"for i = 1, a do b[i] = 5 end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +4; SETTABLEK_FOR1 1 6 k0; "
         "FORLOOP1 3 -2"},
        {"for i = 1, a, 2 do b[i] = c end",
         "LOADI 3 1; MOVE 4 0; LOADI 5 2; FORPREP 3 +4; "
         "SETTABLE_FOR 1 6 2; FORLOOP 3 -2"},
        {"for i = 1, a, 2 do b[i] = 5 end",
         "LOADI 3 1; MOVE 4 0; LOADI 5 2; FORPREP 3 +4; "
         "SETTABLEK 1 6 k0; FORLOOP 3 -2"},
        {"a = b / 2", "DIV_RI2 0 1 2"}, {"a = b / -2", "DIV_RI 0 1 -2"},
        {"a = b / 0", "DIV_RI 0 1 0"}, {"a = b / 0.125", "DIV_RF2 0 1 k0"},
        {"a = b / 0.3", "DIV_RF 0 1 k0"},
        {"a = b / 0x1p1023", "DIV_RF 0 1 k0"});
}

static void test_calls(void **state) {
  CHECK({"a()", "MOVE 3 0; CALL 3 0 0"},
        {"a(b, 1)", "MOVE2 3 0 1; LOADI 5 1; CALL 3 2 0"},
        {"b = a()", "MOVE 3 0; CALL 3 0 1; MOVE 1 3"},
        {"local d, e = a()", "MOVE 3 0; CALL 3 0 2"},
        {"a(b())", "MOVE2 3 0 1; CALLM 4 1 0; CALLM 3 0 1"},
        {"a(...)", "MOVE 3 0; VARARG 4 0; CALLM 3 0 1"},
        {"a:m(b)", "SELF 3 0 k0; MOVE 5 1; CALL 3 2 0"},
        {"a'x'", "MOVE 3 0; LOADK 4 k0; CALL 3 1 0"},
        {"a{}", "MOVE 3 0; NEWTABLE 4 0 4 0; CALL 3 1 0"},
        {"a((b()))", "MOVE2 3 0 1; CALL 4 0 1; CALL 3 1 0"},
        {"a(b, c, b)", "MOVE2 3 0 1; MOVE2 5 2 1; CALL 3 3 0"},
        {"a(b, b .. c)", "MOVE2 3 0 1; CONCAT_RR 5 1 2 5; CALL 3 2 0"},
        {"a(b,\nc)", "MOVE2 3 0 1; MOVE 5 2; CALL 3 2 0"});
}

static void test_loops(void **state) {
  CHECK({"for i = 1, a do b = i end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +4; MOVE 1 6; FORLOOP1 3 -2"},
        {"for i = 1, a, 1 do b = i end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +4; MOVE 1 6; FORLOOP1 3 -2"},
        {"for i = 1, a do i = 2 end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +4; LOADI 6 2; FORCOPY1 3 -2"},
        {"for i = 1, a, 2 do b = i end",
         "LOADI 3 1; MOVE 4 0; LOADI 5 2; FORPREP 3 +4; MOVE 1 6; "
         "FORLOOP 3 -2"},
        {"for k, v in a do b = v end",
         "MOVE 3 0; LOADNIL 4 2; TFORPREP 3 +2; MOVE 1 8; TFORCALL 3 2; "
         "TFORLOOP 3 -3; CLOSE 3"},
        {"while a do b = 1 end", "JF 0 +4; LOADI 1 1; JT 0 -2"},
        {"while true do b = 1 end", "LOADI 1 1; JMP -2"},
        {"while a < 1 and b do c() end",
         "JNLTI 0 1 +9; JF 1 +7; MOVE 3 2; CALL 3 0 0; JNLTI 0 1 +3; "
         "JT 1 -5"},
        {"repeat b = 1 until a", "LOADI 1 1; JF 0 -2"},
        {"while true do if a then break end b = 1 end",
         "JT 0 +3; LOADI 1 1; JMP -4"},
        {"for i = 1, a do if b then goto l end c = 1 ::l:: end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +6; JT 1 +2; LOADI 2 1; "
         "FORLOOP1 3 -4"},
        {"::l:: if a then goto l end", "JT 0 -1"},
        {"::l:: local d = a if d then goto l end",
         "MOVE 3 0; JF 3 +3; CLOSE 3; JMP -5"},
        {"if a then goto l; b = 1 end ::l::", "JT 0 +3; JMP +1; LOADI 1 1"});
}

/* Constructors in loops use templates.  The template contains the constants,
** unless an earlier computed key might equal theirs. */
static void test_templates(void **state) {
  CHECK(
      {"local d = {x = 1}", "NEWTABLE 3 1 3 0; SETFIELDK 3 k1 k0"},
      {"while true do a = {x = b, y = 0} end",
       "DUPTABLE_SET 3 3 k0; SETFIELD 3 1 k1; MOVE 0 3; JMP -6"},
      {"while true do local d = {x = 1, y = 'z'} end",
       "DUPTABLE 3 3 k0; JMP -3"},
      {"while true do local d = {x = 1, x = b} end",
       "DUPTABLE_SET 3 3 k0; SETFIELD 3 1 k1; JMP -5"},
      {"while true do local d = {[b] = 2, x = 1} end",
       "DUPTABLE 3 3 k1; SETTABLEK 3 1 k0; SETFIELDK 3 k3 k2; JMP -6"},
      {"while true do local d = {1, 'x', true} end", "DUPTABLE 3 3 k0; JMP -3"},
      {"while true do local d = {1, b, 2} end",
       "DUPTABLE 3 3 k0; MOVE 4 1; LOADI 5 2; SETLIST 3 3 1; JMP -7"},
      {"while true do local d = {nil, 1} end",
       "NEWTABLE 3 0 3 2; LOADNIL 4 0; LOADI 5 1; SETLIST 3 3 0; JMP -7"},
      {"while true do local d = {1, 2, [b] = c} end",
       "DUPTABLE 3 3 k0; SETTABLE 3 1 2; LOADI 4 1; LOADI 5 2; "
       "SETLIST 3 3 0; JMP -8"},
      {"while true do local d = {b, c} end",
       "NEWTABLE 3 0 3 2; MOVE2 4 1 2; SETLIST 3 3 0; JMP -6"});
}

/* The variable is a copy of the index if the body can change it.  Assignments to
** it change no other code. */
static void test_loop_variable_assigned_elsewhere(void **state) {
  CHECK({"for i = 1, a do b = function() i = 2 end end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +6; CLOSURE 1 7 0; CLOSE 6; "
         "FORCOPY1 3 -4"},
        {"for i = 1, a do b = function() return i end end",
         "LOADI 3 1; MOVE 4 0; FORPREP1 3 +6; CLOSURE 1 7 0; CLOSE 6; "
         "FORCOPY1 3 -4"});
}

static void test_returns(void **state) {
  CHECK({"do return a end", "RETURN 0 2 2"},
        {"do return a, b end", "MOVE2 3 0 1; RETURN 3 3 2"},
        {"do return a(b) end", "MOVE2 3 0 1; TAILCALL 3 2 2; RETURN 3 0 2"},
        {"do return (a(b)) end", "MOVE2 3 0 1; CALL 3 1 1; RETURN 3 2 2"},
        {"do return ... end", "VARARG 3 0; RETURN 3 0 2"},
        {"do local x <close> = a; return b() end",
         "MOVE 3 0; TBC 3; MOVE 4 1; CALLM 4 1 0; RETURN 4 0 3; CLOSE 3"},
        {"for k in a do return 1 end",
         "MOVE 3 0; LOADNIL 4 2; TFORPREP 3 +3; LOADI 8 1; RETURN 8 2 3; "
         "TFORCALL 3 1; TFORLOOP 3 -4; CLOSE 3"});
}

/* A value just stored is not read again, unless a jump leads to the read. */
static void test_stored_upvalues(void **state) {
  CHECK({"do _ENV = a + 1; return _ENV end",
         "ADD_RI 3 0 1; SETUPVAL 3 0; RETURN 3 2 2"},
        {"_ENV = a + 1; b = _ENV - c",
         "ADD_RI 3 0 1; SETUPVAL 3 0; SUB_RR 1 3 2"},
        {"_ENV = a + 1; b = c - _ENV",
         "ADD_RI 3 0 1; SETUPVAL 3 0; GETUPVAL 3 0; SUB_RR 1 2 3"},
        {"_ENV = a; b = _ENV - c", "SETUPVAL 0 0; GETUPVAL 3 0; SUB_RR 1 3 2"},
        {"if b then _ENV = a + 1 end b = _ENV - c",
         "JF 1 +3; ADD_RI 3 0 1; SETUPVAL 3 0; GETUPVAL 3 0; SUB_RR 1 3 2"});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads),
      cmocka_unit_test(test_stored_upvalues),
      cmocka_unit_test(test_folding),
      cmocka_unit_test(test_arithmetic),
      cmocka_unit_test(test_concatenation),
      cmocka_unit_test(test_conditions),
      cmocka_unit_test(test_logical_values),
      cmocka_unit_test(test_tables),
      cmocka_unit_test(test_templates),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_loop_variable_assigned_elsewhere),
      cmocka_unit_test(test_returns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
