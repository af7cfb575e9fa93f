/* SPDX-License-Identifier: MIT */
/*
** mutants.c -- binary chunks that were changed
**
**     mutants [--structured] COUNT SEED program.lua...
**     mutants COUNT SEED chunk...
**
** Each program is compiled and dumped: with names, without names, and without
** names but with nearly all instructions as starts of loops, so that a jump
** backward to any of them is accepted.  Mutants of the dumps are loaded.  A
** mutant that is accepted is listed, and runs up to three times: with a hook
** that counts instructions, with a hook that looks at everything as a debugger
** does, and without a hook.  Nothing may crash, hang or leak: the sanitizers
** tell.  The seed and its number determine a mutant; the number is printed when
** a process dies.
**
** Some mutations know the format (src/bytecode/dump.h): fields of instructions,
** whole instructions, upvalue descriptions, constants, counts.  Others, bit
** flips and splices, do not.  Structured mutants are made by structure.c.  What
** is dumped of one that was accepted must be accepted, and stay the same.
**
** Instead of programs there may be chunks of PUC's `luac` 5.4.
*/
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytecode/bytecode.h"
#include "bytecode/verify.h"
#include "lauxlib.h"
#include "lua.h"
#include "luac_map.h"
#include "lualib.h"
#include "penumbra.h"
#include "structure.h"

enum {
  BATCH = 2000,         /* mutants per process */
  STATE_LIFE = 50,      /* mutants per state */
  INSTRUCTIONS = 20000, /* limit for one mutant */
  EVENTS = 80,          /* of a debugger, for one mutant */
  SECONDS = 20,         /* a mutant that takes longer counts as hanging */
  MEMORY = 16 << 20,
  CHUNKS_MAX = 64,
  WORDS_MAX = 1 << 16,
  FIELDS_MAX = 1 << 14
};

/* -- Chunks ---------------------------------------------------------------- */

typedef struct Chunk {
  unsigned char *bytes;
  size_t size;
  uint32_t *word; /* offsets of first words of instructions */
  size_t word_count;
  uint32_t *field; /* offsets of meaningful bytes */
  size_t field_count;
} Chunk;

static bool structured;
static bool foreign; /* the chunks are those of luac */
static Chunk chunks[CHUNKS_MAX];
static size_t chunk_count;

/* Parses a dump to learn the meaning of its bytes.  Also writes a copy in which
** every instruction is the start of a loop, if there is a chunk for it. */
typedef struct Map {
  Chunk *chunk;
  size_t at;
  Chunk *copy;
  size_t
      copied; /* bytes of the chunk that are in the copy, or replaced there */
} Map;

static void note(Map *m, size_t at) {
  if (m->chunk->field_count < FIELDS_MAX)
    m->chunk->field[m->chunk->field_count++] = (uint32_t)at;
}

static unsigned map_byte(Map *m) {
  note(m, m->at);
  return m->chunk->bytes[m->at++];
}

