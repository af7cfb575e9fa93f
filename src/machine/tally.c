/* SPDX-License-Identifier: MIT */
/*
** tally.c -- what is noted of pieces, if it is asked for, and its listing
**
** For each piece: where it begins, the code of each of its instructions, and how
** often control has come to its start.  For each instruction: how often the loop
** had to execute it.
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

#include <stdarg.h>
#include <stdio.h>

#include "bytecode/listing.h"

typedef struct TalliedPiece {
  struct TalliedPiece *next; /* made before this one */
  uint64_t entries;
  uint32_t start, count;
  const uint8_t *end;
  uint32_t pc[PIECE_LENGTH + 1];
  const uint8_t *at[PIECE_LENGTH + 1]; /* the code of each instruction */
} TalliedPiece;

/* -- While code is made ---------------------------------------------------- */

static bool is_recording(const Machine *m) {
  return (m->settings & MACHINE_RECORD) != 0;
}

void tally_code(Machine *m, MachineCode *code) {
  if (!is_recording(m)) return;
  code->steps = area_data(&m->area, code->p->code_size * sizeof *code->steps);
  code->next = m->codes;
  m->codes = code;
}

/* At the start of a piece no flags and no temporaries are in use. */
void tally_piece(Piece *s) {
  s->tally = NULL;
  if (!is_recording(s->m)) return;
  TalliedPiece *piece = area_data(&s->m->area, sizeof *piece);
  if (!piece) return;
  piece->next = s->code->pieces_made;
  s->code->pieces_made = piece;
  piece->start = s->pc;
  s->tally = piece;
  asm_number(&s->a, T0, (uint64_t)(uintptr_t)&piece->entries);
  asm_increment(&s->a, memory_at(T0, 0));
}

void tally_instruction(Piece *s) {
  TalliedPiece *piece = s->tally;
  if (!piece || piece->count > PIECE_LENGTH) return;
  piece->pc[piece->count] = s->pc;
  piece->at[piece->count++] = s->a.at;
}

/* What follows are the ways out. */
void tally_end(Piece *s) {
  if (s->tally) s->tally->end = s->a.at;
}

void tally_step(MachineCode *code, uint32_t pc) {
  if (code->steps) code->steps[pc]++;
}

/* -- Listing --------------------------------------------------------------- */

typedef struct TallyListing {
  MachineWriter *write;
  void *context;
} TallyListing;

static PRINTF_LIKE(2, 3) void tally_print(const TallyListing *l,
                                          const char *format, ...) {
  char text[2 * LISTING_LINE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  l->write(l->context, text);
}

static void tally_print_bytes(const TallyListing *l, const uint8_t *at,
                              const uint8_t *end) {
  enum { ROW = 24 };
  for (const uint8_t *row = at; row < end; row += ROW) {
    char text[3 * ROW + 1] = "";
    for (int n = 0; n < ROW && row + n < end; n++)
      snprintf(text + 2 * n, 3, "%02x", row[n]);
    tally_print(l, "                | %s\n", text);
  }
}

static const char *tally_reason(const Proto *p, uint32_t pc) {
  Opcode op = opcode_alone(code_op(proto_code(p)[pc]));
  return emit_function(op) ? "a case without machine code"
                           : "never has machine code";
}

static void tally_print_piece(const TallyListing *l, const MachineCode *code,
                              const TalliedPiece *piece) {
  char text[LISTING_LINE];
  int line = -1;
  tally_print(l, "  piece at %u, entered %llu times\n", (unsigned)piece->start,
              (unsigned long long)piece->entries);
  for (uint32_t n = 0; n < piece->count; n++) {
    uint32_t pc = piece->pc[n];
    if (proto_line(code->p, pc) != line)
      tally_print(l, "    line %d:\n", line = proto_line(code->p, pc));
    listing_instruction(code->p, pc, text);
    tally_print(l, "      %6u  %s", (unsigned)pc, text);
    if (code->steps && code->steps[pc] > 0)
      tally_print(l, "    ; left %u times so far: %s",
                  (unsigned)code->steps[pc], tally_reason(code->p, pc));
    tally_print(l, "\n");
    tally_print_bytes(l, piece->at[n],
                      n + 1 < piece->count ? piece->at[n + 1] : piece->end);
  }
}

static const MachineCode *tally_find(const Machine *m, const Proto *p) {
  for (const MachineCode *code = m->codes; code; code = code->next)
    if (code->p == p) return code;
  return NULL;
}

/* In the order in which they were made. */
static void tally_print_pieces(const TallyListing *l, const MachineCode *code,
                               const TalliedPiece *piece) {
  if (!piece) return;
  tally_print_pieces(l, code, piece->next);
  tally_print_piece(l, code, piece);
}

void machine_list(const Global *g, const Proto *p, MachineWriter *write,
                  void *context) {
  const TallyListing l = {write, context};
  /* another function may have been at this address, which has died */
  bool is_new = !g->machine || p->machine_epoch != g->machine_epoch;
  const MachineCode *code = is_new ? NULL : tally_find(g->machine, p);
  if (!code) {
    tally_print(&l, "function at line %d: no machine code\n",
                (int)p->first_line);
    return;
  }
  tally_print(&l, "function at line %d: machine code%s\n", (int)p->first_line,
              p->machine_given_up ? ", given up: it was left too often" : "");
  tally_print_pieces(&l, code, code->pieces_made);
}

#else
typedef int RecordNotBuilt;
#endif
