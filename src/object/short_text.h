/* SPDX-License-Identifier: MIT */
/*
** short_text.h -- the text of a short string, in words
**
** Short strings are hashed, compared and copied in pairs of words.  The unused
** bytes of the last pair are zero, and there is at least one such byte.  Loops
** run over whole pairs.  Nothing but their number depends on the length.
**
**     "line 7"          "l i n e _ 7 0 0" "0 0 0 0 0 0 0 0"
**
** Text is assembled in a register, which is stored when a word is complete.
** Storing single bytes and then loading them as a word would stall the
** processor until the bytes have left its store queue.
*/
#ifndef PENUMBRA_OBJECT_SHORT_TEXT_H
#define PENUMBRA_OBJECT_SHORT_TEXT_H

#include "object/bytes.h"
#include "object/string.h"

enum {
  TEXT_WORD = 8,
  TEXT_PAIR = 2 * TEXT_WORD,
  TEXT_WORDS = 2 * (STRING_MAX_SHORT / TEXT_PAIR + 1),
  /* Text that is too long by one string or number is written before its length
  ** is checked. */
  TEXT_CAPACITY = 2 * STRING_MAX_SHORT / TEXT_WORD + 2
};
static_assert(TEXT_CAPACITY >= TEXT_WORDS, "any short text fits");

/* Number of words of a text of that length. */
static ALWAYS_INLINE size_t text_words(size_t length) {
  return 2 * (length / TEXT_PAIR + 1);
}

/* -- Words ----------------------------------------------------------------- */

/* The bytes in reverse order. */
static ALWAYS_INLINE uint64_t text_reverse(uint64_t word) {
  const uint64_t bytes = UINT64_C(0x00ff00ff00ff00ff);
  const uint64_t pairs = UINT64_C(0x0000ffff0000ffff);
  word = (word >> 8 & bytes) | (word & bytes) << 8;
  word = (word >> 16 & pairs) | (word & pairs) << 16;
  return word >> 32 | word << 32;
}

/* Makes the first byte in memory the lowest one of a word. */
static ALWAYS_INLINE uint64_t text_order(uint64_t word) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return text_reverse(word);
#else
  return word;
#endif
}

static ALWAYS_INLINE uint64_t text_load(const char *s) {
  return text_order(bytes_load_8(s));
}

static ALWAYS_INLINE void text_store(char *to, uint64_t word) {
  word = text_order(word);
  memcpy(to, &word, sizeof word);
}

/* Four bytes, the others zero. */
static ALWAYS_INLINE uint64_t text_load_4(const char *s) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return text_reverse(bytes_load_4(s)) >> 32;
#else
  return bytes_load_4(s);
#endif
}

/* n <= 8 bytes, the others zero. */
static ALWAYS_INLINE uint64_t text_load_some(const char *s, size_t n) {
  char bytes[TEXT_WORD] = {0};
  if (n >= TEXT_WORD) return text_load(s);
  bytes_copy(bytes, s, n);
  return text_load(bytes);
}

/* The last n < 16 of the bytes before `end`, as a pair.  The 16 bytes before
** `end` must be readable. */
static ALWAYS_INLINE void text_load_tail(const char *end, size_t n,
                                         uint64_t pair[2]) {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 Wide;
  Wide wide =
      (Wide)text_load(end - TEXT_WORD) << 64 | text_load(end - TEXT_PAIR);
  wide = wide >> 8 >> 8 * (TEXT_PAIR - 1 - n);
  pair[0] = (uint64_t)wide;
  pair[1] = (uint64_t)(wide >> 64);
#else
  size_t first = n < TEXT_WORD ? n : TEXT_WORD;
  pair[0] = text_load_some(end - n, first);
  pair[1] = text_load_some(end - n + first, n - first);
#endif
}