static uint64_t map_size(Map *m) {
  uint64_t n = 0;
  unsigned shift = 0, byte;
  note(m, m->at);
  do {
    byte = m->chunk->bytes[m->at++];
    n |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return n;
}

static void map_string(Map *m) {
  uint64_t length = map_size(m);
  if (length > 0) m->at += (size_t)length - 1;
}

static void map_constant(Map *m);

static void map_template(Map *m) {
  map_size(m);
  uint64_t items = map_size(m), fields = map_size(m);
  while (items-- > 0) map_constant(m);
  while (fields-- > 0) {
    map_string(m);
    map_constant(m);
  }
}

static void map_constant(Map *m) {
  switch (map_byte(m)) {
    case 3:
    case 4:
      note(m, m->at);
      note(m, m->at + 7);
      m->at += 8;
      break;
    case 5: map_string(m); break;
    case 6: map_template(m); break;
    default: break;
  }
}

static void map_code(Map *m) {
  uint64_t count = map_size(m);
  for (uint64_t i = 0; i < count;) {
    Instruction word;
    memcpy(&word, m->chunk->bytes + m->at, sizeof word);
    if (m->chunk->word_count < WORDS_MAX)
      m->chunk->word[m->chunk->word_count++] = (uint32_t)m->at;
    i += (size_t)code_length(word);
    m->at += (size_t)code_length(word) * sizeof word;
  }
}

static int append(lua_State *L, const void *bytes, size_t size, void *ud) {
  Chunk *c = ud;
  (void)L;
  c->bytes = realloc(c->bytes, c->size + size);
  memcpy(c->bytes + c->size, bytes, size);
  c->size += size;
  return 0;
}

static void append_size(Chunk *c, uint64_t n) {
  do {
    unsigned char byte = (unsigned char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
    append(NULL, &byte, 1, c);
    n >>= 7;
  } while (n);
}

/* Instructions that no jump may lead to. */
static int is_second(Instruction i) {
  switch (code_op(i)) {
    case OP_TFORLOOP: return 1;
    case OP_CALLM:
    case OP_TAILCALL:
    case OP_RETURN:
    case OP_SETLIST: return code_b(i) == 0;
    default: return 0;
  }
}

/* Appends the start of each instruction, if there is a chunk.  Returns their
** number.  The first is left out: it may be that of a vararg function. */
static uint64_t each_start(const Map *m, size_t code_at, uint64_t size,
                           Chunk *to) {
  uint64_t count = 0, pc = 0;
  while (pc < size) {
    Instruction word;
    memcpy(&word, m->chunk->bytes + code_at + pc * sizeof word, sizeof word);
    if (pc > 0 && !is_second(word)) {
      count++;
      if (to) append_size(to, pc);
      if (to) append_size(to, LOOP_LOSES_NONE);
    }
    pc += (size_t)code_length(word);
  }
  return count;
}

/* The starts of loops.  All instructions are starts in the copy. */
static void map_heads(Map *m, size_t code_at, uint64_t size) {
  size_t at = m->at;
  for (uint64_t n = map_size(m); n > 0; n--) {
    map_size(m);
    map_size(m);
  }
  if (!m->copy) return;
  append(NULL, m->chunk->bytes + m->copied, at - m->copied, m->copy);
  append_size(m->copy, each_start(m, code_at, size, NULL));
  each_start(m, code_at, size, m->copy);
  m->copied = m->at;
}

static void map_function(Map *m) {
  if (map_byte(m)) map_string(m);
  map_size(m);
  map_size(m);
  for (int i = 0; i < 3; i++) map_byte(m);
  uint64_t code = 0;
  size_t before = m->at;
  code = map_size(m);
  size_t code_at = m->at;
  m->at = before;
  map_code(m);
  for (uint64_t n = map_size(m); n > 0; n--) map_constant(m);
  for (uint64_t n = map_size(m); n > 0; n--) {
    for (int i = 0; i < 3; i++) map_byte(m);
    map_string(m);
  }
  for (uint64_t n = map_size(m); n > 0; n--) map_function(m);
  for (uint64_t n = map_size(m); n > 0; n--) {
    map_string(m);
    map_size(m);
    map_size(m);
  }
  if (map_byte(m)) {
    unsigned shift = map_byte(m);
    m->at += (((size_t)code - 1) >> shift) * 4 + 4 + (size_t)code;
  }
  map_heads(m, code_at, code);
}

/* The header has 31 bytes and a mark of 8, a version, a count. */
static void map_chunk(Chunk *c, Chunk *copy) {
  Map m = {c, 0, copy, 0};
  c->word = malloc(WORDS_MAX * sizeof *c->word);
  c->field = malloc(FIELDS_MAX * sizeof *c->field);
  const char *mark = "Penumbra";
  while (memcmp(c->bytes + m.at, mark, 8) != 0) m.at++;
  m.at += 9;
  note(&m, m.at++);
  map_function(&m);
  if (m.at != c->size) {
    fprintf(stderr, "mutants: the format is not what it was\n");
    exit(2);
  }
  if (copy) append(NULL, c->bytes + m.copied, c->size - m.copied, copy);
}

static void add_program(const char *path) {
  lua_State *L = luaL_newstate();
  if (luaL_loadfile(L, path) != LUA_OK) {
    fprintf(stderr, "mutants: %s\n", lua_tostring(L, -1));
    exit(2);
  }
  if (chunk_count + 3 > CHUNKS_MAX) {
    fprintf(stderr, "mutants: too many programs\n");
    exit(2);
  }
  Chunk *named = &chunks[chunk_count], *stripped = named + 1;
  Chunk *loops = named + 2;
  chunk_count += 3;
  lua_dump(L, append, named, 0);
  map_chunk(named, NULL);
  lua_dump(L, append, stripped, 1);
  map_chunk(stripped, loops);
  map_chunk(loops, NULL);
  if (luaL_loadbufferx(L, (char *)loops->bytes, loops->size, "=x", "b") !=
      LUA_OK) {
    fprintf(stderr, "mutants: %s\n", lua_tostring(L, -1));
    exit(2);
  }
  lua_close(L);
  structure_add(named->bytes, named->size);
  structure_add(stripped->bytes, stripped->size);
}

/* -- Chunks of luac -------------------------------------------------------- */

static void note_place(void *context, size_t at, bool is_instruction) {
  Chunk *c = context;
  if (is_instruction && c->word_count < WORDS_MAX)
    c->word[c->word_count++] = (uint32_t)at;
  else if (!is_instruction && c->field_count < FIELDS_MAX)
    c->field[c->field_count++] = (uint32_t)at;
}

/* Adds the file if it is a binary chunk. */
static bool add_luac(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || getc(file) != LUA_SIGNATURE[0]) {
    if (file) fclose(file);
    return false;
  }
  rewind(file);
  char piece[4096];
  size_t count;
  if (chunk_count == CHUNKS_MAX) exit(2);
  Chunk *c = &chunks[chunk_count++];
  while ((count = fread(piece, 1, sizeof piece, file)) > 0)
    append(NULL, piece, count, c);
  fclose(file);
  c->word = malloc(WORDS_MAX * sizeof *c->word);
  c->field = malloc(FIELDS_MAX * sizeof *c->field);
  if (!luac_map(c->bytes, c->size, note_place, c)) {
    fprintf(stderr, "mutants: %s is no chunk of luac 5.4\n", path);
    exit(2);
  }
  foreign = true;
  return true;
}

/* -- Mutations ------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t random_word(void) {
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}
static size_t random_below(size_t n) { return (size_t)(random_word() % n); }

static unsigned char random_small(unsigned char old) {
  switch (random_below(4)) {
    case 0: return (unsigned char)(old + 1);
    case 1: return (unsigned char)(old - 1);
    case 2: return (unsigned char)random_below(8);
    default: return (unsigned char)random_word();
  }
}

static void change_instruction(const Chunk *c, unsigned char *bytes) {
  size_t at = c->word[random_below(c->word_count)];
  size_t other = c->word[random_below(c->word_count)];
  Instruction word, aux;
  memcpy(&word, bytes + at, sizeof word);
  if (foreign && random_below(4) != 0) {
    word = luac_change_field(word, random_word);
    memcpy(bytes + at, &word, sizeof word);
    return;
  }
  switch (foreign ? 5 + random_below(2) : random_below(8)) {
    case 0: bytes[at] = random_small(bytes[at]); break;
    case 1: bytes[at + 2] = random_small(bytes[at + 2]); break;
    case 2: bytes[at + 3] = random_small(bytes[at + 3]); break;
    case 3: bytes[at + 1] = (unsigned char)random_below(OPCODE_COUNT); break;
    case 4: bytes[at + 1] = random_small(bytes[at + 1]); break;
    case 5: memcpy(bytes + at, bytes + other, sizeof word); break;
    case 6:
      memcpy(bytes + at, bytes + other, sizeof word);
      memcpy(bytes + other, &word, sizeof word);
      break;
    default: /* AUX, most often of a jump */
      if (code_op(word) >= OPCODE_COUNT || (size_t)code_length(word) == 1)
        break;
      memcpy(&aux, bytes + at + 4, sizeof aux);
      aux += (Instruction)random_below(9) - 4;
      if (random_below(8) == 0) aux = (Instruction)random_word();
      memcpy(bytes + at + 4, &aux, sizeof aux);
  }
}

