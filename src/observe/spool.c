/* SPDX-License-Identifier: MIT */
/*
** spool.c -- text that is written now and read later
*/
#define _POSIX_C_SOURCE 200809L

#include "observe/spool.h"

#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#define SPOOL_TRUNCATES 1
#else
#define SPOOL_TRUNCATES 0
#endif

bool spool_open(Spool *spool, Heap *heap) {
  memset(spool, 0, sizeof *spool);
  spool->heap = heap;
  spool->buffer = heap_raw_allocate(heap, SPOOL_BUFFER);
  return spool->buffer != NULL;
}

/* Makes the file one piece shorter.  False if it has no more than a piece. */
static bool spool_shorten(Spool *spool) {
  if (!SPOOL_TRUNCATES || !spool->file || spool->size <= SPOOL_PIECE)
    return false;
  spool->size -= SPOOL_PIECE;
#if SPOOL_TRUNCATES
  if (ftruncate(fileno(spool->file), (off_t)spool->size) != 0) spool->size = 0;
#endif
  return true;
}

bool spool_close_some(Spool *spool) {
  if (spool_shorten(spool)) return false;
  if (spool->file) fclose(spool->file);
  if (spool->buffer) heap_raw_free(spool->heap, spool->buffer, SPOOL_BUFFER);
  spool->file = NULL;
  spool->buffer = NULL;
  return true;
}

/* -- Writing --------------------------------------------------------------- */

/* The spool has a buffer, so the C library's own is switched off. */
static bool spool_open_file(Spool *spool) {
  spool->file = tmpfile();
  if (spool->file) setvbuf(spool->file, NULL, _IONBF, 0);
  return spool->file != NULL;
}

void spool_open_early(Spool *spool) { spool_open_file(spool); }

static void spool_flush(Spool *spool) {
  if (!spool->file && !spool_open_file(spool)) spool->failed = true;
  if (!spool->failed &&
      fwrite(spool->buffer, 1, spool->used, spool->file) != spool->used)
    spool->failed = true;
  spool->used = 0;
}

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

/* Length of the UTF-8 sequence at s; 0 if there is no valid one. */
static size_t json_utf8_length(const unsigned char *s, size_t size) {
  static const unsigned char least[] = {0, 0, 0x80, 0xA0, 0x90};
  size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] < 0xC2 || s[0] > 0xF4 || length > size) return 0;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if ((s[0] == 0xE0 || s[0] == 0xF0) && s[1] < least[length]) return 0;
  if ((s[0] == 0xED && s[1] >= 0xA0) || (s[0] == 0xF4 && s[1] >= 0x90))
    return 0;
  return length;
}

static void spool_escape(Spool *spool, const char *form, unsigned byte) {
  char text[16];
  snprintf(text, sizeof text, form, byte);
  spool_text(spool, text);
}

void spool_json(Spool *spool, const char *bytes, size_t size) {
  const unsigned char *s = (const unsigned char *)bytes;
  spool_put(spool, "\"", 1);
  for (size_t i = 0; i < size;) {
    size_t length = 1;
    if (s[i] == '"' || s[i] == '\\') {
      spool_put(spool, "\\", 1);
      spool_put(spool, bytes + i, 1);
    } else if (s[i] < 0x20 || s[i] == 0x7F) {
      spool_escape(spool, "\\u%04x", s[i]);
    } else if (s[i] < 0x80) {
      spool_put(spool, bytes + i, 1);
    } else if ((length = json_utf8_length(s + i, size - i)) > 0) {
      spool_put(spool, bytes + i, length);
    } else {
      spool_escape(spool, "\\\\x%02X", s[i]);
      length = 1;
    }
    i += length;
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
  if (spool->failed || spool->taken == spool->size) return 0;
  if (!spool->file) return take_from_buffer(spool, bytes, room);
  if (spool->taken == 0) {
    spool_flush(spool);
    rewind(spool->file);
  }
  size_t some = fread(bytes, 1, room, spool->file);
  if (some == 0) spool->failed = true;
  spool->taken += some;
  return some;
}