/* Loads the pair where only the n bytes are readable. */
static ALWAYS_INLINE void text_load_few(const char *s, size_t n,
                                        uint64_t pair[2]) {
  pair[1] = 0;
  if (n >= TEXT_WORD) {
    uint64_t last = text_load(s + n - TEXT_WORD);
    pair[0] = text_load(s);
    pair[1] = last >> 8 >> 8 * (TEXT_PAIR - 1 - n);
  } else if (n >= 4) {
    pair[0] = text_load_4(s) | text_load_4(s + n - 4) << 8 * (n - 4);
  } else if (n > 0) {
    pair[0] = (uint64_t)(uint8_t)s[0] |
              (uint64_t)(uint8_t)s[n / 2] << 8 * (n / 2) |
              (uint64_t)(uint8_t)s[n - 1] << 8 * (n - 1);
  } else {
    pair[0] = 0;
  }
}

/* All words of a short text. */
static ALWAYS_INLINE void text_load_all(const char *s, size_t n,
                                        uint64_t word[TEXT_WORDS]) {
  if (n < TEXT_PAIR) {
    text_load_few(s, n, word);
    return;
  }
  size_t whole = n - n % TEXT_PAIR;
  for (size_t i = 0; i < whole; i += TEXT_WORD)
    word[i / TEXT_WORD] = text_load(s + i);
  text_load_tail(s + n, n - whole, &word[whole / TEXT_WORD]);
}

/* -- Putting text together ------------------------------------------------- */

typedef struct TextWriter {
  uint64_t *word; /* TEXT_CAPACITY words */
  uint64_t last;  /* the incomplete word */
  size_t bits;    /* written so far, eight for each byte */
} TextWriter;

enum { TEXT_WORD_BITS = 8 * TEXT_WORD };

static ALWAYS_INLINE TextWriter text_begin(uint64_t word[TEXT_CAPACITY]) {
  TextWriter w = {word, 0, 0};
  return w;
}

static ALWAYS_INLINE size_t text_length(const TextWriter *w) {
  return w->bits / 8;
}

/* Adds up to eight bytes, `bits` bits in total.  The other bits of `bytes` are
** zero. */
static ALWAYS_INLINE void text_write_bits(TextWriter *w, uint64_t bytes,
                                          size_t bits) {
  size_t at = w->bits / TEXT_WORD_BITS;
  uint64_t whole = w->last | bytes << w->bits % TEXT_WORD_BITS;
  uint64_t rest = bytes >> 1 >> ~w->bits % TEXT_WORD_BITS;
  w->bits += bits;
  w->word[at] = whole;
  w->last = w->bits / TEXT_WORD_BITS > at ? rest : whole;
}

static ALWAYS_INLINE void text_write(TextWriter *w, uint64_t bytes, size_t n) {
  text_write_bits(w, bytes, 8 * n);
}

/* Adds a short string. */
static ALWAYS_INLINE void text_write_string(TextWriter *w, const String *s) {
  const char *bytes = string_bytes(s);
  size_t left = s->cell.user;
  for (; UNLIKELY(left > TEXT_WORD); left -= TEXT_WORD, bytes += TEXT_WORD)
    text_write(w, text_load(bytes), TEXT_WORD);
  text_write(w, text_load(bytes), left);
}

/* A word that was stored a moment ago.  Words are loaded one by one, as they
** were stored: a load of two words would stall as well. */
static ALWAYS_INLINE uint64_t text_word(const uint64_t *word, size_t i) {
  return *(const volatile uint64_t *)&word[i];
}

/* The text, which must be short, as a string. */
static ALWAYS_INLINE String *text_string(lua_State *L, const TextWriter *w) {
  size_t length = text_length(w);
  if (length >= TEXT_PAIR) {
    w->word[length / TEXT_WORD] = w->last;
    w->word[length / TEXT_WORD + 1] = 0;
    return string_new_words(L, w->word, length);
  }
  if (length >= TEXT_WORD)
    return string_new_pair(L, text_word(w->word, 0), w->last, length);
  if (UNLIKELY(length == 1)) return string_new_char(L, (unsigned char)w->last);
  return string_new_pair(L, w->last, 0, length);
}

/* -- Digits ---------------------------------------------------------------- */

/* The three digits of each n < 1000 as text.  The last byte is the number of
** bits of leading zeros. */
extern const uint32_t text_thousand[1000];

enum { TEXT_SMALL = 1000000, TEXT_GROUP_BITS = 24 };