static void change_once(const Chunk *c, unsigned char *bytes, size_t *size) {
  size_t at = random_below(*size);
  const Chunk *other = &chunks[random_below(chunk_count)];
  switch (random_below(12)) {
    case 0: bytes[at] ^= (unsigned char)(1u << random_below(8)); break;
    case 1: bytes[at] = (unsigned char)random_word(); break;
    case 2: { /* a splice */
      size_t from = random_below(other->size);
      size_t count = 1 + random_below(64);
      if (count > other->size - from) count = other->size - from;
      if (count > *size - at) count = *size - at;
      memcpy(bytes + at, other->bytes + from, count);
      break;
    }
    case 3:
      if (random_below(10) == 0) *size = at + 1;
      break;
    case 4:
    case 5: {
      size_t field = c->field[random_below(c->field_count)];
      if (field < *size) bytes[field] = random_small(bytes[field]);
      break;
    }
    default: change_instruction(c, bytes);
  }
}

/* -- Running --------------------------------------------------------------- */

typedef struct Counts {
  uint64_t number; /* of the current mutant */
  uint64_t refused, ran, failed, stopped;
} Counts;

static Counts *counts; /* shared with the parent */
static size_t bytes_held;
static int was_stopped;

static void *allocate(void *ud, void *ptr, size_t old, size_t size) {
  (void)ud;
  if (!ptr) old = 0;
  if (size == 0) {
    free(ptr);
    bytes_held -= old;
    return NULL;
  }
  void *result = realloc(ptr, size);
  if (result) bytes_held += size - old;
  return result;
}

