/* SPDX-License-Identifier: MIT */
/*
** short_text.c -- the digits of small numbers
**
** Most numbers that become text are small.  Looking up three digits is faster
** than computing them one after the other.
*/
#include "object/short_text.h"

#define ZEROS(n) ((n) >= 100 ? 0u : (n) >= 10 ? 8u : 16u)
#define ONE(n)                                        \
  ('0' + (n) / 100u) | ('0' + (n) / 10u % 10u) << 8 | \
      ('0' + (n) % 10u) << 16 | ZEROS(n) << TEXT_GROUP_BITS
#define TEN(n)                                                        \
  ONE(n), ONE(n + 1), ONE(n + 2), ONE(n + 3), ONE(n + 4), ONE(n + 5), \
      ONE(n + 6), ONE(n + 7), ONE(n + 8), ONE(n + 9)
#define HUNDRED(n)                                                         \
  TEN(n), TEN(n + 10), TEN(n + 20), TEN(n + 30), TEN(n + 40), TEN(n + 50), \
      TEN(n + 60), TEN(n + 70), TEN(n + 80), TEN(n + 90)

const uint32_t text_thousand[1000] = {
    HUNDRED(0),   HUNDRED(100), HUNDRED(200), HUNDRED(300), HUNDRED(400),
    HUNDRED(500), HUNDRED(600), HUNDRED(700), HUNDRED(800), HUNDRED(900)};

#undef ZEROS
#undef ONE
#undef TEN
#undef HUNDRED