/* Adds n < TEXT_SMALL, without leading zeros. */
static ALWAYS_INLINE void text_write_small(TextWriter *w, uint32_t n) {
  const uint32_t digits = (1u << TEXT_GROUP_BITS) - 1;
  uint32_t first = text_thousand[n < 1000 ? n : n / 1000];
  uint64_t text = first & digits;
  unsigned zeros = first >> TEXT_GROUP_BITS, bits = TEXT_GROUP_BITS;
  if (n >= 1000) {
    uint64_t second = text_thousand[n % 1000] & digits;
    text |= second << TEXT_GROUP_BITS;
    bits += TEXT_GROUP_BITS;
  }
  text_write_bits(w, text >> zeros, bits - zeros);
}

/* The eight digits of n < 10^8, one in each byte.  All digits are divided at
** once, by 10000, by 100 and by 10, with multiplications that are exact in this
** range. */
static ALWAYS_INLINE uint64_t text_eight_digits(uint32_t n) {
  uint64_t fours = n / 10000 | (uint64_t)(n % 10000) << 32;
  uint64_t high = fours * 10486 >> 20 & UINT64_C(0x7f0000007f);
  uint64_t twos = high | (fours - high * 100) << 16;
  uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);
  return tens | (twos - tens * 10) << 8;
}

enum { EIGHT_DIGITS = 100000000 };
static const uint64_t TEXT_ZEROS = UINT64_C(0x3030303030303030);

static ALWAYS_INLINE void text_write_eight(TextWriter *w, uint32_t n) {
  text_write(w, text_eight_digits(n) | TEXT_ZEROS, TEXT_WORD);
}

/* The number of digits of n < 10^8.  The table entry of the highest bit adds
** one to the upper half for each digit, and for the last digit only if n is
** large enough.  This does not wait for the digits, so the text after them need
** not wait either. */
static ALWAYS_INLINE unsigned text_digit_count(uint32_t n) {
#define POWER(count, power) (((uint64_t)(count) << 32) - (power))
  static const uint64_t entry[] = {
      POWER(2, 10),        POWER(2, 10),        POWER(2, 10),
      POWER(2, 10),        POWER(3, 100),       POWER(3, 100),
      POWER(3, 100),       POWER(4, 1000),      POWER(4, 1000),
      POWER(4, 1000),      POWER(5, 10000),     POWER(5, 10000),
      POWER(5, 10000),     POWER(5, 10000),     POWER(6, 100000),
      POWER(6, 100000),    POWER(6, 100000),    POWER(7, 1000000),
      POWER(7, 1000000),   POWER(7, 1000000),   POWER(8, 10000000),
      POWER(8, 10000000),  POWER(8, 10000000),  POWER(8, 10000000),
      POWER(9, 100000000), POWER(9, 100000000), POWER(9, 100000000)};
#undef POWER
  return (unsigned)((n + entry[bits_highest(n | 1)]) >> 32);
}

/* Adds n, without leading zeros. */
static ALWAYS_INLINE void text_write_few_digits(TextWriter *w, uint32_t n) {
  unsigned count = text_digit_count(n);
  uint64_t digits = text_eight_digits(n) | TEXT_ZEROS;
  text_write(w, digits >> 8 * (TEXT_WORD - count), count);
}

static ALWAYS_INLINE void text_write_integer(TextWriter *w, Integer i) {
  Unsigned n = (Unsigned)i;
  if (UNLIKELY(i < 0)) {
    text_write(w, '-', 1);
    n = 0u - n;
  }
  if (LIKELY(n < TEXT_SMALL)) {
    text_write_small(w, (uint32_t)n);
    return;
  }
  if (n < EIGHT_DIGITS) {
    text_write_few_digits(w, (uint32_t)n);
    return;
  }
  uint32_t low = (uint32_t)(n % EIGHT_DIGITS);
  n /= EIGHT_DIGITS;
  if (n >= EIGHT_DIGITS) {
    text_write_few_digits(w, (uint32_t)(n / EIGHT_DIGITS));
    text_write_eight(w, (uint32_t)(n % EIGHT_DIGITS));
  } else {
    text_write_few_digits(w, (uint32_t)n);
  }
  text_write_eight(w, low);
}

#endif