/* After enough instructions, makes every further one an error. */
static void stop(lua_State *L, lua_Debug *ar) {
  (void)ar;
  was_stopped = 1;
  lua_sethook(L, stop, LUA_MASKCOUNT, 1);
  luaL_error(L, "stopped");
}

/* A debugger: asks for all that there is to know about each level, and puts
** variables back where they were. */
static void look(lua_State *L, lua_Debug *event) {
  lua_Debug ar;
  (void)event;
  for (int level = 0; level < 4 && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "nSlutrfL", &ar);
    for (int n = 1; n < 4 && lua_getupvalue(L, -2, n); n++) lua_pop(L, 1);
    lua_pop(L, 2);
    for (int n = -2; n < 0; n++)
      if (lua_getlocal(L, &ar, n) && !lua_setlocal(L, &ar, n)) lua_pop(L, 1);
    for (int n = 1; lua_getlocal(L, &ar, n); n++)
      if (!lua_setlocal(L, &ar, n)) lua_pop(L, 1);
  }
  luaL_traceback(L, L, "", 0);
  lua_pop(L, 1);
}

/* The same at some events, as long as there is time. */
static int events_left;
static void look_or_stop(lua_State *L, lua_Debug *event) {
  if (--events_left < 0)
    stop(L, event);
  else if (events_left % 8 == 0)
    look(L, event);
}

static int quiet(lua_State *L) {
  (void)L;
  return 0;
}

static lua_State *new_state(void) {
  static const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base},       {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
      {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8}};
  static const char *const silent[] = {"print", "dofile", "loadfile", "warn"};
  lua_State *L = lua_newstate(allocate, NULL);
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
    lua_pop(L, 1);
  }
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
    lua_register(L, silent[i], quiet);
  penumbra_setlimit(L, MEMORY);
  return L;
}

static int ignore(lua_State *L, const void *bytes, size_t size, void *ud) {
  (void)L, (void)bytes, (void)size, (void)ud;
  return 0;
}

/* The function on top is dumped, loaded, and dumped again. */
static void check_round_trip(lua_State *L) {
  Chunk first = {0}, second = {0};
  lua_dump(L, append, &first, 0);
  int status =
      luaL_loadbufferx(L, (char *)first.bytes, first.size, "=trip", "b");
  if (status == LUA_ERRMEM) {
    free(first.bytes);
    lua_pop(L, 1);
    return;
  }
  if (status == LUA_OK) lua_dump(L, append, &second, 0);
  if (first.size != second.size ||
      memcmp(first.bytes, second.bytes, first.size) != 0) {
    fprintf(stderr, "mutants: not the same after a dump: %s\n",
            status == LUA_OK ? "other bytes" : lua_tostring(L, -1));
    exit(4);
  }
  free(first.bytes);
  free(second.bytes);
  lua_pop(L, 1);
}

enum { RUN_COUNTED, RUN_DEBUGGED, RUN_FREE, RUN_TURNS };

static void set_hook(lua_State *L, int turn) {
  if (turn == RUN_COUNTED) lua_sethook(L, stop, LUA_MASKCOUNT, INSTRUCTIONS);
  events_left = EVENTS;
  if (turn == RUN_DEBUGGED)
    lua_sethook(L, look_or_stop,
                LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 97);
}

