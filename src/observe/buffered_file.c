/* SPDX-License-Identifier: MIT */
/*
** buffered_file.c -- text that is written now and read later
*/
#define _POSIX_C_SOURCE 200809L

#include "observe/buffered_file.h"

#include <errno.h>
#include <string.h>

#include "observe/json.h"

/* -- Jobs of the writer thread --------------------------------------------- */

/* Also for functions of the C library that do not set errno. */
static void buffered_fail(BufferedFile *buffered) {
  if (buffered->error == 0) buffered->error = errno ? errno : EIO;
}

static void write_all(BufferedFile *buffered, const char *bytes, size_t size) {
  if (buffered->error != 0) return;
  errno = 0;
  if (fwrite(bytes, 1, size, buffered->file) != size) buffered_fail(buffered);
}

/* The buffered file has a buffer, so the C library's own is switched off. */
static void run_write(WriteJob *job) {
  BufferedFile *buffered = job->to;
  errno = 0;
  if (!buffered->file && (buffered->file = tmpfile()))
    setvbuf(buffered->file, NULL, _IONBF, 0);
  if (!buffered->file) buffered_fail(buffered);
  write_all(buffered, job->buffer, job->size);
}

static void run_copy(WriteJob *job) {
  BufferedFile *from = job->from, *to = job->to;
  char bytes[BUFFERED_SIZE];
  if (from->error != 0) return;
  rewind(from->file);
  for (uint64_t left = from->size; left > 0 && from->error == 0;) {
    size_t some = left < sizeof bytes ? (size_t)left : sizeof bytes;
    errno = 0;
    if (fread(bytes, 1, some, from->file) != some) buffered_fail(from);
    write_all(to, bytes, some);
    left -= some;
  }
}

static void run_close(WriteJob *job) {
  BufferedFile *buffered = job->to;
  errno = 0;
  if (buffered->file && fclose(buffered->file) != 0) buffered_fail(buffered);
  buffered->file = NULL;
}

/* -- Buffers --------------------------------------------------------------- */

bool buffered_open(BufferedFile *buffered, Heap *heap, WriteQueue *writes,
                   FILE *file) {
  memset(buffered, 0, sizeof *buffered);
  buffered->buffer = heap_raw_allocate(heap, BUFFERED_SIZE);
  if (!buffered->buffer) return false;
  buffered->heap = heap;
  buffered->writes = writes;
  buffered->file = file;
  if (file) setvbuf(file, NULL, _IONBF, 0);
  return true;
}

/* If there is no memory, the writer thread brings a buffer back soon. */
static char *another_buffer(BufferedFile *buffered) {
  char *buffer = write_queue_take_back(buffered->writes);
  if (!buffer) buffer = heap_raw_allocate(buffered->heap, BUFFERED_SIZE);
  while (!buffer) {
    write_queue_wait();
    buffer = write_queue_take_back(buffered->writes);
  }
  return buffer;
}

void buffered_flush(BufferedFile *buffered) {
  if (buffered->used == 0) return;
  buffered->in_file = true;
  WriteJob job = {run_write, NULL, buffered, buffered->buffer, buffered->used};
  write_queue_give(buffered->writes, job);
  buffered->buffer = another_buffer(buffered);
  buffered->used = 0;
}

/* A forked process closes its descriptor of the file and touches nothing else.
** The FILE may be locked by the thread, which does not exist there. */
static void forget_file(BufferedFile *buffered) {
#if WRITE_QUEUE_HAS_THREAD
  if (buffered->file) close(fileno(buffered->file));
#endif
  buffered->file = NULL;
}

void buffered_close(BufferedFile *buffered) {
  if (!buffered->buffer) return;
  if (write_queue_is_lost(buffered->writes)) forget_file(buffered);
  WriteJob job = {run_close, NULL, buffered, buffered->buffer, 0};
  write_queue_give(buffered->writes, job);
  buffered->buffer = NULL;
}

void buffered_free_spare(Heap *heap, WriteQueue *writes) {
  char *buffer;
  while ((buffer = write_queue_take_back(writes)))
    heap_raw_free(heap, buffer, BUFFERED_SIZE);
}

/* -- Writing --------------------------------------------------------------- */

void buffered_put(BufferedFile *buffered, const char *bytes, size_t size) {
  while (size > 0) {
    if (buffered->used == BUFFERED_SIZE) buffered_flush(buffered);
    size_t some = size_min(size, BUFFERED_SIZE - buffered->used);
    memcpy(buffered->buffer + buffered->used, bytes, some);
    buffered->used += some;
    buffered->size += some;
    bytes += some;
    size -= some;
  }
}

void buffered_append(BufferedFile *buffered, BufferedFile *other) {
  if (!other->in_file) {
    buffered_put(buffered, other->buffer, other->used);
    return;
  }
  buffered_flush(other);
  buffered_flush(buffered);
  write_queue_give(buffered->writes,
                   (WriteJob){run_copy, other, buffered, NULL, 0});
  buffered->size += other->size;
  buffered->in_file = true;
}

void buffered_text(BufferedFile *buffered, const char *text) {
  buffered_put(buffered, text, strlen(text));
}

enum { DIGITS = 20, BUFFERED_LINE = 8 * (DIGITS + 1) + 2 };

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

void buffered_number(BufferedFile *buffered, uint64_t n) {
  char digits[DIGITS];
  buffered_put(buffered, digits, (size_t)(write_digits(digits, n) - digits));
}

void buffered_numbers(BufferedFile *buffered, const uint64_t *n, int count) {
  ASSERT(count * (DIGITS + 1) + 2 <= BUFFERED_LINE, "%d numbers in a line",
         count);
  if (buffered->used + BUFFERED_LINE > BUFFERED_SIZE) buffered_flush(buffered);
  char *line = buffered->buffer + buffered->used, *end = line;
  *end++ = ',';
  *end++ = '\n';
  for (int i = 0; i < count; i++) {
    if (i > 0) *end++ = ',';
    end = write_digits(end, n[i]);
  }
  buffered->used += (size_t)(end - line);
  buffered->size += (size_t)(end - line);
}

void buffered_json(BufferedFile *buffered, const char *bytes, size_t size) {
  char text[JSON_CHARACTER];
  buffered_put(buffered, "\"", 1);
  for (size_t i = 0; i < size;) {
    i += json_character(text, bytes + i, size - i);
    buffered_text(buffered, text);
  }
  buffered_put(buffered, "\"", 1);
}

/* -- Reading --------------------------------------------------------------- */

static size_t take_from_buffer(BufferedFile *buffered, char *bytes,
                               size_t capacity) {
  size_t at = (size_t)buffered->taken,
         some = size_min(capacity, buffered->used - at);
  memcpy(bytes, buffered->buffer + at, some);
  buffered->taken += some;
  return some;
}

size_t buffered_take(BufferedFile *buffered, char *bytes, size_t capacity) {
  if (buffered->error != 0 || buffered->taken == buffered->size) return 0;
  if (!buffered->in_file) return take_from_buffer(buffered, bytes, capacity);
  if (buffered->taken == 0) rewind(buffered->file);
  errno = 0;
  size_t some = fread(bytes, 1, capacity, buffered->file);
  if (some == 0) buffered_fail(buffered);
  buffered->taken += some;
  return some;
}
