/* SPDX-License-Identifier: MIT */
/*
** spool.c -- text that is written now and read later
*/
#define _POSIX_C_SOURCE 200809L

#include "observe/spool.h"

#include <errno.h>
#include <string.h>

#include "observe/json.h"

/* -- Errands of the scribe ------------------------------------------------- */

/* Also for functions of the C library that do not set errno. */
static void spool_fail(Spool *spool) {
  if (spool->error == 0) spool->error = errno ? errno : EIO;
}

static void write_all(Spool *spool, const char *bytes, size_t size) {
  if (spool->error != 0) return;
  errno = 0;
  if (fwrite(bytes, 1, size, spool->file) != size) spool_fail(spool);
}

/* The spool has a buffer, so the C library's own is switched off. */
static void run_write(Errand *errand) {
  Spool *spool = errand->to;
  errno = 0;
  if (!spool->file && (spool->file = tmpfile()))
    setvbuf(spool->file, NULL, _IONBF, 0);
  if (!spool->file) spool_fail(spool);
  write_all(spool, errand->buffer, errand->size);
}

static void run_copy(Errand *errand) {
  Spool *from = errand->from, *to = errand->to;
  char bytes[SPOOL_BUFFER];
  if (from->error != 0) return;
  rewind(from->file);
  for (uint64_t left = from->size; left > 0 && from->error == 0;) {
    size_t some = left < sizeof bytes ? (size_t)left : sizeof bytes;
    errno = 0;
    if (fread(bytes, 1, some, from->file) != some) spool_fail(from);
    write_all(to, bytes, some);
    left -= some;
  }
}

static void run_close(Errand *errand) {
  Spool *spool = errand->to;
  errno = 0;
  if (spool->file && fclose(spool->file) != 0) spool_fail(spool);
  spool->file = NULL;
}

/* -- Buffers --------------------------------------------------------------- */

bool spool_open(Spool *spool, Heap *heap, Scribe *scribe, FILE *file) {
  memset(spool, 0, sizeof *spool);
  spool->buffer = heap_raw_allocate(heap, SPOOL_BUFFER);
  if (!spool->buffer) return false;
  spool->heap = heap;
  spool->scribe = scribe;
  spool->file = file;
  if (file) setvbuf(file, NULL, _IONBF, 0);
  return true;
}

/* If there is no memory, the scribe brings a buffer back soon. */
static char *another_buffer(Spool *spool) {
  char *buffer = scribe_take_back(spool->scribe);
  if (!buffer) buffer = heap_raw_allocate(spool->heap, SPOOL_BUFFER);
  while (!buffer) {
    scribe_wait();
    buffer = scribe_take_back(spool->scribe);
  }
  return buffer;
}

void spool_flush(Spool *spool) {
  if (spool->used == 0) return;
  spool->in_file = true;
  Errand errand = {run_write, NULL, spool, spool->buffer, spool->used};
  scribe_give(spool->scribe, errand);
  spool->buffer = another_buffer(spool);
  spool->used = 0;
}

/* A forked process closes its descriptor of the file and touches nothing else.
** The FILE may be locked by the thread, which does not exist there. */
static void forget_file(Spool *spool) {
#if SCRIBE_HAS_THREAD
  if (spool->file) close(fileno(spool->file));
#endif
  spool->file = NULL;
}

void spool_close(Spool *spool) {
  if (!spool->buffer) return;
  if (scribe_is_lost(spool->scribe)) forget_file(spool);
  Errand errand = {run_close, NULL, spool, spool->buffer, 0};
  scribe_give(spool->scribe, errand);
  spool->buffer = NULL;
}

void spool_free_spare(Heap *heap, Scribe *scribe) {
  char *buffer;
  while ((buffer = scribe_take_back(scribe)))
    heap_raw_free(heap, buffer, SPOOL_BUFFER);
}

/* -- Writing --------------------------------------------------------------- */

void spool_put(Spool *spool, const char *bytes, size_t size) {
  while (size > 0) {
    if (spool->used == SPOOL_BUFFER) spool_flush(spool);
    size_t some = size_min(size, SPOOL_BUFFER - spool->used);
    memcpy(spool->buffer + spool->used, bytes, some);
    spool->used += some;
    spool->size += some;
    bytes += some;
    size -= some;
  }
}

void spool_append(Spool *spool, Spool *other) {
  if (!other->in_file) {
    spool_put(spool, other->buffer, other->used);
    return;
  }
  spool_flush(other);
  spool_flush(spool);
  scribe_give(spool->scribe, (Errand){run_copy, other, spool, NULL, 0});
  spool->size += other->size;
  spool->in_file = true;
}

void spool_text(Spool *spool, const char *text) {
  spool_put(spool, text, strlen(text));
}

enum { DIGITS = 20, SPOOL_LINE = 8 * (DIGITS + 1) + 2 };

/* Writes the number and returns its end.  Most numbers are short. */
static char *write_digits(char *to, uint64_t n) {
  char *end = to + 1;
  for (uint64_t rest = n; rest > 9; rest /= 10) end++;
  char *at = end;
  do {
    *--at = (char)('0' + n % 10);
    n /= 10;
  } while (n > 0);
  return end;
}

void spool_number(Spool *spool, uint64_t n) {
  char digits[DIGITS];
  spool_put(spool, digits, (size_t)(write_digits(digits, n) - digits));
}

void spool_numbers(Spool *spool, const uint64_t *n, int count) {
  ASSERT(count * (DIGITS + 1) + 2 <= SPOOL_LINE, "%d numbers in a line", count);
  if (spool->used + SPOOL_LINE > SPOOL_BUFFER) spool_flush(spool);
  char *line = spool->buffer + spool->used, *end = line;
  *end++ = ',';
  *end++ = '\n';
  for (int i = 0; i < count; i++) {
    if (i > 0) *end++ = ',';
    end = write_digits(end, n[i]);
  }
  spool->used += (size_t)(end - line);
  spool->size += (size_t)(end - line);
}

void spool_json(Spool *spool, const char *bytes, size_t size) {
  char text[JSON_CHARACTER];
  spool_put(spool, "\"", 1);
  for (size_t i = 0; i < size;) {
    i += json_character(text, bytes + i, size - i);
    spool_text(spool, text);
  }
  spool_put(spool, "\"", 1);
}

/* -- Reading --------------------------------------------------------------- */

static size_t take_from_buffer(Spool *spool, char *bytes, size_t room) {
  size_t at = (size_t)spool->taken, some = size_min(room, spool->used - at);
  memcpy(bytes, spool->buffer + at, some);
  spool->taken += some;
  return some;
}

size_t spool_take(Spool *spool, char *bytes, size_t room) {
  if (spool->error != 0 || spool->taken == spool->size) return 0;
  if (!spool->in_file) return take_from_buffer(spool, bytes, room);
  if (spool->taken == 0) rewind(spool->file);
  errno = 0;
  size_t some = fread(bytes, 1, room, spool->file);
  if (some == 0) spool_fail(spool);
  spool->taken += some;
  return some;
}