static void run(lua_State *L, const unsigned char *bytes, size_t size) {
  bool ends = true;
  for (int turn = 0; turn < RUN_TURNS && ends; turn++) {
    const char *chunk = (const char *)bytes;
    was_stopped = 0;
    if (luaL_loadbufferx(L, chunk, size, "=mutant", "b") != LUA_OK) {
      counts->refused++;
      lua_settop(L, 0);
      return;
    }
    if (turn == 0) penumbra_listcode(L, 1, ignore, NULL);
    if (turn == 0 && (structured || foreign)) check_round_trip(L);
    set_hook(L, turn);
    int status = lua_pcall(L, 0, LUA_MULTRET, 0);
    lua_sethook(L, NULL, 0, 0);
    if (turn == RUN_COUNTED) {
      ends = !was_stopped;
      counts->ran++;
      if (status != LUA_OK) counts->failed++;
      if (was_stopped) counts->stopped++;
    }
    lua_settop(L, 0);
  }
}

static unsigned char *changed_chunk(size_t *size) {
  const Chunk *c = &chunks[random_below(chunk_count)];
  unsigned char *bytes = malloc(c->size);
  *size = c->size;
  memcpy(bytes, c->bytes, *size);
  for (size_t n = 1 + random_below(3); n > 0; n--) change_once(c, bytes, size);
  return bytes;
}

static void run_mutant(lua_State *L, uint64_t seed, uint64_t number) {
  random_state = seed * UINT64_C(0x2545f4914f6cdd1d) + number;
  random_word();
  size_t size;
  unsigned char *bytes =
      structured ? structure_mutant(random_word, &size) : changed_chunk(&size);
  counts->number = number;
  alarm(SECONDS);
  run(L, bytes, size);
  free(bytes);
}

static void run_batch(uint64_t seed, uint64_t from, uint64_t to) {
  lua_State *L = NULL;
  for (uint64_t n = from; n < to; n++) {
    if (!L) L = new_state();
    run_mutant(L, seed, n);
    if (n % STATE_LIFE != STATE_LIFE - 1 && n + 1 < to) continue;
    lua_close(L);
    L = NULL;
    if (bytes_held != 0) {
      fprintf(stderr, "mutants: %zu bytes lost\n", bytes_held);
      exit(3);
    }
  }
}

static int run_in_child(uint64_t seed, uint64_t from, uint64_t to) {
  pid_t child = fork();
  int status = 0;
  if (child == 0) {
    run_batch(seed, from, to);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0) return 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 1;
  printf("mutant %llu of seed %llu: %s %d\n",
         (unsigned long long)counts->number, (unsigned long long)seed,
         WIFSIGNALED(status) ? "signal" : "exit",
         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  fflush(stdout);
  return 0;
}

int main(int argc, char **argv) {
  structured = argc > 1 && strcmp(argv[1], "--structured") == 0;
  argc -= structured;
  argv += structured;
  if (argc < 4) {
    fprintf(stderr,
            "usage: mutants [--structured] COUNT SEED program.lua...\n"
            "       mutants [--structured] =NUMBER SEED program.lua...\n");
    return 2;
  }
  bool one = argv[1][0] == '=';
  uint64_t count = strtoull(argv[1] + one, NULL, 10);
  uint64_t seed = strtoull(argv[2], NULL, 10), failures = 0;
  for (int i = 3; i < argc; i++)
    if (!add_luac(argv[i])) add_program(argv[i]);
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (counts == MAP_FAILED) return 2;
  if (one) { /* in this process, for a debugger */
    run_batch(seed, count, count + 1);
    return 0;
  }
  for (uint64_t from = 0; from < count && failures < 20;) {
    uint64_t to = from + BATCH < count ? from + BATCH : count;
    bool good = run_in_child(seed, from, to);
    failures += !good;
    uint64_t next = counts->number + 1;
    from = good || next <= from ? to : next;
  }
  printf("%llu mutants: %llu refused, %llu ran (%llu with an error, %llu "
         "stopped), %llu failures\n",
         (unsigned long long)count, (unsigned long long)counts->refused,
         (unsigned long long)counts->ran, (unsigned long long)counts->failed,
         (unsigned long long)counts->stopped, (unsigned long long)failures);
  return failures ? 1 : 0;
}
